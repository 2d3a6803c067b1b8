"""Why a memory came back, and where plain retrieval would have put it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from emomem.affect import Affect
from emomem.ranking.strategies import Ranking


@dataclass(frozen=True)
class Explanation:
    """One recalled memory and the reasons for its rank.

    Attributes:
        document: The framework's own document or node; not shown by `repr`, so that a log of
            explanations holds no memory's text.
        rank: Its rank, from 1.
        rank_without_affect: The rank that meaning alone gives it, from 1; None when it was not
            in the semantic pool.
        score: The strategy's score, higher is better; None where the plain call was made.
        signals: What the score was made of, as it was weighed: without cosines, both are
            stretched to 0..1 within the pool. A signal that is not known is left out.
        weights: The weight of each signal that has one.
        gate: 0..1, how much affect could count.
        strategy: Name of the strategy.
        policy: Name of the policy that applied.
        present: The user's affect that was used.
        reason: The same in a few words.
    """

    document: Any = field(repr=False)
    rank: int
    rank_without_affect: int | None
    score: float | None
    signals: Mapping[str, float]
    weights: Mapping[str, float]
    gate: float
    strategy: str
    policy: str
    present: Affect
    reason: str


def signals_of(ranking: Ranking, index: int) -> dict[str, float]:
    """The known signals of one candidate."""
    values = {name: float(column[index]) for name, column in ranking.signals.items()}
    return {name: value for name, value in values.items() if not np.isnan(value)}


def describe(ranking: Ranking, index: int, moved: int | None) -> str:
    """A reason in a few words, for example `cosine 0.52 x 0.70 + match 0.81 x 0.30, up 3`.

    `moved` is None for what was not among the nearest by meaning.
    """
    signals, weights = signals_of(ranking, index), ranking.weights
    terms = [
        f"{name} {value:.2f}" + (f" x {weights[name]:.2f}" if name in weights else "")
        for name, value in signals.items()
    ]
    if not ranking.known[index]:
        terms = [f"{name} {value:.2f}" for name, value in signals.items()]
        return ", ".join([*terms, "affect not known: meaning alone"])
    reason = (" + " if weights else ", ").join(terms)
    if moved is None:
        return f"{reason}, not among the nearest by meaning"
    return f"{reason}, {'up' if moved > 0 else 'down'} {abs(moved)}" if moved else reason
