"""When somebody lives, or something is, elsewhere: "we moved to Braga", "it is in the shed"."""

import re
from dataclasses import dataclass
from typing import Final, Literal

from emomem.memory.detectors.clauses import Clause
from emomem.memory.detectors.values import values
from emomem.memory.detectors.words import content, listed, phrases

_SELF: Final = frozenset({"self"})
_NOW: Final = r"(?:now |still |currently |always |usually |all |just |finally |recently )*"
_AT: Final = (
    r"(?:in|on|at|under|behind|beside|by|near|next to|inside|on top of|opposite|above"
    r"|below|into|to)"
)
Way = Literal["lives", "moved", "here", "is", "kept"]

_WAYS: Final[dict[Way, re.Pattern[str]]] = {
    "moved": re.compile(
        rf"^(?P<what>.+?) (?:have |has |had )?{_NOW}(?:moved|relocated|settled)"
        r" (?:back |house |home |out |over |down |up |together |recently )*(?:to|into|in)"
        r" (?!with\b|together\b)(?P<where>.+)$"
    ),
    "lives": re.compile(
        rf"^(?P<what>.+?) {_NOW}(?:live|lives|(?:am|is|are) {_NOW}(?:living|based)|reside|resides)"
        rf" (?:with .+? |alone |together |now )*(?:in|on|at|near|by) (?P<where>.+)$"
    ),
    "here": re.compile(
        rf"^(?P<what>i|we) (?:(?:am|are) {_NOW}|have been (?=.+ since ))(?:in|on) (?P<where>.+)$"
    ),
    "kept": re.compile(
        rf"^(?:i|we) (?:have )?{_NOW}(?P<how>keep|store|hide|put|leave|moved)"
        rf" (?P<what>(?:my|our|the|an?|his|her) .+?) {_AT} (?P<where>.+)$"
    ),
    "is": re.compile(
        rf"^{_NOW}(?P<what>(?:my|our|the|his|her) .+?) (?:is|are) {_NOW}(?:kept |stored )?{_AT}"
        r" (?P<where>.+)$"
    ),
}
_MEETS: Final[dict[Way, frozenset[Way]]] = {
    "moved": frozenset({"moved", "lives", "here", "is"}),
    "lives": frozenset({"moved", "lives", "here"}),
    "here": frozenset({"moved", "lives"}),
    "kept": frozenset({"kept", "is"}),
    "is": frozenset({"moved", "kept", "is"}),
}
"""What may tell of the same: who lives in a town may well be in another."""

_AND_MOVED: Final = re.compile(
    r"^((?:(?:my|our) )?\w+) (?:\w+ ){1,4}and (?=(?:have |has )?moved\b)"
)
"""Of "my parents sold the farm and moved to the coast"."""
_HAVE_PUT: Final = re.compile(r"^(?:i|we) have (?:\w+ )?put\b")
_CHANGED: Final = phrases("since, now, instead, from now on, these days, nowadays")
_DENIED: Final = phrases("not, never, no longer, nobody, without")
_TAIL: Final = re.compile(
    r" (?:now|these days|nowadays|instead|last|since|because|this|after|with|for|from|so|again"
    r"|until"
    r"|when|every|as|\w+ (?:days?|weeks?|months?|years?) ago"
    r"|in (?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|spring|summer|autumn|fall|winter))\b.*$"
)
"""What stands behind a place."""
_WITHIN: Final = re.compile(r" (?:in|on|at|near|by|of|right by|close to) ")
_KINDS: Final = {
    "street": listed("street road lane avenue square boulevard hill crescent terrace court"),
    "inside": listed("floor storey desk"),
    "home": listed("""
        flat apartment house studio room cottage bungalow hostel dorm home villa farm caravan
        houseboat
    """),
}
"""What kind a place is; else it is a town, a region or a spot."""
_REGIONS: Final = frozenset(
    content(
        "city town village countryside coast suburb suburbs seaside island centre abroad mountains"
    )
)
_NO_PLACE: Final = frozenset(
    content("""
        love trouble charge time fact pain shape touch progress way hurry mood debt therapy holiday
        vacation leave danger bed sale average order fire track strike call duty fun meeting
    """)
)


