"""What a clause thinks of something: whose attitude, towards what, for or against.

Three ways to say it, told apart by where the holder stands: somebody loves a thing (the subject
feels), a thing bores somebody (the object feels), a thing is wonderful (the speaker judges).
"""

import re
from dataclasses import dataclass
from itertools import dropwhile, takewhile
from typing import Final, Literal

from emomem.memory.detectors.clauses import Clause
from emomem.memory.detectors.verbs import ALL_VERBS
from emomem.memory.detectors.words import GENERIC, content, listed, phrases, stem

SELF: Final = "self"

Way = Literal["feels", "moves", "judged"]


def _forms(verbs: str) -> str:
    return ",".join(rf"{verb.removesuffix('e')}e?(?:e?s|e?d|ing)?" for verb in verbs.split())


_FEELS: Final = {
    +1: phrases(
        _forms("love adore enjoy like cherish trust appreciate admire treasure")
        + """,
        look(?:s|ed|ing)? forward to, can not wait for,
        (?:get|gets|getting) (?:along|on) (?:so |very |really |great |well )*with,
        fond of, keen on, crazy about,
        could not be (?:happier|more pleased|prouder), fallen in love, in love, happy, glad,
        pleased,
        delighted, thrilled, excited, proud, content, satisfied, grateful, thankful, over the moon,
        comfortable, at ease, enthusiastic, a (?:big |huge )?fan of, impressed, relieved, overjoyed
        """
    ),
    -1: phrases(
        _forms("hate detest loathe dislike despise dread regret resent distrust")
        + """,
        (?:can|could) not (?:stand|bear|abide|stomach|tolerate), (?:fed up|done) with,
        (?:sick|tired) (?:and tired )?of, had enough of, gone off, lost patience with, unhappy,
        angry, furious, mad, upset, annoyed, irritated, disappointed, ashamed, embarrassed,
        frustrated, miserable, disgusted, dissatisfied, bored, unimpressed, heartbroken, devastated,
        appalled, bitter, afraid, scared, terrified, anxious, worried, nervous, uncomfortable,
        horrified
        """
    ),
}
"""What its subject feels."""

_MOVES: Final = {
    +1: phrases(
        r"""
        (?:relax|calm|delight|thrill|sooth|pleas|excit|inspir|fascinat|uplift|amaz)(?:e?s|e?d|ing)?
            \w+,
        cheers? \w+ up,
        (?:makes?|made|making|leaves?|keeps?) \w+ (?:so |very |really |feel )*(?:happy|smile|good
            |great|calm|proud|laugh|alive|better),
        (?:brings|gives|does) \w+ (?:so much |such |a lot of |great |much )?(?:joy|pleasure|energy
            |peace|hope|good)
        """
    ),
    -1: phrases(
        r"""
        (?:bor|annoy|stress|irritat|disgust|depress|exhaust|drain|scar|upset|infuriat|disappoint
            |frustrat|sicken|humiliat|torment|bother|terrif|kill|tir|overwhelm)(?:ie|y|e)?(?:s|e?d
            |ing)?
            \w+(?: out| off| to tears)?,
        (?:driv(?:es?|ing)|drove) \w+ (?:mad|crazy|insane|up the wall|nuts),
        wears? \w+ (?:out|down),
        get(?:s|ting)? on (?:my|our) nerves, lets? \w+ down, get(?:s|ting)? \w+ down,
        gives? \w+ (?:a headache|the creeps|nightmares),
        (?:makes?|made|making|leaves?) \w+ (?:so |very |really |feel )*(?:miserable|sad|furious
            |angry|mad|sick|anxious|nervous|unhappy|cold|cry|bad|awful|ill|worse|tired|depressed|stressed)
        """
    ),
}
"""What its subject does to somebody's feelings."""

_JUDGED: Final = {
    +1: phrases(
        r"""
        wonderful, great, fantastic, amazing, awesome, excellent, brilliant, lovely, delightful,
        delicious, superb, perfect, marvell?ous, terrific, splendid, beautiful, charming, gorgeous,
        fabulous, outstanding, magnificent, gripping, fascinating, inspiring, captivating, exciting,
        fun, enjoyable, pleasant, nice, nicer, good, cool, best, better than ever, kind, kindest,
        friendly, helpful, generous, supportive, fair, caring, patient, warm, useful, comfortable,
        cosy, cozy, relaxing, refreshing, tasty, worth it, worth every \w+, spot on, top notch,
        reliable, joy, delight, pleasure, blessing, treat, dream, gem, godsend, lifesaver, paradise,
        heaven, highlight, treasure, triumph, masterpiece, favourite, a (?:great|big) help,
        adorable,
        sweet, fine, f(?:elt|eels) like home, flawless
        """
    ),
    -1: phrases(
        """
        awful, terrible, horrible, dreadful, horrendous, atrocious, appalling, disgusting,
        revolting,
        lousy, bad, worse, worst, poor, pathetic, rubbish, dull, boring, tedious, dreary, useless,
        pointless, worthless, hopeless, annoying, irritating, infuriating, frustrating, unbearable,
        cold (?:and [a-z]+ )?(?:to|towards) (?:me|us), intolerable, insufferable,
        miserable, depressing, stressful, exhausting, unpleasant, nasty,
        mean, rude, cruel, unfair, unkind, hostile, arrogant, toxic, cold hearted, incompetent,
        ugly,
        inedible, tasteless, overrated, disappointing, uncomfortable, unreliable, broken, buggy,
        painful, shabby, nightmare, hell, mess, disaster, burden, joke, mistake, waste, torture,
        chore, pain, let down, letdown, disgrace, failure, bully, tyrant, monster, liar,
        catastrophe,
        scam, rip off, crap, shambles, headache, ordeal, drag, bore
        """
    ),
}
"""What the speaker thinks of it."""

