"""What people ask a memory about itself: why, when, what contradicts what, and all of it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from emomem.affect import Affect, AffectArray
from emomem.checks import check_at_least_one
from emomem.filters import affect_conditions, both, normalise
from emomem.memory.dynamics import Decay
from emomem.memory.operations import Operation, user_reference
from emomem.memory.parts import Parts, Steps
from emomem.memory.query import check_where
from emomem.memory.recalling import Recall, saliences
from emomem.memory.running import Running
from emomem.memory.saving import mirrored
from emomem.memory.store import Find, Where
from emomem.memory.unit import ConflictContext, MemoryUnit, Status, in_time, to_metadata
from emomem.metadata import DEFAULT_FIELDS
from emomem.ranking import resolve_affect
from emomem.signals import affinity

Units = list[MemoryUnit]

IN_CONFLICT: Final = MappingProxyType({"conflict": {"$gt": 0.5}, "valence": {"$lt": 0}})
"""The pattern of an unhappy conflict."""


@dataclass(frozen=True)
class Opposed:
    """A conflict with both of its sides.

    Attributes:
        context: What it is, as the later side keeps it.
        later: The unit that was said later.
        earlier: The other.
    """

    context: ConflictContext
    later: MemoryUnit
    earlier: MemoryUnit


@dataclass(frozen=True)
class Explained:
    """Why a unit is as it is.

    Attributes:
        unit: The unit.
        status: Its status now.
        salience: 0..1 now, after decay; None where it is not known.
        conflicts: Its conflicts, with both sides.
        sources: What it was made from.
        operations: What was done to it, the oldest first.
    """

    unit: MemoryUnit
    status: Status
    salience: float | None
    conflicts: tuple[Opposed, ...]
    sources: tuple[MemoryUnit, ...]
    operations: tuple[Operation, ...]


def others(
    parts: Parts, user_id: str, units: Iterable[MemoryUnit], where: Where | None = None
) -> Steps:
    """The other sides of the units' conflicts, of those that pass `where`.

    Returns:
        The units by their ids.
    """
    ids = {context.against for unit in units for context in unit.conflicts}
    if not ids:
        return {}
    [found] = yield from parts.ask(Find(user_id, where, sorted(ids)))
    return {unit.unit_id: unit for unit in found}


def with_what_holds(parts: Parts, recall: Recall, now: float) -> Steps:
    """What was recalled, its feelings marked as superseded only where their facts still are.

    A feeling learns that what it was about has changed, and not that it holds again.

    Returns:
        A `Recall`.
    """
    changed = [one.unit for one in recall.affective if one.unit.superseded_by]
    ids = sorted({unit.interaction_id for unit in changed if unit.interaction_id})
    if not ids:
        return recall
    [facts] = yield from parts.ask(Find(changed[0].user_id, ids=ids))
    again = {unit.unit_id for unit in facts if unit.is_true_at(now)}
    felt = (
        replace(one, unit=one.unit.model_copy(update={"superseded_by": None}))
        if one.unit.interaction_id in again
        else one
        for one in recall.affective
    )
    return replace(recall, affective=tuple(felt))


def conflicts(parts: Parts, user_id: str, *, settled: bool) -> Steps:
    """The conflicts of a user, each once, the oldest first; the open ones unless `settled`.

    Returns:
        A list of `Opposed`.
    """
    [units] = yield from parts.ask(Find(user_id, {"in_conflict": True}))
    by_id = {unit.unit_id: unit for unit in units}
    return [one for one in _opposed(units, by_id) if settled or one.context.settlement is None]


def _opposed(units: Iterable[MemoryUnit], by_id: Mapping[str, MemoryUnit]) -> list[Opposed]:
    found: dict[tuple[str, frozenset[str]], Opposed] = {}
    for unit in units:
        for context in unit.conflicts:
            if (other := by_id.get(context.against)) is not None:
                earlier, later = in_time(unit, other)
                one = Opposed(context if later is unit else mirrored(unit, context), later, earlier)
                found[context.kind, frozenset((unit.unit_id, other.unit_id))] = one
    return sorted(found.values(), key=lambda one: one.context.at)


def explain(parts: Parts, user_id: str, unit_id: str, decay: Decay | None) -> Steps:
    """Why a unit is as it is.

    Returns:
        An `Explained`.

    Raises:
        KeyError: The user has no such unit.
    """
    [found] = yield from parts.ask(Find(user_id, ids=[unit_id]))
    if not found:
        msg = f"no unit {unit_id!r}"
        raise KeyError(msg)
    [unit] = found
    by_id = yield from others(parts, user_id, [unit])
    [sources] = yield from parts.ask(Find(user_id, ids=unit.sources))
    user = user_reference(user_id, (yield from parts.key()))
    done = yield from parts.logged(partial(parts.log.read, user, {unit_id}))
    now = parts.now()
    [strength] = saliences([unit], now, decay).tolist()
    return Explained(
        unit=unit,
        status=unit.status_at(now),
        salience=None if np.isnan(strength) else strength,
        conflicts=tuple(_opposed([unit], by_id)),
        sources=tuple(sources),
        operations=tuple(done),
    )


def by_affect(parts: Parts, user_id: str, wanted: Affect, k: int) -> Steps:
    """The k affective memories that feel most like `wanted`, best first; it reads all of them.

    Returns:
        A list of `MemoryUnit`.

    Raises:
        ValueError: `k` is below 1.
    """
    check_at_least_one(k=k)
    [units] = yield from parts.ask(Find(user_id, {"kind": "affective"}))
    now = parts.now()
    current = [unit for unit in units if unit.status_at(now) == "current"]
    match = affinity(AffectArray.from_affects([unit.affect for unit in current]), wanted)
    order = np.argsort(-np.nan_to_num(match, nan=-1.0), kind="stable")
    return [current[row] for row in order[:k] if not np.isnan(match[row])]


def matching(parts: Parts, user_id: str, conditions: Mapping[str, Any]) -> Steps:
    """The affective memories that pass conditions on affect, the oldest first.

    Returns:
        A list of `MemoryUnit`.
    """
    scope = both(normalise({"kind": "affective"}), affect_conditions(conditions, DEFAULT_FIELDS))
    [units] = yield from parts.ask(Find(user_id, scope))
    now = parts.now()
    return [unit for unit in units if unit.status_at(now) == "current"]


def timeline(parts: Parts, user_id: str, where: Where | None) -> Steps:
    """What a user said, told or asked, whatever its status, the oldest first.

    Returns:
        A list of `MemoryUnit`.
    """
    check_where(where)
    said = {"kind": {"$in": ["fact", "question"]}}
    scope = both(normalise(said), normalise(where or {}))
    [units] = yield from parts.ask(Find(user_id, scope))
    return units


def operations(parts: Parts, user_id: str) -> Steps:
    """What was done to a user's units.

    Returns:
        A list of `Operation`.
    """
    user = user_reference(user_id, (yield from parts.key()))
    found = yield from parts.logged(partial(parts.log.read, user))
    return found


def export(parts: Parts, user_id: str) -> Steps:
    """Everything that is kept of a user, as JSON's own types.

    Returns:
        A dictionary with `user_id`, `units` (text and metadata) and `operations`.
    """
    [units] = yield from parts.ask(Find(user_id))
    done = yield from operations(parts, user_id)
    return {
        "user_id": user_id,
        "units": [{"text": unit.text, **to_metadata(unit)} for unit in units],
        "operations": [one.model_dump(mode="json") for one in done],
    }


class Inspecting(Running):
    """What people ask a memory about itself.

    Args:
        parts: The memory's parts.
        user_id: Whose memories, where a call does not say.
        decay: How salience fades; None for not at all.
    """

    def __init__(self, parts: Parts, user_id: str | None, decay: Decay | None) -> None:
        super().__init__(parts, user_id)
        self._decay = decay

    def conflicts(self, *, user_id: str | None = None, settled: bool = False) -> list[Opposed]:
        """The open conflicts with both sides, each once; the settled ones too if asked."""
        user = self._user(user_id)
        found: list[Opposed] = self._run(user, conflicts(self._parts, user, settled=settled))
        return found

    async def aconflicts(
        self, *, user_id: str | None = None, settled: bool = False
    ) -> list[Opposed]:
        """`conflicts` without blocking the event loop."""
        user = self._user(user_id)
        steps = conflicts(self._parts, user, settled=settled)
        found: list[Opposed] = await self._arun(user, steps)
        return found

    def explain(self, unit_id: str, *, user_id: str | None = None) -> Explained:
        """Why a unit is as it is: status, salience, conflicts, sources, operations.

        Raises:
            KeyError: The user has no such unit.
        """
        user = self._user(user_id)
        found: Explained = self._run(user, explain(self._parts, user, unit_id, self._decay))
        return found

    async def aexplain(self, unit_id: str, *, user_id: str | None = None) -> Explained:
        """`explain` without blocking the event loop."""
        user = self._user(user_id)
        steps = explain(self._parts, user, unit_id, self._decay)
        found: Explained = await self._arun(user, steps)
        return found

    def timeline(self, *, user_id: str | None = None, where: Where | None = None) -> Units:
        """What a user said, what is no longer so and what was asked too, the oldest first."""
        user = self._user(user_id)
        units: Units = self._run(user, timeline(self._parts, user, where))
        return units

    async def atimeline(self, *, user_id: str | None = None, where: Where | None = None) -> Units:
        """`timeline` without blocking the event loop."""
        user = self._user(user_id)
        units: Units = await self._arun(user, timeline(self._parts, user, where))
        return units

    def search_by_affect(
        self, affect: Affect | str, k: int = 10, *, user_id: str | None = None
    ) -> Units:
        """The k current affective memories that feel most like an affect; it reads all of them.

        Args:
            affect: An `Affect` or a label.
            k: How many, >= 1.
            user_id: Whose.
        """
        user = self._user(user_id)
        units: Units = self._run(user, by_affect(self._parts, user, resolve_affect(affect), k))
        return units

    async def asearch_by_affect(
        self, affect: Affect | str, k: int = 10, *, user_id: str | None = None
    ) -> Units:
        """`search_by_affect` without blocking the event loop."""
        user = self._user(user_id)
        steps = by_affect(self._parts, user, resolve_affect(affect), k)
        units: Units = await self._arun(user, steps)
        return units

    def search_by_pattern(
        self, pattern: Mapping[str, Any] = IN_CONFLICT, *, user_id: str | None = None
    ) -> Units:
        """The current affective memories that pass conditions on affect, the oldest first.

        Args:
            pattern: Conditions as of `affect_filter`; unhappy and in conflict where not given.
            user_id: Whose.
        """
        user = self._user(user_id)
        units: Units = self._run(user, matching(self._parts, user, pattern))
        return units

    async def asearch_by_pattern(
        self, pattern: Mapping[str, Any] = IN_CONFLICT, *, user_id: str | None = None
    ) -> Units:
        """`search_by_pattern` without blocking the event loop."""
        user = self._user(user_id)
        units: Units = await self._arun(user, matching(self._parts, user, pattern))
        return units

    def export(self, user_id: str | None = None) -> dict[str, Any]:
        """Everything that is kept of a user, as JSON's own types: units and operations."""
        user = self._user(user_id)
        found: dict[str, Any] = self._run(user, export(self._parts, user))
        return found

    async def aexport(self, user_id: str | None = None) -> dict[str, Any]:
        """`export` without blocking the event loop."""
        user = self._user(user_id)
        found: dict[str, Any] = await self._arun(user, export(self._parts, user))
        return found

    def operations(self, *, user_id: str | None = None) -> list[Operation]:
        """What was done to a user's units, the oldest first."""
        user = self._user(user_id)
        found: list[Operation] = self._run(user, operations(self._parts, user))
        return found

    async def aoperations(self, *, user_id: str | None = None) -> list[Operation]:
        """`operations` without blocking the event loop."""
        user = self._user(user_id)
        found: list[Operation] = await self._arun(user, operations(self._parts, user))
        return found
