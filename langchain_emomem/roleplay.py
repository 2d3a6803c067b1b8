"""A character that answers out of what it recalls, by meaning and by feeling."""

from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any, Final, Self

from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.retrievers import RetrieverLike
from langchain_core.runnables import (
    Runnable,
    RunnableConfig,
    RunnableLambda,
    RunnableSerializable,
)
from langchain_core.vectorstores import VectorStore
from pydantic import ConfigDict, model_validator

from emomem.checks import check_at_least_one
from emomem.metadata import DEFAULT_FIELDS, MetadataFields, decode
from emomem.protocols import Appraiser
from emomem.ranking import Strategy
from emomem.roleplay import ALL_MEMORIES, RECALLED, Character, Scene, asked, resolve_recall
from langchain_emomem.retriever import AffectModulatedRetriever

_WITH_STORE: Final = ("strategy", "k", "fetch_k", "appraiser")


class RolePlayChain(RunnableSerializable[str | Mapping[str, str], str]):
    """Answers as a character, out of its profile and what it recalls: Emotional RAG.

    A question, as a text or as `{"question": …}`, goes in and the answer comes out, whole or as
    a stream. The question may bring a scene, `{"question": …, "place": …, "status": …}`. Feeling
    is that of the question; each memory is told with how it felt, where the store knows it.

    Args:
        model: Any chat model.
        character: Who is played.
        memories: The character's own: a vector store, tagged with `EmotionTagger`, or a retriever
            (or what is made of one) that recalls in its own way.
        strategy: How a vector store is recalled from: "ordinary", "combination-add",
            "combination-multiply", "semantic-first" or "emotion-first" as published
            (`emomem.roleplay`), or any other strategy by name or instance.
        k: How many memories are recalled.
        fetch_k: How many are ranked; as published it is all that a character has.
        appraiser: Reads the question's affect.
        fields: Where the store keeps affect.

    Raises:
        pydantic.ValidationError: An argument is wrong or unknown. (It is a ValueError.)
        ImportError: No appraiser is given, and the embedded model is not installed.

    Example:
        >>> from langchain_core.embeddings import DeterministicFakeEmbedding
        >>> from langchain_core.language_models import FakeListChatModel
        >>> from langchain_core.vectorstores import InMemoryVectorStore
        >>> from emomem import Character
        >>> chain = RolePlayChain(
        ...     model=FakeListChatModel(responses=["Only with those who stay."]),
        ...     character=Character(name="Rosa", profile="Keeps a lighthouse, alone."),
        ...     memories=InMemoryVectorStore(DeterministicFakeEmbedding(size=8)),
        ...     strategy="ordinary",
        ... )
        >>> chain.invoke("Do you make friends easily?")
        'Only with those who stay.'
    """

    model_config = ConfigDict(
        arbitrary_types_allowed=True, extra="forbid", frozen=True, hide_input_in_errors=True
    )

    model: BaseChatModel
    character: Character
    memories: VectorStore | RetrieverLike
    strategy: str | Strategy = "combination-add"
    k: int = RECALLED
    fetch_k: int = ALL_MEMORIES
    appraiser: Appraiser | None = None
    fields: MetadataFields = DEFAULT_FIELDS

    @model_validator(mode="after")
    def _check(self) -> Self:
        misplaced = sorted(self.model_fields_set & set(_WITH_STORE))
        if not isinstance(self.memories, VectorStore) and misplaced:
            msg = f"{', '.join(misplaced)} go with a vector store; a retriever has its own"
            raise ValueError(msg)
        check_at_least_one(k=self.k, fetch_k=self.fetch_k)
        _ = self.retriever  # what is wrong raises here
        return self

    @property
    def retriever(self) -> RetrieverLike:
        """What recalls; that of a vector store can `explain` itself."""
        if not isinstance(self.memories, VectorStore):
            return self.memories
        return AffectModulatedRetriever(
            vectorstore=self.memories,
            strategy=resolve_recall(self.strategy),
            policy="congruent",
            k=self.k,
            fetch_k=self.fetch_k,
            appraiser=self.appraiser,
            fields=self.fields,
        )

    def invoke(
        self,
        input: str | Mapping[str, str],  # noqa: A002 - LangChain's name
        config: RunnableConfig | None = None,
        **kwargs: Any,
    ) -> str:
        """The character's answer."""
        return self._steps().invoke(input, config, **kwargs)

    async def ainvoke(
        self,
        input: str | Mapping[str, str],  # noqa: A002 - LangChain's name
        config: RunnableConfig | None = None,
        **kwargs: Any,
    ) -> str:
        """`invoke` without blocking the event loop."""
        return await self._steps().ainvoke(input, config, **kwargs)

    def stream(
        self,
        input: str | Mapping[str, str],  # noqa: A002 - LangChain's name
        config: RunnableConfig | None = None,
        **kwargs: Any,
    ) -> Iterator[str]:
        """The answer as the model writes it."""
        yield from self._steps().stream(input, config, **kwargs)

    async def astream(
        self,
        input: str | Mapping[str, str],  # noqa: A002 - LangChain's name
        config: RunnableConfig | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[str]:
        """`stream` without blocking the event loop."""
        async for part in self._steps().astream(input, config, **kwargs):
            yield part

    def _steps(self) -> Runnable[Any, str]:
        recall = RunnableLambda(self._told, self._atold, name="recall")
        return (recall | self.model | StrOutputParser()).with_config(run_name=self.get_name())

    def _told(self, given: str | Mapping[str, str], config: RunnableConfig) -> list[Any]:
        question, scene = asked(given)
        return self._messages(question, self.retriever.invoke(question, config), scene)

    async def _atold(self, given: str | Mapping[str, str], config: RunnableConfig) -> list[Any]:
        question, scene = asked(given)
        return self._messages(question, await self.retriever.ainvoke(question, config), scene)

    def _messages(self, question: str, found: list[Document], scene: Scene | None) -> list[Any]:
        affects = [decode(one.metadata, self.fields) for one in found]
        texts = [one.page_content for one in found]
        return list(self.character.messages(question, texts, affects, scene))
