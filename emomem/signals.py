"""The numbers that ranking works with: how well two affects match, and how salient one is."""

from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from emomem.affect import Affect, AffectArray

FloatArray = NDArray[np.float64]

SALIENCE_WEIGHTS: Final = {"arousal": 0.25, "negativity": 0.15, "conflict": 0.6}
"""Weights of the terms of `salience`: arousal and negativity five to three, as ever; conflict most.

That of conflict was chosen on the scenarios for tuning (`emomem.evaluation.suites.crr.TUNING`),
with conflict as `ConflictAppraiser` reads it; what is recalled hardly changes from 0.5 to 0.8.
"""

VAD_SPREAD: Final = np.array([0.3, 0.15, 0.3])
"""Standard deviation of a reading of valence (-1..1), arousal (0..1) and dominance (-1..1).

About that of people who describe one emotion term (Russell & Mehrabian 1977: near 0.3 on
-1..1, so 0.15 on 0..1).
"""


def row_products(rows: NDArray[np.floating], by: NDArray[np.floating]) -> FloatArray:
    """`rows @ by`, where equal rows give equal results wherever they stand.

    BLAS sums the last rows of a block in another order, and a tie must stay a tie.
    """
    columns = np.ascontiguousarray(by.T)
    return np.asarray(np.einsum("ij,j->i" if by.ndim == 1 else "ij,kj->ik", rows, columns))


def salience(valence: FloatArray, arousal: FloatArray, conflict: FloatArray) -> FloatArray:
    """How accessible each memory is by its affect alone, 0..1.

    clip(0.25 arousal + 0.15 max(0, -valence) + 0.6 conflict), over the terms that are known,
    their weights rescaled to sum to 1.

    Args:
        valence: (n,) -1..1, NaN where not known.
        arousal: (n,) 0..1, NaN where not known.
        conflict: (n,) 0..1, NaN where not known.

    Returns:
        (n,) 0..1, NaN where no term is known.
    """
    values = {"arousal": arousal, "negativity": np.maximum(0.0, -valence), "conflict": conflict}
    terms = np.stack([values[name] for name in SALIENCE_WEIGHTS])
    weights = np.array(list(SALIENCE_WEIGHTS.values()))[:, None] * ~np.isnan(terms)
    total = weights.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.clip(np.nansum(weights * terms, axis=0) / total, 0.0, 1.0))


def affinity(affects: "AffectArray", wanted: "Affect") -> FloatArray:
    """How well each memory's affect matches the wanted one, 0..1.

    The Bhattacharyya affinity (Bhattacharyya 1943), in both forms: of the two distributions
    over emotions, sum(sqrt(p q)), where both are known; else of two normal distributions
    about the two points in VAD space with the spread of `VAD_SPREAD`,
    exp(-1/8 sum((difference / spread)^2)), over the dimensions that both know, rescaled to as
    many as `wanted` knows, so that a missing number is no advantage.

    Args:
        affects: Columns of n memories.
        wanted: The affect to match.

    Returns:
        (n,) 0..1, NaN where nothing is shared.
    """
    match = np.full(len(affects), np.nan)
    by_emotions = affects.has_emotions
    if wanted.emotions is not None and by_emotions.any():
        psi = np.sqrt(wanted.emotions).astype(np.float32)
        match = np.where(by_emotions, np.clip(row_products(affects.phi, psi), 0.0, 1.0), np.nan)
        if by_emotions.all():
            return match
    target = type(affects).from_affects([wanted]).vad[0]
    known = ~np.isnan(target)
    if known.any():
        rows = np.flatnonzero(np.isnan(match))
        apart = affects.vad.T[known].take(rows, axis=1) - target[known, None]
        squares = np.square(apart / VAD_SPREAD[known, None])
        shared = (~np.isnan(squares)).sum(axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            distance = np.nansum(squares, axis=0) * known.sum() / shared
        match[rows] = np.exp(-distance / 8)
    return match


def mean_imputed(values: FloatArray) -> FloatArray:
    """`values` with the mean of the known in place of NaN; all 0 where none is known."""
    missing = np.isnan(values)
    if not missing.any():
        return values
    mean = 0.0 if missing.all() else float(values[~missing].mean())
    return np.where(missing, mean, values)


def min_max(values: FloatArray) -> FloatArray:
    """`values` stretched to 0..1; all 0 where they are equal."""
    if not len(values):
        return values
    low, high = float(values.min()), float(values.max())
    return np.zeros_like(values) if high == low else (values - low) / (high - low)


def cosines(query: ArrayLike, vectors: ArrayLike) -> FloatArray:
    """(n,) cosine similarity of n vectors (n, d) to a query (d,), -1..1; 0 for a zero vector."""
    matrix, target = np.asarray(vectors, dtype=float), np.asarray(query, dtype=float)
    norms = np.linalg.norm(matrix, axis=1) * np.linalg.norm(target)
    products = matrix @ target
    return np.asarray(np.clip(products / np.where(norms == 0, 1.0, norms), -1.0, 1.0))
