"""When an instruction does what a goal forbids: a thing, a deed, or either at a certain time."""

import re
from typing import Final

from emomem.memory.detectors.members import covers
from emomem.memory.detectors.values import Value, values
from emomem.memory.detectors.words import GENERIC, content, listed, phrases, stem

PROHIBITED: Final = re.compile(
    r"\b(?:never|do not|no more|no|not|nothing on|nothing for|avoid|avoiding|stay off"
    r"|stay away from|keep away from|quit|stop|without|refrain from|cut out|give up|abstain from"
    r"|stay clear of|less|fewer|reduce|reducing|(?:cut|cutting) (?:down|back)(?: on)?"
    r"|lay off|ease off|go easy on)\b (?P<what>.+)$"
)
_LESS: Final = re.compile(
    r"\b(?P<what>drink|smoke|gamble|shop|fly)(?:ing)? (?:a (?:lot|bit) )?less\b"
)
"""Of a deed alone: "drink less"."""
DENIED: Final = phrases("not, never, no, without, instead of, rather than")
AT_MOST: Final = phrases("""
    under, below, less than, at most, no more than, not more than, more than, maximum, max, up to,
    within, not exceed, over, above, limit, cap, fewer than, no longer than
""")
_UNTIL: Final = re.compile(
    r" (?:until|till|for the|this (?:week|month|year|spring|summer|autumn|fall|winter|time)|for a"
    r"|for at least|any ?more|any longer|again|ever|before|from now on|in (?:20\d\d|future)) ?.*$"
)
_BOUND: Final = phrases("before, after, later than, earlier than, past")
DOES: Final = listed("""
    book order buy get schedule put move invite send share tell write answer reply call ring add
    take make leave reserve plan set arrange give use post publish upload email text spend include
    bring cook prepare show start turn open choose pick rent hire ship deliver go meet push speak
    talk lend donate withdraw disclose reveal subscribe renew contact message phone invest fly apply
    adopt join pour serve fetch grab accept eat drink watch play smoke bake stream invite enrol
    register sign transfer find
""")
"""What gets, makes or does something; "cancel", "sell" or "remind me" does not."""
_SERVES: Final = frozenset(
    map(
        stem,
        listed("""
            take drink eat have buy spend get order do use book attend own make accept want new more
            extra additional further myself start must shall own allow single live amount
        """),
    )
)
"""What a ban says beside the thing: that one gets or uses it, and that it is one more."""
_MAY_FOLLOW: Final = listed("""
    ticket tickets bottle bottles box pack packs session appointment before after until during near
    tonight online please monday tuesday wednesday thursday friday saturday sunday
""")
"""What may stand behind a thing that is asked for."""
_BOOK: Final = "book"
_HARMLESS: Final = phrases(
    r"[a-z]+-free, non-[a-z]+, decaf, vegan, vegetarian, veggie, meatless, alcohol free"
)
"""What names a thing and is none of its kind."""
_BRINGS: Final = re.compile(
    r"^(?:take|bring|put|move|send|get) (?:my|the|our|his|her) .* (?:to|from)\b"
)
_FOR_WHOM: Final = re.compile(
    r"\bfor (?:my|our|his|her|the) (?P<who>husband|wife|son|daughter|brother|sister|mother|father"
    r"|mum|mom|dad|parents?|friends?|guests?|boss|colleagues?|neighbou?rs?|kids?|children|dog|cat)\b"
)
_REASONS: Final = re.compile(r"\b(?:so|because|but|and)\b")
_DIETS: Final = (
    (phrases("vegetarian"), ("meat", "fish")),
    (phrases("vegan, plant[- ]based"), ("meat", "fish", "dairy")),
)
_LIGHT: Final = phrases(r"""
    (?:lose|losing|drop) (?:some )?weight, slim down, on a diet, (?:fast|junk) food,
    eat(?:ing)? (?:more )?(?:health\w+|better|clean|light)
""")
_HEAVY: Final = "junk"
_FILLER: Final = frozenset(
    map(
        stem,
        listed("""
            keep want goal make sure try get go let always never only stop quit avoid finish limit
            stay per under below most least within maximum max more less than any please
            decide try like love hope plan wish aim promise resolve mean need agree intend
        """),
    )
)
"""Words of wanting and limiting, which do not tell what."""
_HALF_DAY: Final = 720
LATE: Final = phrases("late, night, tonight, evening, midnight, concert, film, show, party, club")
_AM, _PM = 1, 2


