"""When a clause takes back what another says in the same words, calls it off, or decides anew."""

import re
from typing import Final

from emomem.memory.detectors.clauses import Clause
from emomem.memory.detectors.preferences import is_own
from emomem.memory.detectors.values import Value, values
from emomem.memory.detectors.words import content, listed, phrases, stem

_NEGATED: Final = phrases("""
    not, never, no longer, no more, stopped, quit, gave up, given up, used to,
    (?:am|is|are) out of
""")
_DENIED: Final = phrases(
    "not, never, no, no longer, without, hardly, barely, stopped, quit, nobody"
)
_NO_DENIAL: Final = phrases("""
    not (?:sure|certain|know|think|only|just|yet|always|really|that|so|quite|bad|forget|mind|because
        |all|every\\w*), no (?:doubt|problem|idea|wonder), did, was, were, had, without
""")
"""What denies nothing for good, or tells of what is over."""
_WISH: Final = phrases(
    "want, wants, would like, would love, rather, hope, wish, plan, need, looking for"
)
_LIKES: Final = phrases("like, love, enjoy, likes, loves, enjoys, prefer")
_ORDER: Final = re.compile(
    r"^(?:please |and |just )*(?:do not |never |stop )?(?P<deed>call|write|send|text|phone|email"
    r"|wake"
    r"|use|give|tell|remind|ask|show|play|book|order|answer|keep|add|speak|talk|message)(?:ing)?\b"
)
_MAY: Final = re.compile(
    r"^(?:from now on )?you (?:can|may) (?:now |again )?(?P<what>.+?)(?: (?:now|again|from now"
    r" on))*$"
)
_NEVER: Final = re.compile(r"^(?:please )?(?:never|do not) (?P<what>.+)$")
_FILLER: Final = frozenset(
    map(
        stem,
        listed("""
            want wants like love enjoy wish hope plan stop stopped quit give gave given rather
            prefer
            turn turns out doing start started used pack packs cigarettes need look looking no
            longer more one
            time thing just continue morning
            evening afternoon night supposed
        """),
    )
)
_GOING: Final = re.compile(r"\bgoing\b")
_OTHERS: Final = listed("he she they it you his her their this that these those")
_SPEAKER: Final = listed("i we")
_LEAST: Final = 2
"""How many words must be the same where the new clause leaves some out."""

_CANCELLED: Final = r"(?:cancell?ed|called off|scrapped|off|not happening|not taking place)"
_NO_SUCH: Final = re.compile(r"^(?:so )?no (?P<what>.+?)(?P<more>(?: (?:on|at|this|next) .+)?)$")
_OFF: Final = (
    re.compile(
        rf"^(?P<what>.+?) (?:(?:is|are|was|were|has|have|been|got|now|actually) )+{_CANCELLED}\b"
        r"(?P<more>.*)$"
    ),
    re.compile(r"^(?P<what>.+?) (?:has |have )?(?:fell|fallen) through(?P<more>.*)$"),
    re.compile(
        r"^(?:i|we|they) (?:have |had to |just )*(?:cancel|cancell?ed|called off|scrapped)"
        r" (?P<what>.+?)(?P<more>)$"
    ),
    _NO_SUCH,
)
_CANCELS: Final = re.compile(
    r"^(?P<who>\w+) (?:has |have |just |had to )*(?:cancell?ed|bailed|backed out)"
    r"(?: on (?:me|us))?$"
)
_EVENT: Final = phrases(r"""
    going, having, meeting, seeing, visiting, booked, planned, planning, (?:have|got) an?,
    there is, coming, (?:is|are) on, tickets, flying, travelling
""")

_TRIP: Final = frozenset(content("trip holiday vacation visit plan plans journey weekend event"))
"""Words for what is planned that another clause need not say."""
_DECIDED: Final = re.compile(
    r"\b(?:decided|want|plan|would rather|would like|chose|prefer|going|will|chosen)"
    r" (?:to )?(?P<deed>\w+) (?P<what>.+?) instead\b(?! of)"
)
_WANTED: Final = re.compile(
    r"\b(?:want|would like|would love|plan|going|hope|decided|chose) to (?P<deed>\w+) (?P<what>.+)$"
)
_RATHER: Final = re.compile(
    r"\b(?:instead of|rather than|(?:rather|prefer) .+? (?:than|over)) (?P<was>.+)$"
)


def denies_the_same(new: Clause, old: Clause) -> str | None:
    """What a clause denies in the words in which an older one says it, as a sentence."""
    if old.frame != "now" or old.added:
        return None
    if (free := _MAY.match(new.text)) and (ban := _NEVER.match(old.text)):
        same = new.frame == "now" and content(free["what"]) == content(ban["what"])
        return "what was ruled out is allowed" if same else None
    if _resumes(new, old):
        return "one side denies what the other says"
    is_denial = _denies(new) and not (_DENIED.search(old.text) or _NO_DENIAL.search(old.text))
    if not is_denial or "used to" in old.text or _mode(new.text) != _mode(old.text):
        return None
    if _person(new.text) is None or _person(new.text) != _person(old.text):
        return None
    return "one side denies what the other says" if _the_same(new, old) else None


