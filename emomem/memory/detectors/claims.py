"""What a clause claims: of what, which attribute, which value, and whether it denies it."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from emomem.memory.detectors.clauses import Clause, Frame
from emomem.memory.detectors.values import Value, values
from emomem.memory.detectors.verbs import ALL_VERBS, ATTRIBUTES, CHANGE, PAST_VERBS
from emomem.memory.detectors.words import GENERIC, content, listed, phrases, stem

SELF: Final = "self"
_AUXILIARY: Final = listed("is are am was were have has had got")
_ARTICLES: Final = listed("the a an my our")
_NO_VERB_AFTER: Final = listed("the a an my our to")
_ENDS_CHAIN: Final = listed("a an the my our in at on to with for")
_LONGEST_CHAIN: Final = 5

_RESULT: Final = re.compile(
    r"\b(?:have|has|had|am|is|are|got|just|now|been|was|were)\b.*\b(?:moved|postponed|rescheduled"
    r"|changed|cancell?ed|divorced|married|switched|joined|retired|started|gone|found|lost|arrived"
    r"|passed|finished|delayed|called off|shifted)\b"
    r"|\b(?:moved|switched|went (?:up|down|back)|joined|retired|started|stopped|quit|rose|dropped"
    r"|fell|gave up|found|lost|turned|got (?:married|divorced|engaged))\b"
)
"""Past in form, present in effect."""

_CHANGED_LATELY: Final = phrases("""
    moved, relocated, switched, started, joined, quit, retired, stopped, got married, got divorced,
    postponed, rescheduled, cancell?ed
""")
_NOT: Final = phrases("""
    not, never, no, without, stopped, quit, gave up, given up, gone off, went off, nobody, none,
    nothing
""")
_NOT_NOT: Final = re.compile(
    r"\bnot only\b|\bno matter\b|\bwhy not\b|\bno (?:doubt|problem|idea|wonder)\b"
    r"|^no (?=i|my|the|it)"
)
_DROPPED: Final = listed("new current present latest actual")
_FORMER: Final = listed("old former previous ex earlier")
_WHICH: Final = listed("his her their back")
"""What says whose or which one it is, though it names nothing."""
_NAMED_BY_PRONOUN: Final = listed("he she it they you that this there")
_FRONTED: Final = listed("for in at on during by as with since")
_LOST: Final = phrases("lost, quit, left, without, former, old")
_LEADING: Final = re.compile(
    r"^(?:(?:now|nowadays|these days|currently|actually|honestly|from now on|by the way|also|so|and"
    r"|well|please|ok|then|when (?:i|we) \w+|in general|at work|at home|for (?:me|us|now)) )+"
)
_APPOINTMENT: Final = re.compile(
    r"^(?:i|we) (?:have|have got|got) (?P<which>an?|the|my|our) (?P<what>.+?)"
    r" (?P<when>(?:on|at|in) .+?)(?P<whom> with .+)?$"
)
_ANEW: Final = listed("a an")
_SAME: Final = phrases("now, instead, after all, from now on, moved, new time")
"""What says that an event is one told of before, whatever its article."""
_GOES_UP: Final = phrases("(?:went|goes|gone|go) (?:up|down)")
_MOVED: Final = phrases(r"(?:moved|moving|relocated|move) (?:\w+ )?(?:to|into|in)")
_WHO_LIVES: Final = phrases(r"""
    i, we, he, she, they, parents?, brother, sister,
    mother, father, mum, mom, dad, son, daughter, husband, wife, uncle, aunt, cousin,
    grand\w+, friend
