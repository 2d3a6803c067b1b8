"""Saving what was said: its fact and its affective reading, and what it contradicts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, TypedDict

from emomem.affect import Affect
from emomem.memory.conflict import Conflict
from emomem.memory.marking import strip_recalled
from emomem.memory.parts import Parts, Steps
from emomem.memory.resolution import Settlement
from emomem.memory.store import Change, Find, Hit, Patch, Put, Search, in_order
from emomem.memory.unit import (
    NEVER,
    ConflictContext,
    MemoryUnit,
    Scalar,
    affect_change,
    conflict_change,
    make_unit_id,
    to_metadata,
)

_HELD_AGAINST: Final = MappingProxyType({"fact": 10, "goal": 20})
"""How many of the nearest of each kind a text is held against."""


class Details(TypedDict, total=False):
    """What may be said of a text that is saved; see `Said`."""

    speaker: str | None
    experiencer: str | None
    session_id: str | None
    reading: str | None
    affect: Affect | None
    created_at: float | None
    expires_at: float | None
    metadata: Mapping[str, Scalar]


@dataclass(frozen=True)
class Said:
    """What is to be saved; None leaves it to the memory.

    Attributes:
        text: What was said.
        user_id: Whose memory it is to be.
        speaker: Who said it; the user.
        experiencer: Who feels it; the speaker.
        session_id: The conversation.
        reading: The affective reading in words; the same text.
        affect: How it feels; what the appraiser reads.
        created_at: When it was said, in seconds since 1970; now.
        expires_at: When it ends by itself; never.
        metadata: The caller's own values, flat.
    """

    text: str = field(repr=False)
    user_id: str
    speaker: str | None = None
    experiencer: str | None = None
    session_id: str | None = None
    reading: str | None = field(default=None, repr=False)
    affect: Affect | None = None
    created_at: float | None = None
    expires_at: float | None = None
    metadata: Mapping[str, Scalar] = field(default_factory=dict, repr=False)

    def unit(self, now: float, affect: Affect) -> MemoryUnit:
        """The fact, without an id yet."""
        speaker = self.user_id if self.speaker is None else self.speaker
        return MemoryUnit(
            text=self.text,
            user_id=self.user_id,
            speaker=speaker,
            experiencer=speaker if self.experiencer is None else self.experiencer,
            session_id=self.session_id,
            affect=affect,
            created_at=now if self.created_at is None else self.created_at,
            expires_at=NEVER if self.expires_at is None else self.expires_at,
            metadata=self.metadata,
        )


@dataclass(frozen=True)
class Saved:
    """What became of a text.

    Attributes:
        fact: The unit of what was said.
        affective: The unit of how it felt.
        conflicts: What it contradicts.
        merged: Whether the very same was there, so that nothing new was written.
    """

    fact: MemoryUnit
    affective: MemoryUnit
    conflicts: tuple[Conflict, ...] = ()
    merged: bool = False


def save(parts: Parts, said: Said) -> Steps:
    """Save an interaction in one write.

    Returns:
        A `Saved`.
    """
    now = parts.now()
    affect = said.affect
    if affect is None:
        [affect] = yield from parts.read([said.text])
    key = yield from parts.key()
    fact = said.unit(now, affect)
    fact, affective = _linked(fact, said, key)
    find = Find(said.user_id, ids=[fact.unit_id, affective.unit_id])
    held, *hits = yield from parts.ask(find, *_near(said))
    held = {unit.unit_id: unit for unit in held}
    while fact.unit_id in held:
        if held[fact.unit_id].status_at(now) in ("current", "suppressed"):
            return (yield from _merge(parts, fact, affective, held))
        # An equal that is no longer true stays history, and this takes a place of its own.
        fact, affective = _linked(fact, said, key, after=fact.unit_id)
        ids = [fact.unit_id, affective.unit_id]
        [again] = yield from parts.ask(Find(said.user_id, ids=ids))
        held = {unit.unit_id: unit for unit in again}
    conflicts = yield from parts.conflicts(fact, _candidates(hits, now))
    return (yield from _write(parts, fact, affective, conflicts, now))


def check(parts: Parts, said: Said) -> Steps:
    """What a text would contradict; nothing is written.

    Returns:
        The conflicts.
    """
    affect = said.affect
    if affect is None:
        [affect] = yield from parts.read([said.text])
    hits = yield from parts.ask(*_near(said))
    now = parts.now()
    conflicts = yield from parts.conflicts(said.unit(now, affect), _candidates(hits, now))
    return conflicts


def storable(text: str) -> str:
    """A text without what recall put into it, and without what an engine cannot keep.

    Raises:
        ValueError: Nothing is left of a text that was not blank.
    """
    left = strip_recalled(text).replace("\0", "").encode("utf-8", "replace").decode()
    if text.strip() and not left.strip():
        msg = "nothing is left of the text without what was recalled into it"
        raise ValueError(msg)
    return left


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
    text = said.text if said.reading is None else said.reading
    reading = fact.model_copy(update={"kind": "affective", "text": text})
    return fact, reading.model_copy(update={"unit_id": make_unit_id(reading, key, id_)})


def _near(said: Said) -> list[Search]:
    return [Search(said.user_id, {"kind": kind}, said.text, k) for kind, k in _HELD_AGAINST.items()]


def _candidates(found: Sequence[Sequence[Hit]], now: float) -> list[MemoryUnit]:
    units = [hit.unit for hits in found for hit in hits]
    return [unit for unit in units if unit.status_at(now) == "current"]


def _merge(
    parts: Parts,
    fact: MemoryUnit,
    affective: MemoryUnit,
    held: Mapping[str, MemoryUnit],
) -> Steps:
    """Count what was said before once more, and read its affect where none could be read then."""
    units = [held[one.unit_id] for one in (fact, affective) if one.unit_id in held]
    said_at = {"last_at": max(fact.created_at, units[0].last_at)}
    changes: dict[str, dict[str, Scalar | None]] = {}
    for unit in units:
        changes[unit.unit_id] = {"times": unit.times + 1, **said_at}
        if unit.affect.is_unknown and not fact.affect.is_unknown:
            changes[unit.unit_id] |= affect_change(unit, fact.affect)
    yield from parts.change(fact.user_id, {"consolidate": changes}, Patch(fact.user_id, changes))
    [after] = yield from parts.ask(Find(fact.user_id, ids=list(changes)))
    found = {unit.unit_id: unit for unit in after}
    return Saved(
        found.get(fact.unit_id, fact), found.get(affective.unit_id, affective), merged=True
    )


def _write(
    parts: Parts,
    fact: MemoryUnit,
    affective: MemoryUnit,
    conflicts: Sequence[Conflict],
    now: float,
) -> Steps:
    settled = [(conflict, parts.settle(fact, conflict)) for conflict in conflicts]
    fact, affective = _in_conflict(fact, affective, [_context(*pair, now) for pair in settled])
    noted = _other_sides(fact, conflicts)
    older, newer = _sides(fact, settled)
    if newer:
        after = {"superseded_by": in_order(newer)[-1].unit_id}
        fact = fact.model_copy(update={**after, "status": "superseded"})
        affective = affective.model_copy(update=after)
    superseded = yield from _superseded(parts, fact, older)
    changes = {
        id_: {**noted.get(id_, {}), **superseded.get(id_, {})} for id_ in {**noted, **superseded}
    }
    yield from parts.change(
        fact.user_id,
        {
            "create": {unit.unit_id: to_metadata(unit) for unit in (fact, affective)},
            "supersede": superseded,
        },
        Put([fact, affective], new=True),
        Patch(fact.user_id, changes),
    )
    return Saved(fact, affective, tuple(conflicts))


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


def _superseded(parts: Parts, fact: MemoryUnit, old: Sequence[MemoryUnit]) -> Steps:
    """The changes by which a fact takes the place of old ones.

    How it felt then stays true; that only learns that what it was about has changed.
    """
    if not old:
        return {}
    linked = {"interaction_id": {"$in": [unit.interaction_id or unit.unit_id for unit in old]}}
    [readings] = yield from parts.ask(Find(fact.user_id, {"kind": "affective", **linked}))
    changes: dict[str, Change] = {
        unit.unit_id: {"superseded_by": fact.unit_id} for unit in readings
    }
    gone = {"status": "superseded", "superseded_by": fact.unit_id}
    return changes | {unit.unit_id: gone for unit in old}
