"""The memory of an agent: recalled before it answers, saved when it has."""

import json
import logging
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage
from langchain_core.tools import BaseTool, StructuredTool

from emomem.memory.forgetting import Forgotten
from emomem.memory.marking import CLOSING, DATA, OPENING
from emomem.memory.said import is_storable
from emomem.memory.saving import Saved
from emomem.memory.store import ModeError
from langchain_emomem.memory.memory import ConflictAwareMemory

try:
    from langchain.agents.middleware import (
        AgentMiddleware,
        AgentState,
        ModelRequest,
        ModelResponse,
    )
    from langchain.tools import ToolRuntime
    from langgraph.config import get_config
    from langgraph.runtime import Runtime
except ImportError as error:
    msg = "AffectMemoryMiddleware needs langchain: pip install 'emomem[agents]'"
    raise ImportError(msg) from error

TOOLS: Final = ("remember", "recall", "forget")
_NOTHING: Final = "there is nothing to remember in it"
_REMEMBERED: Final = 1000
"""Of how many messages it is known that they were kept."""

logger = logging.getLogger(__name__)


class AffectMemoryMiddleware(AgentMiddleware[AgentState[Any], Any, Any]):
    """Long-term memory with affect for `create_agent`.

    Before each call of the model, what is recalled for the user's last message stands at the end
    of the system message, for that call alone: it is never a part of the conversation. After the
    agent has answered, or its model has failed, the user's messages of the turn are saved, each
    once. Whose memory it is says
    `user_id` in the runtime context, as in `agent.invoke(…, context={"user_id": "ann"})`. A memory
    that fails, in recalling or in saving, is logged by the type of its error and costs no answer.

    Args:
        memory: The memory.
        tools: Which of "remember", "recall" and "forget" the model may call itself.

    Raises:
        TypeError: The memory is none.
        ValueError: A tool is none of the three; or, when the agent runs, the context names no
            user.
        ModeError: When the agent runs, its store answers only in the other mode, sync or async.

    Example:
        >>> from langchain.agents import create_agent  # doctest: +SKIP
        >>> agent = create_agent(  # doctest: +SKIP
        ...     model, middleware=[AffectMemoryMiddleware(memory)], context_schema=Context
        ... )
    """

    def __init__(self, memory: ConflictAwareMemory, *, tools: Collection[str] = ()) -> None:
        super().__init__()
        if not isinstance(memory, ConflictAwareMemory):
            msg = f"memory must be a ConflictAwareMemory, got {type(memory).__name__}"
            raise TypeError(msg)
        if unknown := sorted(set(tools) - set(TOOLS)):
            msg = f"tools may name {', '.join(TOOLS)}, got {', '.join(unknown)}"
            raise ValueError(msg)
        self._memory = memory
        self._kept: dict[tuple[str, str], None] = {}
        self.tools = [one for one in _tools(memory) if one.name in tools]

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        """Recall before the model is called."""
        user = user_of(request.runtime)
        block = ""
        with _only_logged("nothing was recalled"):
            block = self._memory.context(request.messages, user_id=user)
        try:
            return handler(_told(request, block))
        except Exception:
            with _only_logged():
                self._keep(request.messages, user)
            raise

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        """`wrap_model_call` without blocking the event loop."""
        user = user_of(request.runtime)
        block = ""
        with _only_logged("nothing was recalled"):
            block = await self._memory.acontext(request.messages, user_id=user)
        try:
            return await handler(_told(request, block))
        except Exception:
            with _only_logged():
                await self._akeep(request.messages, user)
            raise

    def after_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> None:
        """Save what the user said in this turn."""
        user = user_of(runtime)
        with _only_logged():
            self._keep(state["messages"], user)

    async def aafter_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> None:
        """`after_agent` without blocking the event loop."""
        user = user_of(runtime)
        with _only_logged():
            await self._akeep(state["messages"], user)

    def _keep(self, messages: Sequence[AnyMessage], user: str) -> None:
        for message in self._new(messages, user):
            self._memory.save(str(message.text), user_id=user, session_id=_session())
            self._mark(message, user)

    async def _akeep(self, messages: Sequence[AnyMessage], user: str) -> None:
        for message in self._new(messages, user):
            await self._memory.asave(str(message.text), user_id=user, session_id=_session())
            self._mark(message, user)

    def _new(self, messages: Sequence[AnyMessage], user: str) -> list[HumanMessage]:
        """What was said and not yet kept: an agent may run again over what it was told before."""
        return [one for one in said(messages) if (user, one.id) not in self._kept]

    def _mark(self, message: HumanMessage, user: str) -> None:
        if message.id is not None:
            self._kept[user, message.id] = None
        for old in list(self._kept)[:-_REMEMBERED]:
            self._kept.pop(old, None)


