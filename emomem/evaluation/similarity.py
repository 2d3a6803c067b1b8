"""How alike two texts are, token by token."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from emomem.encoder import LocalEncoder

Similarity = Callable[[Sequence[str], Sequence[str]], list[float]]
"""0..1, how alike each text is to its reference."""


def token_f1(candidate: NDArray[np.floating], reference: NDArray[np.floating]) -> float:
    """F1 of greedy token matching, as BERTScore has it (Zhang et al. 2020, arXiv:1904.09675).

    Precision is the mean, over the candidate's tokens, of the best cosine with one of the
    reference's, recall the same the other way round. Without idf weights and without rescaling, so
    that unlike texts have well above 0.

    Args:
        candidate: (a, d) vectors of length one.
        reference: (b, d) vectors of length one.

    Returns:
        0..1; 0 where a text has no token.
    """
    if not len(candidate) or not len(reference):
        return 0.0
    cosines = np.asarray(candidate, dtype=float) @ np.asarray(reference, dtype=float).T
    precision, recall = float(cosines.max(1).mean()), float(cosines.max(0).mean())
    total = precision + recall
    return float(np.clip(2 * precision * recall / total, 0.0, 1.0)) if total > 0 else 0.0


def token_similarity(
    encoder: LocalEncoder, texts: Sequence[str], references: Sequence[str]
) -> list[float]:
    """Token F1 of each text and its reference, by MiniLM's own token vectors."""
    wanted = list(dict.fromkeys([*texts, *references]))
    vectors = dict(zip(wanted, encoder.token_vectors(wanted), strict=True))
    pairs = zip(texts, references, strict=True)
    return [token_f1(vectors[text], vectors[reference]) for text, reference in pairs]
