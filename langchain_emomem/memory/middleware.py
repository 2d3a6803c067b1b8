"""The memory of an agent: recalled before it answers, saved when it has."""

import hashlib
import json
import logging
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Annotated, Any, Final, NotRequired

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage
from langchain_core.tools import BaseTool, StructuredTool
from typing_extensions import TypedDict

from emomem.memory.forgetting import Forgotten
from emomem.memory.marking import CLOSING, DATA, OPENING
from emomem.memory.memory import now
from emomem.memory.said import is_storable, storable
from emomem.memory.saving import Saved
from emomem.memory.store import ModeError
from langchain_emomem.memory.memory import ConflictAwareMemory
from langchain_emomem.messages import is_own

try:
    from langchain.agents.middleware import (
        AgentMiddleware,
        AgentState,
        ModelRequest,
        ModelResponse,
    )
    from langchain.agents.middleware.types import PrivateStateAttr
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
_HEARD: Final = "affect_memory_heard"
_LATE: Final = 60.0
"""Seconds after which what was heard is dated by then; before, the memory's own clock is better."""

_Mark = tuple[str, str | None, str]

logger = logging.getLogger(__name__)


class Heard(TypedDict):
    """A message that is not kept yet."""

    user_id: str
    text: str
    at: float


_AllHeard = dict[str, Heard | None]
"""What was heard, by a digest, oldest first; None for what is kept."""


class AffectMemoryState(AgentState[Any]):
    """The state of an agent that has the memory."""

    affect_memory_heard: NotRequired[Annotated[dict[str, _AllHeard], PrivateStateAttr]]
    """What was said in the thread, by the middleware's name, as several may have a memory each."""


