"""The values in a clause that can be compared: days, dates, times, amounts, addresses.

A number that names one of many ("run 12", "chapter 3") is no value: it is part of the name.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from emomem.memory.detectors.verbs import ALL_VERBS
from emomem.memory.detectors.words import GENERIC, listed, stem

ValueKind = Literal["date", "day of the week", "time", "amount", "address"]

_CARDINALS: Final = {
    "one": 1, "two": 2, "twice": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14,
    "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20,
    "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
    "hundred": 100, "thousand": 1000,
}  # fmt: skip
_ORDINALS: Final = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7,
    "eighth": 8, "ninth": 9, "tenth": 10, "eleventh": 11, "twelfth": 12,
}  # fmt: skip
_MONTHS: Final = {
    name: number
    for number, names in enumerate(
        ("january jan", "february feb", "march", "april apr", "may", "june jun", "july jul",
         "august aug", "september sept sep", "october oct", "november nov", "december dec"),
        start=1,
    )
    for name in names.split()
}  # fmt: skip
_DAYS: Final = {
    name + plural: number
    for number, names in enumerate(
        ("monday mon", "tuesday tue", "wednesday wed", "thursday thu", "friday fri", "saturday",
         "sunday"),
        start=1,
    )
    for name in names.split()
    for plural in ("", "s")
}  # fmt: skip
_MEASURES: Final = {
    sign: measure
    for measure, signs in {
        "dollar": "$ buck usd", "euro": "€ eur", "pound": "£ gbp quid", "kilo": "kg kilogram",
        "kilometr": "km kilometer", "percent": "%",
        "person": "guest visitor",
    }.items()
    for sign in signs.split()
}  # fmt: skip

_WRITTEN: Final = re.compile(
    r"(?P<sign>[$€£])?\s?(?P<number>\d+(?:[.,]\d+)*)(?P<unit>km|kg|k|%|st|nd|rd|th|am|pm)?"
)
_CLOCK: Final = re.compile(r"(?P<hour>\d{1,2})(?::(?P<minute>\d{2}))?(?P<half>am|pm)?")
_PHONE: Final = re.compile(r"(?!(?:19|20)\d\d-\d+$)(?:\d+(?:-\d+)+|\d{7,})")
_HOUSE: Final = re.compile(r"\d{1,4}[a-z]?")
_STREETS: Final = listed(
    "street road lane avenue drive square close way court boulevard place hill"
)
_LONG: Final = re.compile(r"\d{4}")
_DIGITS: Final = 8
"""The least digits of a phone number that is written in groups."""
_FEWER_DIGITS: Final = 6
"""The same where the words before it say that it is one."""
_OF_PHONE: Final = listed("number phone mobile cell landline extension fax call ring whatsapp")
_GROUPED: Final = re.compile(r"[\s-]")
_YEAR: Final = re.compile(r"(?:19|20)\d\d")
_DAY_OF_MONTH: Final = re.compile(r"(0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?")

_PARTS: Final = {"half": 30, "quarter": 15}
_O_CLOCK: Final = ("o'clock", "oclock")
_HALVES: Final = {
    tuple(phrase.split()): half
    for phrase, half in {
        "am": "am", "pm": "pm", "in the morning": "am", "in the afternoon": "pm",
        "in the evening": "pm", "at night": "pm", "tonight": "pm",
    }.items()
}  # fmt: skip
"""How the half of the day is said behind an hour."""

_BEFORE_TIME: Final = listed("at by before after until till from around about past")
_BEFORE_YEAR: Final = listed("in since of year until")
_COUNTED: Final = listed("time times day days week weeks month months year years")
_BEFORE_AMOUNT: Final = listed("""
    cost costs weigh weighs turned turn age aged under below above between least most than number
    budget price rent save spend pay pays invite only code pin salary max maximum total
