"""From a store's scores to cosines, where what the scores are is known."""

from collections.abc import Sequence
from typing import Final, Literal

import numpy as np
from numpy.typing import ArrayLike

from emomem.affect import FloatArray

Metric = Literal[
    "cosine_similarity",
    "cosine_distance",
    "squared_l2_distance",
    "l2_distance",
    "inner_product",
    "inner_product_distance",
    "negative_inner_product",
    "exp_cosine_distance",
    "exp_squared_l2_distance",
    "exp_inner_product_distance",
]
"""What a score is; `inner_product_distance` is 1 - inner product, `exp_` is exp(-distance)."""

_EXPONENTIAL: Final = "exp_"
_TOLERANCE: Final = 1e-3


def needs_unit_vectors(metric: Metric | None) -> bool:
    """Whether a metric tells cosines only of vectors of known length."""
    return metric is not None and not metric.removeprefix(_EXPONENTIAL).startswith("cosine")


def is_unit(vector: ArrayLike) -> bool:
    """Whether a vector has length one."""
    return abs(float(np.linalg.norm(vector)) - 1.0) < _TOLERANCE


def cosines(
    metric: Metric | None,
    scores: Sequence[float | None],
    lengths: tuple[float, float] = (1.0, 1.0),
) -> FloatArray | None:
    """(n,) cosines -1..1 from a store's scores; None where the scores do not tell.

    Args:
        metric: What the scores are.
        scores: The scores (n,).
        lengths: Those of the query's vector and of every document's, for a metric that depends
            on them.
    """
    if metric is None:
        return None
    query, document = lengths
    values = np.array(scores, dtype=float)  # None becomes NaN
    distance = metric.removeprefix(_EXPONENTIAL)
    if distance != metric:
        # A score of 0 is a distance beyond what the exponential can tell.
        with np.errstate(divide="ignore", invalid="ignore"):
            values = -np.log(values)
    if distance in ("cosine_distance", "inner_product_distance"):
        values = 1 - values
    elif distance == "negative_inner_product":
        values = -values
    elif distance in ("squared_l2_distance", "l2_distance"):
        squares = np.square(values) if distance == "l2_distance" else values
        values = (query**2 + document**2 - squares) / 2
    if needs_unit_vectors(metric):
        values = values / (query * document)
    # A value outside the range says that the metric is not what it seemed: then the order counts.
    most = np.abs(values).max(initial=0.0)
    if not most <= 1 + _TOLERANCE:
        return None
    return values if most <= 1 else np.asarray(np.clip(values, -1.0, 1.0))
