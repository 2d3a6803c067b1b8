"""Which arms differ, with few blocks: exact tests, their effect sizes, and what they can tell."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from math import factorial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from emomem.evaluation.statistics import SEED

FloatArray = NDArray[np.float64]

MOST: Final = 1_000_000
"""Sums for one block beyond which the null distribution is drawn and no longer counted out."""

_DRAWS: Final = 100_000


@dataclass(frozen=True)
class Friedman:
    """Friedman's test (1937) of k arms over n blocks.

    Attributes:
        statistic: Chi-square corrected for ties; 0 where all arms are alike in every block.
        p: The share of rearrangements within blocks that differ as much.
        w: Kendall's W 0..1, how much the blocks agree.
        least_p: The smallest p that so many blocks without ties could give.
        exact: Whether all rearrangements were counted, rather than some of them drawn.
    """

    statistic: float
    p: float
    w: float
    least_p: float
    exact: bool


@dataclass(frozen=True)
class Pair:
    """One arm against another, over n blocks.

    Attributes:
        p: Two-sided, of Wilcoxon's signed-rank test (1945), over all signs of the differences.
        holm: The same, corrected for all pairs (Holm 1979).
        r: The matched-pairs rank-biserial correlation (Kerby 2014), -1..1; above 0 where the
            first arm has more.
        least_p: The smallest p that so many blocks could give.
    """

    p: float
    holm: float
    r: float
    least_p: float


def friedman(values: FloatArray, most: int = MOST, seed: int = SEED) -> Friedman:
    """Test whether k arms differ, by rearranging the ranks within each of n blocks.

    The rank sums are convolved block by block, which counts every one of the k!^n
    rearrangements; where that takes more than `most` sums for a block, a hundred thousand of
    them are drawn.

    Args:
        values: (n, k), a row a block.
        most: How many sums a block may take.
        seed: Of the draw.

    Raises:
        ValueError: There is no block, or there are fewer than 2 arms.

    Example:
        >>> found = friedman(np.array([[0.9, 0.5, 0.7], [1.0, 0.4, 0.6], [0.9, 0.6, 0.7]]))
        >>> round(found.p, 4), found.w
        (0.0278, 1.0)
    """
    n, k = values.shape if values.ndim == 2 else (0, 0)  # noqa: PLR2004 - rows and columns
    if n < 1 or k < 2:  # noqa: PLR2004 - two arms
        msg = f"values must be a row of 2 or more arms for each block, got shape {values.shape}"
        raise ValueError(msg)
    from scipy.stats import rankdata  # noqa: PLC0415 - heavy

    # Twice the ranks, so that ties leave whole numbers.
    ranks = np.rint(2 * rankdata(values, axis=1)).astype(int)
    spread = _spread(ranks.sum(axis=0))
    tied = float(np.square(ranks - (k + 1)).sum()) * n
    w = spread / tied if tied else 0.0
    p = _counted(ranks, spread, most)
    exact = p is not None
    p = _drawn(ranks, spread, seed) if p is None else p
    return Friedman(w * n * (k - 1), p, w, factorial(k) ** (1.0 - n), exact)


def pairs(first: FloatArray, others: Mapping[str, FloatArray]) -> dict[str, Pair]:
    """One arm against each of several, over the same n blocks.

    Args:
        first: (n,) its values.
        others: (n,) those of each other arm, by name.
    """
    if not others:
        return {}
    from scipy.stats import PermutationMethod, rankdata, wilcoxon  # noqa: PLC0415 - heavy
    from statsmodels.stats.multitest import multipletests  # noqa: PLC0415 - heavy

    found: dict[str, tuple[float, float]] = {}
    for name, values in others.items():
        # What is no difference but in the last bit must tie.
        apart = np.round(first - values, 9)
        apart = apart[apart != 0]
        if not len(apart):
            found[name] = 1.0, 0.0
            continue
        ranks = rankdata(np.abs(apart))
        tied = len(set(ranks.tolist())) < len(ranks)
        method = PermutationMethod(rng=np.random.default_rng(SEED)) if tied else "exact"
        p = float(wilcoxon(apart, method=method).pvalue)
        found[name] = p, float((np.sign(apart) * ranks).sum() / ranks.sum())
    holm = multipletests([p for p, _ in found.values()], method="holm")[1]
    least = 2.0 ** (1 - len(first))
    return {
        name: Pair(p, float(corrected), r, least)
        for (name, (p, r)), corrected in zip(found.items(), holm, strict=True)
    }


def _spread(sums: NDArray[np.intp]) -> float:
    """How far apart rank sums are: the statistic but for a factor that no rearrangement changes."""
    return float(np.square(sums - sums.mean()).sum())


def _counted(ranks: NDArray[np.intp], spread: float, most: int) -> float | None:
    """The share of all rearrangements that are as far apart; None where they are too many."""
    n, k = ranks.shape
    sums: Counter[tuple[int, ...]] = Counter({(0,) * k: 1})
    for row in ranks.tolist():
        if len(sums) * factorial(k) > most:
            return None
        moves = Counter(permutations(row))
        after: Counter[tuple[int, ...]] = Counter()
        for there, count in sums.items():
            for move, times in moves.items():
                # Sorted: which arm is which makes no difference to how far apart they are.
                total = tuple(sorted(a + b for a, b in zip(there, move, strict=True)))
                after[total] += count * times
        sums = after
    as_far = sum(count for one, count in sums.items() if _spread(np.array(one)) >= spread)
    return float(Fraction(as_far, factorial(k) ** n))


def _drawn(ranks: NDArray[np.intp], spread: float, seed: int) -> float:
    rng = np.random.default_rng(seed)
    sums = np.zeros((_DRAWS, ranks.shape[1]), dtype=int)
    for row in ranks:
        sums += rng.permuted(np.tile(row, (_DRAWS, 1)), axis=1)
    apart = np.square(sums - sums.mean(axis=1, keepdims=True)).sum(axis=1)
    # The arrangement that was found is one of them (Phipson & Smyth 2010).
    return float((1 + (apart >= spread).sum()) / (1 + _DRAWS))
