"""When a clause names what held before and denies it: "she comes at two, not at nine"."""

import re
from collections.abc import Iterator
from typing import Final

from emomem.memory.detectors.clauses import Clause
from emomem.memory.detectors.values import Value, values
from emomem.memory.detectors.verbs import ALL_VERBS
from emomem.memory.detectors.words import content, listed, phrases, stem

_FROM_TO: Final = re.compile(
    r"\b(?:switch\w*|chang\w*|mov\w*|postponed|rescheduled|shifted|went|gone|transferred|put off"
    r"|brought forward|rais\w*|reduc\w*)\b.*\bfrom (?P<was>.+?) to .+$"
)
_INSTEAD: Final = re.compile(r"\b(?:instead of|and not|but not|no longer) (?P<was>.+)$")
_NOT: Final = re.compile(r"\b(?:not|never|no longer)\b")
_DENIED: Final = phrases("not, never, no, no longer, nobody, nothing, without")
_VERBS: Final = frozenset(map(stem, ALL_VERBS))
_TAKES_PLACE: Final = frozenset(map(stem, listed("come coming make happen work take place can")))
_MY_OWN: Final = re.compile(
    r"\b(?:i|we) (?:have )?(?:switch|chang|mov|went|transferr?)\w*(?: (?:my|our) \w+)? from "
)
_HOLDS_AT: Final = re.compile(r"\b(?:with|at|in|for|to|by) \w+$")
_PLACED: Final = re.compile(
    r"^(?:now )?(?P<who>i|we|(?:my|our) \w+|\w+) (?:now )?(?P<deed>park|meet|bank|sit|sleep|study"
    r"|train|shop|stay|pay|eat lunch|have lunch|practise|work as|serve as"
    r"|(?:am|is|are) on)(?:e?s)? "
    r"(?:my \w+ |our \w+ |the car )?(?=(?P<how>with|))"
    r"(?:with|in|at|behind|on|by|near|beside|under|an?|the|my|our)"
    r" (?P<at>.+)$"
)
_SAME: Final = ("who", "deed", "how")
_WITHOUT: Final = frozenset(
    map(
        stem,
        listed("""
            please me us get have come is take place happen new moved move switched changed
            postponed
            rescheduled shifted pushed put got go goes delayed brought forward
        """),
    )
)
"""Words that tell no more than that something is or changes."""
_MOVED: Final = phrases(
    "moved, switched, changed, postponed, rescheduled, shifted, pushed, delayed, brought forward"
)
_WHICH_DAY: Final = re.compile(
    r"\b(?:first|second|third|fourth|last) (?=(?:mon|tues|wednes|thurs|fri|satur|sun)day)"
    r"|\b(?:of|in) (?:the|each|every) month\b"
)
_MINE: Final = re.compile(r"(?:i|we) (?!love|like|adore|hate|enjoy|miss|want|visit|was|were)")
_REASON: Final = "what held before is denied"


def corrects(new: Clause, old: Clause) -> str | None:
    """What a clause denies of an older one, as a sentence; None where it denies nothing of it."""
    if old.frame == "past" or new.frame == "past" or new.added:
        return None
    former = list(_former(new))
    if not (former or _NOT.search(new.text)) or _DENIED.search(old.text):
        return None
    if any(_was_said(was, new.text, old.text) for was in former):
        return _REASON
    return _REASON if _denies_a_value(new.text, old.text) else None


def _former(clause: Clause) -> Iterator[str]:
    """What a clause says is not so, or is no longer."""
    if clause.denied:
        yield clause.denied
    for pattern in (_FROM_TO, _INSTEAD):
        if found := pattern.search(clause.text):
            yield found["was"]


def _was_said(was: str, new: str, old: str) -> bool:
    """Whether the older clause says what is denied, of something that both name."""
    denied, words = values(was.split())
    held, others = values(old.split())
    topic = frozenset(content(" ".join(words)))
    said = frozenset(content(" ".join(others)))
    rest = frozenset(content(" ".join(values(new.split())[1]))) - topic
    is_said = topic <= said and (topic or denied)
    same = all(any(_same(value, other) for other in held) for value in denied)
    if not (is_said and same):
        return False
    if (rest & said) - _VERBS:
        return True
    # "I switched my account from Norwest": the name alone tells, where it was one's own.
    return bool(topic) and _MY_OWN.search(new) is not None and _is_ones_own(was, old)


def _is_ones_own(name: str, old: str) -> bool:
    behind = old.find(name)
    return _MINE.match(old) is not None and _HOLDS_AT.search(old[: behind + len(name)]) is not None


def _denies_a_value(new: str, old: str) -> bool:
    """Of "Ines is not coming on the 4th": the day is the one that was said, and so is the rest."""
    place = _NOT.search(new)
    if place is None:
        return False
    denied, words = values(new[place.end() :].split())
    held, others = values(old.split())
    when = [value for value in denied if value.kind != "amount"]
    subject = frozenset(content(new[: place.start()])) - _VERBS
    said = frozenset(content(" ".join(others)))
    about = frozenset(content(" ".join(words))) - _TAKES_PLACE
    same = bool(when) and all(any(_same(value, other) for other in held) for value in when)
    return same and bool(subject) and subject <= said and about <= said


def _same(value: Value, other: Value) -> bool:
    return value.kind == other.kind and not value.differs(other)


def changes_one_thing(new: Clause, old: Clause) -> str | None:
    """What is otherwise from now on in the same words, as a sentence; None where nothing is.

    "Deliver it to 3 Harbour Street from now on", "I park in the garage now".
    """
    if old.frame != "now" or new.added or old.added:
        return None
    if not (new.changed or _MOVED.search(new.text)):
        return None
    if not (new.frame == "now" or (new.recent and _MOVED.search(new.text))):
        return None
    if _DENIED.search(new.text) or _DENIED.search(old.text):
        return None
    if _other_value(new.text, old.text):
        return "the value differs in the same words"
    return "it is elsewhere now" if _elsewhere(new.text, old.text) else None


def _other_value(new: str, old: str) -> bool:
    mine, words = values(_WHICH_DAY.sub("", new).split())
    if not mine:
        return False
    held, others = values(_WHICH_DAY.sub("", old).split())
    same = set(content(" ".join(words))) - _WITHOUT
    if not same or same != set(content(" ".join(others))) - _WITHOUT or len(mine) != len(held):
        return False
    return all(map(Value.differs, mine, held))


def _elsewhere(new: str, old: str) -> bool:
    mine, other = _PLACED.match(new), _PLACED.match(old)
    if mine is None or other is None or mine.group(*_SAME) != other.group(*_SAME):
        return False
    places = [frozenset(content(one["at"])) for one in (mine, other)]
    return bool(places[0]) and bool(places[1]) and not places[0] & places[1]
