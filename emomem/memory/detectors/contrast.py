"""The detector of opposite feelings about one thing."""

from collections.abc import Sequence
from typing import Final

from emomem.memory.conflict import Conflict
from emomem.memory.detectors.attitudes import Attitude, attitudes
from emomem.memory.detectors.base import BaseConflictDetector, parties, statements
from emomem.memory.detectors.clauses import clauses
from emomem.memory.detectors.words import phrases
from emomem.memory.unit import MemoryUnit

_USUAL: Final = 0.6
"""The intensity where the affect of neither unit is known."""

_CONTRARY: Final = 0.5
"""Valence from which a unit's own affect speaks against the words that were found in it."""

_CONDUCT: Final = phrases(
    "(?:mean|rude|cold|cruel|nasty|horrible|awful|unkind|unfair|hostile) (?:to|towards) (?:me|us)"
)
"""How somebody was to the speaker, which says what they think of them, once or always."""

_FORMER: Final = frozenset(
    {"old", "former", "previous", "first", "last", "second", "third", "other", "that"}
)
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
            pair = next(((a, b) for a in mine for b in _attitudes(old) if _contrary(a, b)), None)
            if pair is not None:
                found.append(_conflict(new, old, *pair))
        return found


def _attitudes(unit: MemoryUnit, *, is_latest: bool = False) -> list[Attitude]:
    """What a unit feels still; of the latest, how somebody has just been to the speaker as well."""
    valence = unit.affect.valence or 0.0
    return [
        attitude
        for clause in clauses(unit.text)
        if clause.frame == "now" or (is_latest and _CONDUCT.search(clause.text))
        for attitude in attitudes(clause)
        if attitude.sign * valence > -_CONTRARY
    ]


def _contrary(new: Attitude, old: Attitude) -> bool:
    return (
        new.sign != old.sign
        and new.holder == old.holder
        and new.head == old.head
        and (new.modifiers <= old.modifiers or old.modifiers <= new.modifiers)
        and not (new.modifiers ^ old.modifiers) & _FORMER
        and _may_be_one(new.owner, old.owner)
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
