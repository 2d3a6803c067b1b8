"""Affective retrieval: does what comes back feel as it should for the user's state?"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from emomem.emotions import LABEL_VAD, projection
from emomem.evaluation.arms import ByFeeling, Prepared
from emomem.evaluation.datasets.base import Store
from emomem.evaluation.datasets.empathetic import EMOTIONS, load_emotions, load_empathetic
from emomem.evaluation.pillars.base import Pillar, Row, estimates
from emomem.evaluation.readings import Progress, Readings, silent
from emomem.evaluation.statistics import SEED
from emomem.protocols import Appraiser
from emomem.ranking.policies import DISTRESS, PAINFUL, SOOTHING, present_valence

FloatArray = NDArray[np.float64]
Wish = Literal["congruent", "comfort", "lesson"]

QUERIES: Final = 300
"""How many first turns are asked."""
K: Final = 5

KL: Final = "KL"
FIT: Final = "fitting"
OFF: Final = "off"
ARMS: Final = (OFF, "policy", "shuffled")
MEASURES: Final = tuple(f"{name}, {arm}" for name in (KL, FIT) for arm in (*ARMS, "policy - off"))
STATES: Final = ("distress", "low", "at ease")
"""Valence below -0.5, below 0, and the rest."""

NOTE: Final = (
    f"EmpatheticDialogues: {{queries}} first turns, each a query to all the others, top {K}. The "
    "appraiser reads how queries and memories feel; what is wanted and what fits is judged by the "
    "labels that people gave. Wanted is the query's own emotion under congruent, soothing ones "
    "under comfort, painful ones under lesson; under auto, comfort in distress and else congruent "
    "(a query whose gate is shut stays plain). KL: how far the mean of the five memories' emotions "
    "diverges from the wanted ones, in nats, each smoothed by a tenth of the even distribution; "
    "0 is best. Fitting: the share of the five with the same of 32 emotions, with a pleasant one, "
    "or with an unpleasant one. Off is the plain call; in shuffled the memories' affects are dealt "
    "out by chance. Differences are paired. Comfort has no wish but for a user in distress."
)

_SMOOTHING: Final = 0.1
"""The share of the even distribution that is mixed into both, since a few memories leave gaps."""
_PLEASANT: Final = 0.2
"""The valence from which on, or below its negative, a label is pleasant, or unpleasant."""
_POLICIES: Final = ("congruent", "comfort", "lesson", "auto")


@dataclass(frozen=True, eq=False)
class Felt:
    """First turns and how people say they feel.

    Attributes:
        store: The turns, and those of them that are asked.
        rows: (q,) the place of each query in the store.
        labels: (n,) the emotion of each turn, by its place in `EMOTIONS`.
    """

    store: Store
    rows: NDArray[np.int64]
    labels: NDArray[np.int64]


def load_felt(data: Path, most: int = QUERIES) -> Felt:
    """The first turns of EmpatheticDialogues, some of which are asked.

    Args:
        data: The folder that holds `empathetic_dialogues/`.
        most: How many are asked at most, drawn by a seed.

    Raises:
        FileNotFoundError: The file is not there.
        ValueError: It is malformed.
    """
    [store] = load_empathetic(data).stores
    places = {name: place for place, name in enumerate(EMOTIONS)}
    labels = np.array([places[name] for name in load_emotions(data)])
    order = np.random.default_rng(SEED).permutation(len(store.queries))[:most]
    queries = tuple(store.queries[row] for row in np.sort(order))
    rows = np.array([next(iter(query.left_out)) for query in queries], dtype=np.int64)
    return Felt(replace(store, queries=queries), rows, labels)


def measure_policies(
    felt: Felt, readings: Readings, appraiser: Appraiser, progress: Progress = silent
) -> Pillar:
    """What each policy recalls in each state, against what is wanted there.

    Args:
        felt: The turns.
        readings: Embeds the texts.
        appraiser: Reads their feelings.
        progress: Is told how far it is.
    """
    readings.prepare(felt.store.texts, progress)
    read = appraiser.appraise(felt.store.texts)
    prepared = replace(Prepared.of(felt.store, readings), read=read, appraiser=appraiser)
    arms = [ByFeeling(OFF, policy=OFF)]
    for name in _POLICIES:
        arms += [
            ByFeeling(name, policy=name),
            ByFeeling(_shuffled(name), policy=name, shuffled=True),
        ]
    recalled: dict[str, list[list[int]]] = {}
    for number, arm in enumerate(arms):
        progress(f"Recalling: {arm.name}", number, len(arms))
        recalled[arm.name] = arm.recall(prepared, K).rankings
    valence = np.array([present_valence(read[row]) for row in felt.rows])
    states = np.where(valence < DISTRESS, 0, np.where(valence < 0, 1, 2))
    rows: dict[str, Row] = {}
    for place, state in enumerate(STATES):
        chosen = np.flatnonzero((states == place) & ~np.isnan(valence))
        for policy in _POLICIES:
            wish = _wish(policy, in_distress=place == 0)
            if wish is not None and chosen.size:
                named = zip(ARMS, (OFF, policy, _shuffled(policy)), strict=True)
                values = {arm: _values(felt, chosen, wish, recalled[name]) for arm, name in named}
                rows[f"{state}: {policy}"] = _row(values)
    title = "Affective retrieval, by state and policy"
    note = NOTE.format(queries=len(felt.rows))
    pictured = tuple(f"{name}, policy - off" for name in (KL, FIT))
    return Pillar("retrieval", title, note, MEASURES, rows, pictured=pictured)


def divergence(found: FloatArray, wanted: FloatArray) -> float:
    """The Kullback-Leibler divergence (1951) of a distribution from the wanted one, in nats.

    Both are smoothed by a tenth of the even distribution.

    Args:
        found: (m,) sums to 1.
        wanted: (m,) sums to 1.
    """
    p, q = ((1 - _SMOOTHING) * one + _SMOOTHING / len(one) for one in (found, wanted))
    return float(np.sum(p * np.log(p / q)))


def wanted_emotions(wish: Wish, own: FloatArray) -> FloatArray:
    """(28,) the emotions that a wish asks for, of a user who feels `own` (28,)."""
    asked = {"comfort": SOOTHING, "lesson": PAINFUL}
    return np.asarray(asked[wish].emotions) if wish in asked else own


def _wish(policy: str, *, in_distress: bool) -> Wish | None:
    if policy == "auto":
        return "comfort" if in_distress else "congruent"
    if policy == "comfort":
        return "comfort" if in_distress else None
    return "lesson" if policy == "lesson" else "congruent"


def _shuffled(policy: str) -> str:
    return f"{policy}, shuffled"


def _values(
    felt: Felt, chosen: NDArray[np.intp], wish: Wish, rankings: Sequence[Sequence[int]]
) -> FloatArray:
    """(2, c) divergence and share that fits, of what came back for some queries."""
    emotions = projection(list(EMOTIONS), EMOTIONS)
    valence = emotions @ LABEL_VAD[:, 0]
    values = []
    for query in chosen:
        own, came = felt.labels[felt.rows[query]], felt.labels[rankings[query]]
        fits = {
            "congruent": came == own,
            "comfort": valence[came] >= _PLEASANT,
            "lesson": valence[came] <= -_PLEASANT,
        }
        wanted = wanted_emotions(wish, emotions[own])
        values.append((divergence(emotions[came].mean(axis=0), wanted), fits[wish].mean()))
    return np.array(values).T


def _row(values: dict[str, FloatArray]) -> Row:
    columns = {
        f"{name}, {arm}": [float(one) for one in found[place]]
        for place, name in enumerate((KL, FIT))
        for arm, found in {**values, "policy - off": values["policy"] - values[OFF]}.items()
    }
    return estimates(columns)