_BY_WAY: Final[dict[Way, dict[int, re.Pattern[str]]]] = {
    "moves": _MOVES,
    "feels": _FEELS,
    "judged": _JUDGED,
}
_PATTERNS: Final = tuple(
    (way, sign, pattern) for way, by_sign in _BY_WAY.items() for sign, pattern in by_sign.items()
)

_NO_ATTITUDE: Final = phrases(
    r"""
    (?:would|will|should) (?:\w+ )?(?:like|love|hate),
    (?:nothing|looks?|looked|feels?|sounds?|seems?|something|anything|just|more|is|was) like,
    (?:good|great|nice|bad) (?:at|luck|morning|evening|night|day|bye),
    (?:best|good|nice|great) (?:friends?|wishes|regards|practice), better than,
    mean (?:that|it|by|a lot|so much|everything|the world|more), as (?:well|good|bad) as, kind of
    """
)
"""Words of attitude that are none there."""

_NEGATED: Final = phrases("not, never, no, hardly, barely, nothing, stopped, without, lost")
_STILL_SO: Final = phrases(
    """
    nothing but, not only, could not be (?:happier|more pleased|prouder),
    never been (?:happier|better)
    """
)
"""Denials in form alone."""

_VERB: Final = phrases(
    """
    is, are, was, were, am, be, been, being, has, have, had, turned, became, becomes, seems?,
    feels?,
    felt, makes?, made, tastes?, tasted, looks?, looked, sounds?, sounded, smells?, remains?,
    gets, got
    """
)
_MADE: Final = re.compile(r"\b(?:makes?|made|making) ((?:the|my|our|this|that|these|those) .+)$")
_FINDS: Final = re.compile(r"\b(?:finds?|found|considers?|considered|think) (?!out\b)(.+)$")
_BREAK: Final = phrases(
    """
    in, on, at, of, for, from, with, to, by, about, near, after, since, before, because, so, that,
    which, who, where, when, while, and, or, than, during, without
    """
)
"""What ends a noun phrase."""

_LEADING: Final = re.compile(
    r"^(?:(?:with|about|of|at|for|by|that|to|in|on|over|from|when it comes to|we|i|you|they|have"
    r"|had|did|it is|is|was|are|very much|a lot|so much|really|all|both|having|being) )+"
)
_ADVERBIAL: Final = re.compile(
    r"^(?:since|after|with|despite|thanks to|because of|in|on|at|for|during|before) .*?"
    r"(?= (?:the|my|our|this|that|i|we|it|he|she|they) )"
)
_PRONOUN: Final = listed("it they them he him she her this that these those")
_PERSONS: Final = listed("her him them it")
_WITH_THEM: Final = re.compile(r"\w+ing (?:for|with|to) (?:her|him|them)$")
_OTHERS: Final = listed("you he she they")
_SPEAKERS: Final = listed("i we me us my our myself ourselves")
_OWNERS: Final = {"my": "my", "our": "my", "your": "your"} | dict.fromkeys(
    ("his", "her", "their"), "their"
)
_SPECIFIC: Final = listed("the my our your his her their this that these those its it")
_WHERE: Final = phrases("in, at, on, during, when, after, before, while")
_WAS: Final = phrases("was, were")
_PREPOSITIONS: Final = (
    "in on at of for from by with to into onto about up out off over down than there here"
)
_COPULA: Final = phrases("""
    is, are, was, were, am, be, been, being, turned out, became, becomes, seems?, feels?, felt,
    tastes?, tasted, looks?, looked, sounds?, sounded, smells?, remains?, gets, got
""")
_DEGREE: Final = (GENERIC - listed(_PREPOSITIONS)) | listed(
    "terribly extremely awfully incredibly horribly huge big real"
)
"""What may stand between "is" and a judgement."""


@dataclass(frozen=True)
class Attitude:
    """One attitude.

    Attributes:
        holder: Whose it is: "self" for the one who speaks, else a word that names them.
        head: The stem of the word that the target ends on ("class" of "the yoga class").
        modifiers: The stems of the other words that say which one it is.
        owner: "my", "your" or "their", where the target is said to be somebody's.
        sign: 1 for, -1 against.
        target: The target as it was said.
        general: Whether it is of all of a kind: "coffee", not "the coffee at work".
        where: The stems of where or when it is so.
    """

    holder: str
    head: str
    modifiers: frozenset[str]
    owner: str
    sign: int
    target: str
    general: bool = False
    where: frozenset[str] = frozenset()


