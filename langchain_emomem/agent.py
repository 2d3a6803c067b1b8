"""The conflict-sensitive agent as a LangChain runnable."""

from collections.abc import Mapping
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage
from langchain_core.prompt_values import PromptValue
from langchain_core.runnables import Runnable, RunnableConfig
from langchain_core.runnables.config import get_config_list

from emomem.agent.controller import Controller
from emomem.agent.decision import Decision
from emomem.agent.state import State
from emomem.memory.memory import Memory
from emomem.prompts import Language
from langchain_emomem.chat import LangChainChatModel
from langchain_emomem.messages import Conversation, spoken_turns, user_turns

Observed = Conversation | BaseMessage | PromptValue | Mapping[str, Any]
"""An observation, messages, a prompt that was filled in, or `{"messages": …}`."""


class ConflictSensitiveAgent(Runnable[Observed, Decision]):
    """An agent that weighs what moves it against what binds it (`emomem.agent.Controller`).

    What is invoked is an observation, or messages (also as `{"messages": …}` or out of a prompt
    template), of which the last human one is the observation and all are mixed into what is
    recalled. What comes back is a `Decision`; `agent | (lambda
    decision: decision.speech)` passes on what is said. Each call moves the agent's state, so that
    calls go one after the other; `batch` takes its inputs as one life, in their order. An agent is
    one persona: make one for each.

    Args:
        memory: A `ConflictAwareMemory`, or another `emomem.memory.Memory`.
        model: Any chat model; None for the fast side alone. It is asked at temperature 0 unless
            its temperature was set.
        state: Persona, beliefs, relations and affect.
        user_id: Whose memories, where the memory does not say.
        language: Of what the model is told: "en", "zh" or "pt".

    Attributes:
        controller: Its state, traces, `offline_recombination` and `dump_trace`.

    Raises:
        TypeError: The memory, the model or the state is none.
        ValueError: Nobody says whose memories, or there is no such language.

    Example:
        >>> from langchain_core.embeddings import DeterministicFakeEmbedding
        >>> from langchain_core.vectorstores import InMemoryVectorStore
        >>> from emomem import LexiconAppraiser
        >>> from emomem.agent import State
        >>> from langchain_emomem import ConflictAwareMemory
        >>> store = InMemoryVectorStore(DeterministicFakeEmbedding(size=8))
        >>> memory = ConflictAwareMemory(store, user_id="ann", appraiser=LexiconAppraiser())
        >>> agent = ConflictSensitiveAgent(memory, state=State(affect={"fear": 6.0}))
        >>> agent.invoke("Sam wants to talk.").impulse
        'withdraw'
    """

    def __init__(
        self,
        memory: Memory,
        model: BaseChatModel | None = None,
        state: State | None = None,
        *,
        user_id: str | None = None,
        language: Language = "en",
    ) -> None:
        if model is not None and not isinstance(model, BaseChatModel):
            msg = f"model must be a LangChain chat model, got {type(model).__name__}"
            raise TypeError(msg)
        chat = None if model is None else LangChainChatModel(model)
        self.controller = Controller(memory, chat, state, user_id=user_id, language=language)

    @property
    def InputType(self) -> Any:  # noqa: ANN401, N802 - LangChain's name
        """What is invoked."""
        return Observed

    @property
    def OutputType(self) -> type[Decision]:  # noqa: N802 - LangChain's name
        """What comes back."""
        return Decision

    def invoke(
        self,
        input: Observed,  # noqa: A002 - LangChain's name
        config: RunnableConfig | None = None,
        **kwargs: Any,  # noqa: ARG002 - LangChain's signature
    ) -> Decision:
        """One step (`Controller.step`)."""
        return self._call_with_config(self._step, input, config)

    async def ainvoke(
        self,
        input: Observed,  # noqa: A002 - LangChain's name
        config: RunnableConfig | None = None,
        **kwargs: Any,  # noqa: ARG002 - LangChain's signature
    ) -> Decision:
        """`invoke` without blocking the event loop."""
        return await self._acall_with_config(self._astep, input, config)

    def batch(
        self,
        inputs: list[Observed],
        config: RunnableConfig | list[RunnableConfig] | None = None,
        *,
        return_exceptions: bool = False,
        **kwargs: Any,  # noqa: ARG002 - LangChain's signature
    ) -> list[Decision]:
        """A step for each input, one after the other in their order."""
        done: list[Any] = []
        for one, own in zip(inputs, get_config_list(config, len(inputs)), strict=True):
            try:
                done.append(self.invoke(one, own))
            except Exception as error:
                if not return_exceptions:
                    raise
                done.append(error)
        return done

    async def abatch(
        self,
        inputs: list[Observed],
        config: RunnableConfig | list[RunnableConfig] | None = None,
        *,
        return_exceptions: bool = False,
        **kwargs: Any,  # noqa: ARG002 - LangChain's signature
    ) -> list[Decision]:
        """`batch` without blocking the event loop."""
        done: list[Any] = []
        for one, own in zip(inputs, get_config_list(config, len(inputs)), strict=True):
            try:
                done.append(await self.ainvoke(one, own))
            except Exception as error:
                if not return_exceptions:
                    raise
                done.append(error)
        return done

    def _step(self, given: Observed) -> Decision:
        observation, turns = _observed(given)
        return self.controller.step(observation, conversation=turns)

    async def _astep(self, given: Observed) -> Decision:
        observation, turns = _observed(given)
        return await self.controller.astep(observation, conversation=turns)


def _observed(given: Observed) -> tuple[str, list[str]]:
    """The observation, "" where there is none, and the turns of the conversation it stands in.

    Raises:
        TypeError: It is none of what is invoked.
    """
    if isinstance(given, str):
        return given, []
    if isinstance(given, Mapping):
        if "messages" not in given:
            got = ", ".join(map(str, given)) or "none"
            msg = f"a mapping that is invoked has the key messages, got {got}"
            raise TypeError(msg)
        return _observed(given["messages"])
    if isinstance(given, PromptValue):
        given = given.to_messages()
    turns = [given] if isinstance(given, BaseMessage) else given
    own = user_turns(turns)
    return own[-1] if own else "", spoken_turns(turns)
