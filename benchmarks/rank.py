"""Speed of ranking in the core, as a ratio to `numpy.argsort` of as many random floats.

Every case ranks a pool that is new to it, so nothing that a pool caches is left out of its
time. The rounds alternate between the cases and the reference, so that a machine's other load
falls on all of them alike.

    python benchmarks/rank.py [--candidates 1000000] [--k 5] [--rounds 15] [--json FILE]
"""

import argparse
import json
import platform
import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np

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

GOAL: Final = 3.0
"""The default strategy may take this many times the reference."""
DEFAULT_CASE: Final = "combination"
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


def seconds(call: Callable[[], object]) -> float:
    """How long one call takes."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def rank(strategy: Strategy, columns: dict[str, np.ndarray], query: RankQuery) -> None:
    """What is measured: a ranking of a pool that nobody has ranked yet."""
    strategy.rank(make_pool(columns), query)


def measure(candidates: int, k: int, rounds: int) -> dict[str, dict[str, float]]:
    """Median milliseconds and ratio to the reference, by case."""
    pools = {kind: make_columns(candidates, mixed=kind == "mixed") for kind in ("tagged", "mixed")}
    floats = np.random.default_rng(5).random(candidates)
    times: dict[str, list[float]] = {name: [] for name in ("numpy.argsort", *CASES)}
    for _ in range(rounds):
        times["numpy.argsort"].append(seconds(partial(np.argsort, floats)))
        for name, (strategy, policy, kind) in CASES.items():
            query = RankQuery(k=k, present=SAD, policy=policy)
            times[name].append(seconds(partial(rank, strategy, pools[kind], query)))
    medians = {name: statistics.median(values) for name, values in times.items()}
    reference = medians["numpy.argsort"]
    return {
        name: {"milliseconds": median * 1e3, "ratio": median / reference}
        for name, median in medians.items()
    }


def main() -> None:
    """Measure, print the table and write the JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--candidates", type=int, default=1_000_000)
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json", type=Path, help="where to write the numbers")
    options = parser.parse_args()
    cases = measure(options.candidates, options.k, options.rounds)

    print(f"{options.candidates:,} candidates, k={options.k}, medians of {options.rounds} rounds")
    print(f"{'case':<26} {'ms':>8} {'ratio':>7}")
    for name, row in cases.items():
        print(f"{name:<26} {row['milliseconds']:>8.1f} {row['ratio']:>7.2f}")
    ratio = cases[DEFAULT_CASE]["ratio"]
    print(f"goal: {DEFAULT_CASE} at most {GOAL:g}: {'met' if ratio <= GOAL else 'MISSED'}")

    if options.json:
        report = {
            "benchmark": "rank",
            "candidates": options.candidates,
            "k": options.k,
            "rounds": options.rounds,
            "goal": {"case": DEFAULT_CASE, "ratio": GOAL, "met": ratio <= GOAL},
            "cases": cases,
            "numpy": np.__version__,
            "python": platform.python_version(),
            "machine": platform.machine(),
        }
        options.json.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
