"""When somebody or something is gone: sold, stolen, dead, or a place that somebody left."""

import re
from typing import Final

from emomem.memory.detectors.attitudes import attitudes
from emomem.memory.detectors.clauses import Clause
from emomem.memory.detectors.values import values
from emomem.memory.detectors.verbs import ALL_VERBS, PAST_VERBS
from emomem.memory.detectors.words import content, listed, phrases, stem

_DENIED: Final = phrases("not, never, no, no longer, nobody, nothing, without")
_LOST: Final = (
    re.compile(
        r"^(?:i|we) (?:have )?(?:just )?(?:sold|gave away|given away|got rid of) (?:the|my|our)"
        r" (?:\w+ )?(?P<what>\w+)(?: (?:last|in|on|today|yesterday|now|already)\b.*)?$"
    ),
    re.compile(
        r"^(?:my|our) (?:(?:old|poor|dear|sweet) )?(?P<what>\w+) (?:has |have |is |was )?"
        r"(?:died|passed away|dead|ran away|stolen|sold)\b"
    ),
    re.compile(
        r"^(?:my|our|the) (?P<what>\w+) (?:is|are|has|have) (?:finally |all |completely )?"
        r"(?:gone|disappeared|cleared up)\b"
    ),
)
_HELD: Final = re.compile(
    r"^(?:(?:i|we) (?:have|own|drive|ride|keep|have got|get|suffer from)|(?:my|our) \w+ is)"
    r" (?:(?:an?|my|our) )?(?:[\w-]+ ){0,2}?(?P<what>\w+)"
    r"(?: (?:called|named|every|all|to|when|on|in|most) .*)?$"
)
_KIN: Final = (
    r"(?:grand\w+|granny|mum|mom|dad|mother|father|brother|sister|uncle|aunt|husband|wife|dog|cat"
    r"|rabbit|hamster|horse)"
)
_DEAD: Final = (
    re.compile(
        r"^(?P<who>.+?) (?:(?:has|have|is|was|sadly|just|suddenly|got) )*"
        r"(?:died|passed away|dead|put down|put to sleep|ran away|run over)\b"
    ),
    re.compile(r"\b(?:put|lost) (?P<who>(?:our|my) .+|\w+) (?:down|to sleep)\b"),
    re.compile(
        rf"^(?:i|we) (?:have )?lost (?P<who>(?:my |our )?{_KIN})"
        r"(?: (?:in|on|last|this|yesterday|today|to)\b.*)?$"
    ),
)
_ONE: Final = re.compile(
    r"(?P<mine>(?:my|our) )?(?:(?:old|dear|poor|sweet|little|beloved) )?\w+"
    r"|(?:my|our) (?:(?:old|dear|poor|sweet|little|beloved) )?(?:cat|dog|rabbit|hamster|horse"
    r"|parrot|brother|sister|uncle|aunt|friend) \w+"
)
"""Who died: "Biscuit", "my grandmother", "our cat Momo"; not "my neighbour's dog"."""
_LEFT: Final = re.compile(
    r"^(?P<who>.*?) ?(?:have |has |just |finally |had to )*"
    r"(?:quit|left|leave|resigned from|retired from|dropped out of|graduated from"
    r"|(?:was|got|been) (?:fired|sacked|laid off|let go) (?:by|from)"
    r"|(?:stopped|finished) working (?:at|for|in)|(?:no longer|do not|does not) works? (?:at|for"
    r"|in)"
    r"|lost (?:my|his|her|their) job (?:at|with|in)"
    r"|(?:handed in|gave|given|gave in) (?:my|his|her|their) notice (?:at|to))"
    r" (?:(?:my|his|her|their) job (?:at|with|in) )?(?P<what>.+)$"
)
_AT: Final = re.compile(
    r"^(?P<who>.*?) ?\b(?:works?|working|employed|stud(?:y|ies|ying)|volunteers?|teach(?:es)?|job"
    r"|(?:am|is|are) (?:\w+ )?(?:at(?= (?:the )?(?:school|university|college|uni)\b)"
    r"|an? (?:\w+ )*?\w+(?= (?:at|in|for|with) )))\b"
    r"(?: .*?\b(?:at|for|in|with)\b)? (?P<where>.+)$"
)
_NEW_JOB: Final = re.compile(
    r"^(?P<who>.+?) (?:have |has |just |finally )*"
    r"(?:(?:got|have|has|found|landed|start|started) (?:an?|the|my|his|her) (?:new )?job"
    r"|(?:started|start)(?: working)?|changed jobs?|joined) (?:at|with|for|in)"
    r" (?P<what>.+)$"
)
_WORKS: Final = re.compile(
    r"^(?P<who>.+?) (?:works?|(?:am|is) working|have a job|has a job) (?:at|for|with|in)"
    r" (?P<what>.+)$"
)
_SECOND: Final = phrases("second, side, another, weekend, part-time, summer, also, too")
_OWN: Final = listed("i we")
_NO_PLACE: Final = frozenset(
    content("any more last week today job now early late house home yesterday month year spring")
)


