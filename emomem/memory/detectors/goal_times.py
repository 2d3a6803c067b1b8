"""When an instruction takes the time that a goal wants kept: bed, dinner at home, a deadline."""

import re
from typing import Final

from emomem.memory.detectors.bans import DENIED, DOES, LATE, things, times
from emomem.memory.detectors.values import Value
from emomem.memory.detectors.words import phrases

_HALF_DAY: Final = 720
_PM: Final = 2
_SMALL_HOURS: Final = 300

_IN_BED: Final = re.compile(
    r"\b(?:asleep|in bed|(?:go|going|get) to (?:bed|sleep)|lights out|(?:be|get) home|leave work"
    r"|leave the office|(?:stop|finish) work(?:ing)?)\b.*\b(?:by|before|at)\b"
)
_EARLY: Final = phrases("(?:sleep|bed|go to bed) (?:earl(?:y|ier)|more|eight hours)")
"""A goal of sleeping without an hour."""
_NIGHT: Final = phrases("""
    (?:late|last|latest) (?:show|film|movie|screening|train|flight|bus|shift|night|showing|slot
        |seating
        |class|game), midnight, night (?:shift|bus|train|club), all[- ]night(?:er)?, after midnight
""")
"""What is late without an hour."""
_LASTS: Final = (
    (
        phrases(
            "shows?, films?, movies?, screening, concerts?, plays?, opera, musical, gig, match"
        ),
        90,
    ),
    (phrases("party, club, dinner, drinks, bar, pub"), 60),
)
"""What goes on for some time, and the minutes that it takes at the least."""
_WAKES: Final = phrases("wake, alarm, remind, morning")

_MEALS: Final = {
    "breakfast": (360, 570),
    "lunch": (720, 840),
    "dinner": (1080, 1230),
    "supper": (1080, 1230),
}
"""From which minute of the day to which a meal takes its time."""
_AT_A_MEAL: Final = re.compile(
    rf"\b(?:home|free|back|there|(?:have|eat|cook)(?: \w+)*) (?:for |in time for |by )?(?:\w+ )?"
    rf"(?P<meal>{'|'.join(_MEALS)})\b|\b(?P<kept>{'|'.join(_MEALS)}) (?:at home|with (?:my|the"
    rf"|our))\b"
)
_AT_HOME: Final = phrases(
    "start, play, show me, stream, turn, home, family, kids, us, remind, alarm, cook, before, until"
)
_NOT_MORNING: Final = phrases("am, morning")

_DUE: Final = re.compile(
    r"\b(?:finish|complete|submit|hand in|deliver|file|send|get|write|reply|answer|respond"
    r"|pay)\w*\b"
    r"(?P<what>.*?)\b(?:by|before|until|within|this|in (?:time|\w+ (?:hours?|days?|weeks?"
    r"|minutes?))"
    r"|on time|the same day|right away|immediately|straight away)\b"
)
_PUT_OFF: Final = re.compile(
    r"^(?:postpone|delay|put off|push back|leave|move|extend|defer)\b (?P<what>.+?)"
    r"(?: \b(?:to|until|till|for|by)\b (?P<when>.+))?$"
)
_MUCH_LATER: Final = phrases("""
    next (?:week|month|year|spring|summer|autumn|fall|winter|semester|term|\\w+day), tomorrow,
    later,
    monday, tuesday, wednesday, thursday, friday, saturday, sunday, another (?:week|month|year)
""")


def past_bedtime(instruction: str, goal: str) -> str | None:
    """Something late, where the goal is to be asleep: "be in bed by ten"."""
    if DENIED.search(goal) or DENIED.search(instruction) or not _books(instruction):
        return None
    late = _NIGHT.search(instruction) is not None
    if late and (_IN_BED.search(goal) or _EARLY.search(goal)):
        return "the time is later than the goal allows"
    if _IN_BED.search(goal) is None:
        return None
    limits, asked = times(goal), times(instruction)
    if not limits or not asked:
        return None
    is_evening = asked[0].numbers[1] == _PM or LATE.search(instruction) is not None
    if not is_evening or _WAKES.search(instruction):
        return None
    lasts = next((minutes for what, minutes in _LASTS if what.search(instruction)), 0)
    limit, time = (_into_the_night(one) for one in (limits[0], asked[0]))
    return "the time is later than the goal allows" if time + lasts > limit else None


def at_a_meal(instruction: str, goal: str) -> str | None:
    """Something at seven in the evening, where the goal is to be home for dinner."""
    found = _AT_A_MEAL.search(goal)
    asked = times(instruction)
    if found is None or not asked or not _books(instruction):
        return None
    if DENIED.search(goal) or DENIED.search(instruction) or _AT_HOME.search(instruction):
        return None
    first, last = _MEALS[found["meal"] or found["kept"]]
    minute, half = asked[0].numbers[0] % _HALF_DAY, asked[0].numbers[1]
    if not half:
        half = _PM if LATE.search(instruction) or first >= _HALF_DAY else 1
    if _NOT_MORNING.search(instruction):
        half = 1
    return (
        "the goal keeps the time free"
        if first <= minute + _HALF_DAY * (half == _PM) <= last
        else None
    )


def put_off(instruction: str, goal: str) -> str | None:
    """What is to be done by some time, put off: "finish the thesis this summer"."""
    due, later = _DUE.search(goal), _PUT_OFF.search(instruction)
    if due is None or later is None or DENIED.search(goal) or DENIED.search(instruction):
        return None
    what = things(due["what"])
    same = bool(what) and bool(what & things(later["what"]))
    begins = instruction.split(" ", 1)[0]
    when = later["when"] or ""
    is_late = _MUCH_LATER.search(when) is not None or (
        not when and begins in ("postpone", "delay", "put", "push", "defer")
    )
    return "the goal wants it done sooner" if same and is_late else None


def _books(instruction: str) -> bool:
    return instruction.split(" ", 1)[0] in DOES


def _into_the_night(time: Value) -> float:
    minute = time.numbers[0] % _HALF_DAY
    return minute + _HALF_DAY if minute < _SMALL_HOURS else minute
