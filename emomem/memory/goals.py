"""What a user wants: units of their own kind, which new memories are held against."""

import re
from collections.abc import Sequence
from typing import Final

from emomem.affect import Affect
from emomem.memory.forgetting import Forgotten, Purge, forget
from emomem.memory.parts import Parts, Steps
from emomem.memory.running import Running
from emomem.memory.said import storable
from emomem.memory.store import Change, Find, Patch, Put
from emomem.memory.succession import succeeded
from emomem.memory.unit import NEVER, MemoryUnit, make_unit_id, to_metadata

_BARE: Final = re.compile(
    r"(?!(?:i|we|my|our|the|this|that|a|an|no|not|do|never|always|from|to)\b)[a-z]+\s",
    re.IGNORECASE,
)
"""A goal that begins with its verb."""


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
        """Add a goal; the very same is there once, and one that it contradicts counts no more.

        "Keep the budget under 5,000" takes the place of "Keep the budget under 2,000", where the
        memory's detector finds a contradiction and its template lets the latest hold. What was
        replaced is kept, and counts again when this one is removed.

        Raises:
            ValueError: The text is blank but for what was recalled into it, or no user is named.
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
        """The goals that count now, the oldest first."""
        user = self._user(user_id)
        units: Sequence[MemoryUnit] = self._run(user, _list(self._parts, user))
        return units

    async def alist(self, *, user_id: str | None = None) -> Sequence[MemoryUnit]:
        """`list` without blocking the event loop."""
        user = self._user(user_id)
        units: Sequence[MemoryUnit] = await self._arun(user, _list(self._parts, user))
        return units

    def remove(self, goal: str, *, user_id: str | None = None) -> Forgotten:
        """Forget a goal, by its `unit_id`; what is no goal stays."""
        user = self._user(user_id)
        forgotten: Forgotten = self._run(user, _remove(self._parts, user, goal, self._purges))
        return forgotten

    async def aremove(self, goal: str, *, user_id: str | None = None) -> Forgotten:
        """`remove` without blocking the event loop."""
        user = self._user(user_id)
        steps = _remove(self._parts, user, goal, self._purges)
        forgotten: Forgotten = await self._arun(user, steps)
        return forgotten


def _add(parts: Parts, user_id: str, text: str) -> Steps:
    text = storable(text)
    if not text.strip():
        msg = "a goal must not be blank"
        raise ValueError(msg)
    unit = MemoryUnit(
        text=text,
        user_id=user_id,
        speaker=user_id,
        kind="goal",
        created_at=parts.now(),
        affect=Affect.unknown(),
    )
    unit = unit.model_copy(update={"unit_id": make_unit_id(unit, (yield from parts.key()))})
    return (yield from parts.in_turn(user_id, _add_once(parts, unit)))


def _add_once(parts: Parts, unit: MemoryUnit) -> Steps:
    user_id, id_ = unit.user_id, unit.unit_id
    counting: list[MemoryUnit] = yield from _list(parts, user_id)
    if same := [goal for goal in counting if goal.unit_id == id_]:
        return same[0]
    old = yield from _contradicted(parts, unit, counting)
    superseded: dict[str, Change] = dict.fromkeys((goal.unit_id for goal in old), succeeded(unit))
    [held] = yield from parts.ask(Find(user_id, ids=[id_]))
    if not held:
        yield from parts.change(
            user_id,
            {"create": {id_: to_metadata(unit)}, "supersede": superseded},
            Put([unit], new=True),
            Patch(user_id, superseded),
        )
        return unit
    again: Change = {
        "status": "current",
        "suppressed_until": 0.0,
        "superseded_by": None,
        "expires_at": NEVER,
    }
    # In one statement: what this one had replaced may be what it takes the place of.
    yield from parts.change(
        user_id,
        {"suppress": {id_: again}, "supersede": superseded},
        Patch(user_id, {id_: again, **superseded}),
    )
    return held[0].model_copy(update=dict(again))


def _contradicted(parts: Parts, unit: MemoryUnit, goals: Sequence[MemoryUnit]) -> Steps:
    """The goals whose place a new one takes: the detector holds them as statements."""
    by_id = {goal.unit_id: goal for goal in goals}
    new = _as_statement(unit)
    found = yield from parts.conflicts(new, [_as_statement(goal) for goal in goals])
    replaced: list[MemoryUnit] = []
    for conflict in found:
        settlement = yield from parts.settled(new, conflict)
        if settlement.supersedes:
            replaced.append(by_id[conflict.against.unit_id])
    return replaced


def _as_statement(goal: MemoryUnit) -> MemoryUnit:
    """A goal as a fact about its user, as the rules on wording want it: "I keep the budget"."""
    text = goal.text
    if _BARE.match(text):
        text = f"I {text[0].lower()}{text[1:]}"
    return goal.model_copy(update={"kind": "fact", "text": text})


def _list(parts: Parts, user_id: str) -> Steps:
    [units] = yield from parts.ask(Find(user_id, {"kind": "goal"}))
    now = parts.now()
    return [unit for unit in units if unit.status_at(now) == "current"]


def _remove(parts: Parts, user_id: str, goal: str, purges: Sequence[Purge]) -> Steps:
    [goals] = yield from parts.ask(Find(user_id, {"kind": "goal"}, [goal]))
    return (yield from forget(parts, user_id, [unit.unit_id for unit in goals], purges))
