"""Strategies: how meaning and affect are put together.

`strategy.rank(pool, query)` is pure: the same pool and query give the same ranking. A memory
whose affect is not known keeps the rank that meaning gives it; it neither wins nor loses one.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import ClassVar, Final, Literal

import numpy as np

from emomem.affect import Affect, BoolArray, FloatArray
from emomem.emotions import PLUTCHIK
from emomem.ranking import paper
from emomem.ranking.policies import (
    CONFLICT,
    Congruent,
    IndexArray,
    Off,
    Policy,
    present_valence,
)
from emomem.ranking.pool import CandidatePool
from emomem.scales import PLUTCHIK_10
from emomem.signals import mean_imputed, min_max

_MIN_POOL: Final = 20
_CONFLICT_BOOST: Final = 0.8
_SHARED_BOOST: Final = 0.1
_FIRM: Final = 0.25
"""The gate from which on a policy may leave out and rearrange under `Combination`.

Less feeling than that weighs too little to hide a memory. A user in distress whose feeling is
read in full stays above it in a conversation too, where the gate is half the negative valence.
"""
_MOST_FEELING: Final = 0.99
"""The weight of feeling in a fused query that is to order by it, with meaning as a tie-break."""


@dataclass(frozen=True)
class RankQuery:
    """What a strategy is asked for.

    Attributes:
        k: How many memories are wanted, >= 1.
        present: The user's present affect.
        policy: The policy that applies; `Auto` is resolved for the present affect.
        gate: 0..1, the share of `Combination`'s weight that affect may have.
        plutchik: Plutchik's eight emotions on 1..10 as a prompt scored them; None where they are
            those of `present`. For strategies with `scale="paper"`.
        asks: Whether the query also asks for a fact: then a policy with a last word neither
            leaves out nor moves what is nearest by meaning.
    """

    k: int
    present: Affect = field(default_factory=Affect.unknown)
    policy: Policy = field(default_factory=Congruent)
    gate: float = 1.0
    plutchik: tuple[float, ...] | None = None
    asks: bool = False

    def __post_init__(self) -> None:
        """Check k and the gate, and resolve the policy."""
        if not isinstance(self.k, int) or isinstance(self.k, bool):
            msg = f"k must be an int, got {self.k!r}"
            raise TypeError(msg)
        if self.k < 1:
            msg = f"k must be >= 1, got {self.k!r}"
            raise ValueError(msg)
        if not 0 <= self.gate <= 1:
            msg = f"gate must lie in 0..1, got {self.gate!r}"
            raise ValueError(msg)
        if self.plutchik is not None and len(PLUTCHIK_10(self.plutchik)) != len(PLUTCHIK):
            msg = f"plutchik must be {len(PLUTCHIK)} scores, got {len(self.plutchik)}"
            raise ValueError(msg)
        object.__setattr__(self, "policy", self.policy.resolve(self.present))


@dataclass(frozen=True, eq=False)
class Ranking:
    """The outcome of a strategy.

    Attributes:
        order: Indices into the pool, best first, at most k.
        score: (n,) the score of every candidate; higher is better.
        known: (n,) whose affect is known; the others keep the rank that meaning gives them.
        signals: What the score was made of, each (n,), NaN where not known.
        weights: The weight of each signal that has one: the score of the known is their sum.
    """

    order: IndexArray
    score: FloatArray
    known: BoolArray
    signals: Mapping[str, FloatArray]
    weights: Mapping[str, float]


@dataclass(frozen=True, eq=False)
class Scored:
    """A strategy's view of a pool, before the policy's last word and the cut at k.

    What is not `known` keeps the rank that meaning gives it; `cut` marks candidates that rank
    behind all the others.
    """

    score: FloatArray
    known: BoolArray
    signals: Mapping[str, FloatArray]
    weights: Mapping[str, float] = field(default_factory=dict)
    cut: BoolArray | None = None


class Strategy(ABC):
    """Ranks a pool of candidates for a query."""

    name: ClassVar[str]
    needs_wanted: ClassVar[bool] = False
    """Whether it has nothing to do where the policy wants no affect."""

    def pool_size(self, k: int) -> int:
        """How many candidates to fetch by meaning in order to return k."""
        return max(_MIN_POOL, 2 * k)

    def fused_weight(self, query: RankQuery) -> float | None:  # noqa: ARG002 - most have none
        """How much of a fused query (`emomem.fused`) is to be feeling, above 0 and below 1.

        None where the candidates are those that are nearest by meaning alone.
        """
        return None

    @abstractmethod
    def score(self, pool: CandidatePool, query: RankQuery) -> Scored:
        """Score every candidate; what is not known is filled so as to be comparable."""

    def rank(self, pool: CandidatePool, query: RankQuery) -> Ranking:
        """The best k of the pool by this strategy, under the query's policy."""
        scored = self.score(pool, query)
        policy = self._acting(query)
        keep = policy.admits(pool.affects, query.present, query.k)
        movable = scored.known.copy()
        if query.asks and query.policy.arranges and query.policy.wanted(query.present) is not None:
            keep[:1], movable[:1] = True, False
        candidates = np.flatnonzero(keep)
        known = movable[candidates]
        ranked = candidates[known]
        limit = len(ranked) if policy.arranges else query.k
        ranked = _best(ranked, scored, limit)
        ranked = policy.arrange(ranked, pool.affects, query.present)
        order = candidates[: query.k].copy()
        open_places = known[: query.k]
        order[open_places] = ranked[: int(open_places.sum())]
        return Ranking(order, scored.score, scored.known, scored.signals, scored.weights)

    def _acting(self, query: RankQuery) -> Policy:
        """The policy that leaves out and rearranges."""
        return query.policy


