"""Saving what was said: its fact and its affective reading, and what it contradicts."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from emomem.affect import Affect
from emomem.memory.conflict import Conflict
from emomem.memory.parts import Parts, Steps
from emomem.memory.remainder import remainders
from emomem.memory.resolution import Settlement
from emomem.memory.said import Said, storable
from emomem.memory.store import Change, Find, Patch, Put, Search, in_order
from emomem.memory.succession import postponed, replaced, succeeded
from emomem.memory.unit import (
    ConflictContext,
    MemoryUnit,
    Scalar,
    affect_change,
    conflict_change,
    make_unit_id,
    to_metadata,
)

logger = logging.getLogger(__name__)

_FACTS: Final = 10
_GOALS: Final = 20
"""How many facts and goals a text is held against: the nearest, where there are more."""

_SAID_AGAIN: Final = "the side that was said again holds"


@dataclass(frozen=True)
class Saved:
    """What became of a text.

    Attributes:
        fact: The unit of what was said; of what is only asked its kind is "question".
        affective: The unit of how it felt.
        conflicts: What it contradicts.
        merged: Whether the very same was there, so that it was counted and not written again.
        kept: Of what is no longer so, facts of what else it said, which holds on.
    """

    fact: MemoryUnit
    affective: MemoryUnit
    conflicts: tuple[Conflict, ...] = ()
    merged: bool = False
    kept: tuple[MemoryUnit, ...] = ()


def save(parts: Parts, said: Said) -> Steps:
    """Save an interaction in one write.

    Returns:
        A `Saved`.
    """
    affect = said.affect
    if affect is None:
        [affect] = yield from parts.read([said.text])
    return (yield from parts.in_turn(said.user_id, _save(parts, said, affect)))


def _save(parts: Parts, said: Said, affect: Affect) -> Steps:
    now = parts.now()
    key = yield from parts.key()
    fact, affective = _linked(said.unit(now, affect), said, key)
    ids = [fact.unit_id, affective.unit_id]
    held, near = yield from _near(parts, said, now, ids)
    while fact.unit_id in held:
        if held[fact.unit_id].is_true_at(now):
            return (yield from _merge(parts, said, (fact, affective), held))
        # An equal that is no longer true stays history, and this takes a place of its own.
        fact, affective = _linked(fact, said, key, after=fact.unit_id)
        ids = [fact.unit_id, affective.unit_id]
        [again] = yield from parts.ask(Find(said.user_id, ids=ids))
        held = {unit.unit_id: unit for unit in again}
    conflicts = []
    # What is over already, or only asked, contradicts nothing.
    if fact.kind == "fact" and fact.status_at(now) == "current":
        conflicts = yield from parts.conflicts(fact, near)
    return (yield from _write(parts, said, (fact, affective), conflicts))


def check(parts: Parts, said: Said) -> Steps:
    """What a text would contradict; nothing is written.

    Returns:
        The conflicts.
    """
    affect = said.affect
    if affect is None:
        [affect] = yield from parts.read([said.text])
    now = parts.now()
    unit = said.unit(now, affect)
    if unit.kind == "question":
        return []
    _, near = yield from _near(parts, said, now)
    conflicts = yield from parts.conflicts(unit, near)
    return conflicts


def mirrored(unit: MemoryUnit, context: ConflictContext) -> ConflictContext:
    """A conflict of a unit as the other side keeps it."""
    parties = tuple(reversed(context.parties))
    return context.model_copy(update={"against": unit.unit_id, "parties": parties})


def _linked(
    fact: MemoryUnit, said: Said, key: bytes, after: str = ""
) -> tuple[MemoryUnit, MemoryUnit]:
    """The fact and its affective reading, with their ids; the fact's is that of the interaction."""
    id_ = make_unit_id(fact, key, after)
    fact = fact.model_copy(update={"unit_id": id_, "interaction_id": id_})
    text = said.text if said.reading is None else storable(said.reading)
    reading = fact.model_copy(update={"kind": "affective", "text": text})
    return fact, reading.model_copy(update={"unit_id": make_unit_id(reading, key, id_)})


