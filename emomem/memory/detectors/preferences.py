"""When a clause prefers something else than another did."""

import re
from collections.abc import Container, Sequence
from typing import Final

from emomem.memory.detectors.claims import Claim
from emomem.memory.detectors.clauses import Clause
from emomem.memory.detectors.words import content, listed, phrases, stem

_ATTRIBUTES: Final = listed("prefer like want avoid").union(
    map(stem, listed("use eat drink listen take wear read smoke watch interest subscribe"))
)
"""The attributes of what somebody wishes or usually does, as `Claim.attribute` writes them."""

_WORDS: Final = frozenset(map(stem, listed("favourite interested vegetarian vegan")))

_WISH: Final = phrases(r"""
    prefer\w*, would (?:\w+ )?(?:like|rather|love|prefer),
    (?:i|we) (?:\w+ )?(?:like|want|need|use|take|drink|eat|wear|read|watch|listen|avoid|spend|do|go
        |get),
    (?:i|we) (?:always|usually|only|never) \w+, my thing, switched, gone back, went back, please,
    call me, moved to, set, give me, send me, tell me
""")
_EXCLUSIVE: Final = phrases(
    r"prefer\w*, rather, like .* (?:best|most), (?:i|we) (?:only|always) \w+, instead"
)
_CHANGE: Final = phrases("""
    now, nowadays, these days, from now on, instead, again, any ?more, after all, no longer,
    switch(?:ed|ing)?, gone back, went back, converted, lately, recently, (?:has|have) changed,
    rather, started
""")
_COMPARED: Final = (
    re.compile(r"\bprefer(?:s|red|ring)? (?P<a>.+?) (?:to|over|rather than|instead of) (?P<b>.+)$"),
    re.compile(r"\brather (?P<a>.+?) than (?P<b>.+)$"),
    re.compile(r"\b(?:likes?|enjoys?|loves?) (?P<a>.+?) (?:much )?(?:better|more) than (?P<b>.+)$"),
    re.compile(r"^(?P<a>.+?) (?:is|are) (?:much |far )?(?:better|nicer|more \w+) than (?P<b>.+)$"),
)
_DIETS: Final = (
    (
        phrases("vegetarian, vegan, plant[- ]based"),
        phrases(
            r"(?:eat|eating|eats) (?:\w+ )?(?:meat|fish|chicken|beef|steak|pork|bacon|everything"
            r"|anything|sausages?|ham|burgers?)"
        ),
    ),
    (
        phrases("vegan, plant[- ]based"),
        phrases(
            r"(?:eat|eating|eats|drink|drinking) (?:\w+ )?(?:cheese|eggs?|milk|butter|yoghurt"
            r"|yogurt"
            r"|dairy|honey|cream)"
        ),
    ),
)
"""Who keeps a diet, and who does not."""
_NOT: Final = phrases("not, never, no, stopped, quit, gave up")
_FILLER: Final = frozenset(
    map(
        stem,
        listed("""
            prefer like want would love use switch go gone change rather need enjoy favourite start
            move get please only put set give send better nice think keep new thing always
        """),
    )
)
"""Words of wishing, which do not tell in what matter."""

_SELF: Final = phrases("i, we, me, us, my, our")
_OTHERS: Final = re.compile(
    r"^(?:he|she|they|his|her|their|(?:my|our) (?:\w+ )?(?:husband|wife|son|daughter|brother|sister"
    r"|mother|father|mom|mum|dad|parents|boss|friends?|partner|flatmates?|roommates?|colleagues?"
    r"|kids?|children|cousin|uncle|aunt|niece|nephew|grand\w+|neighbou?rs?|girlfriend|boyfriend"
    r"|teacher|landlord|landlady|doctor))\b"
)
_NAME: Final = re.compile(
    r"\b(?:call me|(?:be|am) called|address me as|go by|goes by) (?P<name>\w+)"
)
_NO_MATTER: Final = frozenset(
    map(stem, listed("morning evening afternoon night size dark eat take"))
)
"""Words that alone do not make two choices one matter."""
_PREFERS: Final = re.compile(
    r"^(?:now )?i (?:now )?prefer (?:the |an? |my )?(?P<what>[a-z-]+)"
    r"(?: now| these days| instead)?$"
)
_PRONOUN: Final = re.compile(r"\b(?:them|it|that one)\b")
"""A thing that was named before: what is said of it adds to it."""
_TURNED: Final = "what is preferred to what is the other way round"
_MOST_LEFT: Final = 3
"""How many words may differ; more than these are about something else."""


