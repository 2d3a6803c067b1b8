"""When somebody does another work: "I'm a teacher now", "they made me team lead"."""

import re
from typing import Final

from emomem.memory.detectors.clauses import Clause
from emomem.memory.detectors.words import content, listed, phrases

_IS: Final = re.compile(
    r"^(?P<who>.+?) (?:now |still )?(?:am|is|works?|working|working now) (?:now |still "
    r"|currently )?"
    r"(?:as )?an? (?P<role>.+)$"
)
_BECAME: Final = re.compile(
    r"^(?P<who>.+?) (?:have |has |just |was |were |got )*"
    r"(?:became|become|promoted to|started as|retrained as|switched to being)"
    r" (?:an? )?(?P<role>.+)$"
)
_MADE_ME: Final = re.compile(
    r"^(?P<who>they|\w+) (?:have |has )?made me (?:an? |the )?(?P<role>.+)$"
)
_CHANGED: Final = phrases("now, these days, nowadays, instead")
_BREAK: Final = re.compile(
    r" (?:at|in|for|with|of|on|now|these|nowadays|instead|and|since|last|this|who|that|but"
    r"|yesterday"
    r"|today)\b.*$"
)
_ROLE: Final = re.compile(
    r"(?:\w{2,}(?:er|or|ist|cian|rian|ntant|ltant|stant|eer|man|woman|lead|nurse|yst)|lead|nurse|chef|cook|guide|clerk|coach|vet"
    r"|pilot|intern|apprentice|head|judge|priest|student|trainee)"
)
_NO_ROLE: Final = listed("""
    vegetarian
    mother father brother sister daughter partner lover member neighbour neighbor starter winner
    loser
    smoker drinker fighter believer beginner learner sleeper eater listener matter number letter
    giant
    person human woman man cancer water flower plant newcomer foreigner stranger sinner
""")
_DENIED: Final = phrases("not, never, no longer, also")
_SELF: Final = frozenset({"self"})


def other_role(new: Clause, old: Clause) -> str | None:
    """What somebody is at work now, otherwise than before, as a sentence."""
    if old.frame != "now" or new.added or _DENIED.search(new.text) or _DENIED.search(old.text):
        return None
    mine = _role(new)
    if mine is None or not (new.frame == "now" or new.recent):
        return None
    was = _IS.match(old.text)
    if was is None or _who(was["who"]) != mine[0]:
        return None
    role = _name(was["role"])
    return "the work differs" if role and not set(role) <= set(mine[1]) else None


def _role(clause: Clause) -> tuple[frozenset[str], list[str]] | None:
    """Who has become what."""
    if made := _MADE_ME.match(clause.text):
        who = _SELF
    elif (made := _BECAME.match(clause.text)) or (
        (made := _IS.match(clause.text)) and _CHANGED.search(clause.text)
    ):
        who = _who(made["who"])
    else:
        return None
    role = _name(made["role"])
    return (who, role) if role else None


def _name(words: str) -> list[str]:
    role = _BREAK.sub("", f"{words} ").split()
    is_role = bool(role) and role[-1] not in _NO_ROLE and _ROLE.fullmatch(role[-1]) is not None
    return content(" ".join(role)) if is_role else []


def _who(words: str) -> frozenset[str]:
    return _SELF if words.split(maxsplit=1)[0] in ("i", "they") else frozenset(content(words))