def _near(parts: Parts, said: Said, now: float, ids: Sequence[str] = ()) -> Steps:
    """What a text is held against: the nearest facts that are true, and the goals that count.

    Returns:
        The units of some ids, by them, and a list of what it is held against.
    """
    wanted = {"$or": [{"kind": "goal"}, *([{"unit_id": {"$in": list(ids)}}] if ids else [])]}
    nearest = Search(said.user_id, {"kind": "fact"}, said.text, _FACTS)
    [found, hits] = yield from parts.ask(Find(said.user_id, wanted), nearest)
    held = {unit.unit_id: unit for unit in found if unit.unit_id in ids}
    goals = _counting((unit for unit in found if unit.kind == "goal"), now)
    facts = _counting((hit.unit for hit in hits), now)
    again = []
    if len(facts) < len(hits) == _FACTS:  # history may hide what is true
        again.append(replace(nearest, where={"kind": "fact", **may_be_true(now)}))
    if len(goals) > _GOALS:
        again.append(Search(said.user_id, {"kind": "goal", **may_be_true(now)}, said.text, _GOALS))
    for search, more in zip(again, (yield from parts.ask(*again)) if again else [], strict=True):
        units = _counting((hit.unit for hit in more), now)
        facts, goals = (units, goals) if search.k == _FACTS else (facts, units)
    return held, [*facts, *goals]


def may_be_true(now: float) -> dict[str, Any]:
    """The filter of what may count now; `MemoryUnit.is_true_at` and `status_at` say what does."""
    back = [{"suppressed_until": {"$gt": 0}}, {"replaced_until": {"$gt": 0}}]
    return {
        "expires_at": {"$gt": now},
        "$or": [{"status": {"$in": ["current", "suppressed"]}}, *back],
    }


def _counting(units: Iterable[MemoryUnit], now: float) -> list[MemoryUnit]:
    """The facts that are true, be they told or silent, and the goals that count."""
    return [
        unit
        for unit in units
        if (unit.is_true_at(now) if unit.kind == "fact" else unit.status_at(now) == "current")
    ]


def _merge(
    parts: Parts,
    said: Said,
    units: tuple[MemoryUnit, MemoryUnit],
    held: Mapping[str, MemoryUnit],
) -> Steps:
    """Count what was said before once more, with what is new in it: the latest word counts.

    Where the user was to be asked which side of a conflict holds, that is the answer.
    """
    fact, affective = units
    now = parts.now()
    there = [held[one.unit_id] for one in units if one.unit_id in held]
    new: dict[str, Scalar | None] = {**fact.metadata}
    new["last_at"] = max(fact.created_at, min(there[0].last_at, now))
    lives = now < fact.expires_at != there[0].expires_at
    if lives:
        new["expires_at"] = fact.expires_at
    changes: dict[str, Change] = {}
    for unit in there:
        change: dict[str, Scalar | None] = {**new, "times": unit.times + 1}
        if (unit.affect.is_unknown or said.affect is not None) and not fact.affect.is_unknown:
            known = unit.affect.conflict if fact.affect.conflict is None else fact.affect.conflict
            affect = fact.affect.model_copy(update={"conflict": known})
            change |= affect_change(unit, affect)
        changes[unit.unit_id] = change
    ending = there[0]
    if lives:
        ending = ending.model_copy(update={"expires_at": fact.expires_at})
        changes = _joined(changes, (yield from postponed(parts, [ending])))
    noted, superseded, kept = yield from _answered(parts, ending)
    if kept:  # first: what is superseded leaves them behind
        new_facts = {unit.unit_id: to_metadata(unit) for unit in kept}
        yield from parts.change(fact.user_id, {"create": new_facts}, Put(kept, new=True))
    changes = _joined(changes, noted)
    yield from parts.change(
        fact.user_id,
        {"consolidate": changes, "supersede": superseded},
        Patch(fact.user_id, _joined(changes, superseded)),
    )
    [after] = yield from parts.ask(Find(fact.user_id, ids=[one.unit_id for one in there]))
    found = {unit.unit_id: unit for unit in after}
    return Saved(
        found.get(fact.unit_id, fact),
        found.get(affective.unit_id, affective),
        merged=True,
        kept=tuple(kept),
    )


def _answered(parts: Parts, fact: MemoryUnit) -> Steps:
    """What becomes of the conflicts of a fact in which it was to be asked: it holds.

    Returns:
        The changes by which both sides know that, those by which it takes the other sides' places,
        and facts of what else those said.
    """
    asked = {one.against for one in fact.conflicts if one.ask}
    if not asked:
        return {}, {}, []
    [others] = yield from parts.ask(Find(fact.user_id, ids=sorted(asked)))
    now = parts.now()
    beaten = [one for one in others if one.kind == fact.kind and one.is_true_at(now)]
    sides = {unit.unit_id: unit for unit in (fact, *others)}
    answer = {"ask": False, "settlement": _SAID_AGAIN}
    noted = {
        id_: conflict_change(
            unit,
            [
                one.model_copy(update=answer)
                for one in unit.conflicts
                if one.ask and one.against in sides
            ],
        )
        for id_, unit in sides.items()
    }
    superseded = yield from replaced(parts, fact, beaten)
    kept = yield from remainders(parts, beaten, [fact], later=False)
    return noted, superseded, kept