def _best(indices: IndexArray, scored: Scored, k: int) -> IndexArray:
    """The best k of `indices` by score, ties in the order that meaning gives."""
    if scored.cut is not None:
        behind = scored.cut[indices]
        parts = (indices[~behind], indices[behind])
        return np.concatenate([_highest(part, scored.score, k) for part in parts])
    return _highest(indices, scored.score, k)


def _highest(indices: IndexArray, score: FloatArray, k: int) -> IndexArray:
    values = score[indices]
    if 0 < k < len(values):
        least = np.partition(values, len(values) - k)[len(values) - k]
        near = np.flatnonzero(values >= least)
        indices, values = indices[near], values[near]
    return indices[np.argsort(-values, kind="stable")[:k]]


def _meaning(pool: CandidatePool) -> dict[str, FloatArray]:
    return {"rank" if pool.cosine is None else "cosine": pool.semantic}


@dataclass(frozen=True)
class Semantic(Strategy):
    """Ordinary retrieval: by meaning alone."""

    name: ClassVar[str] = "semantic"

    def score(self, pool: CandidatePool, query: RankQuery) -> Scored:  # noqa: ARG002
        """Meaning itself: none is known to be felt, so that all keep their rank."""
        return Scored(pool.semantic, np.zeros(len(pool), dtype=bool), _meaning(pool))

    def rank(self, pool: CandidatePool, query: RankQuery) -> Ranking:
        """The pool's own order, whatever the policy."""
        return super().rank(pool, replace(query, policy=Off()))


