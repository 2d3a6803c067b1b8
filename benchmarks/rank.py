"""Speed of ranking in the core, as a ratio to `numpy.argsort` of as many random floats.

Every case ranks a pool that is new to it, so nothing that a pool caches is left out of its
time. The rounds alternate between the cases and the reference, so that a machine's other load
falls on all of them alike.
"""

import collections.abc
import sys
from collections.abc import Callable
from functools import partial
from typing import Final

import numpy as np
from common import alternate, arguments, report

from emomem import (
    Affect,
    AffectArray,
    CandidatePool,
    Combination,
    Comfort,
    Congruent,
    Lesson,
    Modulated,
    Policy,
    RankQuery,
    Salience,
    Semantic,
    Sequence,
    Strategy,
)
from emomem.emotions import GOEMOTIONS, LABEL_VAD
from emomem.signals import salience

REFERENCE: Final = "numpy.argsort"
DEFAULT_CASE: Final = "combination"
WORST_RATIO: Final = 3.0
"""How many times the reference the default strategy may take."""
SAD: Final = Affect.from_label("sadness")

CASES: Final[dict[str, tuple[Strategy, Policy, str]]] = {
    DEFAULT_CASE: (Combination(), Congruent(), "tagged"),
    "combination, mixed pool": (Combination(), Congruent(), "mixed"),
    "combination, comfort": (Combination(), Comfort(), "tagged"),
    "combination, lesson": (Combination(), Lesson(), "tagged"),
    "combination, multiply": (Combination(fusion="multiply"), Congruent(), "tagged"),
    "combination, pool": (Combination(scale="pool"), Congruent(), "tagged"),
    "combination, paper": (Combination(scale="paper"), Congruent(), "tagged"),
    "sequence, semantic first": (Sequence(), Congruent(), "tagged"),
    "sequence, emotion first": (Sequence(first="emotion"), Congruent(), "tagged"),
    "salience": (Salience(), Congruent(), "tagged"),
    "modulated": (Modulated(), Congruent(), "tagged"),
    "semantic": (Semantic(), Congruent(), "tagged"),
}


def make_columns(n: int, *, mixed: bool) -> dict[str, np.ndarray]:
    """Columns of n memories: all with a distribution and numbers, or a mixture.

    The mixture has a fifth with numbers alone and a fifth that is unknown.
    """
    rng = np.random.default_rng(20)
    emotions = rng.dirichlet(np.full(len(GOEMOTIONS), 0.2), n)
    valence, arousal, dominance = (emotions @ LABEL_VAD).T.copy()
    conflict = rng.random(n)
    phi = np.sqrt(emotions).astype(np.float32)
    if mixed:
        kind = rng.integers(5, size=n)
        phi[kind <= 1] = 0
        for column in (valence, arousal, dominance, conflict):
            column[kind == 0] = np.nan
    return {
        "valence": valence,
        "arousal": arousal,
        "dominance": dominance,
        "conflict": conflict,
        "phi": phi,
        "salience": salience(valence, arousal, conflict),
        "cosine": np.sort(rng.uniform(-0.2, 0.9, n))[::-1].copy(),
    }


def make_pool(columns: dict[str, np.ndarray]) -> CandidatePool:
    """A pool with nothing cached yet; the columns are shared, not copied."""
    affects = AffectArray(
        **{name: columns[name] for name in ("valence", "arousal", "dominance", "conflict", "phi")}
    )
    return CandidatePool(affects=affects, cosine=columns["cosine"], salience=columns["salience"])


def rank(strategy: Strategy, columns: dict[str, np.ndarray], query: RankQuery) -> None:
    """What is measured: a ranking of a pool that nobody has ranked yet."""
    strategy.rank(make_pool(columns), query)


def tasks(candidates: int, k: int) -> dict[str, Callable[[], object]]:
    """The reference, and each case."""
    pools = {kind: make_columns(candidates, mixed=kind == "mixed") for kind in ("tagged", "mixed")}
    floats = np.random.default_rng(5).random(candidates)
    made: dict[str, Callable[[], object]] = {REFERENCE: partial(np.argsort, floats)}
    for name, (strategy, policy, kind) in CASES.items():
        query = RankQuery(k=k, present=SAD, policy=policy)
        made[name] = partial(rank, strategy, pools[kind], query)
    return made


def main(arguments_: collections.abc.Sequence[str] | None = None) -> int:
    """Print the table; the exit status says whether the default strategy is fast enough."""
    parser = arguments(__doc__ or "")
    parser.add_argument("--candidates", type=int, default=1_000_000)
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args(arguments_)
    seconds = alternate(tasks(options.candidates, options.k), options.rounds)
    ratios = {name: value / seconds[REFERENCE] for name, value in seconds.items()}
    report(
        [
            {
                "case": name,
                "candidates": options.candidates,
                "k": options.k,
                "ms": value * 1000,
                "ratio": ratios[name],
            }
            for name, value in seconds.items()
        ],
        options.json,
    )
    return int(ratios[DEFAULT_CASE] > WORST_RATIO)


if __name__ == "__main__":
    sys.exit(main())