def is_preference(claim: Claim) -> bool:
    """Whether a claim is of what somebody prefers, wants or usually does."""
    return claim.attribute in _ATTRIBUTES or bool((claim.subject | claim.words) & _WORDS)


def changed_preference(new: Clause, old: Clause) -> str | None:
    """What a clause prefers otherwise than an older one, as a sentence; None where it does not."""
    if new.frame != "now" or old.frame != "now" or new.added or not is_own(new, old):
        return None
    if (reason := _by_comparison(new.text, old.text)) is not None:
        return reason or None
    names = _NAME.search(new.text), _NAME.search(old.text)
    if names[0] and names[1] and not _NOT.search(new.text + old.text):
        return "the name differs" if names[0]["name"] != names[1]["name"] else None
    if _diet_changed(new.text, old.text):
        return "the diet differs"
    return "another choice in the same matter" if _chose_otherwise(new.text, old.text) else None


def is_own(new: Clause, old: Clause) -> bool:
    """Whether both clauses tell of the one who speaks, and of nobody else."""
    return not any(
        _OTHERS.search(clause.text)
        or (not _SELF.search(clause.text) and clause.names & {clause.text.split()[0]})
        for clause in (new, old)
    )


def _compared(text: str) -> tuple[frozenset[str], frozenset[str]] | None:
    for pattern in _COMPARED:
        if match := pattern.search(text):
            a, b = (frozenset(content(match[side])) - _FILLER for side in "ab")
            return (a, b) if a - b and b - a else None
    return None


def _by_comparison(new: str, old: str) -> str | None:
    """A sentence where the order of two things is turned, "" where it is the same."""
    mine, other = _compared(new), _compared(old)
    if mine is None or other is None:
        compared, plain = (mine, old) if mine else (other, new)
        if compared is None or not _EXCLUSIVE.search(plain):
            return None
        return _TURNED if frozenset(content(plain)) - _FILLER == compared[1] else None
    return _TURNED if mine == other[::-1] else ""


def _diet_changed(new: str, old: str) -> bool:
    if _NOT.search(new) or _NOT.search(old):
        return False
    return any(
        (strict.search(new) and free.search(old)) or (free.search(new) and strict.search(old))
        for strict, free in _DIETS
    )


def _chose_otherwise(new: str, old: str) -> bool:
    """Whether both choose in one matter, which they name, and choose something else."""
    if not (_WISH.search(new) and _WISH.search(old)) or _NOT.search(new) or _NOT.search(old):
        return False
    if _PRONOUN.search(new):
        return False
    one, before = _PREFERS.match(new), _PREFERS.match(old)
    if one and before:
        return bool(_CHANGE.search(new)) and stem(one["what"]) != stem(before["what"])
    alike = _EXCLUSIVE.search(new) and _EXCLUSIVE.search(old)
    if not (alike or _CHANGE.search(new)):
        return False
    mine, other = (
        list(dict.fromkeys(word for word in content(text) if word not in _FILLER))
        for text in (new, old)
    )
    shared = set(mine).intersection(other)
    is_one_matter = bool(shared) if alike else bool(shared - _NO_MATTER)
    if not is_one_matter or max(len(mine), len(other)) - len(shared) > _MOST_LEFT:
        return False
    places = _gaps(mine, shared), _gaps(other, shared)
    return bool(places[0]) and len(places[0]) == len(places[1]) and all(map(_meet, *places))


_Gap = tuple[str, str]


def _gaps(words: Sequence[str], shared: Container[str]) -> list[_Gap]:
    """Where the words that are not shared stand: each run of them by the words beside it."""
    gaps, before = [], ""
    inside = False
    for word in words:
        if word in shared:
            if inside:
                gaps.append((before, word))
            before, inside = word, False
        else:
            inside = True
    return [*gaps, (before, "")] if inside else gaps


def _meet(one: _Gap, other: _Gap) -> bool:
    """Whether two runs stand at the same place: behind the same word or in front of it."""
    return any(a == b != "" for a, b in zip(one, other, strict=True))
