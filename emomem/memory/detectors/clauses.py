"""What a text asserts, clause by clause, for the detectors that go by wording.

No parser and no model: words alone. What is asked, wished, supposed, dreamt, quoted or said by
others is left out, and so is what the rules cannot place; a detector abstains there. English.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from emomem.appraisal.language import detect_language
from emomem.memory.detectors.words import content, listed

Frame = Literal["now", "past", "moment"]
"""Whether a clause holds until it is revoked, is over, or is of one day or hour alone."""

_LONGEST: Final = 4000
"""Characters of a text that are looked at."""

_QUOTED: Final = re.compile(
    r"\"[^\"]*\"|“[^”]*”|«[^»]*»|(?<!\w)['\u2018](?=\S)[^'’]*(?:\w['’]\w[^'’]*)*['’](?!\w)"
)

_CONTRACTIONS: Final = (
    (re.compile(r"\bcan['’]?t\b|\bcannot\b"), "can not"),
    (re.compile(r"\bwon['’]t\b"), "will not"),
    (re.compile(r"\bshan['’]t\b"), "shall not"),
    (re.compile(r"n['’]t\b"), " not"),
    (re.compile(r"\b(do|does|did|is|are|was|were|has|have|had|could|would|should)nt\b"), r"\1 not"),
    (re.compile(r"\bi['’]m\b|\bim\b"), "i am"),
    (re.compile(r"['’]re\b"), " are"),
    (re.compile(r"['’]ve\b"), " have"),
    (re.compile(r"['’]ll\b"), " will"),
    (re.compile(r"\b(i|we|you|he|she|they)['’]d\b"), r"\1 would"),
    (re.compile(r"\b(it|he|she|that|this|there|here|what|who|where)['’]s\b"), r"\1 is"),
    (
        re.compile(
            r"\b(\w+)['’]s (?=(?:off|cancelled|out of|gone|dead|not|now|in|on|at|with|back|fine"
            r"|better"
            r"|closed|moved|died|left|been|got|single|married|engaged|pregnant)\b)"
        ),
        r"\1 is ",
    ),
)

_APOSTROPHE_LEFT_OUT: Final = re.compile(r"\bim\b|nt\b|cannot")
_COMPOUND: Final = re.compile(r"\bice creams?\b")
_POSSESSIVE: Final = re.compile(r"['’]s?$")

_SENTENCE: Final = re.compile(r"(?<=[.!?…])[\"'”’)]*\s+|\n+|\s*[;\u2013\u2014]\s*|:\s+|\s-{1,2}\s")
_CLAUSE: Final = re.compile(
    r"""(?<!nothing)\s*,?\s+but\s+|\s*,\s*(?:and|so|because|yet|though|although)\s+
    |\s+and\s+(?=(?:i|we|he|she|it|they|my|our|the|do|does|have|am|is|now)\b)
    |\s+(?:because|although|though)\s+
    |\s*,\s*(?=(?:i|we|he|she|it|they|you|there|this|that|my|our|his|her|their|the|a|an|not|no|now
        |everything|nothing|honestly|somewhere|please
        |(?:write|call|send|text|phone|email|use|give|tell|make)\s+(?:me|us|it|that))\b)""",
    re.VERBOSE,
)

_NOT_ASSERTED: Final = re.compile(
    r"""\b(?:if|whether|unless|suppose|imagine|wish(?:ed|es)?|dream(?:t|ed|ing)|might|maybe
        |(?:i|we|you|he|she|it|they|that|there|\w+s)\s+may|may\s+(?:be|have|not|also)
        |perhaps|possibly|probably|could(?!\s+not)|should|pretend\w*|hypothetically
        |(?:think|thinking|thought)\s+(?:about|of)|consider(?:ing|ed)?|wonder(?:s|ed|ing)?|hop(?:e|ed|es|ing)
        |planning\s+to|someday|one\s+day|almost|nearly|as\s+though|allegedly|supposedly
        |what\s+(?:if|about)|(?:do|does|did|would|will|are|is|can)\s+you)\b
    |\bwould\b(?!\s+(?:(?:really|much|now|also|always)\s+)*(?:like|rather|prefer|love)\b)""",
    re.VERBOSE,
)
_BY_OTHERS: Final = re.compile(
    r"""\b(?:says?|said|told|claims?|claimed|heard|according\s+to|reads?\s+that|(?<!please\s)writes?|wrote
        |(?:he|she|they|\w+s?)\s+(?:thinks|thought|believes|believed)
        |(?:in|of)\s+(?:the|a|this|that|my)\s+(?:film|movie|book|novel|story|play|song|series|poem|dream)
    )\b""",
    re.VERBOSE,
)
_MINE: Final = re.compile(r"\b(?:i|we)\s+(?:said|told|wrote|say)\b|\bthe\s+test\s+says\b")

_PAST: Final = re.compile(
    r"""\b(?:used\s+to|as\s+an?\s+(?:child|kid|boy|girl|student|teenager|baby|young\s+\w+)
        |when\s+(?:i|we)\s+(?:was|were)|back\s+(?:then|when)|at\s+the\s+time|in\s+those\s+days
        |in\s+my\s+(?:twenties|thirties|forties|teens|youth|childhood)|in\s+(?:19|20)\d\d
        |last\s+(?:week|month|year|summer|winter|spring|autumn|fall|time|night|\w+day)
        |\w+\s+ago|formerly|previously|once|until\s+(?:recently|last)|at\s+first|growing\s+up
        |^(?:in|at|on)\s+(?:my|our)\s+(?:old|former|previous|last|first)\s
        |before\s+(?:that|the\s+move)|years?\s+before|at\s+(?:school|university)\s+(?:i|we))\b""",
    re.VERBOSE,
)
_MOMENT: Final = re.compile(
    r"""\b(?:today|tonight|yesterday|this\s+(?:week|month|morning|afternoon|evening|weekend|time)
        |next\s+(?:week|month|year|weekend|time|\w+day)|right\s+now|at\s+the\s+moment
        |for\s+(?:once|a\s+change|now)|tomorrow|earlier|just\s+now)\b""",
    re.VERBOSE,
)
_FROM_NOW: Final = re.compile(
    r"\bfrom\s+(?:now|today|tomorrow|this\s+\w+)(?:\s+on\w*)?\b|\bas\s+of\s+\w+\b"
)
_CHANGED: Final = re.compile(
    r"""\b(?:now|nowadays|these\s+days|any\s*more|any\s+longer|no\s+longer|after\s+all|instead|again
        |from\s+(?:now|today|tomorrow|this\s+\w+)(?:\s+on\w*)?|as\s+of|no\s+more|lately|recently
        |switch\w*|chang\w*|(?:have|am|are)\s+(?:\w+\s+)?gone\s+(?:back|off)|went\s+(?:back|off)
        |moved|started|stopped|gave\s+up|given\s+up|(?:have|am)\s+(?:now\s+)?become|actually
        |come\s+to|grown\s+to|rather|new|updated?|correction)\b""",
    re.VERBOSE,
)
_LATELY: Final = re.compile(
    r"""\b(?:last\s+(?:week|month|summer|winter|spring|autumn|fall|night|weekend|\w+day)|yesterday
        |(?:a|an|one|two|three|four|five|six|\d+|a\s+few|some)\s+(?:days?|weeks?|months?)\s+ago
        |today|tonight|this\s+(?:week|month|morning|afternoon|evening|weekend|year)
        |earlier|just\s+now)\b""",
    re.VERBOSE,
)
"""When something happened that still holds: "we moved last weekend"."""
_GOES_ON: Final = re.compile(
    r"\b(living|live|work|working|studying|study|dating|seeing|learning|training) (.*?) ?"
    r"\b(?:at the moment|right now|for now)\b"
)
"""What lasts, though it is said to be so at the moment."""
_CONDITION: Final = re.compile(
    r"^(?:(?:but|and|now|honestly) )?"
    r"(?:(?:when|while|whenever|before|after) (?P<when>.+?)(?= (?:i|we|he|she|it|they|my|our) )"
    r"|(?:in|at|on|during|over|under|with|for) (?P<which>.+?)"
    r"(?= (?:i|we|he|she|it|they|my|our|his|her|their|the|there) ))"
)
"""When or where a clause holds, said in front of it: "in winter I hate running"."""
_BARE_CONDITION: Final = re.compile(
    r"^(?:in|at|on|during|over|under|with|when|while|whenever|before|after) "
)
_NO_CONDITION: Final = listed("opinion general fact end meantime mean opin gener")
_ADDED: Final = re.compile(
    r"\b(?:also|too|as\s+well|another|besides|in\s+addition|additionally|both|either|a\s+second)\b"
)

_WORD: Final = re.compile(
    r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+|[$€£]\s?\d+(?:[.,]\d+)*|\d+(?:[:.,/-]\d+)*(?:st|nd|rd|th|am|pm|km|kg|k|%)?\b"
    r"|[^\W\d_]+(?:['’-][^\W\d_]+)*"
)


_VOCATIVE: Final = re.compile(
    r"^(?:(?i:hi|hey|hello|dear|thanks|thank you|wow|oh no|oh|yeah|yes|no|sorry|absolutely)[, ]+"
    r"[A-Z]\w+\s*(?:[,!.]\s*|$))|,\s+[A-Z]\w+(?=\s*[.!…]*$)"
)
"""Who is spoken to, at the beginning or at the end."""
_NEW: Final = re.compile(
    r"\b(?P<who>[Ii]|[Ww]e)(?: have|['’]ve)?(?: got)? a new (?P<what>[a-z]+(?: [a-z]+)?)"
    r"(?::|,) (?:(?:[Ii]t|[Ss]he|[Hh]e)(?:['’]s| is) )?"
    r"(?=(?:Dr|Mr|Mrs|Ms|Prof|a |an )\b|[A-Z\d])"
)
"""Of "I have a new dentist, Dr. Lind"."""
_WHO_IS: Final = re.compile(
    r"\b(?:The|My|Our) \w+ (?:in|on|at|from|who|with|next)\b[^,.]{1,40}, (?P<name>[A-Z][\w-]+), "
    r"(?=(?:is|was|has)\b)"
)
"""Of "the woman on the phone, Lena, was kind": a description in front of a name."""
_TITLE: Final = re.compile(r"\b(Dr|Mr|Mrs|Ms|Prof|St|No)\.(?=\s)")
_NOTE: Final = re.compile(
    r"^(?:please |can you |could you |would you )*(?:note|remember|keep in mind|write down|save|"
    r"do not forget|don['’]t forget|for the record)(?: please)?(?:,? that\b|:|,) ?",
    re.IGNORECASE,
)
"""What asks to remember what follows, so that it is asserted, with a question mark or without."""
_TOLD: Final = re.compile(
    r"^(?:(?:did|do|don['’]t) you (?:know|hear|remember)"
    r"|(?:have|haven['’]t) i (?:told you|mentioned)|did(?:n['’]t)? i (?:ever |already )?(?:tell"
    r" you|mention))"
    r" (?:that )?(?=(?:i|we|my|our)\b)",
    re.IGNORECASE,
)
_TAG: Final = re.compile(
    r",\s*(?:did(?:n['’]t)? i (?:ever |already )?(?:tell|say|mention)\b[^,.?!]*|remember|you know"
    r"|don['’]t you (?:know|remember))\s*\?+(?=\W*$)",
    re.IGNORECASE,
)
"""What makes a question of something told; "right?" and "isn't it?" do ask, and stay."""
_OPENING: Final = re.compile(
    r"^(?:(?:i |we )?(?:just |only )?(?:wanted|want) to (?:say|tell you|let you know)(?: that)? "
    r"|i (?:think|guess|must say|have to say|have to admit)(?: that)? |you will not believe it,?"
    r" |it turns out (?:that )?)"
)
_ONCE: Final = re.compile(
    r"\bused to (?P<what>[^,.;]+?),? but (?:i |we )?(?:not|do not|have stopped|stopped|no longer)"
    r"(?: (?:any ?more|do|now|any longer))*(?=[.!]|$)"
)
"""Of "I used to run, but not any more"."""
_WISHED: Final = re.compile(
    r"\b((?:would like|want|would love|hope) [^,.;]+?) (?:one day|someday)\b"
)
_NOT_SINCE: Final = re.compile(
    r"\bhave not (\w+(?:ed|en|unk|ne)) (?:since|for|in) (?:\w+ )?\w+(?: \w+)?(?=[.!]|$)"
)
"""Of "I have not smoked since January"."""
_DROPPED: Final = re.compile(
    r"^(moved|quit|started|sold|stopped|gave up|lost|broke up|switched|cancelled|changed|decided)\b"
    r"(?! (?:is|are|was|were|by)\b)"
)
"""What tells of the speaker, who is left out."""
_CONTRASTED: Final = re.compile(r"not (?:(?:at|on|in|to|the|a|for)\b|\d)")
"""What it is not, behind what it is ("at eight, not at seven")."""


@dataclass(frozen=True)
class Clause:
    """One thing that a text asserts.

    Attributes:
        text: In lower case, contractions written out, one space between words.
        names: The words of it, in lower case, that are somebody's or something's own name.
        frame: Whether it holds on, is over, or is of a moment.
        changed: Whether it says that something is otherwise than before.
        added: Whether it says that something comes on top ("also").
        before: The clause in front of it in the same sentence, for "it" and a missing "I".
        denied: What it is not, said behind what it is ("not at seven").
        scope: The stems of when or where it holds, said in front of it; empty for always.
        recent: Whether it tells of a time so near that a change still holds ("last week").
    """

    text: str
    names: frozenset[str]
    frame: Frame
    changed: bool
    added: bool
    before: str = ""
    denied: str = ""
    scope: frozenset[str] = frozenset()
    recent: bool = False


def may_meet(new: Clause, old: Clause) -> bool:
    """Whether both may hold of one occasion: "in winter" and "in summer" are two.

    Example:
        >>> winter, summer = (clauses(f"In {one} I run.")[0] for one in ("winter", "summer"))
        >>> may_meet(winter, summer), may_meet(winter, winter)
        (False, True)
    """
    return not (new.scope and old.scope) or bool(new.scope & old.scope)


def clauses(text: str) -> tuple[Clause, ...]:
    """What a text asserts; nothing for a text in another language than English."""
    return tuple(_clauses(text[:_LONGEST]))


def tokens(text: str) -> list[str]:
    """The words and numbers of a text, as they stand."""
    return _WORD.findall(text)


def plain(text: str) -> str:
    """A text in lower case, contractions written out, possessive endings cut off."""
    return _COMPOUND.sub("ice-cream", _unpossessed(_written_out(text)))


def _written_out(text: str) -> str:
    low = text.lower()
    if "'" in low or "’" in low or _APOSTROPHE_LEFT_OUT.search(low):
        for pattern, full in _CONTRACTIONS:
            low = pattern.sub(full, low)
    return low


def _unpossessed(text: str) -> str:
    return " ".join(_POSSESSIVE.sub("", word) for word in tokens(text))


def _clauses(text: str) -> Iterator[Clause]:
    if detect_language(text) != "en":
        return
    named = _WHO_IS.sub(r"\g<name> ", _NEW.sub(_as_mine, _TITLE.sub(r"\1", text)))
    for sentence in _SENTENCE.split(named):
        noted = _NOTE.sub("", _TAG.sub(".", _TOLD.sub("", sentence)))
        if not noted or (noted == sentence and sentence.rstrip(" \"'”’)").endswith("?")):
            continue
        if _QUOTED.search(noted):
            continue
        noted = _VOCATIVE.sub("", noted)
        names = _names(noted)
        low = _ONCE.sub(r"no longer \g<what>", _OPENING.sub("", _written_out(noted)))
        low = _NOT_SINCE.sub(r"no longer \1", _WISHED.sub(r"\1", low))
        low = _DROPPED.sub(r"i \1", low)
        if _NOT_ASSERTED.search(low):
            continue
        before, scope = "", frozenset[str]()
        parts = [_unpossessed(part) for part in _CLAUSE.split(low)]
        for clause, behind in zip(parts, [*parts[1:], ""], strict=True):
            if _BY_OTHERS.search(clause) and not _MINE.search(clause):
                break  # and whatever follows may be theirs too
            if not clause or _CONTRASTED.match(clause):
                continue
            frame = _frame(clause)
            scope = _scope(clause) or scope
            yield Clause(
                text=clause,
                names=names.intersection(clause.split()),
                frame=frame,
                changed=_CHANGED.search(clause) is not None,
                added=_ADDED.search(clause) is not None,
                before=before,
                denied=behind.removeprefix("not ") if _CONTRASTED.match(behind) else "",
                scope=scope,
                recent=frame != "now" and _frame(_LATELY.sub("", clause)) == "now",
            )
            before = clause
            scope = _bare_scope(clause)


def _as_mine(found: re.Match[str]) -> str:
    owner = "my" if found["who"].lower() == "i" else "our"
    return f"now {owner} {found['what']} is "


def _scope(clause: str) -> frozenset[str]:
    found = _CONDITION.match(clause)
    if found is None:
        return frozenset()
    return frozenset(content(found["when"] or found["which"])) - _NO_CONDITION


def _bare_scope(clause: str) -> frozenset[str]:
    """Of "in winter, I hate running", whose comma makes two clauses of it: the first."""
    found = _BARE_CONDITION.match(clause)
    if found is None or _CONDITION.match(clause):
        return frozenset()
    return frozenset(content(clause[found.end() :])) - _NO_CONDITION


def _frame(clause: str) -> Frame:
    if _PAST.search(clause):
        return "past"
    if _MOMENT.search(_GOES_ON.sub(r"\1 \2", _FROM_NOW.sub("", clause))):
        return "moment"
    return "now"


_STARTS_NO_NAME: Final = listed("""
    i a an the this that these those my our your his her its their we you he she it they there here
    no not never always please since after before when while with in on at for from by and but so
    do does is are was were have has had can will would let keep book add call write order make
    take put give tell send use avoid only just also now today still everything nothing honestly
    yes well oh ok okay hi hello one two three each every all some most many more less
""")
_CALENDAR: Final = listed("""
    monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays
    fridays saturdays sundays january february march april may june july august september october
    november december i
""")


def _names(sentence: str) -> frozenset[str]:
    """The capitalised words, in lower case; the first word is one unless it is common there."""
    found = set()
    for position, word in enumerate(tokens(sentence)):
        low = _POSSESSIVE.sub("", word.lower())
        common = position == 0 and (low in _STARTS_NO_NAME or low.endswith(("ing", "s", "ed")))
        if word[0].isupper() and low not in _CALENDAR and not common and "'" not in low:
            found.add(low)
    return frozenset(found)
