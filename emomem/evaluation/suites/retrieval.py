"""The retrieval suite: every arm on every data set."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

import numpy as np

from emomem.evaluation.arms import (
    OFF,
    PLAIN,
    Arm,
    ByFeeling,
    ByMeaning,
    Outcome,
    Prepared,
    Recency,
    spoken,
)
from emomem.evaluation.datasets import (
    Dataset,
    Query,
    load_empathetic,
    load_locomo,
    load_madial,
)
from emomem.evaluation.datasets.base import Half
from emomem.evaluation.metrics import FloatArray, measure
from emomem.evaluation.readings import Progress, Readings, silent
from emomem.evaluation.rivals import Bm25, EmotionalMemoryPackage
from emomem.evaluation.statistics import Bootstrap, Interval
from emomem.ranking import Auto, Combination, Congruent, Modulated, Salience, Semantic, Sequence

AUTO: Final = "combination, auto"
CONGRUENT: Final = "combination, congruent"
EXHAUSTIVE: Final = "combination, congruent, brute force"
SHUFFLED: Final = "combination, congruent, shuffled affect"

ARMS: Final[tuple[Arm, ...]] = (
    ByMeaning(PLAIN, "context"),
    ByMeaning("plain, last turn", "last", for_conversations=True),
    Bm25(),
    Recency(),
    ByFeeling(OFF, policy="off", baseline=PLAIN),
    ByFeeling("affect only", Combination(weight=1.0), Congruent()),
    ByFeeling("semantic", Semantic(), Congruent()),
    ByFeeling(CONGRUENT, policy="congruent"),
    ByFeeling(EXHAUSTIVE, policy="congruent", candidates="all"),
    ByFeeling("combination, congruent, plain store", policy="congruent", candidates="nearest"),
    ByFeeling("sequence, meaning first", Sequence("semantic"), Congruent(), candidates="nearest"),
    ByFeeling("sequence, feeling first", Sequence("emotion"), Congruent()),
    ByFeeling("salience", Salience(), Congruent(), candidates="nearest"),
    ByFeeling("modulated", Modulated(), Congruent(), candidates="nearest"),
    ByFeeling("combination, comfort", policy="comfort"),
    ByFeeling("combination, lesson", policy="lesson"),
    ByFeeling(AUTO),
    ByFeeling("combination, auto, plain store", candidates="nearest"),
    ByFeeling(
        "combination, auto, whole context", form="context", baseline=PLAIN, for_conversations=True
    ),
    ByFeeling("combination, auto (care)", policy=Auto("care")),
    ByFeeling("combination, auto (roleplay)", policy=Auto("roleplay")),
    ByFeeling("combination, auto (research)", policy=Auto("research")),
    ByFeeling(SHUFFLED, policy="congruent", shuffled=True),
    ByFeeling("combination, auto, shuffled affect", shuffled=True),
    EmotionalMemoryPackage(),
)
"""What is compared, in the order of the tables."""


@dataclass(frozen=True)
class Benchmark:
    """A data set and how it is measured.

    Attributes:
        load: Loads it from a folder.
        measures: All measures, each with its cut-off.
        main: Those that differences are given for.
    """

    load: Callable[[Path], Dataset]
    measures: tuple[str, ...]
    main: tuple[str, ...]


BENCHMARKS: Final = (
    Benchmark(
        load_madial,
        tuple(f"{name}@{k}" for name in ("nDCG", "R", "RR") for k in (1, 5, 10)),
        ("nDCG@5",),
    ),
    Benchmark(load_locomo, ("R@5", "nDCG@5", "R@10", "nDCG@10"), ("R@10", "nDCG@10")),
    Benchmark(load_empathetic, ("P@5", "similarity@5"), ("P@5", "similarity@5")),
)


@dataclass(frozen=True, eq=False)
class Scores:
    """How well one arm recalled.

    Attributes:
        arm: The arm.
        values: For each measure its (q,) values.
        rankings: What came back for each query at the widest cut-off.
        policies: The policy that applied to each query.
    """

    arm: Arm
    values: Mapping[str, FloatArray]
    rankings: list[list[int]]
    policies: tuple[str, ...]

    @property
    def opened(self) -> float:
        """The share of queries in which affect counted."""
        return float(np.mean([policy != PLAIN for policy in self.policies]))


@dataclass(frozen=True, eq=False)
class Measured:
    """All arms on one data set.

    Attributes:
        dataset: The data set, with the queries that were measured.
        benchmark: How it was measured.
        scores: By the names of the arms.
    """

    dataset: Dataset
    benchmark: Benchmark
    scores: Mapping[str, Scores]

    @cached_property
    def queries(self) -> list[Query]:
        """The queries, in the order of all values."""
        return self.dataset.queries

    @cached_property
    def bootstrap(self) -> Bootstrap:
        """The draws that all of its intervals share."""
        return Bootstrap(len(self.queries))

    @property
    def widest(self) -> int:
        """The widest cut-off."""
        return max(map(_cutoff, self.benchmark.measures))

    def value(self, arm: str, measure: str) -> FloatArray:
        """(q,) one measure of one arm."""
        return self.scores[arm].values[measure]

    def difference(self, arm: str, baseline: str, measure: str) -> Interval:
        """How much more one arm has than another."""
        return self.bootstrap.difference(self.value(arm, measure), self.value(baseline, measure))

    def relative(self, arm: str, baseline: str, measure: str) -> Interval:
        """The same as a share of what the other has."""
        return self.bootstrap.relative(self.value(arm, measure), self.value(baseline, measure))


def measure_arms(
    benchmark: Benchmark,
    dataset: Dataset,
    readings: Readings,
    progress: Progress = silent,
) -> Measured:
    """Recall with every arm that the data has something to do for, and measure it.

    Args:
        benchmark: How to measure.
        dataset: What to measure on.
        readings: Reads the texts.
        progress: Is told how far it is.
    """
    readings.prepare(_texts(dataset), progress)
    stores = [Prepared.of(store, readings) for store in dataset.stores if store.queries]
    conversations = any(len(query.turns) > 1 for query in dataset.queries)
    arms = [arm for arm in ARMS if conversations or not arm.for_conversations]
    scores = {}
    for done, arm in enumerate(arms, start=1):
        found = _scores(arm, benchmark, stores)
        progress(f"{dataset.name}: {arm.name}", done, len(arms))
        if found is not None:
            scores[arm.name] = found
    return Measured(dataset, benchmark, scores)


def _texts(dataset: Dataset) -> Iterator[str]:
    for store in dataset.stores:
        yield from store.texts
        for query in store.queries:
            yield from (query.context, query.last, "\n".join(spoken(query)))


def _scores(arm: Arm, benchmark: Benchmark, stores: list[Prepared]) -> Scores | None:
    values = {}
    rankings: list[list[int]] = []
    policies: list[str] = []
    for k in sorted({_cutoff(name) for name in benchmark.measures}):
        outcomes = [arm.recall(store, k) for store in stores]
        known = [outcome for outcome in outcomes if outcome is not None]
        if len(known) < len(outcomes):
            return None
        rankings = [ranking for outcome in known for ranking in outcome.rankings]
        relevant = [query.relevant for store in stores for query in store.store.queries]
        for name in benchmark.measures:
            if _cutoff(name) == k:
                values[name] = (
                    _similarity(stores, known)
                    if name.startswith("similarity")
                    else measure(name, rankings, relevant)
                )
        policies = [policy for outcome in known for policy in outcome.policies]
    return Scores(arm, values, rankings, tuple(policies))


def _similarity(stores: list[Prepared], outcomes: list[Outcome]) -> FloatArray:
    """(q,) the mean cosine of each query's whole context and what came back for it."""
    return np.array(
        [
            cosines[ranking].mean()
            for store, outcome in zip(stores, outcomes, strict=True)
            for cosines, ranking in zip(store.cosines("context"), outcome.rankings, strict=True)
        ]
    )


def _cutoff(measure: str) -> int:
    return int(measure.rpartition("@")[2])


def load_benchmarks(data: Path, half: Half) -> list[tuple[Benchmark, Dataset]]:
    """All data sets with the queries of one half, so that what is missing raises at once.

    Raises:
        FileNotFoundError: A file is not there.
        ValueError: A file is malformed, or a set has no query in that half.
    """
    loaded = [(benchmark, benchmark.load(data).half(half)) for benchmark in BENCHMARKS]
    for _, dataset in loaded:
        if not dataset.queries:
            msg = f"{dataset.name} in {data} has no query in the {half} half"
            raise ValueError(msg)
    return loaded
