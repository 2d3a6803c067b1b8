"""Affective retrieval of a memory: what it brings back for how its user feels."""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from emomem.emotions import projection
from emomem.evaluation.agents import TOLD, Remembering
from emomem.evaluation.pillars.asking import recalled
from emomem.evaluation.pillars.base import Pillar, Row, estimates
from emomem.evaluation.pillars.retrieval import KL, divergence, wanted_emotions
from emomem.evaluation.statistics import SEED
from emomem.evaluation.stories import Moment

SHARE: Final = "share that fits"
FOUND: Final = "of what fits, told"
RANDOM: Final = "at random"

NOTE: Final = (
    "Moments of our own, each a user with some feelings among plain everyday things. The memory is "
    "told how the user feels now, where it can be, and what fits (what soothes a user in distress, "
    "else what feels alike) was marked by hand, as were the feelings. KL: how far the mean of what "
    "is told diverges from what is wanted, in nats; much of it is plain, so that it is far from 0. "
    f"At random: {TOLD} texts of the same user. Texts that were reworded count for nothing."
)

_MEASURES: Final = (KL, SHARE, FOUND)
_DRAWS: Final = 200

Values = tuple[float | None, float, float]


def measure_recall(memories: Mapping[str, Remembering], moments: Sequence[Moment]) -> Pillar:
    """What memories bring back for a user's state, against what it asks for.

    Args:
        memories: By name; they have been told the moments.
        moments: The moments.
    """
    values: dict[str, list[Values]] = {}
    for name, memory in memories.items():
        found = recalled(memory, moments)
        values[name] = [
            _values(moment, _places(moment, came.told))
            for moment, came in zip(moments, found, strict=True)
        ]
    values[RANDOM] = [_by_chance(moment) for moment in moments]
    rows: dict[str, Row] = {}
    for wish in dict.fromkeys(one.wish for one in moments):
        chosen = [row for row, one in enumerate(moments) if one.wish == wish]
        for name, found_values in values.items():
            columns = dict(zip(_MEASURES, zip(*found_values, strict=True), strict=True))
            rows[f"{wish}: {name}"] = estimates(columns, chosen)
    title = "Affective retrieval of a memory, by the user's state"
    return Pillar("retrieval_memories", title, NOTE, _MEASURES, rows)


def _places(moment: Moment, told: Sequence[str]) -> list[int]:
    """The places of the turns whose words came back."""
    turns = enumerate(moment.turns)
    return [place for place, one in turns if any(one.text in text for text in told)]


def _values(moment: Moment, places: Sequence[int]) -> Values:
    """Divergence, the share of what is told that fits, and of what fits that is told."""
    if not places:
        return None, 0.0, 0.0
    came = [moment.turns[place] for place in places]
    own = projection([str(moment.affect.label)])[0]
    found = projection([one.felt for one in came]).mean(axis=0)
    hits = sum(one.key in moment.fits for one in came)
    apart = divergence(found, wanted_emotions(moment.wish, own))
    return apart, hits / len(came), hits / len(moment.fits)


def _by_chance(moment: Moment) -> Values:
    """The mean over many draws."""
    rng = np.random.default_rng(SEED)
    draws = [rng.permutation(len(moment.turns))[:TOLD].tolist() for _ in range(_DRAWS)]
    every = np.array([_values(moment, draw) for draw in draws], dtype=float)
    apart, share, found = every.mean(axis=0).tolist()
    return apart, share, found
