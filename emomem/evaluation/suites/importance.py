"""Does predicted salience rank what people called important?"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from emomem.affect import AffectArray
from emomem.evaluation.datasets import Session
from emomem.evaluation.metrics import FloatArray, measure
from emomem.evaluation.readings import Progress, Readings, silent
from emomem.evaluation.statistics import SEED, Bootstrap
from emomem.signals import mean_imputed

SALIENCE: Final = "predicted salience"
LENGTH: Final = "length"
RANDOM: Final = "random"

_DRAWS: Final = 100

_ORDERS: Final[Mapping[str, Callable[[Session, AffectArray], FloatArray]]] = {
    SALIENCE: lambda _, affects: affects.salience,
    "arousal alone": lambda _, affects: affects.arousal,
    "negativity alone": lambda _, affects: -affects.valence,
    LENGTH: lambda session, _: np.array([len(text) for text in session.texts], dtype=float),
}


@dataclass(frozen=True, eq=False)
class Importance:
    """Average precision of each order of the turns of each session.

    Attributes:
        votes: How many annotators have to call a turn important.
        sessions: Names of the sessions with such a turn.
        scores: (s,) average precision by the name of the order.
    """

    votes: int
    sessions: tuple[str, ...]
    scores: Mapping[str, FloatArray]

    @cached_property
    def bootstrap(self) -> Bootstrap:
        """The draws that all of its intervals share."""
        return Bootstrap(len(self.sessions))


def measure_importance(
    sessions: Sequence[Session], readings: Readings, votes: int, progress: Progress = silent
) -> Importance:
    """Rank the turns of each session by salience and by the baselines.

    A turn whose affect is not known counts as the mean of its session; `random` is the mean of a
    hundred orders.

    Args:
        sessions: The sessions.
        readings: Reads the texts.
        votes: How many annotators have to call a turn important, >= 1.
        progress: Is told how far it is.

    Raises:
        ValueError: No session has such a turn.
    """
    chosen = [session for session in sessions if (session.votes >= votes).any()]
    if not chosen:
        msg = f"no session has a turn that {votes} annotators called important"
        raise ValueError(msg)
    readings.prepare((text for session in chosen for text in session.texts), progress)
    affects = [AffectArray.from_affects(readings.appraise(one.texts)) for one in chosen]
    gold = [np.flatnonzero(session.votes >= votes).tolist() for session in chosen]
    scores = {
        name: measure(
            "AP",
            [
                np.argsort(-mean_imputed(order(session, read)), kind="stable").tolist()
                for session, read in zip(chosen, affects, strict=True)
            ],
            gold,
        )
        for name, order in _ORDERS.items()
    }
    rng = np.random.default_rng(SEED)
    draws = [
        measure("AP", [rng.permutation(len(one.texts)).tolist() for one in chosen], gold)
        for _ in range(_DRAWS)
    ]
    scores[RANDOM] = np.mean(draws, axis=0)
    return Importance(votes, tuple(session.id for session in chosen), scores)
