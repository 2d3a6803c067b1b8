"""The strategies of Emotional RAG (Huang et al. 2024, arXiv:2410.23041) over all memories.

The names, with those of the paper's text and of its published code, which differ:

| here | text | code |
| --- | --- | --- |
| ordinary | ordinary RAG | OriginalRAG |
| combination-add | C-A | C-A |
| combination-multiply | C-M | C-M |
| semantic-first | S-S | S-C |
| emotion-first | S-E | S-S |
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray

from emomem.affect import AffectArray
from emomem.emotions import GOEMOTIONS, PLUTCHIK
from emomem.ranking import (
    CandidatePool,
    Combination,
    RankQuery,
    Semantic,
    Sequence,
    Strategy,
    resolve_strategy,
)

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]

RECALLED: Final = 10
"""How many memories a character recalls, as published; a sequence keeps twice as many."""

ALL_MEMORIES: Final = 1000
"""How many memories of a store are ranked; the published code ranks all that a character has."""

SCORED: Final = len(PLUTCHIK)
"""How many emotions are scored."""

STRATEGIES: Final[Mapping[str, Strategy]] = MappingProxyType(
    {
        "ordinary": Semantic(),
        "combination-add": Combination(fusion="add", scale="paper"),
        "combination-multiply": Combination(fusion="multiply", scale="paper"),
        "semantic-first": Sequence(first="semantic", scale="paper"),
        "emotion-first": Sequence(first="emotion", scale="paper"),
    }
)
"""The published strategies by our names."""


def resolve_recall(strategy: str | Strategy) -> Strategy:
    """A strategy of `STRATEGIES` by its name, or any other of the library.

    Raises:
        ValueError: No strategy has that name.
    """
    if isinstance(strategy, str) and strategy in STRATEGIES:
        return STRATEGIES[strategy]
    try:
        return resolve_strategy(strategy)
    except ValueError as error:
        msg = f"{error}; for role play also {', '.join(STRATEGIES)}"
        raise ValueError(msg) from None


def recall(  # noqa: PLR0913, PLR0917 - what is known of both sides
    strategy: Strategy,
    query: NDArray[np.floating],
    felt: FloatArray,
    memories: NDArray[np.floating],
    feelings: FloatArray,
    k: int = RECALLED,
) -> IndexArray:
    """What a character recalls, best first, out of all its memories.

    Args:
        strategy: How meaning and feeling are put together.
        query: (d,) the embedding of the question, of length one.
        felt: (8,) Plutchik's emotions in the question, 1..10; NaN where they are not known, when
            meaning alone decides.
        memories: (n, d) the embeddings of the memories, of length one.
        feelings: (n, 8) their emotions, 1..10; a NaN row where they are not known.
        k: How many are recalled, >= 1.

    Returns:
        At most k places of memories.

    Raises:
        ValueError: A score is outside 1..10, k is below 1, or the shapes do not fit.
    """
    cosines = np.clip(memories @ query, -1.0, 1.0).astype(float)
    nearest = np.argsort(-cosines, kind="stable")
    nothing = np.full(len(cosines), np.nan)
    phi = np.zeros((len(cosines), len(GOEMOTIONS)), dtype=np.float32)
    affects = AffectArray(nothing, nothing, nothing, nothing, phi)
    pool = CandidatePool(affects, cosine=cosines[nearest], plutchik=feelings[nearest])
    if np.isnan(felt).any():
        strategy, felt = Semantic(), np.ones(SCORED)
    asked = RankQuery(k, plutchik=tuple(felt.tolist()))
    return np.asarray(nearest[strategy.rank(pool, asked).order])
