"""Deep encoding of documents, before they are stored."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

from langchain_core.callbacks import UsageMetadataCallbackHandler
from langchain_core.documents import BaseDocumentTransformer, Document
from langchain_core.language_models import BaseChatModel
from langchain_core.tracers.context import register_configure_hook

from emomem.encoding.documents import DocumentEncoder, Row
from emomem.encoding.encoder import DEEP_THRESHOLD
from emomem.encoding.encoder import DeepEncoder as CoreDeepEncoder
from emomem.encoding.metering import Tokens
from emomem.encoding.record import EmbedMode
from emomem.metadata import DEFAULT_FIELDS, MetadataFields
from emomem.protocols import Appraiser, ChatMessage, JsonSchema
from langchain_emomem.chat import LangChainChatModel

_usage: Final[ContextVar[UsageMetadataCallbackHandler | None]] = ContextVar(
    "emomem_usage", default=None
)
# Once: LangChain's own context manager adds a hook with every call, and never takes it away.
register_configure_hook(_usage, inheritable=True)


class TellingChatModel(LangChainChatModel):
    """A chat model that tells the tokens of a call, where its messages do."""

    def complete_told(
        self, messages: Sequence[ChatMessage], schema: JsonSchema | None = None
    ) -> tuple[str, Tokens | None]:
        """The text of the answer, and what its message says of tokens."""
        with _watched() as usage:
            return self.complete(messages, schema), _tokens(usage)

    async def acomplete_told(
        self, messages: Sequence[ChatMessage], schema: JsonSchema | None = None
    ) -> tuple[str, Tokens | None]:
        """`complete_told` without blocking the event loop."""
        with _watched() as usage:
            return await self.acomplete(messages, schema), _tokens(usage)


class DeepEncoder(CoreDeepEncoder, BaseDocumentTransformer):
    """Documents in, memories out: what stirs is stored with what it was about.

    A document below the arousal threshold becomes "user said: …"; at or above it a chat model
    tells fact, motive, cues and strategy (`emomem.encoding.encoder.DeepEncoder`). Both keep the
    words in the metadata `deep_raw`, the way they were encoded in `deep_status`, and deep ones
    each dimension in `deep_fact`, `deep_underlying_motive`, `deep_contextual_cues` and
    `deep_agent_strategy`. A document that carries affect keeps it; any other is tagged on the
    way. A deep memory that is given again stays as it is, anything else is encoded anew from its
    words. No document is changed, and none is lost.

    Args:
        model: Any chat model. Set its temperature, 0.3 as published: without one it is asked at 0.
        threshold: 0..1, the arousal from which a document is encoded deeply; `emomem profile`
            recommends one for your own.
        embed: What the text of a deep memory is, which is what a store embeds. "json":
            `[深度记忆]` and the four dimensions. "raw": the words, "user said: …". "fact_motive":
            fact and motive. "multi": a document for each dimension; after recall `merge` makes
            one of those of one memory.
        appraiser: Reads the affect of documents that carry none; None is the embedded model.
        fields: Where affect is read and written.
        budget: How many calls of the model may be made, >= 0; None for any number.
        max_concurrency: How many documents of one call are in the model's hands at once, >= 1.

    Raises:
        TypeError: `model` is no chat model, or `appraiser` no appraiser.
        ValueError: Another argument is not one of those allowed.
        ImportError: No appraiser is given and the embedded model is not installed.

    Example:
        >>> from langchain_core.language_models import FakeListChatModel
        >>> from emomem import LexiconAppraiser
        >>> said = '''{"fact": "The dog died.", "underlying_motive": "To be comforted.",
        ...     "contextual_cues": "The empty basket.", "agent_strategy": "Listen first."}'''
        >>> encoder = DeepEncoder(
        ...     FakeListChatModel(responses=[said]), embed="raw", appraiser=LexiconAppraiser()
        ... )
        >>> document = Document("My dog died!", metadata={"affect_arousal": 0.9})
        >>> [memory] = encoder.transform_documents([document])
        >>> memory.page_content, memory.metadata["deep_fact"]
        ('user said: My dog died!', 'The dog died.')
    """

    def __init__(  # noqa: PLR0913 - each is an option of the user's own
        self,
        model: BaseChatModel,
        *,
        threshold: float = DEEP_THRESHOLD,
        embed: EmbedMode = "json",
        appraiser: Appraiser | None = None,
        fields: MetadataFields = DEFAULT_FIELDS,
        budget: int | None = None,
        max_concurrency: int = 8,
    ) -> None:
        if not isinstance(model, BaseChatModel):
            msg = f"model must be a LangChain chat model, got {type(model).__name__}"
            raise TypeError(msg)
        super().__init__(
            TellingChatModel(model),
            threshold=threshold,
            appraiser=appraiser,
            budget=budget,
            max_concurrency=max_concurrency,
        )
        self._documents = DocumentEncoder(self, _read, _made, embed, fields)

    def transform_documents(
        self,
        documents: Sequence[Document],
        **kwargs: Any,  # noqa: ARG002 - LangChain's signature
    ) -> list[Document]:
        """The memories of the documents, in their order; with "multi" several of one document."""
        return self._documents.encoded(documents)

    async def atransform_documents(
        self,
        documents: Sequence[Document],
        **kwargs: Any,  # noqa: ARG002 - LangChain's signature
    ) -> list[Document]:
        """`transform_documents` without blocking the event loop."""
        return await self._documents.aencoded(documents)

    def retry_pending(self, documents: Sequence[Document]) -> list[Document]:
        """The documents, with those encoded again that failed or that the budget was spent for.

        `emomem.encoding.documents.PENDING_FILTER` finds them in a store. Delete there what was
        encoded again before you add it: with "multi" one document becomes four, of other ids.
        """
        return self._documents.encoded(documents, pending=True)

    async def aretry_pending(self, documents: Sequence[Document]) -> list[Document]:
        """`retry_pending` without blocking the event loop."""
        return await self._documents.aencoded(documents, pending=True)

    def merge(self, documents: Sequence[Document], k: int | None = None) -> list[Document]:
        """One document a memory of what was recalled over "multi", in the published text form.

        Recall four times as many as you need: `retriever | encoder.merge` is a retriever again.

        Args:
            documents: What was recalled, best first.
            k: How many memories at most; None for all.
        """
        return self._documents.merged(documents, k)


@contextmanager
def _watched() -> Iterator[UsageMetadataCallbackHandler]:
    usage = UsageMetadataCallbackHandler()
    token = _usage.set(usage)
    try:
        yield usage
    finally:
        _usage.reset(token)


def _tokens(usage: UsageMetadataCallbackHandler) -> Tokens | None:
    told = list(usage.usage_metadata.values())
    if not told:
        return None
    return Tokens(sum(x["input_tokens"] for x in told), sum(x["output_tokens"] for x in told))


def _read(document: Document) -> Row:
    return Row(document.page_content, document.metadata, document.id)


def _made(document: Document, row: Row) -> Document:
    return document.model_copy(
        update={"page_content": row.text, "metadata": row.metadata, "id": row.id}
    )