def things(text: str) -> frozenset[str]:
    """The stems of what a goal or an instruction is about."""
    return frozenset(content(text)) - _FILLER


def forbidden(instruction: str, goal: str) -> str | None:
    """What a goal forbids of an instruction, as a sentence."""
    found = _LESS.search(goal) or PROHIBITED.search(goal)
    if found is None or AT_MOST.search(goal):
        return None
    if DENIED.search(instruction) or _HARMLESS.search(instruction):
        return None
    what = found["what"]
    if bound := _BOUND.search(what):
        if times(what):
            return _at_a_wrong_time(instruction, what, bound)
        what = what[: bound.start()]
    what = _UNTIL.sub("", what.strip() + " ")
    banned = things(what) - _SERVES or things(what)
    verb = stem(instruction.split(" ", 1)[0])
    mine = _named(instruction, banned)
    where = things(_REASONS.split(goal[: found.start()])[-1]) - _SERVES
    if verb not in banned and (not _gets(instruction) or _for_another(instruction, banned)):
        return None
    if things(what) and all(covers(word, mine) for word in banned | where):
        return "the goal forbids it"
    return None


def _gets(instruction: str) -> bool:
    return instruction.split(" ", 1)[0] in DOES and _BRINGS.search(instruction) is None


def _for_another(instruction: str, banned: frozenset[str]) -> bool:
    """Whether somebody else gets it, whom the ban does not mention."""
    found = _FOR_WHOM.search(instruction)
    return found is not None and stem(found["who"]) not in banned


def keeps_no_diet(instruction: str, goal: str) -> str | None:
    """Meat for a vegetarian, cake against "lose weight": what is forbidden without its name."""
    kinds = [kind for diet, kinds in _DIETS for kind in kinds if diet.search(goal)]
    kinds = [] if DENIED.search(goal) else kinds
    kinds += [_HEAVY] if _LIGHT.search(goal) else []
    if not kinds or DENIED.search(instruction):
        return None
    if not _gets(instruction) or _HARMLESS.search(instruction) or _FOR_WHOM.search(instruction):
        return None
    mine = things(instruction)
    return "the goal forbids it" if any(covers(kind, mine) for kind in kinds) else None


def _named(instruction: str, banned: frozenset[str]) -> frozenset[str]:
    """What an instruction names for its own sake: the shoe shop is no shoe."""
    words = instruction.split()
    found = {value.unit for value in values(words)[0]}
    for word, behind in zip(words, [*words[1:], ""], strict=True):
        ends = not behind.isalpha() or behind in GENERIC or behind in _MAY_FOLLOW
        if ends or any(covers(one, frozenset({stem(behind)})) for one in banned):
            found.add(stem(word))
    verb = stem(words[0])
    # "Book a table" buys no book.
    return (frozenset(found) | {verb}) - ({_BOOK} if verb == _BOOK else set())


def times(text: str) -> list[Value]:
    """The times of day in a text."""
    return [value for value in values(text.split())[0] if value.kind == "time"]


def _at_a_wrong_time(instruction: str, what: str, bound: re.Match[str]) -> str | None:
    """Of "never call me before nine"."""
    limits, asked = times(what), times(instruction)
    matter = things(what[: bound.start()])
    mine = things(instruction)
    if not limits or not asked or not any(covers(word, mine) for word in matter):
        return None
    is_before = bound[0] in ("before", "earlier than")
    halves = limits[0].numbers[1], asked[0].numbers[1]
    if halves[0] == _PM and not halves[1] and not LATE.search(instruction):
        return None  # "at ten" may be in the morning
    # Nothing before nine is in the morning, nothing after nine in the evening.
    half = halves[0] or (_AM if is_before else _PM)
    are_full = any(halves)
    limit = _minute(limits[0], half if are_full else 0)
    time = _minute(asked[0], (halves[1] or half) if are_full else 0)
    is_broken = time < limit if is_before else time > limit
    return "the time is one that the goal excludes" if is_broken else None


def _minute(time: Value, half: float) -> float:
    return time.numbers[0] % _HALF_DAY + _HALF_DAY * (half == _PM)
