"""The detector of instructions that go against a goal."""

import re
from collections.abc import Callable, Sequence
from typing import Final

from emomem.memory.conflict import Conflict
from emomem.memory.detectors.base import BaseConflictDetector, goals, parties
from emomem.memory.detectors.clauses import plain
from emomem.memory.detectors.values import Value, values
from emomem.memory.detectors.words import content, covers, listed, phrases, stem
from emomem.memory.unit import MemoryUnit

_INTENSITY: Final = 0.7
"""How strong an instruction against a goal is taken to be."""

_SENTENCE: Final = re.compile(r"(?<=[.!?…])\s+|\n+|\s*;\s*|,\s*(?=(?:and|but|then|please)\b)")
_POLITE: Final = re.compile(
    r"^(?:(?:please|now|then|ok|okay|also|and|but|so|just|well|hey|actually|this time|for once"
    r"|go ahead and|let us|lets|(?:can|could|would|will) you(?: please| kindly)?|i want you to"
    r"|i would like you to|i need you to|you can|you should|do) )+"
)
_IMPERATIVE: Final = listed("""
    book order buy get schedule put move invite send share tell write answer reply call ring add
    delete remove cancel take make leave reserve plan set arrange give use post publish upload email
    text pay spend spread transfer include increase extend drop skip bring drive cook prepare show
    sign start stop turn open close keep save remind ask let forward print translate choose pick
    find switch change replace rent hire sell ship deliver go meet stay raise lower postpone delay
    push speak talk lend donate withdraw disclose reveal subscribe renew contact message phone wake
    build install update upgrade download enable disable invest fly
""")
_PROHIBITED: Final = re.compile(
    r"\b(?:never|do not|no more|no|not|avoid|avoiding|stay off|stay away from|keep away from|quit"
    r"|stop|without|refrain from|cut out|give up|abstain from|stay clear of)\b (?P<what>.+)$"
)
_UNTIL: Final = re.compile(r" (?:until|till|for the|this|for a|for at least) .*$")
_UNDONE: Final = re.compile(
    r"\b(?:cancel|skip|drop|without|remove|delete|stop|forget|no need for|leave out|do not|not"
    r"|never|no|instead of)\b (?P<what>.+)$"
)
_AT_MOST: Final = phrases("""
    under, below, less than, at most, no more than, not more than, more than, maximum, max, up to,
    within, not exceed, over, above, limit, cap, fewer than, no longer than
""")
_OVER: Final = listed("more over above")
_AT_LEAST: Final = phrases("at least, no less than, not less than, minimum, save, saving")
_KEPT_TO: Final = re.compile(r"^keep\b.* to$")
_DENIED: Final = phrases("not, never, no")
_BOUND: Final = phrases("before, after, later than, earlier than")
_DEADLINE: Final = re.compile(r"^(?P<what>.*?)\b(?:by|before|until)\b (?P<when>.+)$")
_PURCHASE: Final = phrases("book, order, buy, pay, spend, reserve, rent, hire, get, transfer")
_MONEY: Final = frozenset(
    map(stem, listed("budget cost costs spend spending price expenses expense total pay"))
)
_CURRENCIES: Final = frozenset({"dollar", "euro", "pound", ""})
_PERIODS: Final = listed("week month year euro dollar pound")
_PRIVATE: Final = phrases("""
    private, secret, confidential, to myself, to ourselves, between us, anonymous, hidden
""")
_TELLS: Final = phrases("""
    tell, share, send, post, publish, announce, show, forward, disclose, reveal, mention, include,
    email, give
""")
_LANGUAGES: Final = listed("""
    english portuguese chinese german french spanish italian dutch japanese korean russian polish
    arabic hindi turkish swedish danish norwegian finnish greek czech
""")
_FILLER: Final = frozenset(
    map(
        stem,
        listed("""
            keep want goal make sure try get go let always never only stop quit avoid finish limit
            stay per under below most least within maximum max more less than any please
        """),
    )
)
"""Words of wanting and limiting, which do not tell what."""