def _joined(changes: Mapping[str, Change], more: Mapping[str, Change]) -> dict[str, Change]:
    """Changes of units by their ids, together."""
    return {
        id_: {**changes.get(id_, {}), **more.get(id_, {})}
        for id_ in dict.fromkeys((*changes, *more))
    }


def _write(
    parts: Parts,
    said: Said,
    units: tuple[MemoryUnit, MemoryUnit],
    conflicts: Sequence[Conflict],
) -> Steps:
    fact, affective = units
    if said.created_at is None and conflicts:
        # A clock may be behind another: what is said now is not of a time before what was said.
        at = max(fact.created_at, *(conflict.against.created_at for conflict in conflicts))
        fact, affective = (
            one.model_copy(update={"created_at": at, "last_at": at}) for one in (fact, affective)
        )
    settled = yield from _settled(parts, fact, conflicts)
    contexts = [context for _, _, context in settled]
    fact, affective = _in_conflict(fact, affective, contexts)
    noted = _other_sides(fact, [conflict for conflict, _, _ in settled])
    older, newer = _sides(fact, [(conflict, settlement) for conflict, settlement, _ in settled])
    if newer:
        latest = in_order(newer)[-1]
        fact = fact.model_copy(update=succeeded(latest))
        affective = affective.model_copy(update={"superseded_by": latest.unit_id})
    superseded = yield from replaced(parts, fact, older)
    kept = yield from remainders(parts, older, [fact], later=False)
    if newer:
        kept += yield from remainders(parts, [fact], newer, later=True)
    yield from parts.change(
        fact.user_id,
        {
            "create": {unit.unit_id: to_metadata(unit) for unit in (fact, affective, *kept)},
            "supersede": superseded,
        },
        Put([fact, affective, *kept], new=True),
        Patch(fact.user_id, _joined(noted, superseded)),
    )
    found = tuple(conflict for conflict, _, _ in settled)
    return Saved(fact, affective, found, kept=tuple(kept))


def _settled(parts: Parts, fact: MemoryUnit, conflicts: Sequence[Conflict]) -> Steps:
    """Each conflict with its settlement and as it is kept; what cannot be kept is left out.

    Returns:
        A list of tuples of `Conflict`, `Settlement` and `ConflictContext`.
    """
    settled = []
    for conflict in conflicts:
        settlement = yield from parts.settled(fact, conflict)
        try:
            context = _context(conflict, settlement, parts.now())
        except ValueError as error:
            logger.warning("a conflict cannot be kept: %s; left out", type(error).__name__)
            continue
        settled.append((conflict, settlement, context))
    return settled


def _sides(
    fact: MemoryUnit, settled: Sequence[tuple[Conflict, Settlement]]
) -> tuple[list[MemoryUnit], list[MemoryUnit]]:
    """The units whose place a fact takes, and those that keep theirs against it.

    What is told late, of a time before the other, was over before it was told.
    """
    older: list[MemoryUnit] = []
    newer: list[MemoryUnit] = []
    for conflict, settlement in settled:
        other = conflict.against
        if settlement.current == "both" or other.kind != fact.kind:
            continue
        late = settlement.current == "new" and other.created_at > fact.created_at
        (newer if late or settlement.current == "old" else older).append(other)
    return older, newer


def _context(conflict: Conflict, settlement: Settlement, now: float) -> ConflictContext:
    return ConflictContext(
        kind=conflict.kind,
        against=conflict.against.unit_id,
        parties=conflict.parties,
        intensity=conflict.intensity,
        reason=conflict.reason,
        settlement=settlement.how,
        ask=settlement.told == "ask_user",
        at=now,
    )


def _in_conflict(
    fact: MemoryUnit, affective: MemoryUnit, contexts: Sequence[ConflictContext]
) -> tuple[MemoryUnit, MemoryUnit]:
    """The units with their conflicts; an affect that knows of none gets the strongest of them."""
    if not contexts:
        return fact, affective
    affect = fact.affect
    if affect.conflict is None:
        strongest = max(context.intensity for context in contexts)
        affect = affect.model_copy(update={"conflict": strongest})
    return (
        fact.model_copy(update={"conflicts": tuple(contexts), "affect": affect}),
        affective.model_copy(update={"affect": affect}),
    )


def _other_sides(fact: MemoryUnit, conflicts: Sequence[Conflict]) -> dict[str, Change]:
    """The changes by which what a fact contradicts keeps the conflict as well."""
    others = {conflict.against.unit_id: conflict.against for conflict in conflicts}
    return {
        id_: conflict_change(
            other, [mirrored(fact, one) for one in fact.conflicts if one.against == id_]
        )
        for id_, other in others.items()
    }
