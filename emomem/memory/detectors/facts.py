"""The detector of facts and preferences that are otherwise now."""

from collections.abc import Callable, Sequence
from typing import Final

from emomem.memory.conflict import Conflict, ConflictKind
from emomem.memory.detectors.addresses import other_address
from emomem.memory.detectors.base import BaseConflictDetector, parties, statements
from emomem.memory.detectors.claims import Claim, claims
from emomem.memory.detectors.clauses import Clause, clauses, may_meet
from emomem.memory.detectors.corrections import changes_one_thing, corrects
from emomem.memory.detectors.denials import calls_off, decides_otherwise, denies_the_same
from emomem.memory.detectors.differences import Difference, differs
from emomem.memory.detectors.elliptic import corrected
from emomem.memory.detectors.endings import gives_up
from emomem.memory.detectors.losses import leaves, loses
from emomem.memory.detectors.preferences import changed_preference
from emomem.memory.detectors.roles import other_role
from emomem.memory.detectors.states import other_state
from emomem.memory.detectors.translated import said_otherwise
from emomem.memory.detectors.whereabouts import moved
from emomem.memory.unit import MemoryUnit

_INTENSITY: Final = 0.5
"""How strong a change of facts is taken to be; feelings about it are another matter."""


class FactUpdateDetector(BaseConflictDetector):
    """Another value for the same attribute of the same subject: "my flight moved to the 5th".

    Values are days, dates, times, amounts, addresses, the names of places, people and things,
    states of which there is one at a time, and yes or no; so is what a text denies of another by
    name ("at two, not at nine"). Of what somebody prefers, wants or usually does, or gives up, it
    is a change of preference. Both sides must be asserted, by and about the same
    person, and hold on: what was once, what is so today, what comes on top ("I also speak French")
    an event told of for the first time ("I have a meeting at five") and numbers that are names
    ("run 12") contradict nothing. Where the rules cannot place a
    clause they are silent. A value alone ("actually, make it Tuesday") corrects the latest
    statement of the day before. Nothing is loaded and no model is asked. English; in Chinese and
    Portuguese only the commonest sentences (`emomem.memory.detectors.frames`); other languages
    have no conflicts.

    Example:
        >>> from emomem.memory.unit import MemoryUnit
        >>> common = {"user_id": "ann", "speaker": "ann", "created_at": 0}
        >>> old = MemoryUnit(text="My flight is on the 3rd.", **common)
        >>> new = MemoryUnit(text="My flight moved to the 5th.", **common)
        >>> [(found.kind, found.reason) for found in FactUpdateDetector().detect(new, [old])]
        [('fact_update', 'the date differs')]
    """

    def detect(self, new: MemoryUnit, candidates: Sequence[MemoryUnit]) -> list[Conflict]:
        """The conflicts of `new` with the candidates, in their order."""
        mine = clauses(new.text)
        claimed = claims(mine)
        found = []
        others = statements(new, candidates)
        last = corrected(mine, new.created_at, others)
        for old in others:
            difference = _of_one_value(old, last)
            if difference is None and mine:
                former = clauses(old.text)
                difference = _first(claimed, claims(former)) or _said_otherwise(mine, former)
            if difference is None and not mine:
                difference = said_otherwise(new.text, old.text)
            if difference is not None:
                conflict = Conflict(
                    kind=difference.kind,
                    against=old,
                    parties=parties(new, old),
                    intensity=_INTENSITY,
                    reason=difference.reason,
                    detail=difference.detail,
                )
                found.append(conflict)
        return found


def _of_one_value(old: MemoryUnit, last: tuple[MemoryUnit, str, str] | None) -> Difference | None:
    if last is None or last[0] is not old:
        return None
    return Difference("the value is corrected", f"{last[1]}, formerly {last[2]}")


def _first(new: Sequence[Claim], old: Sequence[Claim]) -> Difference | None:
    pairs = (differs(mine, other) for mine in new for other in old)
    return next((found for found in pairs if found is not None), None)


def _said_otherwise(new: Sequence[Clause], old: Sequence[Clause]) -> Difference | None:
    """What the wording of two clauses alone tells, whatever they claim."""
    for kind, rule in _BY_WORDING:
        for clause in new:
            for former in old:
                if may_meet(clause, former) and (reason := rule(clause, former)) is not None:
                    return Difference(reason, f"{clause.text}, formerly {former.text}", kind)
    return None


_BY_WORDING: Final[tuple[tuple[ConflictKind, Callable[[Clause, Clause], str | None]], ...]] = (
    ("preference_change", changed_preference),
    ("preference_change", gives_up),
    ("preference_change", decides_otherwise),
    ("fact_update", corrects),
    ("fact_update", changes_one_thing),
    ("fact_update", loses),
    ("fact_update", leaves),
    ("fact_update", other_state),
    ("fact_update", moved),
    ("fact_update", other_role),
    ("fact_update", other_address),
    ("fact_update", calls_off),
    ("fact_update", denies_the_same),
)
