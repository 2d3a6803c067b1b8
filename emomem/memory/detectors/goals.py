"""The detector of instructions that go against a goal."""

import re
from collections.abc import Callable, Sequence
from typing import Final

from emomem.memory.conflict import Conflict
from emomem.memory.detectors.bans import (
    AT_MOST,
    DENIED,
    DOES,
    PROHIBITED,
    forbidden,
    keeps_no_diet,
    things,
)
from emomem.memory.detectors.base import BaseConflictDetector, goals, parties
from emomem.memory.detectors.clauses import plain
from emomem.memory.detectors.goal_money import CURRENCIES, borrows, spends_savings
from emomem.memory.detectors.goal_times import at_a_meal, past_bedtime, put_off
from emomem.memory.detectors.members import covers
from emomem.memory.detectors.values import Value, values
from emomem.memory.detectors.words import listed, phrases, stem
from emomem.memory.unit import MemoryUnit

_INTENSITY: Final = 0.7
"""How strong an instruction against a goal is taken to be."""

_SENTENCE: Final = re.compile(r"(?<=[.!?…])\s+|\n+|\s*;\s*|,\s*(?=(?:and|but|then|please)\b)")
_POLITE: Final = re.compile(
    r"^(?:(?:please|now|then|ok|okay|also|and|but|so|just|well|hey|actually|this time|for once"
    r"|go ahead and|let us|lets|(?:can|could|would|will) you(?: please| kindly)?|i want you to"
    r"|i would like you to|i need you to|you can|you should|do) )+"
)
_IMPERATIVE: Final = DOES | listed("""
    delete remove cancel pay spread increase extend drop skip drive stop close keep save remind
    ask forward print translate find switch change replace sell stay raise lower postpone delay
    let wake build install update upgrade download enable disable
""")
_UNDONE: Final = re.compile(
    r"\b(?:cancel|skip|drop|without|remove|delete|stop|forget|no need for|leave out|do not|not"
    r"|never|no|instead of)\b (?P<what>.+)$"
)
_OVER: Final = listed("more over above")
_AT_LEAST: Final = phrases(
    "at least, no less than, not less than, minimum, save, saving, (?:put|set) (?:.* )?aside"
)
_KEPT_TO: Final = re.compile(r"^keep\b.* to$")
_DEADLINE: Final = re.compile(r"^(?P<what>.*?)\b(?:by|before|until)\b (?P<when>.+)$")
_PURCHASE: Final = phrases("book, order, buy, pay, spend, reserve, rent, hire, get, transfer")
_MONEY: Final = frozenset(
    map(
        stem, listed("budget cost costs spend spending price expenses expense total pay must money")
    )
)
_PERIODS: Final = frozenset(
    map(stem, listed("week month year weekly monthly yearly annual day daily euro dollar pound"))
)
_PRIVATE: Final = phrases("""
    private, secret, confidential, to myself, to ourselves, between us, anonymous, hidden
""")
_KEPT_FROM: Final = re.compile(r"\bkeep(?:ing)? (?P<what>.+?) from (?P<whom>.+)$")
_TELLS: Final = phrases("""
    tell, share, send, post, publish, announce, show, forward, disclose, reveal, mention, include,
    email, give
""")
_LANGUAGES: Final = listed("""
    english portuguese chinese german french spanish italian dutch japanese korean russian polish
    arabic hindi turkish swedish danish norwegian finnish greek czech
""")


_FREE: Final = re.compile(
    r"\bkeep(?:ing)? (?P<when>.+?) (?:free|clear|open|work-free|for (?:the|my|our|myself)\b.*)"
    r"|(?P<kept>(?:my |our |the )?(?:\w+ )?(?:\w+days?|weekends?|evenings?|mornings?)) are for\b"
)
_WEEKEND: Final[frozenset[tuple[float, ...]]] = frozenset({(6,), (7,)})
_PARTS: Final = frozenset(map(stem, listed("morning evening night afternoon")))
_PLANS: Final = re.compile(
    r"^(?:book|schedule|put|plan|arrange|set|move|reserve|invite|add|fix|postpone)\b"
)
_ONLY: Final = phrases("only, always, nothing but, exclusively")
_WAYS: Final = tuple(
    frozenset(map(stem, listed(group)))
    for group in ("train bus car flight fly plane taxi bike", "cash card paypal cheque invoice")
)
"""Of which somebody takes one at a time."""