class AffectMemoryMiddleware(AgentMiddleware[AffectMemoryState, Any, Any]):
    """Long-term memory with affect for `create_agent`.

    Before each call of the model, what is recalled for the user's last message stands at the end
    of the system message, for that call alone: it is never a part of the conversation. After the
    agent has answered, or its model has failed, the user's messages of the turn are saved, each
    once. What another end of a turn leaves (a tool raised, an interrupt, a stream that was closed)
    is saved when its thread goes on, which takes a checkpointer. Human messages that LangChain
    wrote itself, such as a summary, are not the user's. Whose memory it is says `user_id` in the
    runtime context, as in `agent.invoke(…, context={"user_id": "ann"})`. A memory that fails, in
    recalling or in saving, is logged by the type of its error and costs no answer.

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

    state_schema = AffectMemoryState

    def __init__(self, memory: ConflictAwareMemory, *, tools: Collection[str] = ()) -> None:
        super().__init__()
        if not isinstance(memory, ConflictAwareMemory):
            msg = f"memory must be a ConflictAwareMemory, got {type(memory).__name__}"
            raise TypeError(msg)
        if unknown := sorted(set(tools) - set(TOOLS)):
            msg = f"tools may name {', '.join(TOOLS)}, got {', '.join(unknown)}"
            raise ValueError(msg)
        self._memory = memory
        # The thread's state says it too, but not where its turn breaks off, or where there is none.
        self._kept: dict[_Mark, None] = {}
        self.tools = [one for one in _tools(memory) if one.name in tools]

    def before_agent(self, state: AffectMemoryState, runtime: Runtime[Any]) -> dict[str, Any]:
        """Note what the user says in this turn, and save what is left of an earlier one."""
        heard, left = self._hear(state, user_of(runtime)), self._left(state)
        self._keep(left)
        return self._noted(state, {**heard, **dict.fromkeys(left)})

    async def abefore_agent(
        self, state: AffectMemoryState, runtime: Runtime[Any]
    ) -> dict[str, Any]:
        """`before_agent` without blocking the event loop."""
        heard, left = self._hear(state, user_of(runtime)), self._left(state)
        await self._akeep(left)
        return self._noted(state, {**heard, **dict.fromkeys(left)})

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        """Recall before the model is called."""
        user, heard = user_of(request.runtime), self._heard(request.state)
        block = ""
        with _only_logged("nothing was recalled"):
            block = self._memory.context(_asked(request.messages, heard), user_id=user)
        try:
            return handler(_told(request, block))
        except BaseException:
            self._keep(heard)
            raise

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        """`wrap_model_call` without blocking the event loop."""
        user, heard = user_of(request.runtime), self._heard(request.state)
        block = ""
        with _only_logged("nothing was recalled"):
            block = await self._memory.acontext(_asked(request.messages, heard), user_id=user)
        try:
            return await handler(_told(request, block))
        except BaseException:  # whoever asked may have gone
            await self._akeep(heard)
            raise

    def after_agent(self, state: AffectMemoryState, runtime: Runtime[Any]) -> dict[str, Any]:
        """Save what the user said in this turn."""
        heard = self._heard_by_now(state, user_of(runtime))
        self._keep(heard)
        return self._noted(state, self._known(heard))

    async def aafter_agent(self, state: AffectMemoryState, runtime: Runtime[Any]) -> dict[str, Any]:
        """`after_agent` without blocking the event loop."""
        heard = self._heard_by_now(state, user_of(runtime))
        await self._akeep(heard)
        return self._noted(state, self._known(heard))

    def _heard(self, state: Any) -> _AllHeard:  # noqa: ANN401 - of any agent
        heard: _AllHeard = state.get(_HEARD, {}).get(self.name, {})
        return heard

    def _noted(self, state: Any, heard: _AllHeard) -> dict[str, Any]:  # noqa: ANN401 - the same
        """The change of a state by what this middleware has heard."""
        return {_HEARD: {**state.get(_HEARD, {}), self.name: heard}}

    def _hear(self, state: AffectMemoryState, user: str) -> _AllHeard:
        """What was heard in a thread, with what the user says now.

        The same text twice without an answer between is one that was sent again.
        """
        heard, texts = dict(self._heard(state)), set[str]()
        for message in said(state["messages"]):
            text = storable(str(message.text))
            new = None if text in texts else Heard(user_id=user, text=text, at=now())
            heard.setdefault(_digest(message), new)
            texts.add(text)
        return dict(list(heard.items())[-_REMEMBERED:])

    def _left(self, state: AffectMemoryState) -> _AllHeard:
        """What an earlier turn did not get to keep, or failed to: it is tried once more."""
        answered = {_digest(message) for message in said(state["messages"])}
        return {key: one for key, one in self._heard(state).items() if one and key not in answered}

    def _heard_by_now(self, state: AffectMemoryState, user: str) -> _AllHeard:
        """What was heard in a thread, also where another middleware went to the end at once."""
        heard = self._heard(state)
        return heard if any(heard.values()) else self._hear(state, user)

    def _keep(self, heard: Mapping[str, Heard | None]) -> None:
        for key, one in self._new(heard).items():
            with _only_logged():
                self._memory.save(one["text"], **_details(one))
                self._remember(_mark(key, one))

    async def _akeep(self, heard: Mapping[str, Heard | None]) -> None:
        for key, one in self._new(heard).items():
            with _only_logged():
                await self._memory.asave(one["text"], **_details(one))
                self._remember(_mark(key, one))

    def _new(self, heard: Mapping[str, Heard | None]) -> dict[str, Heard]:
        """What is not kept yet: an agent may run again over what it was told before."""
        return {key: one for key, one in heard.items() if one and _mark(key, one) not in self._kept}

    def _known(self, heard: Mapping[str, Heard | None]) -> _AllHeard:
        """What was heard, as the thread is to know it from now on."""
        return {**dict.fromkeys(heard), **self._new(heard)}

    def _remember(self, mark: _Mark) -> None:
        self._kept[mark] = None
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


def said(messages: Sequence[AnyMessage]) -> list[AnyMessage]:
    """What the user said in the last turn, oldest first: it may be several messages."""
    found: list[AnyMessage] = []
    for message in reversed(messages):
        if is_own(message):
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


def _digest(message: AnyMessage) -> str:
    """A message by its id and its text: one that was edited is another."""
    told = f"{message.id} {message.text}".encode("utf-8", "replace")
    return hashlib.blake2b(told, digest_size=8).hexdigest()


def _mark(key: str, one: Heard) -> _Mark:
    return one["user_id"], _session(), key


def _details(one: Heard) -> dict[str, Any]:
    at = one["at"] if now() - one["at"] > _LATE else None
    return {"user_id": one["user_id"], "session_id": _session(), "created_at": at}


def _asked(messages: list[AnyMessage], heard: Mapping[str, Heard | None]) -> list[AnyMessage]:
    """A conversation with what is to be answered, also where a summary took its place."""
    if said(messages):
        return messages
    return [*messages, *(HumanMessage(one["text"]) for one in heard.values() if one)]


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
