"""When an instruction spends what a goal saves, or borrows what it pays off."""

import re
from typing import Final

from emomem.memory.detectors.bans import DENIED
from emomem.memory.detectors.members import covers
from emomem.memory.detectors.values import Value, values
from emomem.memory.detectors.words import content, phrases

CURRENCIES: Final = frozenset({"dollar", "euro", "pound", ""})
SAVES: Final = phrases("save, saving, savings, (?:put|set) (?:.* )?aside")
_FROM_SAVINGS: Final = re.compile(
    r"\b(?:take|withdraw|transfer|send|use|move|pay|spend|buy|get|order|book)\b.*"
    r"\b(?:out of|from|off|of|empty|with|using)"
    r" (?:the |my |our )?savings\b|\b(?:spend|use|blow|lend|give)\b (?:the|that|these|those|all) "
)
_PERIOD: Final = phrases("""
    (?:a|per|each|every) (?:week|month|year|day), monthly, weekly, yearly, this (?:month|week|year)
""")
_BUYS: Final = re.compile(r"^(?:buy|order|book|get|spend|treat|reserve|rent|hire)\b")
_NEEDS: Final = phrases("rent, mortgage, insurance, medicine, bills?, tax(?:es)?, groceries")
_PAYS_OFF: Final = re.compile(
    r"\b(?:pay(?:ing)? (?:off|down)|clear(?:ing)?|get rid of|get out of|reduce|reducing) "
    r"(?:of )?(?:my |our |the |all )*(?P<what>.+)$"
)
_BORROWS: Final = re.compile(
    r"^(?:put|charge|book|buy|order|get|pay)\b.*\b(?:on|to|with) (?:the|my|our) (?P<with>.+)$"
    r"|^(?:take out|get|apply for|take|increase|raise|extend|use) (?:an?|the|my|another|more)"
    r" (?P<loan>.+)$"
)
_DEBTS: Final = frozenset(
    content("card credit loan overdraft mortgage debt instalment installment")
)


def spends_savings(instruction: str, goal: str) -> str | None:
    """Money that is to be saved, taken out again, or as much spent on something else."""
    if not SAVES.search(goal) or DENIED.search(goal) or DENIED.search(instruction):
        return None
    kept, spent = _amounts(goal), _amounts(instruction)
    numbers = [{value.numbers for value in found} for found in (kept, spent)]
    takes = _FROM_SAVINGS.search(instruction)
    if takes is not None and ("savings" in takes[0] or bool(numbers[0] & numbers[1])):
        return "the goal is to save what is taken"
    if not _PERIOD.search(goal) or not _BUYS.search(instruction) or _NEEDS.search(instruction):
        return None
    of_money = [[one for one in found if one.unit in CURRENCIES] for found in (kept, spent)]
    asked = _words(instruction)
    if not all(of_money) or any(covers(word, asked) for word in _words(goal)):
        return None
    is_more = of_money[1][0].numbers >= of_money[0][0].numbers
    return "it costs as much as the goal saves" if is_more else None


def borrows(instruction: str, goal: str) -> str | None:
    """Something on credit, where the goal is to pay that off."""
    owed, more = _PAYS_OFF.search(goal), _BORROWS.search(instruction)
    if owed is None or more is None or DENIED.search(instruction):
        return None
    debt = frozenset(content(owed["what"])) & _DEBTS
    asked = frozenset(content(more["with"] or more["loan"])) & _DEBTS
    is_payment = instruction.startswith("pay ") and "with" not in instruction.split()
    return "the goal is to pay off what is borrowed" if debt and asked and not is_payment else None


def _amounts(text: str) -> list[Value]:
    return [value for value in values(text.split())[0] if value.kind == "amount"]


_FILLER: Final = frozenset(
    content(
        "save saving savings buy order book get month week year euro dollar pound put aside want"
    )
)


def _words(text: str) -> frozenset[str]:
    return frozenset(content(" ".join(values(text.split())[1]))) - _FILLER