@dataclass(frozen=True)
class Combination(Strategy):
    """Meaning and feeling in one score.

    With `fusion="add"`, (1-w) cos + w match, where w is `weight` times the gate; with
    `"multiply"`, (1+cos)/2 times match to the power of the gate. `scale="pool"` stretches both
    to 0..1 within the pool first, as is always done where no cosine is known. `scale="paper"`
    is the distance of Emotional RAG (Huang et al. 2024, arXiv:2410.23041): Euclidean distance
    of the unit semantic vectors plus (or times) the cosine distance of the eight-emotion
    vectors on 1..10, the nearest first; a distance of zero ranks first. As published it is the
    distance to the user's present affect, whatever the policy wants.

    Args:
        weight: 0..1, how much of the sum is feeling at a fully open gate.
        fusion: "add" or "multiply".
        scale: "cosine", "pool" or "paper".

    Raises:
        ValueError: An argument is not allowed; or at ranking, "paper" has no cosines, or no
            present distribution over emotions.

    Example:
        >>> Combination(weight=0.22).name
        'combination'
    """

    weight: float = 0.22
    fusion: Literal["add", "multiply"] = "add"
    scale: Literal["cosine", "pool", "paper"] = "cosine"

    name: ClassVar[str] = "combination"
    needs_wanted: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Check the arguments."""
        if not isinstance(self.weight, Real) or not 0 <= self.weight <= 1:
            msg = f"weight must lie in 0..1, got {self.weight!r}"
            raise ValueError(msg)
        _check_choice("fusion", self.fusion, ("add", "multiply"))
        _check_choice("scale", self.scale, ("cosine", "pool", "paper"))

    def fused_weight(self, query: RankQuery) -> float | None:
        """The weight of the sum of cosine and match, which is the score of a fused query."""
        if (self.fusion, self.scale) != ("add", "cosine"):
            return None
        return min(self.weight * query.gate, _MOST_FEELING) or None

    def score(self, pool: CandidatePool, query: RankQuery) -> Scored:
        """Score every candidate by both."""
        if self.scale == "paper":
            return self._paper(pool, query)
        match = query.policy.match(pool.affects, query.present)
        known = ~np.isnan(match)
        meaning, feeling = pool.semantic, mean_imputed(match)
        if self.scale == "pool" or pool.cosine is None:
            meaning, feeling = min_max(meaning), min_max(feeling)
        elif self.fusion == "multiply":
            meaning = (1 + meaning) / 2
        [name] = _meaning(pool)
        signals = {name: meaning, "match": np.where(known, feeling, np.nan)}
        weights: dict[str, float] = {}
        if self.fusion == "multiply":
            score = meaning * feeling**query.gate
        else:
            weight = self.weight * query.gate
            weights = dict(zip(signals, (1 - weight, weight), strict=True))
            score = (1 - weight) * meaning + weight * feeling
        return Scored(score, known, signals, weights)

    def _acting(self, query: RankQuery) -> Policy:
        """None but at a firm gate."""
        return query.policy if query.gate >= _FIRM else Off()

    def _paper(self, pool: CandidatePool, query: RankQuery) -> Scored:
        signals = paper.distances(pool, query.present, query.plutchik)
        far, apart = signals["semantic_distance"], signals["emotion_distance"]
        feeling = mean_imputed(apart)
        distance = far * feeling if self.fusion == "multiply" else far + feeling
        return Scored(-distance, ~np.isnan(apart), signals)


@dataclass(frozen=True)
class Sequence(Strategy):
    """One after the other: order by `first`, keep `pool` of them, order those by the other.

    Emotional RAG (arXiv:2410.23041) calls these S-S and S-E in its text, S-C and S-S in its
    code; here the name says which comes first. With `scale="paper"` feeling is measured as
    there, by the cosine distance to the user's present affect on 1..10, whatever the policy
    wants.

    Args:
        first: "semantic" or "emotion".
        pool: How many pass from the first to the second, >= 1; None is 2k.
        scale: "cosine" or "paper".

    Raises:
        ValueError: An argument is not allowed; or at ranking, as for `Combination`.
    """

    first: Literal["semantic", "emotion"] = "semantic"
    pool: int | None = None
    scale: Literal["cosine", "paper"] = "cosine"

    name: ClassVar[str] = "sequence"
    needs_wanted: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Check the arguments."""
        _check_choice("first", self.first, ("semantic", "emotion"))
        _check_choice("scale", self.scale, ("cosine", "paper"))
        if self.pool is not None and self.pool < 1:
            msg = f"pool must be >= 1 or None, got {self.pool!r}"
            raise ValueError(msg)

    def pool_size(self, k: int) -> int:
        """As many as are kept, or twice that where emotion is to choose among them."""
        kept = self._kept(k)
        return max(super().pool_size(k), 2 * kept if self.first == "emotion" else kept)

    def score(self, pool: CandidatePool, query: RankQuery) -> Scored:
        """Score by the second signal; what the first cut ranks behind."""
        if self.scale == "paper":
            signals = paper.distances(pool, query.present, query.plutchik)
            match = -signals["emotion_distance"]
        else:
            match = query.policy.match(pool.affects, query.present)
            signals = {**_meaning(pool), "match": match}
        known = ~np.isnan(match)
        feeling = mean_imputed(match)
        first, second = (
            (pool.by_rank, feeling) if self.first == "semantic" else (feeling, pool.semantic)
        )
        cut = np.ones(len(pool), dtype=bool)
        everyone = np.arange(len(pool))
        cut[_highest(everyone, first, self._kept(query.k))] = False
        return Scored(second, known, signals, cut=cut)

    def fused_weight(self, query: RankQuery) -> float | None:  # noqa: ARG002 - the same for all
        """Nearly all, where emotion comes first and is measured as a fused store does."""
        return _MOST_FEELING if (self.first, self.scale) == ("emotion", "cosine") else None

    def _kept(self, k: int) -> int:
        return 2 * k if self.pool is None else self.pool