def _resumes(new: Clause, old: Clause) -> bool:
    """Of "I have started drinking coffee again": an older clause denies just that."""
    if not (new.changed and new.frame == "now" and _NEGATED.search(old.text)):
        return False
    if _DENIED.search(new.text) or _NO_DENIAL.search(f"{new.text} {old.text}"):
        return False
    sides = [frozenset(content(" ".join(values(one.text.split())[1]))) for one in (new, old)]
    mine, denied = (side - _FILLER for side in sides)
    is_one = _person(new.text) == _person(old.text) is not None and _mode(new.text) == _mode(
        old.text
    )
    return is_one and bool(mine) and mine == denied


def _denies(new: Clause) -> bool:
    if not _NEGATED.search(new.text) or _NO_DENIAL.search(new.text):
        return False
    if "used to" in new.text:
        return _DENIED.search(new.text) is None
    return new.frame == "now"


def _the_same(new: Clause, old: Clause) -> bool:
    mine, words = values(new.text.split())
    held, others = values(old.text.split())
    denied, said = (
        frozenset(content(_GOING.sub("go", " ".join(one)))) - _FILLER for one in (words, others)
    )
    if not denied or not _all_said(mine, held):
        return False
    if denied == said:
        return True
    is_ordered = _mode(new.text) == "order"
    is_planned = "after all" in new.text and (held or _EVENT.search(old.text)) is not None
    least = 1 if is_planned else _LEAST
    return denied < said and (is_ordered or (new.changed and len(denied) >= least))


def _mode(text: str) -> str:
    """Whether a clause wishes, likes, orders, or tells."""
    if found := _ORDER.match(text):
        return "order" if found["deed"] else ""
    if _WISH.search(text):
        return "wish"
    return "likes" if _LIKES.search(text) else "tells"


def _person(text: str) -> str | None:
    """Whether it is about the speaker or about what it names; None for "he" and "you"."""
    words = text.split()
    if _OTHERS.intersection(words[:3]) - {"it", "that"}:
        return None
    return "speaker" if _SPEAKER.intersection(words[:1]) else "named"


def _all_said(new: list[Value], old: list[Value]) -> bool:
    return all(
        any(one.kind == other.kind and not one.differs(other) for other in old) for one in new
    )


def calls_off(new: Clause, old: Clause) -> str | None:
    """What does not take place of what an older clause tells, as a sentence."""
    cancels = _CANCELS.match(new.text)
    found = next(filter(None, (pattern.match(new.text) for pattern in _OFF)), None)
    if not (cancels or found) or old.frame == "past" or _DENIED.search(old.text):
        return None
    if new.frame == "past" and not new.recent:
        return None
    held, others = values(old.text.split())
    if not (held or _EVENT.search(old.text)):
        return None
    said = frozenset(content(" ".join(others)))
    if cancels:
        is_off = cancels["who"] in new.names and stem(cancels["who"]) in said
    else:
        is_off = found is not None and _is_called_off(found, said, held)
    return "it does not take place" if is_off else None


def _is_called_off(found: re.Match[str], said: frozenset[str], held: list[Value]) -> bool:
    words = values(found["what"].split())[1]
    mine = values(f"{found['what']}{found['more']}".split())[0]
    topic = frozenset(content(" ".join(words))) - _FILLER
    topic = topic - _TRIP or topic
    is_dated = bool(mine) or found.re is not _NO_SUCH  # "no coffee" alone calls nothing off
    return is_dated and bool(topic) and topic <= said and _all_said(mine, held)


def decides_otherwise(new: Clause, old: Clause) -> str | None:
    """What a clause would do in place of what an older one wants, as a sentence."""
    if new.frame != "now" or old.frame != "now" or new.added or not is_own(new, old):
        return None
    if _DENIED.search(old.text):
        return None
    reason = "what was wanted is given up for something else"
    if rather := _RATHER.search(new.text):
        was = frozenset(content(rather["was"])) - _FILLER
        is_wish = _mode(old.text) == "wish"
        return reason if was and is_wish and was <= frozenset(content(old.text)) else None
    chosen, wanted = _DECIDED.search(new.text), _WANTED.search(old.text)
    if chosen is None or wanted is None or stem(chosen["deed"]) != stem(wanted["deed"]):
        return None
    one, other = (frozenset(content(found["what"])) for found in (chosen, wanted))
    return reason if one and other and not one & other else None