_HALF_DAY: Final = 720
_PM: Final = 2


class GoalConflictDetector(BaseConflictDetector):
    """An instruction against a goal: "keep the budget under 2,000", "book the hotel for 2,500".

    A goal stands against an instruction where it sets a limit that the instruction breaks, forbids
    all that the instruction names, or asks for what it takes back. Goals are the candidates of the
    kind "goal", whoever gives the instruction; what is no instruction goes against none. Nothing
    is loaded and no model is asked. English.

    Example:
        >>> from emomem.memory.unit import MemoryUnit
        >>> common = {"user_id": "ann", "speaker": "ann", "created_at": 0}
        >>> goal = MemoryUnit(text="Keep the budget under 2,000.", kind="goal", **common)
        >>> new = MemoryUnit(text="Book the hotel for 2,500.", **common)
        >>> [(found.kind, found.reason) for found in GoalConflictDetector().detect(new, [goal])]
        [('goal_instruction', 'the amount is over the limit of the goal')]
    """

    def detect(self, new: MemoryUnit, candidates: Sequence[MemoryUnit]) -> list[Conflict]:
        """The conflicts of `new` with the goals among the candidates, in their order."""
        found = []
        for goal in goals(new, candidates):
            reason = _against(new.text, goal.text)
            if reason is not None:
                conflict = Conflict(
                    kind="goal_instruction",
                    against=goal,
                    parties=parties(new, goal),
                    intensity=_INTENSITY,
                    reason=reason,
                    detail=f"{new.text.strip()}, against the goal: {goal.text.strip()}",
                )
                found.append(conflict)
        return found


def instructions(text: str) -> list[str]:
    """The sentences of a text that tell somebody to do something, in plain lower case."""
    found = []
    for sentence in _SENTENCE.split(text):
        words = _POLITE.sub("", plain(sentence) + " ").strip()
        first = words.split(" ", 1)[0]
        if first in _IMPERATIVE or (first in ("do", "never", "not") and _DENIED.search(words)):
            found.append(words)
    return found


def _against(text: str, goal: str) -> str | None:
    wanted = plain(goal)
    for instruction in instructions(text):
        for rule in _RULES:
            if (reason := rule(instruction, wanted)) is not None:
                return reason
    return None


def _things(text: str) -> frozenset[str]:
    return frozenset(content(text)) - _FILLER


def _over_the_limit(instruction: str, goal: str) -> str | None:
    limits, asked = (
        [value for value in values(text.split())[0] if value.kind == "amount"]
        for text in (goal, instruction)
    )
    if not limits:
        return None
    limit = limits[0]
    at_least = _AT_LEAST.search(goal) is not None
    if not at_least and not _is_cap(goal, limit):
        return None
    for value in asked:
        if not _comparable(limit, value, instruction, goal):
            continue
        if at_least and value.numbers < limit.numbers:
            return "the amount is under what the goal asks for"
        if not at_least and value.numbers > limit.numbers:
            return "the amount is over the limit of the goal"
    return None


def _is_cap(goal: str, limit: Value) -> bool:
    """Whether it says "under 40", "not over 40" or "keep it to 40"."""
    before = " ".join(goal.split()[: limit.place])
    found = _AT_MOST.search(goal)
    if found is None:
        return _KEPT_TO.search(before) is not None
    is_over = found[0].split()[0] in _OVER
    return not is_over or _DENIED.search(goal[: found.start()]) is not None


def _comparable(limit: Value, value: Value, instruction: str, goal: str) -> bool:
    """Whether an amount is one that the goal limits: the same unit, and the same matter."""
    of_money = {limit.unit, value.unit} <= _CURRENCIES
    is_same_unit = limit.unit == value.unit
    if not is_same_unit and not (of_money and "" in (limit.unit, value.unit)):
        return False
    matter = _matter(goal)
    if matter & _matter(instruction) or (is_same_unit and not of_money):
        return True
    return of_money and bool(matter) and matter <= _MONEY and bool(_PURCHASE.search(instruction))


