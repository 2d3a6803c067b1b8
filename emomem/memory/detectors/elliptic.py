"""A correction that names a value alone: "actually, make it Tuesday"."""

import re
from collections.abc import Sequence
from typing import Final

from emomem.memory.detectors.clauses import Clause, clauses
from emomem.memory.detectors.values import Value, values
from emomem.memory.detectors.words import GENERIC
from emomem.memory.unit import MemoryUnit

_SOON: Final = 86_400.0
"""Seconds after which such a correction is of something else."""
_MAKE_IT: Final = re.compile(
    r"^(?:(?:actually|sorry|no|oh|wait|please|well|and|hmm|oops|ok|correction|let us|lets"
    r"|better) )*"
    r"(?:(?:make|change|move|put) (?:it|that|this) (?:to |for |on )?|(?:i )?(?:meant|mean) )"
    r"(?P<value>.+)$"
)


def corrected(
    new: Sequence[Clause], at: float, former: Sequence[MemoryUnit]
) -> tuple[MemoryUnit, str, str] | None:
    """The statement that "make it Tuesday" is about, and both values in their words.

    It is the latest of the day before that has another value of the kind.
    """
    found = next((value for clause in new for value in _value(clause)), None)
    if found is None:
        return None
    recent = (unit for unit in former if 0 <= at - unit.created_at <= _SOON)
    for unit in sorted(recent, key=lambda unit: unit.created_at, reverse=True):
        held = [
            value
            for clause in clauses(unit.text)
            if clause.frame != "past"
            for value in values(clause.text.split())[0]
            if value.kind == found.kind
        ]
        if held:
            other = all(map(found.differs, held))
            return (unit, found.text, held[0].text) if other else None
    return None


def _value(clause: Clause) -> list[Value]:
    made = _MAKE_IT.match(clause.text)
    if made is None:
        return []
    said = made["value"].removesuffix(" instead").split()
    found, rest = values(said)
    if not found:
        found, rest = values(["at", *said])  # "make it four"
    return found if GENERIC.issuperset(rest) else []
