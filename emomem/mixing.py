"""A query out of a conversation: its whole context and its last turn, mixed."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from emomem.affect import FloatArray

CONTEXT: Final = 1000
"""Characters of the context that is embedded as one text: about the 256 tokens that MiniLM reads.

It would read the first of a longer one, and what was said last would be lost.
"""


def query_parts(query: str, turns: Sequence[str]) -> list[str]:
    """The texts whose vectors make the query: the whole context, and what is said last.

    Of a context longer than `CONTEXT` the latest turns are taken.

    On MADial-Bench nDCG@5 is 0.55 with the whole context, 0.54 with the last turn and 0.63 with
    both in equal parts (`emomem eval retrieval --half even`).

    Args:
        query: What the user says.
        turns: The turns so far, oldest first; the query may be the last of them.
    """
    said = list(turns) if turns and turns[-1] == query else [*turns, query]
    ends = np.cumsum([len(turn) + 1 for turn in reversed(said)])
    fitting = said[len(said) - int((ends <= CONTEXT + 1).sum()) :]
    return ["\n".join(fitting), query] if len(fitting) > 1 else [query]


def mixed(vectors: Sequence[ArrayLike]) -> FloatArray:
    """The mean direction (d,) of some vectors, as long as they are on average; one stays itself."""
    rows = np.array(vectors, dtype=float)
    if len(rows) == 1:
        return np.asarray(rows[0])
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    mean = (rows / np.where(lengths == 0, 1.0, lengths)).mean(axis=0)
    return np.asarray(mean * lengths.mean() / (np.linalg.norm(mean) or 1.0))
