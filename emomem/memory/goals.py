"""What a user wants: units of their own kind, which new memories are held against."""

from collections.abc import Sequence

from emomem.affect import Affect
from emomem.memory.forgetting import Forgotten, Purge, forget
from emomem.memory.parts import Parts, Steps
from emomem.memory.running import Running
from emomem.memory.store import Find, Put
from emomem.memory.unit import MemoryUnit, make_unit_id, to_metadata


class Goals(Running):
    """The goals of a memory's users.

    Args:
        parts: The memory's parts.
        user_id: Whose goals, where a call does not say.
        purges: Called with the text of a goal that is forgotten.

    Example:
        >>> from emomem.memory.memory import Memory  # doctest: +SKIP
        >>> Memory(store, user_id="ann").goals.add("keep the budget under 2,000")  # doctest: +SKIP
    """

    def __init__(self, parts: Parts, user_id: str | None, purges: Sequence[Purge] = ()) -> None:
        super().__init__(parts, user_id)
        self._purges = purges

    def add(self, text: str, *, user_id: str | None = None) -> MemoryUnit:
        """Add a goal; the very same is there once.

        Raises:
            ValueError: The text is blank, or no user is named.
        """
        user = self._user(user_id)
        unit: MemoryUnit = self._run(user, _add(self._parts, user, text))
        return unit

    async def aadd(self, text: str, *, user_id: str | None = None) -> MemoryUnit:
        """`add` without blocking the event loop."""
        user = self._user(user_id)
        unit: MemoryUnit = await self._arun(user, _add(self._parts, user, text))
        return unit

    def list(self, *, user_id: str | None = None) -> Sequence[MemoryUnit]:
        """The goals, the oldest first."""
        user = self._user(user_id)
        units: Sequence[MemoryUnit] = self._run(user, _list(self._parts, user))
        return units

    async def alist(self, *, user_id: str | None = None) -> Sequence[MemoryUnit]:
        """`list` without blocking the event loop."""
        user = self._user(user_id)
        units: Sequence[MemoryUnit] = await self._arun(user, _list(self._parts, user))
        return units

    def remove(self, goal: str, *, user_id: str | None = None) -> Forgotten:
        """Forget a goal, by its `unit_id`."""
        user = self._user(user_id)
        forgotten: Forgotten = self._run(user, forget(self._parts, user, [goal], self._purges))
        return forgotten

    async def aremove(self, goal: str, *, user_id: str | None = None) -> Forgotten:
        """`remove` without blocking the event loop."""
        user = self._user(user_id)
        forgotten: Forgotten = await self._arun(
            user, forget(self._parts, user, [goal], self._purges)
        )
        return forgotten


def _add(parts: Parts, user_id: str, text: str) -> Steps:
    if not text.strip():
        msg = "a goal must not be blank"
        raise ValueError(msg)
    key = yield from parts.key()
    unit = MemoryUnit(
        text=text,
        user_id=user_id,
        speaker=user_id,
        kind="goal",
        created_at=parts.now(),
        affect=Affect.unknown(),
    )
    unit = unit.model_copy(update={"unit_id": make_unit_id(unit, key)})
    [held] = yield from parts.ask(Find(user_id, ids=[unit.unit_id]))
    if held:
        return held[0]
    yield from parts.change(
        user_id, {"create": {unit.unit_id: to_metadata(unit)}}, Put([unit], new=True)
    )
    return unit


def _list(parts: Parts, user_id: str) -> Steps:
    [units] = yield from parts.ask(Find(user_id, {"kind": "goal"}))
    return units
