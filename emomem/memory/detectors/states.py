"""States of life of which somebody is in one at a time: single, married, parted, expecting."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from emomem.memory.detectors.clauses import Clause
from emomem.memory.detectors.words import content, listed, phrases

_PARTNER: Final = r"(?:boyfriend|girlfriend|partner|husband|wife|fianc\w+)"
_BE: Final = r"(?:am|is|are|was|were|been|be|got|get|getting)"

_STATES: Final = {
    "single": phrases(rf"{_BE} single, {_BE} (?:\w+ )?single"),
    "dating": phrases(rf"""
        dating, going out with, seeing someone, in a relationship, together with,
        (?:have|has) (?:got )?an? (?:new )?(?:boyfriend|girlfriend|partner),
        my (?:boyfriend|girlfriend|partner) is (?:called|named), {_BE} my (?:boyfriend|girlfriend),
        found (?:a )?(?:boyfriend|girlfriend|love)
    """),
    "engaged": phrases(rf"{_BE} (?:\w+ )?engaged(?! (?:in|with)\b), my fianc\w+ is"),
    "married": phrases(rf"""
        {_BE} (?:\w+ )?married, my (?:husband|wife) is (?:called|named), {_BE} my (?:husband|wife),
        tied the knot
    """),
    "divorced": phrases(rf"""
        {_BE} (?:a )?(?:\w+ )?divorced?, filed for divorce, (?:signed|got) the divorce papers,
        no longer married,
        {_BE} (?:\w+ )?separated
    """),
    "parted": phrases(rf"""
        broke up, broken up, split up,
        (?:left|dumped) me(?! (?:alone|out|behind|with|an?|the|here|feeling|no)\b),
        no longer together,
        not together any more,
        (?:i|we) (?:have )?(?:left|dumped) (?:my )?(?:{_PARTNER}|\w+)$, no longer dating,
        ended (?:it|things) with
    """),
    "engagement off": phrases("called off (?:the|our|their) (?:engagement|wedding)"),
    "expecting": phrases(rf"{_BE} (?:\w+ )?(?:pregnant|expecting)"),
    "born": phrases(
        "(?:had|have|has) (?:\\w+ )?(?:the|our|her|a|my) baby, gave birth, not pregnant"
        ", (?:baby|son|daughter) (?:was|is) born, lost the baby"
    ),
    "hurt": phrases(rf"""
        hurts?, aches?, {_BE} (?:\w+ )?(?:broken|sore|swollen|sprained|ill|sick|injured|infected),
        (?:am|is|are) in (?:hospital|pain)
    """),
    "well": phrases(rf"""
        {_BE} (?:\w+ )?(?:fine|ok|okay|well|better|healthy) (?:again|now), {_BE} (?:healed|cured),
        (?:has|have) (?:\w+ )?(?:healed|recovered), healed, recovered
    """),
}
_ENDS: Final = {
    "single": listed("dating engaged married"),
    "dating": listed("single"),
    "engaged": listed("single"),
    "married": listed("single divorced engaged"),
    "divorced": listed("married"),
    "parted": listed("dating engaged married"),
    "engagement off": listed("engaged"),
    "born": listed("expecting"),
    "well": listed("hurt"),
}
"""Which states a new one ends."""
_LEFT_ME: Final = re.compile(r"^(\w+) (?:has |have |just )?(?:left|dumped) me\b")
_DENIED: Final = phrases("not, never, no, nearly, almost")
_WAS: Final = phrases("was, were, had")
_SOMEBODY: Final = listed("he she they husband wife who has")
_OWN: Final = listed("i we me us")
_MY_PARTNER: Final = re.compile(rf"\bmy (?:{_PARTNER}|baby)\b")


@dataclass(frozen=True)
class _State:
    name: str
    who: frozenset[str]
    partner: frozenset[str]


def other_state(new: Clause, old: Clause) -> str | None:
    """The state that a clause ends of an older one, as a sentence; None where it ends none."""
    if old.frame != "now" or _WAS.search(old.text) or not (new.frame == "now" or new.recent):
        return None
    mine = list(_states(new))
    others = list(_states(old)) if mine else []
    for one in mine:
        for other in others:
            same = one.who == other.who and (
                not one.partner or not other.partner or bool(one.partner & other.partner)
            )
            if one.name == "parted" and other.name == "married" and one.partner > other.partner:
                continue  # "Marco and I broke up" is hardly of the one that somebody is married to
            if same and other.name in _ENDS.get(one.name, ()):
                return "the state differs"
    return None


def _states(clause: Clause) -> Iterator[_State]:
    for name, pattern in _STATES.items():
        found = pattern.search(clause.text)
        if found is None or (_DENIED.search(clause.text) and "not" not in found[0]):
            continue
        before = clause.text[: found.start()]
        if name in ("hurt", "well"):
            yield _State(name, frozenset(content(before)) or frozenset({"self"}), frozenset())
        elif _OWN.intersection(clause.text.split()) or _MY_PARTNER.search(clause.text):
            yield _State(name, frozenset({"self"}), _partner(clause))
        elif who := frozenset(content(before)) - clause.names or clause.names:
            yield _State(name, who, clause.names - who)


def _partner(clause: Clause) -> frozenset[str]:
    """Whom one was or is with, by name, as far as the clause tells."""
    # Of "Marco and I broke up" the name stands in a clause of its own.
    before = frozenset(clause.before.split()) if len(clause.before.split()) == 1 else frozenset()
    left = _LEFT_ME.match(clause.text)
    return clause.names | before | (frozenset({left[1]}) - _SOMEBODY if left else frozenset())
