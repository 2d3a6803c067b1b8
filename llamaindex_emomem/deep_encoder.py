"""Deep encoding of nodes, before they are stored."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Self

from llama_index.core.llms import LLM
from llama_index.core.schema import BaseNode, MetadataMode, NodeWithScore, TransformComponent
from pydantic import ConfigDict, Field, PrivateAttr, computed_field, model_validator

from emomem.encoding.documents import DocumentEncoder, Row
from emomem.encoding.encoder import DEEP_THRESHOLD, DeepCost
from emomem.encoding.encoder import DeepEncoder as CoreDeepEncoder
from emomem.encoding.record import KEYS, EmbedMode
from emomem.metadata import DEFAULT_FIELDS
from llamaindex_emomem.component import Fields, WithAppraiser, excluded, settings_of
from llamaindex_emomem.llm import model_name
from llamaindex_emomem.usage import TellingChatModel


class DeepEncoder(WithAppraiser, TransformComponent):
    """Nodes in, memories out: what stirs is stored with what it was about.

    For an `IngestionPipeline`, after the node parser. A node below the arousal threshold becomes
    "user said: …"; at or above it the LLM tells fact, motive, cues and strategy
    (`emomem.encoding.encoder.DeepEncoder`). Both keep the words in the metadata `deep_raw`, the
    way they were encoded in `deep_status`, and deep ones each dimension in `deep_fact`,
    `deep_underlying_motive`, `deep_contextual_cues` and `deep_agent_strategy`; these and the
    affect stay out of the text that is embedded and out of the text that a model reads. A node
    that carries affect keeps it; any other is tagged on the way. A deep memory that is given
    again stays as it is, anything else is encoded anew from its words. No node is changed, and
    none is lost; an ingestion cache keeps also what has failed, for `retry_pending`.

    Args:
        llm: Any LLM. Set its temperature, 0.3 as published: with LlamaIndex's default it is
            asked at 0.
        threshold: 0..1, the arousal from which a node is encoded deeply; `emomem profile`
            recommends one for your own.
        embed: What the text of a deep memory is, which is what an index embeds. "json":
            `[深度记忆]` and the four dimensions. "raw": the words, "user said: …". "fact_motive":
            fact and motive. "multi": a node for each dimension; after recall `merge` makes one
            of those of one memory.
        appraiser: Reads the affect of nodes that carry none; None is the embedded model.
        fields: Where affect is read and written.
        budget: How many calls of the LLM may be made, >= 0; None for any number.
        max_concurrency: How many nodes of one call are in the LLM's hands at once, >= 1.

    Raises:
        pydantic.ValidationError: An argument is wrong or unknown. (It is a ValueError.)
        ImportError: No appraiser is given and the embedded model is not installed.

    Example:
        >>> from emomem import LexiconAppraiser
        >>> from llama_index.core.llms import MockLLM
        >>> from llama_index.core.schema import TextNode
        >>> encoder = DeepEncoder(llm=MockLLM(), appraiser=LexiconAppraiser())
        >>> [memory] = encoder([TextNode(text="My dog died!", metadata={"affect_arousal": 0.9})])
        >>> memory.text, memory.metadata["deep_status"]  # MockLLM says nothing of use
        ('user said: My dog died!', 'failed')
    """

    model_config = ConfigDict(frozen=True)

    llm: LLM = Field(exclude=True, repr=False)
    threshold: float = DEEP_THRESHOLD
    embed: EmbedMode = "json"
    fields: Fields = DEFAULT_FIELDS
    budget: int | None = None
    max_concurrency: int = 8

    _nodes: DocumentEncoder[BaseNode] = PrivateAttr()

    @computed_field  # type: ignore[prop-decorator]  # as pydantic has it
    @property
    def chat_model(self) -> str:
        """The LLM's name and a digest of its settings, which an ingestion cache's key has in it."""
        return f"{model_name(self.llm)}#{settings_of(self.llm)}"

    @classmethod
    def class_name(cls) -> str:
        """What it is called as data."""
        return "DeepEncoder"

    @model_validator(mode="after")
    def _complete(self) -> Self:
        self._build()
        return self

    def _build(self) -> None:
        encoder = CoreDeepEncoder(
            TellingChatModel(self.llm),
            threshold=self.threshold,
            appraiser=self._reader(),
            budget=self.budget,
            max_concurrency=self.max_concurrency,
        )
        keys = [*self.fields.keys(), *KEYS]
        made = partial(_made, keys)
        self._nodes = DocumentEncoder(encoder, _read, made, self.embed, self.fields)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy; one that differs begins with a cost and a cache of its own."""
        made = super().model_copy(update=update, deep=deep)
        if update:
            made._build()  # noqa: SLF001 - of this very class
        return made

    @property
    def cost(self) -> DeepCost:
        """What it took so far."""
        return self._nodes.encoder.cost

    def __call__(
        self,
        nodes: Sequence[BaseNode],
        **kwargs: Any,  # noqa: ARG002 - LlamaIndex's signature
    ) -> list[BaseNode]:
        """The memories of the nodes, in their order; with "multi" several of one node."""
        return self._nodes.encoded(nodes)

    async def acall(
        self,
        nodes: Sequence[BaseNode],
        **kwargs: Any,  # noqa: ARG002 - LlamaIndex's signature
    ) -> list[BaseNode]:
        """The same without blocking the event loop."""
        return await self._nodes.aencoded(nodes)

    def retry_pending(self, nodes: Sequence[BaseNode]) -> list[BaseNode]:
        """The nodes, with those encoded again that failed or that the budget was spent for.

        Delete in the index what was encoded again before you insert it: with "multi" one node
        becomes four, of other ids.
        """
        return self._nodes.encoded(nodes, pending=True)

    async def aretry_pending(self, nodes: Sequence[BaseNode]) -> list[BaseNode]:
        """`retry_pending` without blocking the event loop."""
        return await self._nodes.aencoded(nodes, pending=True)

    def merge(self, nodes: Sequence[NodeWithScore], k: int | None = None) -> list[NodeWithScore]:
        """One node a memory of what was recalled over "multi", in the published text form.

        Recall four times as many as you need.

        Args:
            nodes: What was recalled, best first.
            k: How many memories at most; None for all.
        """
        whole = self._nodes.merged([one.node for one in nodes], k)
        scores = {one.node.node_id: one.score for one in nodes}
        return [NodeWithScore(node=node, score=scores[node.node_id]) for node in whole]


def _made(keys: Sequence[str], node: BaseNode, row: Row) -> BaseNode:
    made = node.model_copy(
        update={
            "id_": row.id,
            "metadata": row.metadata,
            "relationships": dict(node.relationships),
            **excluded(node, keys),
        }
    )
    if row.text != _read(node).text:
        made.set_content(row.text)
        made.embedding = None  # it was that of the other text
    return made


def _read(node: BaseNode) -> Row:
    return Row(node.get_content(metadata_mode=MetadataMode.NONE), node.metadata, node.node_id)