@dataclass(frozen=True)
class _Whereabouts:
    way: Way
    what: tuple[str, ...]
    places: dict[str, frozenset[str]]
    moved: bool


def moved(new: Clause, old: Clause) -> str | None:
    """Where somebody or something is now, otherwise than before, as a sentence."""
    if old.frame != "now" or new.added or old.added:
        return None
    mine = _whereabouts(new)
    if mine is None or not mine.moved or not (new.frame == "now" or new.recent):
        return None
    other = _whereabouts(old)
    if other is None or other.way not in _MEETS[mine.way] or not _is_one(mine.what, other.what):
        return None
    return "it is elsewhere now" if _elsewhere(mine, other) else None


def _whereabouts(clause: Clause) -> _Whereabouts | None:
    if _DENIED.search(clause.text):
        return None
    for way, pattern in _WAYS.items():
        found = pattern.match(_AND_MOVED.sub(r"\1 ", clause.text))
        if found is None:
            continue
        places = _places(found["where"], clause.names)
        what = _holder(found["what"]) or tuple(content(found["what"]))
        if not places or not what or not _fits(way, places, clause, what):
            return None
        is_move = way == "moved" or (
            way == "kept" and (found["how"] == "moved" or _HAVE_PUT.match(clause.text) is not None)
        )
        return _Whereabouts(way, what, places, is_move or _CHANGED.search(clause.text) is not None)
    return None


def _holder(who: str) -> tuple[str, ...]:
    return tuple(_SELF) if {"i", "we"}.intersection(who.split()[:1]) else ()


def _fits(
    way: Way, places: dict[str, frozenset[str]], clause: Clause, what: tuple[str, ...]
) -> bool:
    """Whether it is a place at all: "I moved to the night shift" tells of none."""
    if way == "here" or (way == "moved" and what == tuple(_SELF)):
        named = any(clause.names & frozenset(place) for place in places.values())
        is_home = "home" in places and (way == "moved" or "still" in clause.text.split())
        return named or is_home or (way == "moved" and bool(_all(places) & _REGIONS))
    return True


def _all(places: dict[str, frozenset[str]]) -> frozenset[str]:
    return frozenset[str]().union(*places.values())


def _places(where: str, names: frozenset[str]) -> dict[str, frozenset[str]]:
    """The stems of a place by what kind it is: a street, a home, or a place in general."""
    if any(value.kind not in ("address", "amount") for value in values(where.split())[0]):
        return {}  # "The meeting is at five"
    found: dict[str, frozenset[str]] = {}
    for part in _WITHIN.split(_TAIL.sub("", f"{where} ").strip()):
        stems = frozenset(content(part)) | names.intersection(part.split())
        if not stems or stems & _NO_PLACE:
            continue
        words = part.split()
        kind = next((kind for kind, of in _KINDS.items() if of.intersection(words)), "place")
        found.setdefault(kind, stems - _KINDS["street"] or stems)
    return found


def _is_one(new: tuple[str, ...], old: tuple[str, ...]) -> bool:
    """Whether both are the same: "the key" may be "the spare key" of before."""
    return new[-1] == old[-1] and set(new) <= set(old)


def _elsewhere(new: _Whereabouts, old: _Whereabouts) -> bool:
    same_kinds = new.places.keys() & old.places.keys()
    if not same_kinds and new.way == "is":
        return False  # "our office is on the fifth floor now" says nothing of the street
    if not same_kinds or "kept" in (new.way, old.way):
        return not _all(new.places) & _all(old.places)
    return any(not new.places[kind] & old.places[kind] for kind in same_kinds)