def attitudes(clause: Clause) -> list[Attitude]:
    """The attitude of a clause; empty where there is none, or it is for and against at once."""
    text = _NO_ATTITUDE.sub(" ", clause.text)
    found = [
        (match, way, sign)
        for way, sign, pattern in _PATTERNS
        for match in pattern.finditer(text)
        if way != "judged" or _is_said_of_something(text[: match.start()])
    ]
    if not found:
        return []
    signs = {sign for _, way, sign in found if way != "judged"} or {sign for *_, sign in found}
    if len(signs) > 1:
        return []
    match, way, sign = min(found, key=_rank)
    if way == "feels" and _WAS.search(text[: match.start()]):
        return []  # "I was upset about it" tells of a moment
    sign = _signed(text, match, sign)
    holder, target = _placed(text, match, way)
    phrase = _phrase(target)
    if way == "feels" and (target in _PERSONS or _WITH_THEM.match(target)):
        # "She helped me, I am grateful to her": whoever did it.
        done = takewhile(_is_no_verb, clause.before.split())
        phrases = [one] if (one := _phrase(" ".join(done))) else []
    elif phrase is not None:
        phrases = [phrase]
    elif way == "judged" and target in _PRONOUN:
        # What "it" is nobody says: any of the things that were named just before.
        phrases = [one for part in _BREAK.split(clause.before) if (one := _phrase(part))]
    else:
        phrases = []
    return [
        Attitude(holder, *one, sign, target.strip(), _is_general(target), _where(target))
        for one in phrases
        if sign
    ]


def _is_general(target: str) -> bool:
    return not _SPECIFIC.intersection(takewhile(GENERIC.__contains__, target.split()))


def _where(target: str) -> frozenset[str]:
    found = _WHERE.search(target)
    return frozenset(content(target[found.start() :])) if found else frozenset()


def _is_no_verb(word: str) -> bool:
    return word not in ALL_VERBS and not word.endswith("ed") and _VERB.fullmatch(word) is None


def _is_said_of_something(before: str) -> bool:
    """Whether a judgement stands behind "is" or the like, and not in front of some other noun."""
    if _MADE.search(before.strip()) or _FINDS.search(before.strip()):
        return True
    verbs = list(_COPULA.finditer(before))
    return bool(verbs) and all(word in _DEGREE for word in before[verbs[-1].end() :].split())


def _rank(found: tuple[re.Match[str], Way, int]) -> tuple[bool, int, bool]:
    """A feeling before a judgement, the first of them, and "bored with" before "bores me"."""
    match, way, _ = found
    return way == "judged", match.start(), way == "moves"


def _signed(text: str, match: re.Match[str], sign: int) -> int:
    """The sign, turned by a negation; 0 where what is denied is a dislike, which is no liking."""
    before = _STILL_SO.sub(" ", text[: match.start()])
    if not _NEGATED.search(before) or _STILL_SO.search(match[0]):
        return sign
    return -1 if sign > 0 else 0


def _placed(text: str, match: re.Match[str], way: Way) -> tuple[str, str]:
    """Whose attitude it is, and the words that tell towards what."""
    before, after = text[: match.start()].strip(), text[match.end() :].strip()
    if way == "feels":
        return _holder(before), _LEADING.sub("", after)
    subject = _subject(before)
    if way == "moves":
        felt = {word for word in match[0].split() if word in _SPEAKERS}
        others = [word for word in match[0].split()[1:2] if word not in _SPEAKERS]
        return SELF if felt else "".join(map(stem, others)), subject
    if made := _MADE.search(before):
        return SELF, made[1]
    if finds := _FINDS.search(before):
        return _holder(before[: finds.start()]), finds[1]
    return SELF, subject


def _holder(before: str) -> str:
    """Who feels, of the words in front of the feeling."""
    words = before.split()
    if not words or _SPEAKERS.intersection(words) - {"my", "our"}:
        return SELF
    named = content(before) or [word for word in words if word in _OTHERS]
    return named[-1] if named else SELF


def _subject(before: str) -> str:
    """The words in front of the first verb, without an adverbial at the beginning."""
    start = _ADVERBIAL.sub("", before).strip()
    verb = _VERB.search(start)
    return start[: verb.start()].strip() if verb else start


def _phrase(target: str) -> tuple[str, frozenset[str], str] | None:
    """The head and the modifiers of the noun phrase at the beginning, and whose it is."""
    given = target.split()
    owner = next(
        (_OWNERS[word] for word in takewhile(GENERIC.__contains__, given) if word in _OWNERS), ""
    )
    words = list(dropwhile(GENERIC.__contains__, given))
    parts = _BREAK.split(" ".join(words), maxsplit=1)
    main = content(parts[0])
    if not main:
        return None
    cut = _BREAK.search(" ".join(words))
    # "The tea that you bought" is not all tea.
    which = ["that"] if cut and cut[0] in ("that", "which", "who") else []
    return main[-1], frozenset([*main[:-1], *content(" ".join(parts[1:])), *which]), owner
