"""Succession: what takes the place of another, and for how long."""

from collections.abc import Iterable, Sequence

from emomem.memory.parts import Parts, Steps
from emomem.memory.store import Change, Find
from emomem.memory.unit import NEVER, MemoryUnit, Scalar


def replaced(parts: Parts, fact: MemoryUnit, old: Sequence[MemoryUnit]) -> Steps:
    """The changes by which a fact takes the place of old ones, for as long as it lives.

    How it felt then stays true; that only learns that what it was about has changed. What is
    silent stays so for its time, and learns until when its place is taken.
    """
    if not old:
        return {}
    linked = {"interaction_id": {"$in": [unit.interaction_id or unit.unit_id for unit in old]}}
    [readings] = yield from parts.ask(Find(fact.user_id, {"kind": "affective", **linked}))
    after: Change = {"superseded_by": fact.unit_id}
    changes: dict[str, Change] = {unit.unit_id: after for unit in readings}
    gone = succeeded(fact)
    now = parts.now()
    for unit in old:
        silent = unit.status_at(now) == "suppressed"
        changes[unit.unit_id] = {**after, "replaced_until": until(fact)} if silent else gone
    for_a_time = [
        unit.model_copy(update=dict(changes[unit.unit_id]))
        for unit in old
        if unit.expires_at < NEVER
    ]
    return {**(yield from postponed(parts, for_a_time)), **changes}


def succeeded(by: MemoryUnit) -> dict[str, Scalar | None]:
    """The change of a unit whose place another takes."""
    return {"superseded_by": by.unit_id, "status": "superseded", **_back_at(until(by))}


def back(unit: MemoryUnit, at: float) -> dict[str, Scalar | None]:
    """The change by which what is superseded has its place again at a time; 0 for never."""
    return {"replaced_until": at} if unit.status == "suppressed" else _back_at(at)


def _back_at(at: float) -> dict[str, Scalar | None]:
    return {"suppressed_until": at, "replaced_until": 0.0}


def until(unit: MemoryUnit) -> float:
    """When a unit gives back the place that it took; 0 for never."""
    if unit.expires_at == NEVER:
        return 0.0
    if unit.status == "current" or not unit.is_replaced:
        return unit.expires_at
    return max(unit.expires_at, unit.back_at) if unit.back_at else 0.0


def postponed(parts: Parts, units: Sequence[MemoryUnit]) -> Steps:
    """`returns` of what is superseded, for some units of one user as they are to be."""
    if not units:
        return {}
    superseded = {"kind": "fact", "status": {"$in": ["superseded", "suppressed"]}}
    [out] = yield from parts.ask(Find(units[0].user_id, superseded))
    return returns(out, units)


def returns(superseded: Sequence[MemoryUnit], units: Iterable[MemoryUnit]) -> dict[str, Change]:
    """The changes by which what units had superseded, and that in turn, counts again when it may.

    Args:
        superseded: What may have been.
        units: The units as they are to be.
    """
    known = {unit.unit_id: unit for unit in units}
    changes: dict[str, Change] = {}
    while more := [
        unit for unit in superseded if unit.superseded_by in known and unit.unit_id not in known
    ]:
        for unit in more:
            change = back(unit, until(known[unit.superseded_by or ""]))
            known[unit.unit_id] = unit.model_copy(update=change)
            changes[unit.unit_id] = change
    return changes
