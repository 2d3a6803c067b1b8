"""When a clause gives up what another one likes or usually does: "I have gone off dark beer"."""

import re
from itertools import dropwhile, takewhile
from typing import Final

from emomem.memory.detectors.clauses import Clause
from emomem.memory.detectors.members import belongs
from emomem.memory.detectors.preferences import is_own
from emomem.memory.detectors.values import values
from emomem.memory.detectors.words import GENERIC, content, listed, phrases, stem

_ANY_MORE: Final = r"(?:any ?more|any longer|from now on|these days|nowadays)"
_HAS: Final = r"(?!have |own |keep |be )"
"""What is no longer there may still be liked."""
_DEED: Final = (
    r"(?:like|love|enjoy|want|need|prefer|eat|drink|take|have|use|watch|read|play|wear|smoke|buy"
    r"|listen to|go to|do|go|want to|like to|feel like|talk to|speak to|see) "
)
_DONE_WITH: Final = (
    r"(?:given up|gave up|quit|gone off|went off|lost (?:all |my |any )?interest in|sworn off"
    r"|swore off|cut out|done with|through with|decided against|turned down|(?:fell|fallen) out"
    r" of love with"
    r"|(?:am|are|came|come) off(?! (?:to|work|sick|today|tomorrow|now|on)\b))"
)
_STILL: Final = r"(?:(?!(?:not|never|to)\b)\w+ )*?"
_MATTERS: Final = r"(?:interest(?:ed)?|my thing|appeal|for me)(?: me| to me)?"
_GIVES_UP: Final = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\b(?:i|we) {_STILL}(?:stopped|quit|given up|gave up) (?P<what>\w+ing\b.*)$",
        rf"(?<!not )(?<!never )(?<!to )\b{_DONE_WITH} (?P<what>.+)$",
        rf"\b(?:i|we) no longer {_HAS}(?:{_DEED})?(?P<what>.+)$",
        rf"\b(?:i|we) (?:do|can|will) not {_HAS}(?:{_DEED})?(?P<what>.+?) {_ANY_MORE}",
        rf"\b(?:i|we) (?:do|can|will) not {_HAS}{_DEED}(?P<what>.+?) now$",
        rf"^no (?:more )?(?P<what>.+?) (?:for (?:me|us)|{_ANY_MORE})",
        rf"^(?P<what>.+?) (?:does|do|is|are) not {_MATTERS} {_ANY_MORE}$",
        rf"^(?P<what>.+?) (?:does|do|is|are) no longer {_MATTERS}",
    )
)
"""What is given up; "stopped at the bakery" and "stopped the film" do not say it."""

_LIKES: Final = phrases(r"""
    like, love, enjoy, adore, prefer, fond of, keen on, crazy about, favourite \w+ (?:is|are),
    (?:i|we) (?:\w+ )?(?:drink|eat|take|play|watch|read|use|listen to|wear|go to|smoke|want
        |have(?! (?:been|had|put|got|made|\w+ed)\b)        |buy|do|shop|go (?=\w+ing)),
    look(?:ing)? forward to, (?:i|we) (?:\w+ )?(?:talk to|speak to|visit|see),
    (?:i|we) am learning, (?:i|we) learn, (?:i|we) are learning,
    write me, send me, give me, phone me, call me, tell me
""")
_DENIED: Final = phrases(
    "not, never, no, no longer, stopped, quit, gave up, used to, hardly, barely, would, without"
)
_MINE: Final = phrases("i, we, me, us, my, our")
_BREAK: Final = listed("""
    in on at of for from with to by about near after since before because so that which who where
    when while and or than during without every each if but
""")
_NEXT: Final = re.compile(r" (?:and|but|because|since|so) ")
_PORTION: Final = re.compile(
    r"\b(?:a|an|my|one|the) (?:\w+ )?(?:glass|cup|piece|bottle|slice|bowl|plate|mug|bit|game|round)"
    r" of "
)
_DEEDS: Final = frozenset(
    map(
        stem,
        listed("""
            eat drink take have use watch read play wear buy do go like love enjoy want need prefer
            listen eating drinking taking using watching reading playing wearing buying going
            write caring having talk speak see visit taking learning look
        """),
    )
)
"""Verbs of having something, which do not tell what."""
_WHEN: Final = listed(
    "morn even afternoon night lunch dinner breakfast noon supper best most lot weekend tim"
)


def gives_up(new: Clause, old: Clause) -> str | None:
    """What a clause gives up of an older one, as a sentence; None where it does not."""
    if new.frame != "now" or old.frame != "now" or new.added:
        return None
    ended = _ended(new.text)
    if not ended or _DENIED.search(old.text) or not is_own(new, old):
        return None
    liked = _liked(old.text)
    if liked is None:
        return None
    head, all_words = liked
    is_it = any(belongs(word, head) for word in ended) and all(
        any(belongs(word, other) for other in all_words) for word in ended
    )
    return "what was liked or usual is given up" if is_it else None


def _ended(text: str) -> frozenset[str]:
    """The stems of what a clause gives up; none where it gives up nothing."""
    found = next(filter(None, (pattern.search(text) for pattern in _GIVES_UP)), None)
    if found is None:
        return frozenset()
    what = _NEXT.split(found["what"])[0]
    words = frozenset(content(" ".join(values(what.split())[1])))
    return words - _DEEDS or words


def _liked(text: str) -> tuple[str, frozenset[str]] | None:
    """The noun that a clause likes or has, and all words that say which one."""
    found = _LIKES.search(text)
    if found is None or not _MINE.search(text):
        return None
    counted, behind = values(_PORTION.sub(" ", text[found.end() :]).split())
    start = list(dropwhile(lambda word: word in GENERIC or word in _BREAK, behind))
    phrase = [
        word
        for word in content(" ".join(takewhile(lambda word: word not in _BREAK, start)))
        if word not in _WHEN
    ]
    while len(phrase) > 1 and phrase[0] in _DEEDS:
        phrase = phrase[1:]
    # Of "two coffees a day", what is counted.
    phrase = phrase or [value.unit for value in counted if value.kind == "amount" and value.unit]
    if not phrase:
        phrase = [word for word in content(found[0]) if word not in {"prefer", "lik", "lov"}]
    return (phrase[-1], frozenset(content(text))) if phrase else None
