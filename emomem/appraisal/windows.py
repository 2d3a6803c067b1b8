"""Windows: a text too long to read at once is read in parts, and the readings are merged.

The parts are overlapping windows over the whole text and, behind them, one short closing window
over its end. A turn in the last words would drown in a full window; read alone it is heard. The
merge gives the closing window half of the say and the others the other half, and lets each speak
as loudly as it feels: what people remember of an episode is its peaks and its end, not its mean
(Fredrickson & Kahneman 1993, doi:10.1037/0022-3514.65.1.45).
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from emomem.affect import FloatArray

CLOSING: Final = 24
"""Tokens (or words) of the closing window: about one sentence."""

_OVERLAP: Final = 8

HEAD: Final = 1000
"""Characters of its beginning that are read of a very long query."""

TAIL: Final = 3000
"""Characters of its end that are read of a very long query: how one feels now is said last."""


def ends(text: str) -> str:
    """The beginning and the end of a text that is longer than both; any other as it is.

    So a pasted document costs no more than a long message where the present affect is read.

    Example:
        >>> len(ends("word " * 9)), len(ends("word " * 9000)) <= HEAD + TAIL + 1
        (45, True)
    """
    if len(text) <= HEAD + TAIL:
        return text
    text = text.strip()
    return text if len(text) <= HEAD + TAIL else f"{text[:HEAD]}\n{text[-TAIL:]}"


def split_windows(length: int, size: int) -> list[slice]:
    """Windows over `length` tokens (or words), the closing one last.

    Consecutive windows share at least an eighth of their size, so that a phrase cut by one
    edge stands whole in its neighbour.

    Args:
        length: How many tokens there are, >= 0.
        size: How many fit into one window, >= 1.

    Returns:
        One slice where everything fits; else full windows that cover the whole, and the last
        `CLOSING` tokens once more by themselves.

    Raises:
        ValueError: `size` is below 1.

    Example:
        >>> split_windows(5, 64)
        [slice(0, 5, None)]
        >>> split_windows(100, 64)
        [slice(0, 64, None), slice(36, 100, None), slice(76, 100, None)]
    """
    if size < 1:
        msg = f"size must be >= 1, got {size!r}"
        raise ValueError(msg)
    if length <= size:
        return [slice(0, length)]
    starts = [*range(0, length - size, size - size // _OVERLAP), length - size]
    windows = [slice(start, start + size) for start in starts]
    return [*windows, slice(length - min(CLOSING, size), length)]


def window_shares(count: int) -> FloatArray:
    """(count,) each window's say by its place: half for the closing one, the rest alike."""
    if count == 1:
        return np.ones(1)
    return np.array([0.5 / (count - 1)] * (count - 1) + [0.5])


def window_weights(strengths: Sequence[float] | FloatArray) -> FloatArray:
    """How much each window counts in the merge: its share times the strength of its feeling.

    Args:
        strengths: (w,) 0..1, 1 - neutrality of each window's own reading; NaN where a window
            could not be read. In the order of `split_windows`.

    Returns:
        (w,) weights that sum to 1; 0 for an unreadable window, and all 0 where none could be
        read. Where every window is neutral the shares alone decide.
    """
    felt = np.asarray(strengths, dtype=float)
    readable = ~np.isnan(felt)
    shares = window_shares(len(felt)) * readable
    weights = shares * np.where(readable, felt, 0.0)
    if not weights.any():
        weights = shares
    return np.asarray(weights / (weights.sum() or 1.0))
