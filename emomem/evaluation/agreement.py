"""How well readings of texts agree with people: vectorised, each with its interval where wanted."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating]
Answers = NDArray[np.bool_]


def macro_f1(gold: Answers, chosen: Answers) -> float:
    """The mean over labels of F1 of (n, labels); a label that never occurs counts as 0."""
    hits = (gold & chosen).sum(0)
    sizes = gold.sum(0) + chosen.sum(0)
    return float(np.mean(2 * hits / np.maximum(sizes, 1)))


def pearson(left: Array, right: Array) -> NDArray[np.float64]:
    """The correlation (k,) of matching columns of (n, k); 0 where one does not vary."""
    left = left - left.mean(0)
    right = right - right.mean(0)
    scale = np.sqrt((left**2).sum(0) * (right**2).sum(0))
    covariance = (left * right).sum(0).astype(np.float64)
    result: NDArray[np.float64] = np.zeros_like(covariance)
    np.divide(covariance, scale, out=result, where=scale > 0)
    return result


def calibration_error(confidence: Array, correct: Answers, bins: int = 15) -> float:
    """The expected calibration error over bins of equal width (Guo et al. 2017)."""
    place = np.minimum((confidence * bins).astype(int), bins - 1)
    gap = np.bincount(place, confidence - correct, minlength=bins)
    return float(np.abs(gap).sum() / len(confidence))


def interval(
    measure: Callable[[NDArray[np.int64]], float], size: int, *, draws: int = 1000
) -> tuple[float, float]:
    """The 95 % bootstrap interval of a measure of row indices."""
    rng = np.random.default_rng(0)
    values = [measure(rng.integers(0, size, size)) for _ in range(draws)]
    low, high = np.percentile(values, [2.5, 97.5])
    return float(low), float(high)
