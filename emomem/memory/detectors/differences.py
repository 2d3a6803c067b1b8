"""When two claims differ in a value, a name, a state, or one denies the other."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

from emomem.memory.conflict import ConflictKind
from emomem.memory.detectors.attitudes import attitudes
from emomem.memory.detectors.claims import SELF, Claim
from emomem.memory.detectors.clauses import may_meet
from emomem.memory.detectors.members import same_things
from emomem.memory.detectors.preferences import is_preference
from emomem.memory.detectors.verbs import CHANGE
from emomem.memory.detectors.words import GENERIC, listed, phrases, stem

_ONE_VALUED: Final = frozenset(
    {
        "be",
        "home",
        "work",
        "study",
        "stay",
        "go",
        "attend",
        "call",
        "commut",
        "land",
        "arriv",
        "depart",
    }
)
"""Attributes of which somebody has one at a time, where a proper name is their value."""

_NOUNS: Final = frozenset(
    map(
        stem,
        listed("""
            favourite name nickname profession occupation address password code pin status size
            brand hometown nationality religion diagnosis destination major colour
        """),
    )
)
"""Nouns of which there is one at a time, whatever their value is."""

_STATES: Final = tuple(
    tuple(frozenset(map(stem, listed(words))) for words in group)
    for group in (
        ("married", "divorced separated", "single", "widowed", "engaged"),
        ("unemployed jobless", "employed", "retired"),
        ("closed", "open"),
        ("alive", "dead"),
        ("pending", "approved", "rejected"),
        ("left-handed", "right-handed"),
        ("vacant available free", "occupied taken"),
    )
)
"""States of which a subject is in one at a time."""

_JOB: Final = phrases(
    "(?:found|got|have|has|started|landed) (?:an?|my|his|her|their|the) (?:new )?job"
)
_NO_JOB: Final = phrases("lost (?:my|his|her|their|the) job, got fired, out of work")
_JOBLESS: Final = frozenset(map(stem, listed("unemployed jobless")))
_ARTICLES: Final = listed("a an the")
_WHEN: Final = listed("now again any more anymore at all after well already yet too today")
_NOW: Final = phrases("now, from now on, these days, instead")
_COLOURS: Final = frozenset(
    map(stem, listed("red blue green black white grey gray yellow brown pink orange purple silver"))
)
_PLACES: Final = listed("in at under on behind with beside near by")
_WITH: Final = phrases(
    "with (?:me|us|my .*|our .*|him|her|his .*|their .*), at home,"
    "at (?:my|our|his|her|their) (?:mum|mom|dad|parents?|mother|father|brother|sister|friend)"
)
_MOVES_OUT: Final = phrases("moved (?:out|into|to|in with), moving (?:out|into|to)")
_LEAVES: Final = phrases("quit, left, resigned from, retired from, (?:was|got) fired (?:by|from)")
_OFF: Final = phrases("cancell?ed, called off, (?:is|are) off, fell through")
_NOT_YET: Final = phrases("(?:has|have) (?:not|never), never, not .* yet")
"""What has not happened so far, though it may."""


@dataclass(frozen=True)
class Difference:
    """What two claims differ in: as a sentence that quotes nothing, and in their own words."""

    reason: str
    detail: str
    kind: ConflictKind = "fact_update"


def differs(new: Claim, old: Claim) -> Difference | None:
    """What a claim says otherwise than an older one; None where it says nothing else."""
    if new.subject != old.subject or old.frame != "now" or not may_meet(new.clause, old.clause):
        return None
    if _happened(new, old):
        return _of(new, old, "what had not happened has", new.clause.text, old.clause.text)
    if new.frame != "now" or new.clause.added or old.clause.added or new.is_new:
        return None
    for rule in _RULES:
        if (found := rule(new, old)) is not None:
            return found
    return None


def _of(new: Claim, old: Claim, reason: str, mine: str, other: str) -> Difference:
    kind: ConflictKind = (
        "preference_change" if is_preference(new) or is_preference(old) else "fact_update"
    )
    return Difference(reason, f"{mine}, formerly {other}", kind)


def _happened(new: Claim, old: Claim) -> bool:
    """Whether the new claim is an event that the old one says has not happened."""
    same = new.attribute == old.attribute or {new.attribute, old.attribute} == {"be", "go"}
    about = old.words | old.names
    return (
        old.negated
        and not new.negated
        and same
        and (SELF not in old.subject or bool(about - {old.attribute}))
        and _NOT_YET.search(old.clause.text) is not None
        and new.clause.frame != "past"
        and new.attribute != "have"
        and about - {old.attribute} <= (new.words | new.names) | {new.attribute}
    )


def _by_value(new: Claim, old: Claim) -> Difference | None:
    if new.negated or old.negated or not _same_attribute(new, old):
        return None
    if (new.names and old.names and new.names != old.names) or not _one_within_other(new, old):
        return None
    if not _about_the_same(new, old):
        return None
    for mine in new.values:
        others = [value for value in old.values if value.kind == mine.kind]
        # Of "from nine to five" one value may be another's counterpart: all must differ.
        if others and all(mine.differs(other) for other in others):
            return _of(new, old, f"the {mine.kind} differs", mine.text, others[0].text)
    return None


def _by_name(new: Claim, old: Claim) -> Difference | None:
    if new.negated or old.negated or not (new.attribute == old.attribute or _both_name(new, old)):
        return None
    if new.attribute not in _ONE_VALUED or not (_begins_with_name(new) and _begins_with_name(old)):
        return None
    if new.names & old.names and not (new.names - old.names and old.names - new.names):
        return None
    if new.attribute not in ("home", "work") and not _one_within_other(new, old):
        return None
    return _of(
        new, old, "the name differs", " ".join(sorted(new.names)), " ".join(sorted(old.names))
    )


def _by_name_of_one(new: Claim, old: Claim) -> Difference | None:
    """Of "at the school in Park Road": another name behind the same words."""
    if new.negated or old.negated or new.attribute != old.attribute:
        return None
    if new.attribute not in _ONE_VALUED or SELF in new.subject:
        return None
    pairs = zip(new.order, old.order, strict=False)
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    mine, other = set(new.order[same:]), set(old.order[same:])
    if not same or not mine or not other or mine & other:
        return None
    if mine <= new.names and other <= old.names:
        return _of(new, old, "the name differs", " ".join(mine), " ".join(other))
    return None


def _by_leaving(new: Claim, old: Claim) -> Difference | None:
    """Of "quit the post office" and "moved out": where somebody works or lives no more."""
    is_home = old.attribute in ("home", "liv") and _WITH.search(old.clause.text)
    if old.negated:
        return None
    if is_home and _MOVES_OUT.search(new.clause.text):
        return _of(new, old, "the home differs", new.clause.text, old.clause.text)
    is_it = set(new.order[:1]) & (old.words | old.names)
    if old.attribute == "work" and is_it and _LEAVES.search(new.clause.text):
        return _of(new, old, "the job is given up", new.clause.text, old.clause.text)
    return None


def _both_name(new: Claim, old: Claim) -> bool:
    """Of "my landlady is Mrs. Pohl", "is called Mrs. Stein": the same may be said with both."""
    return {new.attribute, old.attribute} == {"be", "call"} and SELF not in new.subject


def _by_what_it_is_now(new: Claim, old: Claim) -> Difference | None:
    """Of "my bike is black now" and "the key is with the neighbour now"."""
    if new.negated or old.negated or (new.attribute, old.attribute) != ("be", "be"):
        return None
    if not _NOW.search(new.clause.text) or SELF in new.subject or set(new.order) & set(old.order):
        return None
    colours = new.order[:1] and {*new.order[:1], *old.order[:1]} <= _COLOURS
    places = {*new.rest[:1], *old.rest[:1]} <= _PLACES and bool(new.rest and old.rest)
    if not (colours or places) or not old.order or not new.order or new.values or old.values:
        return None
    return _of(new, old, "the state differs", " ".join(new.order), " ".join(old.order))


def _begins_with_name(claim: Claim) -> bool:
    """Whether a name is what the verb says of the subject, and not merely mentioned."""
    return bool(claim.order) and claim.order[0] in claim.names


def _by_denial(new: Claim, old: Claim) -> Difference | None:
    if new.negated == old.negated or new.attribute != old.attribute:
        return None
    mine, other = new.words | new.names, old.words | old.names
    if not (mine or (_is_whole(new) and _is_whole(old))):
        return None
    if not same_things(mine, other) or (new.values and old.values and new.values != old.values):
        return None
    return _of(new, old, "one side denies what the other says", new.clause.text, old.clause.text)


def _is_whole(claim: Claim) -> bool:
    """Whether the verb alone says it ("I can drive now"), and nothing that it takes is missing."""
    return claim.attribute not in ("be", "have", CHANGE) and _WHEN.issuperset(claim.rest)


def _by_call_off(new: Claim, old: Claim) -> Difference | None:
    if SELF in new.subject or not _OFF.search(new.clause.text) or _OFF.search(old.clause.text):
        return None
    if new.negated:
        return None
    return _of(new, old, "it does not take place", new.clause.text, old.clause.text)


def _by_state(new: Claim, old: Claim) -> Difference | None:
    if new.negated or old.negated or "in" in (*new.rest[1:2], *old.rest[1:2]):
        return None  # "engaged in a project" is no state of life
    if {new.attribute, old.attribute} <= {"be", "get", CHANGE, "have"}:
        for group in _STATES:
            mine, other = (
                [place for place, words in enumerate(group) if words.intersection(one.order[:1])]
                for one in (new, old)
            )
            if mine and other and mine != other:
                return _of(new, old, "the state differs", new.clause.text, old.clause.text)
    return None


def _by_job(new: Claim, old: Claim) -> Difference | None:
    jobless = [bool(_NO_JOB.search(one.clause.text) or _JOBLESS & one.words) for one in (new, old)]
    works = [
        not one.negated
        and bool(_JOB.search(one.clause.text) or (one.attribute == "work" and one.names))
        for one in (new, old)
    ]
    if (jobless[0] and works[1] and not jobless[1]) or (jobless[1] and works[0] and not jobless[0]):
        return _of(new, old, "the state differs", new.clause.text, old.clause.text)
    return None


def _by_noun(new: Claim, old: Claim) -> Difference | None:
    """Of "my favourite colour is green now": a noun of which there is one value at a time."""
    if new.negated or old.negated or not new.subject & _NOUNS:
        return None
    if (new.attribute, old.attribute) not in (
        ("be", "be"),
        ("be", "call"),
        ("call", "be"),
        (CHANGE, "be"),
    ):
        return None
    mine, other = new.words | new.names, old.words | old.names
    if not mine or not other or mine & other or new.values or old.values:
        return None
    if not all(_names_a_thing(one) for one in (new, old)):
        return None
    return _of(new, old, "the value differs", " ".join(new.order), " ".join(old.order))


def _names_a_thing(claim: Claim) -> bool:
    """Whether it says what it is, and neither where nor how good."""
    first = claim.rest[0] if claim.rest else ""
    return (first in _ARTICLES or first not in GENERIC) and not attitudes(claim.clause)


def _by_numbered(new: Claim, old: Claim) -> Difference | None:
    """Of "in room 204", "in room 311": the same place of the sentence, another of many."""
    if new.negated or old.negated or not _same_attribute(new, old):
        return None
    for mine in new.words - old.words:
        for other in old.words - new.words:
            noun, _, number = mine.partition("#")
            if number and other.partition("#")[0] == noun and "#" in other:
                return _of(new, old, "the number differs", mine, other)
    return None


_RULES: Final[tuple[Callable[[Claim, Claim], Difference | None], ...]] = (
    _by_value,
    _by_name,
    _by_name_of_one,
    _by_what_it_is_now,
    _by_leaving,
    _by_denial,
    _by_call_off,
    _by_state,
    _by_job,
    _by_noun,
    _by_numbered,
)


def _same_attribute(new: Claim, old: Claim) -> bool:
    return new.attribute == old.attribute or CHANGE in (new.attribute, old.attribute)


def _one_within_other(new: Claim, old: Claim) -> bool:
    return new.words <= old.words or old.words <= new.words


def _about_the_same(new: Claim, old: Claim) -> bool:
    """Whether the values are of one thing; of oneself, only where the rest of the words agree."""
    return SELF not in new.subject or new.words == old.words