class GoalConflictDetector(BaseConflictDetector):
    """An instruction against a goal: "keep the budget under 2,000", "book the hotel for 2,500".

    A goal stands against an instruction where it sets a limit that the instruction breaks, forbids
    what the instruction asks for (wine is alcohol, by the lists of
    `emomem.memory.detectors.members`), keeps a time free, or asks for what it takes back. Goals
    are the candidates of the kind "goal", whoever gives the instruction; what is no instruction
    goes against none. Nothing is loaded and no model is asked. English.

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
        if first in _IMPERATIVE or (first in ("do", "never", "not") and DENIED.search(words)):
            found.append(words)
    return found


def _against(text: str, goal: str) -> str | None:
    wanted = plain(goal)
    for instruction in instructions(text):
        for rule in _RULES:
            if (reason := rule(instruction, wanted)) is not None:
                return reason
    return None


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
    found = AT_MOST.search(goal)
    if found is None:
        return _KEPT_TO.search(before) is not None
    is_over = found[0].split()[0] in _OVER
    return not is_over or DENIED.search(goal[: found.start()]) is not None


def _comparable(limit: Value, value: Value, instruction: str, goal: str) -> bool:
    """Whether an amount is one that the goal limits: the same unit, and the same matter."""
    of_money = {limit.unit, value.unit} <= CURRENCIES
    if value.unit == f"nth {limit.unit}":
        return True  # "at most two coffees", "a third coffee"
    is_same_unit = limit.unit == value.unit
    if not is_same_unit and not (of_money and "" in (limit.unit, value.unit)):
        return False
    matter, asked = _matter(goal), _matter(instruction)
    if matter & asked or (is_same_unit and not of_money):
        return True
    if not of_money or not matter or not _PURCHASE.search(instruction):
        return False
    # What is bought may be a part of what the money is for: the band of a wedding.
    return all(covers(word, asked) for word in matter - _MONEY)


def _matter(text: str) -> frozenset[str]:
    """The words that say what an amount is of."""
    return things(" ".join(values(text.split())[1])) - _PERIODS


def _past_the_deadline(instruction: str, goal: str) -> str | None:
    deadline = _DEADLINE.search(goal)
    if deadline is None or not things(deadline["what"]) & things(instruction):
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
    if found is None or PROHIBITED.search(goal):
        return None
    amounts, rest = values(goal.split())
    wanted = things(" ".join([*rest, *(amount.unit for amount in amounts)]))
    undone = things(" ".join(values(found["what"].split())[1]))
    return "the goal asks for what is left out" if undone and undone <= wanted else None


def _another_language(instruction: str, goal: str) -> str | None:
    wanted = _LANGUAGES.intersection(goal.split())
    asked = _LANGUAGES.intersection(instruction.split())
    if not wanted or not asked or asked & wanted or DENIED.search(goal):
        return None
    same = (things(goal) & things(instruction)) - _LANGUAGES
    return "the goal asks for another language" if same else None


def _not_kept_free(instruction: str, goal: str) -> str | None:
    """Of "keep Sunday free": something for that day."""
    free = _FREE.search(goal)
    if free is None or DENIED.search(instruction) or not _PLANS.search(instruction):
        return None
    times = (free["when"] or free["kept"], instruction)
    days, asked = (
        {value.numbers for value in values(text.split())[0] if value.kind == "day of the week"}
        for text in times
    )
    parts, at = (_PARTS.intersection(map(stem, text.split())) for text in times)
    days, asked = (
        found | _WEEKEND if "weekend" in text else found
        for found, text in zip((days, asked), times, strict=True)
    )
    wanted = [mine & other for mine, other in ((days, asked), (parts, at)) if mine]
    return "the goal keeps the time free" if wanted and all(wanted) else None


def _only_another(instruction: str, goal: str) -> str | None:
    """Another way than the only one: "travel only by train", "book a flight"."""
    if not _ONLY.search(goal) or DENIED.search(goal) or DENIED.search(instruction):
        return None
    wanted, asked = things(goal), things(instruction)
    for group in _WAYS:
        if wanted & group and asked & group and not wanted & asked & group:
            return "the goal asks for another way"
    return None


def _made_public(instruction: str, goal: str) -> str | None:
    if not _TELLS.search(instruction) or DENIED.search(instruction):
        return None
    kept = None if DENIED.search(goal) else _KEPT_FROM.search(goal)
    if kept is None and not _PRIVATE.search(goal):
        return None
    secret = things(_PRIVATE.sub(" ", f"{kept['what']} {kept['whom']}" if kept else goal))
    return "the goal keeps it private" if secret and secret <= things(instruction) else None


_RULES: Final[tuple[Callable[[str, str], str | None], ...]] = (
    _over_the_limit,
    forbidden,
    past_bedtime,
    keeps_no_diet,
    _not_kept_free,
    _only_another,
    at_a_meal,
    put_off,
    spends_savings,
    borrows,
    _past_the_deadline,
    _taken_back,
    _another_language,
    _made_public,
)
