"""When a number or a mail address of one's own is another now: "use 555-0199 from now on"."""

from typing import Final

from emomem.memory.detectors.clauses import Clause
from emomem.memory.detectors.values import Value, values
from emomem.memory.detectors.words import phrases

_MINE: Final = phrases(r"""
    (?:my|our) (?:\w+ )*(?:number|email|mail|e-mail|phone|mobile|address),
    (?:reach|call|write) (?:to )?me
""")
_CHANGED: Final = phrases("""
    new, changed?, from now on, now, instead, no longer, not any more, switched, updated
""")
_OTHERS: Final = phrases("his, her, their, he, she, they, your, gave, for")


def other_address(new: Clause, old: Clause) -> str | None:
    """A new number or mail address of the speaker's, as a sentence; None where there is none."""
    if old.frame != "now" or new.frame == "past" or not _MINE.search(old.text):
        return None
    said = f"{new.before} {new.text}"
    if not _CHANGED.search(said) or _OTHERS.search(said):
        return None
    mine, held = _addresses(new), _addresses(old)
    same_kind = bool(mine) and bool(held) and mine[0].unit == held[0].unit
    is_other = same_kind and all(one.differs(other) for one in mine for other in held)
    return "the address differs" if is_other else None


def _addresses(clause: Clause) -> list[Value]:
    found = values(clause.text.split())[0]
    return [value for value in found if value.kind == "address" and value.unit != "street"]
