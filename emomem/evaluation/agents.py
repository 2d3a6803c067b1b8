"""What can be evaluated: an agent that answers, and a memory that saves and recalls."""

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any, Final, Protocol, runtime_checkable
from xml.sax.saxutils import escape

from emomem.affect import Affect
from emomem.evaluation.stories import Said
from emomem.memory.memory import Memory
from emomem.memory.recalling import Sizes
from emomem.memory.unit import MemoryUnit
from emomem.protocols import ChatMessage

TOLD: Final = 6
"""How many texts a plain memory of the default report brings back."""
SIZES: Final = Sizes(facts=4, prefetch=30, affective=4)
"""How many facts and feelings ours does: many of them are the same words."""

_TEXTS: Final = ("page_content", "text", "content", "memory")
"""Where the objects of other libraries keep their text."""

Answer = Callable[[list[ChatMessage]], Any]


@runtime_checkable
class SavesAndRecalls(Protocol):
    """A memory of any make.

    `save(text)` and `recall(query)`, each given `user_id` too where it names such a parameter, and
    of `save` `created_at` (seconds since 1970), of `recall` `affect` (an `Affect`). A recall is one
    text, or a list of texts, of mappings or of objects with a `text`, `page_content`, `content` or
    `memory`.
    """

    def save(self, text: str, /) -> Any:  # noqa: ANN401 - of any make
        """Keep what was said."""
        ...

    def recall(self, query: str, /) -> Any:  # noqa: ANN401 - of any make
        """What is remembered for a query."""
        ...


@dataclass(frozen=True)
class Found:
    """What a memory brought back.

    Attributes:
        current: The texts that it gives as holding now, best first.
        past: Those that it says hold no longer.
        conflicts: The pairs of texts that it says contradict each other.
        context: What a chat model is told of it.
    """

    current: tuple[str, ...] = field(default=(), repr=False)
    past: tuple[str, ...] = field(default=(), repr=False)
    conflicts: tuple[frozenset[str], ...] = field(default=(), repr=False)
    context: str = field(default="", repr=False)

    @property
    def told(self) -> tuple[str, ...]:
        """All that it brought back, the best first."""
        return (*self.current, *self.past)


class Remembering(ABC):
    """A memory as the pillars ask it: many users, each by their id."""

    @abstractmethod
    def tell(self, user: str, turns: Sequence[Said]) -> None:
        """Save what a user told, oldest first."""

    @abstractmethod
    def recall(self, user: str, query: str, affect: Affect) -> Found:
        """What comes back for what a user says now, who feels so."""


class CoreMemory(Remembering):
    """The conflict-aware memory of either framework.

    Args:
        memory: An empty one.
    """

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def tell(self, user: str, turns: Sequence[Said]) -> None:
        """Save what a user told, each at its time."""
        for one in turns:
            self._memory.save(one.text, user_id=user, created_at=one.at)

    def recall(self, user: str, query: str, affect: Affect) -> Found:
        """Facts and feelings in turns, and the conflicts that its context names."""
        recall = self._memory.recall(query, user_id=user, affect=affect)
        context = self._memory.context(query, user_id=user, affect=affect)
        pairs = zip_longest(recall.facts, recall.affective)
        units = [one.unit for pair in pairs for one in pair if one is not None]
        current = dict.fromkeys(one.text for one in units if not _is_past(one))
        past = dict.fromkeys(one.text for one in units if one.text not in current)
        sides = [
            frozenset((one.earlier.text, one.later.text))
            for one in self._memory.conflicts(user_id=user, settled=True)
        ]
        named = [pair for pair in sides if all(escape(text) in context for text in pair)]
        return Found(tuple(current), tuple(past), tuple(named), context)


def _is_past(unit: MemoryUnit) -> bool:
    """Whether its context marks it as no longer so: a feeling outlives what it was about."""
    return unit.status != "current" or unit.superseded_by is not None


