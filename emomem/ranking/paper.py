"""The two distances of Emotional RAG (Huang et al. 2024, arXiv:2410.23041), as published."""

from collections.abc import Sequence

import numpy as np

from emomem.affect import Affect, AffectArray, FloatArray
from emomem.emotions import TO_PLUTCHIK
from emomem.ranking.pool import CandidatePool
from emomem.signals import row_products


def distances(
    pool: CandidatePool, present: Affect, plutchik: Sequence[float] | None = None
) -> dict[str, FloatArray]:
    """The cosine of each candidate, and its two distances; that of emotion NaN where not known.

    Args:
        pool: The n candidates.
        present: The user's present affect.
        plutchik: Its eight emotions on 1..10, where they are not those of its distribution.

    Raises:
        ValueError: There are no cosines, or no distribution over emotions.
    """
    target = score_of(present) if plutchik is None else np.array(plutchik, dtype=float)
    if pool.cosine is None or target is None:
        msg = (
            "scale='paper' needs cosines (a store whose metric is known) and an affect with "
            "a distribution over emotions"
        )
        raise ValueError(msg)
    scores = scores_of(pool.affects) if pool.plutchik is None else pool.plutchik
    return {
        "cosine": pool.cosine,
        "semantic_distance": semantic_distances(pool.cosine),
        "emotion_distance": emotion_distances(scores, target),
    }


def semantic_distances(cosine: FloatArray) -> FloatArray:
    """(n,) Euclidean distances of unit vectors, 0..2, by their cosines (n,)."""
    return np.asarray(np.sqrt(np.maximum(0.0, 2 - 2 * cosine)))


def emotion_distances(scores: FloatArray, target: FloatArray) -> FloatArray:
    """(n,) cosine distances of emotion vectors, 0..1; NaN where one is not known.

    Args:
        scores: (n, 8) Plutchik's emotions of each memory, 1..10.
        target: (8,) those of the query.
    """
    norms = np.sqrt(np.einsum("ij,ij->i", scores, scores)) * np.linalg.norm(target)
    return np.asarray(np.maximum(0.0, 1 - row_products(scores, target) / norms))


def scores_of(affects: AffectArray) -> FloatArray:
    """(n, 8) scores 1..10 by the distribution of each memory; NaN where none is known."""
    shares = row_products(np.square(affects.phi, dtype=float), TO_PLUTCHIK)
    return np.where(affects.has_emotions[:, None], 1 + 9 * shares, np.nan)


def score_of(affect: Affect) -> FloatArray | None:
    """(8,) scores 1..10 by the distribution of one affect; None where none is known."""
    return None if affect.emotions is None else 1 + 9 * (np.asarray(affect.emotions) @ TO_PLUTCHIK)