def user_of(runtime: Any) -> str:  # noqa: ANN401 - of a node or of a tool
    """The user that the runtime context names.

    Raises:
        ValueError: It names none.
    """
    context = getattr(runtime, "context", None)
    user = (
        context.get("user_id") if isinstance(context, dict) else getattr(context, "user_id", None)
    )
    if not isinstance(user, str) or not user.strip():
        msg = f"the runtime context must name the user_id whose memory it is, got {user!r}"
        raise ValueError(msg)
    return user


def said(messages: Sequence[AnyMessage]) -> list[HumanMessage]:
    """What the user said in the last turn, oldest first: it may be several messages."""
    found: list[HumanMessage] = []
    for message in reversed(messages):
        if isinstance(message, HumanMessage):
            found.append(message)
        elif found and isinstance(message, AIMessage):
            break
    return [one for one in reversed(found) if is_storable(str(one.text))]


@contextmanager
def _only_logged(what: str = "a message was not kept") -> Iterator[None]:
    """A memory that fails costs no answer, and does not hide how the model failed."""
    try:
        yield
    except ModeError:  # it would fail each time
        raise
    except Exception as error:  # noqa: BLE001 - the agent goes on without memory
        # The error's own message may quote a memory, so only its type is logged.
        logger.warning("%s: %s", what, type(error).__name__)


def _session() -> str | None:
    thread = get_config().get("configurable", {}).get("thread_id")
    return str(thread) if thread else None


def _told(request: ModelRequest[Any], block: str) -> ModelRequest[Any]:
    if not block:
        return request
    before = "" if request.system_message is None else request.system_message.content
    if isinstance(before, str):
        content: Any = f"{before}\n\n{block}" if before else block
    else:
        content = [*before, {"type": "text", "text": block}]
    return request.override(system_message=SystemMessage(content))


def _tools(memory: ConflictAwareMemory) -> list[BaseTool]:
    def remember(text: str, runtime: ToolRuntime[Any, Any]) -> str:
        """Remember something about the user for later conversations, in one sentence.

        Write it as the user would say it, in the first person ("I live in Rome", never "The user
        lives in Rome"), so that it is held against what the user says.
        """
        if not is_storable(text):
            return _NOTHING
        return _remembered(memory.save(text, user_id=user_of(runtime)))

    async def aremember(text: str, runtime: ToolRuntime[Any, Any]) -> str:
        if not is_storable(text):
            return _NOTHING
        return _remembered(await memory.asave(text, user_id=user_of(runtime)))

    def recall(query: str, runtime: ToolRuntime[Any, Any]) -> str:
        """Recall what is known about the user that is near to a query, each with its id.

        What has the status "no longer so" was true once; of an open conflict take neither side
        for certain.
        """
        return _recalled(memory.recall_data(query, user_id=user_of(runtime)))

    async def arecall(query: str, runtime: ToolRuntime[Any, Any]) -> str:
        return _recalled(await memory.arecall_data(query, user_id=user_of(runtime)))

    def forget(ids: list[str], runtime: ToolRuntime[Any, Any]) -> str:
        """Forget memories of the user for good, by the ids that recall gave."""
        return _forgotten(memory.forget(user_of(runtime), ids=ids))

    async def aforget(ids: list[str], runtime: ToolRuntime[Any, Any]) -> str:
        return _forgotten(await memory.aforget(user_of(runtime), ids=ids))

    pairs = ((remember, aremember), (recall, arecall), (forget, aforget))
    return [StructuredTool.from_function(func, coroutine) for func, coroutine in pairs]


def _remembered(saved: Saved) -> str:
    found = [f"{one.kind}: {one.reason}" for one in saved.conflicts]
    return "remembered" + (f"; it contradicts: {'; '.join(found)}" if found else "")


def _recalled(rows: Sequence[Mapping[str, Any]]) -> str:
    data = json.dumps({DATA: rows}, ensure_ascii=False)
    # The sign that ends a block stands in no text, so that it ends here alone.
    escaped = data.replace("<", "\\u003c")
    return f"{OPENING}\n{escaped}\n{CLOSING}"


def _forgotten(forgotten: Forgotten) -> str:
    return f"forgotten: {forgotten.units} units"
