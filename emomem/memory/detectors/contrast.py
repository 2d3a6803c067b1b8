"""The detector of opposite feelings about one thing."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from emomem.memory.conflict import Conflict
from emomem.memory.detectors.attitudes import Attitude, attitudes
from emomem.memory.detectors.base import BaseConflictDetector, parties, statements
from emomem.memory.detectors.clauses import Clause, clauses, may_meet
from emomem.memory.detectors.words import content, phrases
from emomem.memory.unit import MemoryUnit

_USUAL: Final = 0.6
"""The intensity where the affect of neither unit is known."""

_CONTRARY: Final = 0.5
"""Valence from which a unit's own affect speaks against the words that were found in it."""

_CONDUCT: Final = phrases(
    "(?:mean|rude|cold|cruel|nasty|horrible|awful|unkind|unfair|hostile) (?:to|towards) (?:me|us)"
)
"""How somebody was to the speaker, which says what they think of them, once or always."""

_USED_TO: Final = "i used to"
_FORMER: Final = frozenset(
    content("""
        old former previous first last second third other sister brother mother father mum mom dad
        friend husband wife son daughter neighbour boss colleague cousin aunt uncle parents
    """)
) | {"that"}
"""Modifiers that make another thing of it where only one side has them."""


class AffectContrastDetector(BaseConflictDetector):
    """Opposite feelings of one person about one thing: "I love the new office", "I can't stand it".

    Both sides must assert an attitude in words (`emomem.memory.detectors.attitudes`), hold it
    themselves and still, and name the same thing: the food at a hotel is not the hotel, chapter 3
    not chapter 4. A unit whose stored affect clearly says the opposite of its words, as in irony,
    is passed over. The intensity is half the distance of the two valences where both are known.
    Nothing is loaded and no model is asked. English; a text in another language has no conflicts.

    Example:
        >>> from emomem.memory.unit import MemoryUnit
        >>> common = {"user_id": "ann", "speaker": "ann", "created_at": 0}
        >>> old = MemoryUnit(text="I love the new office.", **common)
        >>> new = MemoryUnit(text="I can't stand the new office.", **common)
        >>> [(found.kind, found.reason) for found in AffectContrastDetector().detect(new, [old])]
        [('evaluative', 'the feeling about one thing is the opposite')]
    """

    def detect(self, new: MemoryUnit, candidates: Sequence[MemoryUnit]) -> list[Conflict]:
        """The conflicts of `new` with the candidates, in their order."""
        mine = _attitudes(new, is_latest=True)
        found = []
        for old in statements(new, candidates) if mine else ():
            theirs = _attitudes(old)
            pairs = ((a, b) for now, a in mine for then, b in theirs if may_meet(now, then))
            pair = next(((a, b) for a, b in pairs if _contrary(a, b)), None)
            if pair is not None:
                found.append(_conflict(new, old, *pair))
        return found


def _attitudes(unit: MemoryUnit, *, is_latest: bool = False) -> list[tuple[Clause, Attitude]]:
    """What a unit feels still; of the latest, how somebody has just been to the speaker as well."""
    valence = unit.affect.valence or 0.0
    return [
        (clause, attitude)
        for clause in clauses(unit.text)
        for attitude in _held(clause, is_latest=is_latest)
        if attitude.sign * valence > -_CONTRARY
    ]


def _held(clause: Clause, *, is_latest: bool) -> list[Attitude]:
    """What a clause feels still; who "used to love" something does so no more."""
    if clause.frame == "now" or (is_latest and _CONDUCT.search(clause.text)):
        return attitudes(clause)
    if not is_latest or _USED_TO not in clause.text:
        return []
    return [replace(one, sign=-one.sign) for one in attitudes(clause) if one.sign > 0]


def _contrary(new: Attitude, old: Attitude) -> bool:
    return (
        new.sign != old.sign
        and new.holder == old.holder
        and new.head == old.head
        and (new.modifiers <= old.modifiers or old.modifiers <= new.modifiers)
        and not (new.modifiers ^ old.modifiers) & _FORMER
        and _may_be_one(new.owner, old.owner)
        and not (old.general and (not new.general or new.where - old.modifiers))
    )


def _may_be_one(owner: str, other: str) -> bool:
    """Whether what is one person's may be the other's: "the plan" may be mine, hardly theirs."""
    return owner == other or ("" in (owner, other) and "their" not in (owner, other))


def _conflict(new: MemoryUnit, old: MemoryUnit, mine: Attitude, other: Attitude) -> Conflict:
    valences = (new.affect.valence, old.affect.valence)
    known = [valence for valence in valences if valence is not None]
    intensity = abs(known[0] - known[1]) / 2 if len(known) == len(valences) else _USUAL
    sides = {1: "for", -1: "against"}
    return Conflict(
        kind="evaluative",
        against=old,
        parties=parties(new, old),
        intensity=intensity,
        reason="the feeling about one thing is the opposite",
        detail=f"{sides[mine.sign]} {mine.target}, formerly {sides[other.sign]} {other.target}",
    )