def _matter(text: str) -> frozenset[str]:
    """The words that say what an amount is of."""
    return _things(" ".join(values(text.split())[1])) - _PERIODS


def _forbidden(instruction: str, goal: str) -> str | None:
    found = _PROHIBITED.search(goal)
    if found is None or _DENIED.search(instruction) or _AT_MOST.search(goal):
        return None
    what = _UNTIL.sub("", found["what"])
    if bound := _BOUND.search(what):
        return _at_a_wrong_time(instruction, what, bound)
    forbidden = _things(what) | _things(goal[: found.start()])
    mine = _things(instruction)
    if _things(what) and all(covers(word, mine) for word in forbidden):
        return "the goal forbids it"
    return None


def _at_a_wrong_time(instruction: str, what: str, bound: re.Match[str]) -> str | None:
    """Of "never call me before nine"."""
    limits, asked = (
        [value for value in values(text.split())[0] if value.kind == "time"]
        for text in (what, instruction)
    )
    matter = _things(what[: bound.start()])
    if not limits or not asked or not matter & _things(instruction):
        return None
    # Where one of them does not say which half of the day it means, both are taken for the same.
    are_full = all(time.numbers[1] for time in (limits[0], asked[0]))
    limit, time = (_minute(one, is_full=are_full) for one in (limits[0], asked[0]))
    is_broken = time < limit if bound[0] in ("before", "earlier than") else time > limit
    return "the time is one that the goal excludes" if is_broken else None


def _minute(time: Value, *, is_full: bool) -> float:
    minute = time.numbers[0] % _HALF_DAY
    return minute + _HALF_DAY * (is_full and time.numbers[1] == _PM)


def _past_the_deadline(instruction: str, goal: str) -> str | None:
    deadline = _DEADLINE.search(goal)
    if deadline is None or not _things(deadline["what"]) & _things(instruction):
        return None
    limits, asked = (
        [value.numbers for value in values(text.split())[0] if value.kind == "date"]
        for text in (deadline["when"], instruction)
    )
    if not limits or not asked:
        return None
    (month, day), (new_month, new_day) = limits[0], asked[0]
    is_later = (
        month and new_month and (new_month > month or (new_month == month and 0 < day < new_day))
    )
    return "the date is after the one of the goal" if is_later else None


def _taken_back(instruction: str, goal: str) -> str | None:
    """An instruction to leave out what the goal asks for."""
    found = _UNDONE.search(instruction)
    if found is None or _PROHIBITED.search(goal):
        return None
    amounts, rest = values(goal.split())
    wanted = _things(" ".join([*rest, *(amount.unit for amount in amounts)]))
    undone = _things(found["what"])
    return "the goal asks for what is left out" if undone and undone <= wanted else None


def _another_language(instruction: str, goal: str) -> str | None:
    wanted = _LANGUAGES.intersection(goal.split())
    asked = _LANGUAGES.intersection(instruction.split())
    if not wanted or not asked or asked & wanted or _DENIED.search(goal):
        return None
    same = (_things(goal) & _things(instruction)) - _LANGUAGES
    return "the goal asks for another language" if same else None


def _made_public(instruction: str, goal: str) -> str | None:
    if not _PRIVATE.search(goal) or not _TELLS.search(instruction) or _DENIED.search(instruction):
        return None
    secret = _things(_PRIVATE.sub(" ", goal))
    return "the goal keeps it private" if secret and secret <= _things(instruction) else None


_RULES: Final[tuple[Callable[[str, str], str | None], ...]] = (
    _over_the_limit,
    _forbidden,
    _past_the_deadline,
    _taken_back,
    _another_language,
    _made_public,
)
