"""The conflict-sensitive agent as a LlamaIndex workflow."""

from typing import Any

from llama_index.core.llms import LLM, ChatMessage
from llama_index.core.workflow import Context, Event, StartEvent, StopEvent, Workflow, step
from pydantic import ConfigDict

from emomem.agent.controller import Controller
from emomem.agent.decision import Decision
from emomem.agent.situation import Situation
from emomem.agent.state import State
from emomem.memory.memory import Memory
from emomem.prompts import Language
from llamaindex_emomem.llm import LlamaIndexChatModel
from llamaindex_emomem.query import Conversation, spoken_turns, user_turns


class ObservedEvent(StartEvent):
    """What happens: a text, a message, or messages, of which the user's last is the observation."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    observation: Any


class PerceivedEvent(Event):
    """What came to mind, and both sides before they are weighed; it is written to the stream."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    situation: Situation


class ConflictSensitiveAgent(Workflow):
    """An agent that weighs what moves it against what binds it (`emomem.agent.Controller`).

    `await agent.run(observation=…)` gives a `Decision`. Two steps: `perceive` recalls and takes
    both sides, as a `PerceivedEvent` in the stream of events; `decide` reflects, saves and moves
    the agent's state. Runs go one after the other, since each moves it. An agent is one persona:
    make one for each.

    Args:
        memory: A `ConflictAwareMemory`, or another `emomem.memory.Memory`.
        llm: Any LLM; None for the fast side alone. It is asked at temperature 0 unless its
            temperature was changed.
        state: Persona, beliefs, relations and affect.
        user_id: Whose memories, where the memory does not say.
        language: Of what the model is told: "en", "zh" or "pt".
        **options: Those of `Workflow`; `timeout` is None where it is not given.

    Attributes:
        controller: Its state, traces, `aoffline_recombination` and `dump_trace`.

    Raises:
        TypeError: The memory, the LLM or the state is none.
        ValueError: Nobody says whose memories, or there is no such language.

    Example:
        >>> import asyncio
        >>> from llama_index.core import MockEmbedding
        >>> from llama_index.core.vector_stores import SimpleVectorStore
        >>> from emomem import LexiconAppraiser
        >>> from emomem.agent import State
        >>> from llamaindex_emomem import ConflictAwareMemory
        >>> memory = ConflictAwareMemory(
        ...     SimpleVectorStore(),
        ...     embed_model=MockEmbedding(8),
        ...     user_id="ann",
        ...     appraiser=LexiconAppraiser(),
        ... )
        >>> agent = ConflictSensitiveAgent(memory, state=State(affect={"fear": 6.0}))
        >>> async def live():
        ...     return await agent.run(observation="Sam wants to talk.")
        >>> asyncio.run(live()).impulse
        'withdraw'
    """

    def __init__(
        self,
        memory: Memory,
        llm: LLM | None = None,
        state: State | None = None,
        *,
        user_id: str | None = None,
        language: Language = "en",
        **options: Any,
    ) -> None:
        if llm is not None and not isinstance(llm, LLM):
            msg = f"llm must be a LlamaIndex LLM, got {type(llm).__name__}"
            raise TypeError(msg)
        super().__init__(**{"timeout": None, "num_concurrent_runs": 1, **options})
        chat = None if llm is None else LlamaIndexChatModel(llm)
        self.controller = Controller(memory, chat, state, user_id=user_id, language=language)

    @step
    async def perceive(self, ctx: Context, event: ObservedEvent) -> PerceivedEvent:
        """Recall, and take both sides (`Controller.perceive`)."""
        given = event.observation
        said: Conversation = [given] if isinstance(given, ChatMessage) else given
        turns = [] if isinstance(said, str) else spoken_turns(said)
        own = user_turns(said)
        situation = await self.controller.aperceive(own[-1] if own else "", conversation=turns)
        perceived = PerceivedEvent(situation=situation)
        ctx.write_event_to_stream(perceived)
        return perceived

    @step
    async def decide(self, event: PerceivedEvent) -> StopEvent:
        """Weigh, decide and move on (`Controller.decide`)."""
        decision: Decision = await self.controller.adecide(event.situation)
        return StopEvent(result=decision)
