"""What counts again once what took its place is forgotten."""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from emomem.memory.parts import Parts, Steps
from emomem.memory.remainder import facts_of, left_over
from emomem.memory.store import Change, Search, in_order
from emomem.memory.succession import back, returns, succeeded, until
from emomem.memory.unit import MemoryUnit, Scalar, resolved_change

_NEAREST: Final = 10
"""How many facts what counts again is held against."""


def without(units: Sequence[MemoryUnit], gone: Collection[str]) -> dict[str, Change]:
    """The changes by which what stays names nothing that is gone.

    What had been superseded by it counts again, so that no question is left without an answer,
    unless something that stays has taken its place as well.
    """
    by_id = {unit.unit_id: unit for unit in units}
    changes: dict[str, Change] = {}
    revived: list[MemoryUnit] = []
    staying = [unit for unit in units if unit.unit_id not in gone]
    for unit in staying:
        change: dict[str, Scalar | None] = {}
        if any(context.against in gone for context in unit.conflicts):
            change = resolved_change(unit, gone)
        if unit.superseded_by in gone:
            heir = _heir(unit, by_id, gone)
            new: dict[str, Scalar | None] = {"superseded_by": heir.unit_id if heir else None}
            if unit.status == "superseded":
                new["status"] = "superseded" if heir else "current"
            if unit.status == "superseded" or unit.is_replaced:
                new |= back(unit, until(heir) if heir else 0.0)
                revived.append(unit.model_copy(update=new))
            change |= new
        if change:
            changes[unit.unit_id] = change
    superseded = [unit for unit in staying if unit.status == "superseded" or unit.is_replaced]
    for id_, later in returns(superseded, revived).items():
        changes[id_] = {**changes.get(id_, {}), **later}
    return changes


def _heir(
    unit: MemoryUnit, by_id: Mapping[str, MemoryUnit], gone: Collection[str]
) -> MemoryUnit | None:
    """What took the place of what took a unit's place, and stays."""
    seen: set[str] = set()
    heir = by_id.get(unit.superseded_by or "")
    while heir and heir.unit_id in gone and heir.unit_id not in seen:
        seen.add(heir.unit_id)
        heir = by_id.get(heir.superseded_by or "")
    return None if heir is None or heir.unit_id in gone else heir


def made_whole(parts: Parts, units: Sequence[MemoryUnit], changes: dict[str, Change]) -> Steps:
    """Put what counts again in the place of what was kept of it meanwhile.

    A unit whose place was taken left a fact of what else it said (`emomem.memory.remainder`). It
    says that itself again, unless the place of that was taken in its turn by something that
    stays, or something that was said since contradicts it: then only the rest of the unit counts
    again, as a fact of its own. What was silent meanwhile stays so.

    Args:
        parts: The memory's parts.
        units: All that stay.
        changes: What `without` gives; changed accordingly.

    Returns:
        The new facts.
    """
    now = parts.now()
    revived = [one for one in units if changes.get(one.unit_id, {}).get("status") == "current"]
    families = {unit.unit_id: _made_from(unit, units) for unit in revived if unit.kind == "fact"}
    silences: dict[str, Change] = {}
    lefts: list[tuple[MemoryUnit, str]] = []
    # What others were made from comes before them.
    for unit in sorted(revived, key=lambda one: -len(families.get(one.unit_id, ()))):
        if changes[unit.unit_id]["status"] != "current":
            continue
        family = families.get(unit.unit_id, [])
        heirs = _heirs(family, units, changes)
        against = yield from _contradicting(parts, unit, units)
        heirs += [one for one in against if one not in heirs]
        text = (yield from left_over(parts, unit, heirs, later=False)) if heirs else None
        if text is None and against:
            text = ""
        silence = silences[unit.unit_id] = _silence(unit, units, now)
        _change(changes, unit, silence if text is None else succeeded(in_order(heirs)[-1]))
        for one in family:
            status = changes.get(one.unit_id, {}).get("status", one.status)
            if status not in ("current", "suppressed"):
                continue
            if one.text == text:
                text = ""  # it is there
            else:
                _change(changes, one, succeeded(unit.model_copy(update={"status": "current"})))
        if text:
            lefts.append((unit, text))
    made = yield from facts_of(parts, lefts)
    return [one.model_copy(update=dict(silences[one.sources[0]])) for one in made]


def _change(changes: dict[str, Change], unit: MemoryUnit, change: Change) -> None:
    changes[unit.unit_id] = {**changes.get(unit.unit_id, {}), **change}


def _silence(unit: MemoryUnit, units: Sequence[MemoryUnit], now: float) -> Change:
    """The change that keeps a unit as silent as the rest of its interaction is."""
    end = max(
        (
            one.suppressed_until
            for one in units
            if one.interaction_id == unit.interaction_id and one.status_at(now) == "suppressed"
        ),
        default=0.0,
    )
    return {"status": "suppressed", "suppressed_until": end} if end else {}


def _made_from(unit: MemoryUnit, units: Sequence[MemoryUnit]) -> list[MemoryUnit]:
    """The facts of the same interaction that were made from a unit, and from those."""
    ids, family = {unit.unit_id}, list[MemoryUnit]()
    while more := [
        one
        for one in units
        if one.unit_id not in ids
        and one.kind == "fact"
        and one.interaction_id == unit.interaction_id
        and not ids.isdisjoint(one.sources)
    ]:
        family += more
        ids |= {one.unit_id for one in more}
    return family


def _contradicting(parts: Parts, unit: MemoryUnit, units: Sequence[MemoryUnit]) -> Steps:
    """What was said since that would have taken a fact's place, had it been there to be taken."""
    now = parts.now()
    later = {
        one.unit_id
        for one in units
        if one.kind == unit.kind == "fact"
        and one.status_at(now) == "current"
        and one.created_at > unit.created_at
        and one.interaction_id != unit.interaction_id
    }
    if not later:
        return []
    [hits] = yield from parts.ask(Search(unit.user_id, {"kind": "fact"}, unit.text, _NEAREST))
    found: list[MemoryUnit] = []
    for one in (hit.unit for hit in hits if hit.unit.unit_id in later):
        for conflict in (yield from parts.conflicts(one, [unit])):
            settlement = yield from parts.settled(one, conflict)
            found += [one] if settlement.supersedes else []
    return found


def _heirs(
    family: Sequence[MemoryUnit], units: Sequence[MemoryUnit], changes: Mapping[str, Change]
) -> list[MemoryUnit]:
    """What has the places of some facts, and is none of the same interaction."""
    by_id = {unit.unit_id: unit for unit in units}
    heirs: dict[str, MemoryUnit] = {}
    for one in family:
        change = changes.get(one.unit_id, {})
        heir = by_id.get(str(change.get("superseded_by", one.superseded_by)))
        is_gone = change.get("status", one.status) == "superseded"
        if is_gone and heir and heir.interaction_id != one.interaction_id:
            heirs[heir.unit_id] = heir
    return list(heirs.values())