def loses(new: Clause, old: Clause) -> str | None:
    """What is sold, stolen or dead of what somebody had, as a sentence; None where nothing is."""
    if old.frame != "now" or _DENIED.search(new.text) or _DENIED.search(old.text):
        return None
    lost = next(filter(None, (pattern.match(new.text) for pattern in _LOST)), None)
    had = _HELD.match(old.text) if lost else None
    if lost and had and stem(lost["what"]) == stem(had["what"]):
        return "what was there is gone"
    return "who is told of is dead" if _is_dead(new, old) else None


def _is_dead(new: Clause, old: Clause) -> bool:
    """Of "Biscuit died": an older clause tells what Biscuit does."""
    found = next(filter(None, (pattern.search(new.text) for pattern in _DEAD)), None)
    if found is None or attitudes(old):
        return False
    whose, who = _ONE.fullmatch(found["who"]), found["who"].split()[-1]
    is_named = who in new.names or (new.text.startswith(("i ", "we ")) and "lost" in new.text)
    if whose is None or not (is_named or whose["mine"]):
        return False
    words = old.text.split()
    places = [place for place, word in enumerate(words) if word == who]
    if not places:
        return False
    before, behind = words[: places[0]], words[places[0] + 1 : places[0] + 3]
    called = is_named and bool(before) and before[-1] in ("called", "named", "is")
    owned = is_named or (bool(before) and before[-1] in ("my", "our"))
    acts = any(map(_is_present, behind)) or (bool(behind) and behind[0].endswith("s"))
    return called or (owned and acts)


def _is_present(verb: str) -> bool:
    return verb in ALL_VERBS and verb not in PAST_VERBS and not verb.endswith("ed")


def leaves(new: Clause, old: Clause) -> str | None:
    """Where somebody works or studies no more, as a sentence; None where nobody left."""
    if old.frame != "now" or not (new.frame == "now" or new.recent):
        return None
    if _works_elsewhere(new, old):
        return "the work differs"
    left = _LEFT.match(new.text)
    if left is None:
        return None
    was = _AT.match(old.text)
    if was is None or _DENIED.search(old.text) or _who(left["who"]) != _who(was["who"]):
        return None
    what = frozenset(content(" ".join(values(left["what"].split())[1]))) - _NO_PLACE
    same = bool(what) and what <= frozenset(content(was["where"]))
    return "it is given up" if same else None


def _works_elsewhere(new: Clause, old: Clause) -> bool:
    started, works = _NEW_JOB.match(new.text), _WORKS.match(old.text)
    if started is None or works is None or _SECOND.search(new.text) or _DENIED.search(old.text):
        return False
    if _who(started["who"]) != _who(works["who"]):
        return False
    mine, other = (frozenset(content(found["what"])) - _NO_PLACE for found in (started, works))
    return bool(mine) and bool(other) and not mine & other


def _who(words: str) -> frozenset[str]:
    named = frozenset(content(words))
    return frozenset({"self"}) if not named or _OWN.intersection(words.split()) else named