class AnyMemory(Remembering):
    """A memory of any other make.

    Args:
        memory: It, or what makes an empty one.

    Raises:
        TypeError: It has no `save` and `recall`; or its `save` or `recall` takes no `user_id`, so
            that it needs to be made anew for each user, and it is not something that makes one.
    """

    def __init__(self, memory: SavesAndRecalls | Callable[[], SavesAndRecalls]) -> None:
        self._make = None if _is_memory(memory) else memory
        self._one = memory if _is_memory(memory) else None
        self._users: dict[str, Any] = {}
        if self._one is not None:
            for name in ("save", "recall"):
                if "user_id" not in _parameters(getattr(self._one, name)):
                    msg = (
                        f"{type(memory).__name__}.{name} takes no user_id: give what makes an "
                        "empty memory instead (its class, or a function), one for each user"
                    )
                    raise TypeError(msg)

    def tell(self, user: str, turns: Sequence[Said]) -> None:
        """Save what a user told."""
        memory = self._of(user)
        for one in turns:
            _call(memory.save, one.text, user_id=user, created_at=one.at)

    def recall(self, user: str, query: str, affect: Affect) -> Found:
        """Its texts, all of which it gives as holding now."""
        found = _call(self._of(user).recall, query, user_id=user, affect=affect)
        texts = list(dict.fromkeys(_texts(found)))
        return Found(current=tuple(texts), context="\n".join(f"- {one}" for one in texts))

    def _of(self, user: str) -> Any:  # noqa: ANN401 - of any make
        if self._make is None:
            return self._one
        if user not in self._users:
            self._users[user] = made = self._make()  # type: ignore[operator]
            if not _is_memory(made):
                msg = f"what makes a memory made a {type(made).__name__} without save and recall"
                raise TypeError(msg)
        return self._users[user]


class Answering:
    """An agent that answers, as a `emomem.protocols.ChatModel`, so that its answers are kept.

    Args:
        agent: Is given messages, of which the last is the user's, and returns a text.
    """

    def __init__(self, agent: Answer) -> None:
        self._agent = agent

    def complete(self, messages: Sequence[ChatMessage], schema: object = None) -> str:
        """The answer; a message object gives its text.

        Raises:
            TypeError: It is none.
        """
        del schema  # an agent answers as it likes
        said = self._agent([{**one} for one in messages])
        texts = _texts(said)
        if len(texts) != 1:
            msg = f"an agent returns one text, got a {type(said).__name__}"
            raise TypeError(msg)
        return texts[0]

    async def acomplete(self, messages: Sequence[ChatMessage], schema: object = None) -> str:
        """The same: an agent is called in sync."""
        return self.complete(messages, schema)


def as_subject(agent: Any) -> Remembering | Answering:  # noqa: ANN401 - of any make
    """What is given as what the pillars ask.

    Args:
        agent: A memory with `save` and `recall`; what makes one, a class or a function without
            arguments; or anything callable as `agent(messages) -> str`.

    Raises:
        TypeError: It is none of these.
    """
    if isinstance(agent, Remembering | Answering):
        return agent
    if isinstance(agent, Memory):
        return CoreMemory(agent)
    if _is_memory(agent):
        return AnyMemory(agent)
    if isinstance(agent, type) and not (hasattr(agent, "save") and hasattr(agent, "recall")):
        msg = f"{agent.__name__} has no save and recall; an agent that answers is given made"
        raise TypeError(msg)
    if inspect.iscoroutinefunction(agent):
        msg = "an agent is called in sync; wrap one that is async: asyncio.run(agent(messages))"
        raise TypeError(msg)
    if callable(agent):
        return (
            AnyMemory(agent)
            if isinstance(agent, type) or _needs_nothing(agent)
            else Answering(agent)
        )
    msg = (
        "an agent is callable as agent(messages) -> str, or a memory with save and recall, "
        f"got {type(agent).__name__}"
    )
    raise TypeError(msg)


def _is_memory(agent: object) -> bool:
    return not isinstance(agent, type) and isinstance(agent, SavesAndRecalls)


def _needs_nothing(agent: Callable[..., Any]) -> bool:
    """Whether it can be called without arguments alone: it makes something, and answers nothing."""
    return not _parameters(agent)


def _parameters(function: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    try:
        return inspect.signature(function).parameters
    except ValueError:  # some built in C have none that shows
        return {"messages": inspect.Parameter("messages", inspect.Parameter.POSITIONAL_ONLY)}


def _call(function: Callable[..., Any], text: str, **known: object) -> Any:  # noqa: ANN401 - of any make
    """Call it with what it has a parameter for by name."""
    named = _parameters(function)
    return function(text, **{name: value for name, value in known.items() if name in named})


def _texts(found: Any) -> list[str]:  # noqa: ANN401 - of any make
    """The texts of what came back.

    Raises:
        TypeError: It has none.
    """
    if found is None:
        return []
    if isinstance(found, str):
        return [found]
    for name in _TEXTS:
        value = found.get(name) if isinstance(found, Mapping) else getattr(found, name, None)
        if isinstance(value, str):
            return [str(value)]
    if isinstance(found, Iterable) and not isinstance(found, Mapping):
        return [text for one in found for text in _texts(one)]
    msg = f"a text, or a list of texts, was expected, got a {type(found).__name__} without one"
    raise TypeError(msg)
