"""What a user in distress is spared: most of the dark, in all that is told at once."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Final

from emomem.affect import Affect
from emomem.memory.unit import MemoryUnit
from emomem.ranking.policies import DISTRESS, Comfort, present_valence
from emomem.safety import in_distress

if TYPE_CHECKING:
    from emomem.memory.recalling import Recalled

CAP: Final = Comfort.cap
"""How many strongly negative memories one context may hold for a user in distress."""


def is_dark(unit: MemoryUnit) -> bool:
    """Whether a memory is strongly negative."""
    return present_valence(unit.affect) < DISTRESS


def spared(
    facts: Sequence["Recalled"], felt: Sequence["Recalled"], present: Affect
) -> tuple[list["Recalled"], list["Recalled"]]:
    """Facts and affective memories without most of the dark ones, for a user in distress.

    The best `CAP` of both together stay, in turns, so that nothing is left empty; a text counts
    once, however often it comes. To anyone else all may be told.

    Args:
        facts: The facts, best first.
        felt: The affective memories, best first.
        present: The user's present affect.
    """
    if not in_distress(present):
        return list(facts), list(felt)
    pairs = zip_longest(facts, felt)
    allowed = _first(one.unit for pair in pairs for one in pair if one is not None)

    def kept(recalled: Sequence["Recalled"]) -> list["Recalled"]:
        return [one for one in recalled if not is_dark(one.unit) or one.unit.text in allowed]

    return kept(facts), kept(felt)


def sides(
    units: Iterable[MemoryUnit], others: Mapping[str, MemoryUnit], present: Affect
) -> dict[str, MemoryUnit]:
    """The other sides of conflicts that may be told beside some units; the same cap is theirs.

    Args:
        units: What is told.
        others: The other sides, by id.
        present: The user's present affect.
    """
    if not in_distress(present):
        return dict(others)
    allowed = _first([*units, *others.values()])
    return {id_: one for id_, one in others.items() if not is_dark(one) or one.text in allowed}


def _first(units: Iterable[MemoryUnit]) -> set[str]:
    """The texts of the first dark units."""
    texts = dict.fromkeys(unit.text for unit in units if is_dark(unit))
    return set(list(texts)[:CAP])