""")
_IN: Final = phrases("in, at, near, to")
_EMPLOYER: Final = re.compile(
    r"\b(?:work|working|works|job|started|start|employed)\b.*\b(?:at|for|with)\b"
)


@dataclass(frozen=True)
class Claim:
    """What a clause claims.

    Attributes:
        subject: The stems of the words that say of what; {"self"} for the one who speaks.
        attribute: The verb, as a stem or one of a few names for several verbs.
        values: Days, dates, times, amounts and addresses of the predicate.
        names: Its proper names, as stems.
        words: The stems of its other words.
        order: Names and other words in their order.
        rest: All that stands behind the verb, as it was said.
        negated: Whether it denies.
        frame: Whether it holds on.
        clause: The clause that it was read from.
        is_new: Whether it tells of an event for the first time ("I have a meeting at five").
    """

    subject: frozenset[str]
    attribute: str
    values: tuple[Value, ...]
    names: frozenset[str]
    words: frozenset[str]
    order: tuple[str, ...]
    rest: tuple[str, ...]
    negated: bool
    frame: Frame
    clause: Clause
    is_new: bool = False


def claims(parts: Iterable[Clause]) -> tuple[Claim, ...]:
    """The claims of a text, clause by clause; a clause that the rules cannot place has none."""
    return tuple(claim for clause in parts for claim in _claims(clause))


def _claims(clause: Clause) -> Iterator[Claim]:
    text = _LEADING.sub("", clause.text)
    appointment = _APPOINTMENT.match(text)
    if appointment is None:
        yield from _read(clause, text)
        return
    which, what, when, whom = appointment.groups("")
    is_new = which in _ANEW and _SAME.search(text) is None
    # "The meeting" is this one, and so is "the meeting with Tom".
    for event in dict.fromkeys((f"the {what} is {when}{whom}", f"the {what}{whom} is {when}")):
        for claim in _read(clause, event):
            yield replace(claim, is_new=is_new)


def _read(clause: Clause, text: str) -> Iterator[Claim]:
    found, words = values(text.split())
    place = _verb(words)
    if place is None:
        return
    verb = words[place]
    # What stands in front of the verb belongs to the subject; a value there names which one it is.
    fronted = [value for value in found if _stands_before(text, value, verb)]
    before, after = words[:place], words[place + 1 :]
    if not before and verb.endswith("ing"):
        return  # "living with Petra is…": what it is about comes later
    if _is_inverse(before, after):
        before, after = after, before
        if not before or before[0] in GENERIC - {"my", "our", "the", "your"}:
            return
    subject = _subject(before, clause.before)
    if not subject or subject & _FORMER:
        return
    subject |= {value.text for value in fronted}
    order = tuple(dict.fromkeys(content(" ".join(after))))
    names = frozenset(map(stem, clause.names)).intersection(order)
    yield Claim(
        subject=frozenset(subject - _DROPPED) or frozenset(subject),
        attribute=_attribute(verb, text, names),
        values=tuple(value for value in found if value not in fronted),
        names=names,
        words=frozenset(order) - names,
        order=order,
        rest=tuple(after),
        negated=_NOT.search(_NOT_NOT.sub(" ", text)) is not None,
        frame=_frame(clause, text, words[: place + 1]),
        clause=clause,
    )


def _verb(words: list[str]) -> int | None:
    """The place of the main verb: the first, or the last of a chain like "has been postponed"."""
    verbs = (i for i, word in enumerate(words) if word in ALL_VERBS)
    # "The train leaves": what stands behind an article is no verb.
    place = next((i for i in verbs if i == 0 or words[i - 1] not in _ARTICLES), None)
    if place is None or words[place] not in _AUXILIARY:
        return place
    last = place
    for i in range(place + 1, min(place + _LONGEST_CHAIN, len(words))):
        word = words[i]
        if word in ALL_VERBS and words[i - 1] not in _NO_VERB_AFTER:
            last = i
        elif word not in GENERIC or word in _ENDS_CHAIN:
            break
    return last


def _stands_before(text: str, value: Value, verb: str) -> bool:
    words = text.split()
    return verb in words and value.place < words.index(verb)


def _is_inverse(before: list[str], after: list[str]) -> bool:
    """Whether it says "Marta is my manager"."""
    return (
        len(before) == 1 and before[0] not in GENERIC and bool(after) and after[0] in ("my", "our")
    )


def _subject(words: list[str], clause_before: str) -> set[str]:
    """What stands in front of the verb; nothing for "keep it up", which tells of nobody."""
    if {"i", "we"}.intersection(words):
        # "I hate not being there" and "each time I am there" say something else than "I am there".
        return {SELF} if not content(" ".join(words)) or words[0] in _FRONTED else set()
    if not any(word not in GENERIC or word in _NAMED_BY_PRONOUN for word in words):
        # "I moved to Emacs and do not use Vim": the subject is the one before.
        return {SELF} if {"i", "we"}.intersection(clause_before.split()[:1]) else set()
    subject = set(content(" ".join(words)))
    if "number" in subject:
        subject.discard("phon")  # "my number" is the one of the phone
    return subject | _WHICH.intersection(words)


def _attribute(verb: str, text: str, names: frozenset[str]) -> str:
    if names and _MOVED.search(text) and _WHO_LIVES.search(text):
        return "home"
    if names and _EMPLOYER.search(text) and not _LOST.search(text):
        return "work"
    if _GOES_UP.search(text):
        return CHANGE
    attribute = ATTRIBUTES.get(verb) or stem(verb)
    return stem(verb) if attribute == "home" and not _IN.search(text) else attribute


def _frame(clause: Clause, text: str, upto: list[str]) -> Frame:
    """A past tense is over unless it tells of a change, of which the time may be named."""
    if clause.recent and _CHANGED_LATELY.search(text):
        return "now"
    if clause.frame == "now" and PAST_VERBS.intersection(upto) and not _RESULT.search(text):
        return "past"
    return clause.frame
