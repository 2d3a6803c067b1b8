"""How sure a difference is: paired bootstrap intervals over queries."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

SEED: Final = 20_260_101
SAMPLES: Final = 10_000
"""How often the queries are drawn again."""

_LEVEL: Final = 0.95


@dataclass(frozen=True)
class Interval:
    """An estimate and the ends of its 95% interval."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        """`+0.012 [+0.004, +0.020]`."""
        return f"{self.mean:+.3f} [{self.low:+.3f}, {self.high:+.3f}]"


class Bootstrap:
    """Percentile intervals (Efron 1979) from one set of draws, shared by all that is compared.

    Each draw takes as many queries as there are, with repetition; two arms are compared on the
    same queries, so that what a query's difficulty does to both cancels.

    Args:
        queries: How many queries there are, >= 1.
        samples: How many draws.
        seed: Of the draws.

    Raises:
        ValueError: There is no query.

    Example:
        >>> plain = np.array([0.0, 1.0, 0.0, 1.0])
        >>> str(Bootstrap(4).difference(plain + 0.5, plain))
        '+0.500 [+0.500, +0.500]'
    """

    def __init__(self, queries: int, samples: int = SAMPLES, seed: int = SEED) -> None:
        if queries < 1:
            msg = f"a bootstrap needs at least 1 query, got {queries}"
            raise ValueError(msg)
        rng = np.random.default_rng(seed)
        counts = rng.multinomial(queries, np.full(queries, 1 / queries), size=samples)
        self._weights = counts / queries

    def mean(self, values: FloatArray) -> Interval:
        """The mean of one value a query."""
        return self._interval(float(np.mean(values)), self._weights @ values)

    def difference(self, values: FloatArray, baseline: FloatArray) -> Interval:
        """How much more one arm has than another, in the mean."""
        return self.mean(values - baseline)

    def relative(self, values: FloatArray, baseline: FloatArray) -> Interval:
        """How much more one arm's mean is than another's, as a share of the other's.

        Raises:
            ValueError: The baseline's mean is 0.
        """
        if not np.mean(baseline):
            msg = "a relative difference needs a baseline other than 0"
            raise ValueError(msg)
        estimate = float(np.mean(values) / np.mean(baseline)) - 1
        with np.errstate(divide="ignore", invalid="ignore"):
            drawn = (self._weights @ values) / (self._weights @ baseline) - 1
        return self._interval(estimate, drawn)

    @staticmethod
    def _interval(estimate: float, drawn: FloatArray) -> Interval:
        rest = (1 - _LEVEL) / 2
        low, high = np.nanquantile(drawn, [rest, 1 - rest])
        return Interval(estimate, float(low), float(high))


def mean_of_known(values: FloatArray) -> Interval | None:
    """The mean of the values that are not NaN; None where all are."""
    known = values[~np.isnan(values)]
    return Bootstrap(len(known)).mean(known) if known.size else None
