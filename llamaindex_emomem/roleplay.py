"""A character that answers out of what it recalls, by meaning and by feeling."""

from typing import Any, Final

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.base.response.schema import Response
from llama_index.core.indices.base import BaseIndex
from llama_index.core.llms import LLM
from llama_index.core.schema import MetadataMode, NodeWithScore
from llama_index.core.workflow import Event, StartEvent, StopEvent, Workflow, step

from emomem.metadata import DEFAULT_FIELDS, MetadataFields, decode
from emomem.protocols import Appraiser
from emomem.ranking import Strategy
from emomem.roleplay import ALL_MEMORIES, RECALLED, Character, Scene, asked, resolve_recall
from llamaindex_emomem.llm import LlamaIndexChatModel
from llamaindex_emomem.retriever import AffectModulatedRetriever

_STRATEGY: Final = "combination-add"


class RecalledEvent(Event):
    """What the character recalled, and what it was asked.

    Attributes:
        question: What is said to the character.
        scene: Where this takes place.
        nodes: Its memories, best first.
    """

    question: str
    scene: Scene | None
    nodes: list[NodeWithScore]


class RolePlayWorkflow(Workflow):
    """Answers as a character, out of its profile and what it recalls: Emotional RAG.

    `await workflow.run(question=…)`, or with a scene `run(question=…, place=…, status=…)`, gives
    a `Response`, whose `source_nodes` are what was recalled. Feeling is that of the question;
    each memory is told with how it felt, where the index knows it.

    Args:
        llm: Any LLM. It is asked at temperature 0 unless its temperature was changed.
        character: Who is played.
        memories: The character's own: an index, tagged with `EmotionTagger`, or a retriever that
            recalls in its own way.
        strategy: How an index is recalled from: "ordinary", "combination-add",
            "combination-multiply", "semantic-first" or "emotion-first" as published
            (`emomem.roleplay`), or any other strategy by name or instance.
        similarity_top_k: How many memories are recalled, >= 1.
        fetch_k: How many are ranked, >= 1; as published it is all that a character has.
        appraiser: Reads the question's affect.
        fields: Where the index keeps affect.
        **options: Of LlamaIndex's `Workflow`: `timeout`, `verbose` and others.

    Raises:
        ValueError: An argument is wrong; of `memories` that is a retriever, also one of an index.
        TypeError: `llm` is no LLM, or `memories` neither an index nor a retriever.
        ImportError: No appraiser is given, and the embedded model is not installed.

    Example:
        >>> import asyncio
        >>> from emomem import Character
        >>> from llama_index.core import MockEmbedding, VectorStoreIndex
        >>> from llama_index.core.llms import MockLLM
        >>> workflow = RolePlayWorkflow(
        ...     MockLLM(max_tokens=1),
        ...     Character(name="Rosa", profile="Keeps a lighthouse, alone."),
        ...     VectorStoreIndex([], embed_model=MockEmbedding(8)),
        ...     strategy="ordinary",
        ... )
        >>> async def ask():
        ...     return await workflow.run(question="Do you make friends easily?")
        >>> asyncio.run(ask()).source_nodes
        []
    """

    def __init__(  # noqa: PLR0913 - each is an option of the user's own
        self,
        llm: LLM,
        character: Character,
        memories: BaseIndex[Any] | BaseRetriever,
        *,
        strategy: str | Strategy = _STRATEGY,
        similarity_top_k: int = RECALLED,
        fetch_k: int = ALL_MEMORIES,
        appraiser: Appraiser | None = None,
        fields: MetadataFields = DEFAULT_FIELDS,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        if not isinstance(llm, LLM):
            msg = f"llm must be a LlamaIndex LLM, got {type(llm).__name__}"
            raise TypeError(msg)
        if not isinstance(memories, BaseIndex | BaseRetriever):
            kind = type(memories).__name__
            msg = f"memories must be an index or a retriever, got {kind}"
            raise TypeError(msg)
        self._model = LlamaIndexChatModel(llm)
        self._character = Character.model_validate(character)
        self._fields = fields
        self.retriever: BaseRetriever
        if isinstance(memories, BaseRetriever):
            given = (strategy, similarity_top_k, fetch_k, appraiser)
            if given != (_STRATEGY, RECALLED, ALL_MEMORIES, None):
                msg = (
                    "strategy, similarity_top_k, fetch_k and appraiser go with an index; a "
                    "retriever has its own"
                )
                raise ValueError(msg)
            self.retriever = memories
            return
        self.retriever = AffectModulatedRetriever(
            memories,
            strategy=resolve_recall(strategy),
            policy="congruent",
            similarity_top_k=similarity_top_k,
            fetch_k=fetch_k,
            appraiser=appraiser,
            fields=fields,
        )

    @step
    async def recall(self, event: StartEvent) -> RecalledEvent:
        """Recall what the question brings to mind."""
        question, scene = asked(dict(event.items()))
        nodes = await self.retriever.aretrieve(question)
        return RecalledEvent(question=question, scene=scene, nodes=nodes)

    @step
    async def answer(self, event: RecalledEvent) -> StopEvent:
        """Answer as the character."""
        nodes = [one.node for one in event.nodes]
        messages = self._character.messages(
            event.question,
            [one.get_content(MetadataMode.NONE) for one in nodes],
            [decode(one.metadata, self._fields) for one in nodes],
            event.scene,
        )
        said = await self._model.acomplete(messages)
        return StopEvent(result=Response(said, source_nodes=event.nodes))