""")
"""Words behind which a bare number is an amount, and no name."""

_HOURS: Final = 12
_HALF_DAY: Final = 60 * _HOURS
_AM, _PM = 1, 2


@dataclass(frozen=True)
class Value:
    """One value.

    Attributes:
        kind: What it is.
        unit: What an amount is counted in, as a stem; "" where it is bare.
        numbers: Month and day of a date; the day of the week, 1..7; the minute of the half day
            and which half, 1 or 2; an amount. 0 where one of them is not said.
        text: The words of it.
        place: The position of its first word in the clause.
    """

    kind: ValueKind
    unit: str
    numbers: tuple[float, ...]
    text: str
    place: int

    def differs(self, other: "Value") -> bool:
        """Whether both cannot be true; False where they cannot be compared."""
        if self.kind != other.kind or (self.unit != other.unit and self.unit and other.unit):
            return False
        if self.kind == "address":
            return _GROUPED.sub("", self.text) != _GROUPED.sub("", other.text)
        return any(a != b for a, b in zip(self.numbers, other.numbers, strict=True) if a and b)


def values(words: Sequence[str]) -> tuple[list[Value], list[str]]:
    """The values of a clause, and its other words, a number that is a name joined to its noun.

    Args:
        words: The words of the clause, in lower case.

    Example:
        >>> found, rest = values("chapter 3 costs 20 euros on monday".split())
        >>> [value.text for value in found], rest
        (['20 euros', 'monday'], ['chapter#3', 'costs', 'on'])
    """
    found: list[Value] = []
    rest: list[str] = []
    place = 0
    while place < len(words):
        word = words[place]
        read = _read(words, place)
        if read is not None:
            kind, unit, numbers, used = read
            text = " ".join(words[place : place + used])
            found.append(Value(kind, unit, numbers, text, place))
            place += used
            continue
        if rest and _is_number(word) and place > 0 and words[place - 1] not in GENERIC:
            rest[-1] = f"{rest[-1]}#{word}"
        else:
            rest.append(word)
        place += 1
    return found, rest


_Read = tuple[ValueKind, str, tuple[float, ...], int] | None
"""Kind, unit, numbers, and how many words it takes."""


def _read(words: Sequence[str], at: int) -> _Read:
    for reader in (_street, _address, _date, _day, _time, _nth, _amount):
        if (read := reader(words, at)) is not None:
            return read
    return None


def _word(words: Sequence[str], at: int) -> str:
    return words[at] if 0 <= at < len(words) else ""


def _address(words: Sequence[str], at: int) -> _Read:
    if "@" in words[at]:
        return "address", "email", (), 1
    if not words[at][0].isdigit():
        return None
    used = 0
    while re.fullmatch(r"\d[\d-]*", _word(words, at + used)):
        used += 1
    is_spaced = used > 1 and (words[at][0] == "0" or any(map(_LONG.match, words[at : at + used])))
    digits = sum(map(len, words[at : at + used]))
    is_number = used > 1 and digits >= _FEWER_DIGITS and _OF_PHONE.intersection(words[:at])
    if _PHONE.fullmatch(words[at]) or (is_spaced and digits >= _DIGITS) or is_number:
        return "address", "phone", (), used
    return None


def _street(words: Sequence[str], at: int) -> _Read:
    """Of "12 Mill Lane": the number, the name and what kind of street."""
    if not _HOUSE.fullmatch(words[at]):
        return None
    for used in (3, 4):
        if _word(words, at + used - 1) in _STREETS:
            return "address", "street", (), used
    return None


def _date(words: Sequence[str], at: int) -> _Read:
    first, second = words[at], _word(words, at + 1)
    if first in _MONTHS:
        day = _day_of_month(second)
        return "date", "", (_MONTHS[first], day), 2 if day else 1
    day = _day_of_month(first)
    if not day:
        return None
    behind = at + (2 if second == "of" else 1)
    if _word(words, behind) in _MONTHS:
        return "date", "", (_MONTHS[words[behind]], day), behind + 1 - at
    # "On the 3rd", "on the third": a bare ordinal is a day, before a noun it is not.
    is_ordinal = first in _ORDINALS or first[-1].isalpha()
    if is_ordinal and _word(words, at - 1) == "the" and (not second or second in GENERIC):
        return "date", "", (0, day), 1
    return None


def _day(words: Sequence[str], at: int) -> _Read:
    day = _DAYS.get(words[at])
    return None if day is None else ("day of the week", "", (day,), 1)


def _time(words: Sequence[str], at: int) -> _Read:
    word = words[at]
    if word in ("noon", "midday", "midnight"):
        return "time", "", (_HALF_DAY, _AM if word == "midnight" else _PM), 1
    first, shift = at, 0
    if word in _PARTS and _word(words, at + 1) in ("past", "to"):
        first, shift = at + 2, _PARTS[word] if words[at + 1] == "past" else -_PARTS[word]
    clock = _CLOCK.fullmatch(_word(words, first))
    hour = int(clock["hour"]) if clock else _CARDINALS.get(_word(words, first), 0)
    if not 0 < hour <= 2 * _HOURS:
        return None
    minute = (int(clock["minute"] or 0) if clock else 0) + shift
    behind = _word(words, first + 1)
    half, more = _half_of_day(words, first + 1)
    half = half or (clock["half"] if clock else None) or ""
    said = half or shift or behind in _O_CLOCK or (clock and clock["minute"])
    fits = _word(words, first - 1) in _BEFORE_TIME and (behind in GENERIC or behind in _DAYS)
    if not (said or fits or _ends_in_time(words, first)):
        return None
    which = {"am": _AM, "pm": _PM}.get(half, _PM if hour > _HOURS else 0)
    numbers = ((60 * (hour % _HOURS) + minute) % _HALF_DAY or _HALF_DAY, which)
    return "time", "", numbers, first + 1 + more - at


def _half_of_day(words: Sequence[str], at: int) -> tuple[str, int]:
    """Which half of the day the words behind an hour say, and how many words of it they are."""
    used = 1 if _word(words, at) in _O_CLOCK else 0
    for phrase, half in _HALVES.items():
        if tuple(words[at + used : at + used + len(phrase)]) == phrase:
            return half, used + len(phrase)
    return "", used


def _ends_in_time(words: Sequence[str], at: int) -> bool:
    return at == len(words) - 1 and _word(words, at - 1) in _BEFORE_TIME


def _nth(words: Sequence[str], at: int) -> _Read:
    """Of "the second floor": which one it is."""
    day = _day_of_month(words[at])
    is_ordinal = words[at] in _ORDINALS or (day and words[at][-1].isalpha())
    noun = _word(words, at + 1)
    if not is_ordinal or not noun or noun in GENERIC:
        return None
    return "amount", f"nth {stem(noun)}", (day,), 2


def _amount(words: Sequence[str], at: int) -> _Read:
    word, before, behind = words[at], _word(words, at - 1), _word(words, at + 1)
    written = _WRITTEN.fullmatch(word)
    number = _as_number(written["number"]) if written else float(_CARDINALS.get(word, 0))
    if not number or (_YEAR.fullmatch(word) and before in _BEFORE_YEAR):
        return None
    unit = (written["sign"] or written["unit"] or "") if written else ""
    if unit == "k":
        number, unit = 1000 * number, ""
    if unit:
        return "amount", _MEASURES.get(unit, unit), (number,), 1
    is_noun = behind in _COUNTED or (behind not in GENERIC and behind not in ALL_VERBS)
    if behind and is_noun and not _is_number(behind):
        measure = stem(behind)
        return "amount", _MEASURES.get(measure, measure), (number,), 2
    is_bare = before in GENERIC or before in _BEFORE_AMOUNT
    return ("amount", "", (number,), 1) if is_bare and word != "one" else None


def _is_number(word: str) -> bool:
    return word[:1].isdigit() or word in _CARDINALS


def _as_number(text: str) -> float:
    """1,800 and 1.800 are eighteen hundred; 2.5 is two and a half."""
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,3}(?:\.\d{3})+", text):
        separator = "," if "," in text else "."
        return float(text.replace(separator, ""))
    parts = text.replace(",", ".").split(".")
    return float(".".join(parts[:2]))


def _day_of_month(word: str) -> int:
    match = _DAY_OF_MONTH.fullmatch(word)
    return int(match[1]) if match else _ORDINALS.get(word, 0)