@dataclass(frozen=True)
class Salience(Strategy):
    """The nearest `prefetch` by meaning, then the most salient of them (arXiv:2608.07438).

    Args:
        prefetch: How many the meaning lets through, >= 1.

    Raises:
        ValueError: `prefetch` is below 1.
    """

    prefetch: int = 30

    name: ClassVar[str] = "salience"

    def __post_init__(self) -> None:
        """Check the argument."""
        if self.prefetch < 1:
            msg = f"prefetch must be >= 1, got {self.prefetch!r}"
            raise ValueError(msg)

    def pool_size(self, k: int) -> int:
        """The prefetch, or k where more are wanted."""
        return max(self.prefetch, k)

    def score(self, pool: CandidatePool, query: RankQuery) -> Scored:  # noqa: ARG002
        """Score by salience within the prefetch."""
        cut = np.arange(len(pool)) >= self.prefetch
        salience = pool.affects.salience if pool.salience is None else pool.salience
        signals = {**_meaning(pool), "salience": salience}
        return Scored(mean_imputed(salience), ~np.isnan(salience), signals, cut=cut)


@dataclass(frozen=True)
class Modulated(Strategy):
    """Meaning, raised by a memory's conflict while the user is in one, and by shared negativity.

    (1+cos)/2 (1 + [present conflict >= 0.75] 0.8 conflict + [both valences < 0] 0.1).
    """

    name: ClassVar[str] = "modulated"

    def score(self, pool: CandidatePool, query: RankQuery) -> Scored:
        """Score every candidate by its meaning times its modulation."""
        valence, conflict = pool.affects.vad[:, 0], pool.affects.conflict
        known = ~(np.isnan(valence) & np.isnan(conflict))
        in_conflict = (query.present.conflict or 0.0) >= CONFLICT
        negative = present_valence(query.present) < 0
        by_conflict = _CONFLICT_BOOST * np.nan_to_num(conflict) if in_conflict else 0.0
        by_valence = np.where(negative & (valence < 0), _SHARED_BOOST, 0.0)
        modulation = np.where(known, 1 + by_conflict + by_valence, np.nan)
        score = (1 + pool.semantic) / 2 * mean_imputed(modulation)
        return Scored(score, known, {**_meaning(pool), "modulation": modulation})


def _check_choice(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        msg = f"{name} must be one of {', '.join(allowed)}, got {value!r}"
        raise ValueError(msg)


STRATEGIES: Final[dict[str, type[Strategy]]] = {
    strategy.name: strategy for strategy in (Semantic, Combination, Sequence, Salience, Modulated)
}
"""The class of each strategy, by its name."""


def resolve_strategy(strategy: str | Strategy) -> Strategy:
    """A strategy by its name, with its defaults, or the one given.

    Raises:
        ValueError: No strategy has that name.
    """
    if isinstance(strategy, Strategy):
        return strategy
    if not isinstance(strategy, str) or strategy not in STRATEGIES:
        msg = f"strategy must be a Strategy or one of {', '.join(STRATEGIES)}, got {strategy!r}"
        raise ValueError(msg)
    return STRATEGIES[strategy]()
