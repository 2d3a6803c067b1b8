"""How arousal is spread over many texts, and from where on a text should be stored deeper."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emomem.affect import Affect
from emomem.metadata import DEFAULT_FIELDS, MetadataFields, decode_affects

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

THRESHOLDS: Final = tuple(step / 10 for step in range(1, 10))
"""Where a profile gives trigger rates."""
TARGET_RATE: Final = 0.2
"""The share of texts that `ArousalProfile.recommend` lets through where it is told none."""

_QUANTILES: Final = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)
_BINS: Final = 20
_STEPS: Final = 100
_ROUNDING: Final = 1e-9


@dataclass(frozen=True)
class Recommendation:
    """A threshold and what it leads to.

    Attributes:
        threshold: 0..1, arousal from which a text is encoded deeply.
        calls: How many of the texts that is, each a call of a chat model.
        rate: 0..1, their share of all texts.
        reason: Why this threshold, in words.
    """

    threshold: float
    calls: int
    rate: float
    reason: str


class ArousalProfile:
    """The arousal of many texts: its distribution, trigger rates and a threshold.

    A text triggers where its arousal is known and at or above the threshold. Rates are shares
    of all texts, those of unknown arousal included, since they are what a threshold costs.

    Args:
        arousal: (n,) 0..1; None or NaN where it is not known.

    Attributes:
        n: How many texts.
        known: (m,) the arousal that is known, ascending.

    Raises:
        ValueError: No arousal is known, or one is out of range.

    Example:
        >>> profile = ArousalProfile([0.1, 0.3, 0.5, 0.7, None])
        >>> profile.n, profile.known_share, profile.rate(0.5)
        (5, 0.8, 0.4)
        >>> profile.recommend(target_rate=0.2).threshold
        0.51
    """

    def __init__(self, arousal: Iterable[float | None]) -> None:
        values = np.array(list(arousal), dtype=float)
        known = np.sort(values[~np.isnan(values)])
        if not known.size:
            msg = f"no arousal is known of {len(values)} texts, so there is nothing to profile"
            raise ValueError(msg)
        if known[0] < 0 or known[-1] > 1:
            msg = f"arousal must be in 0..1, got {known[0]:g}..{known[-1]:g}"
            raise ValueError(msg)
        self.n = len(values)
        self.known: FloatArray = known

    @classmethod
    def from_affects(cls, affects: Iterable[Affect]) -> Self:
        """The profile of some affects.

        Raises:
            ValueError: No arousal is known.
        """
        return cls(affect.arousal for affect in affects)

    @classmethod
    def from_metadata(
        cls, metadatas: Sequence[Mapping[str, Any]], fields: MetadataFields = DEFAULT_FIELDS
    ) -> Self:
        """The profile of what a store holds, from the metadata of its memories.

        Raises:
            ValueError: No arousal is known.
        """
        return cls(decode_affects(metadatas, fields).arousal)

    @property
    def known_share(self) -> float:
        """0..1, the share of texts whose arousal is known."""
        return len(self.known) / self.n

    @property
    def quantiles(self) -> dict[float, float]:
        """The known arousal at 0, 5, 25, 50, 75, 95 and 100%."""
        found = np.quantile(self.known, _QUANTILES).tolist()
        return dict(zip(_QUANTILES, found, strict=True))

    @property
    def histogram(self) -> tuple[IntArray, FloatArray]:
        """How many texts (20,) lie between the edges (21,) of 20 equal bins of 0..1."""
        counts, edges = np.histogram(self.known, bins=_BINS, range=(0, 1))
        return counts, edges

    @property
    def trigger_rates(self) -> dict[float, float]:
        """The rate at each of `THRESHOLDS`."""
        return {threshold: self.rate(threshold) for threshold in THRESHOLDS}

    def calls(self, thresholds: ArrayLike) -> IntArray:
        """How many texts trigger at each threshold, in the shape of `thresholds`."""
        return np.asarray(len(self.known) - np.searchsorted(self.known, thresholds))

    def rate(self, threshold: float) -> float:
        """0..1, the share of all texts that trigger."""
        return int(self.calls(threshold)) / self.n

    def recommend(
        self, target_rate: float | None = None, *, budget: int | None = None
    ) -> Recommendation:
        """The lowest threshold, in steps of 0.01, that keeps to a rate or to a budget.

        Args:
            target_rate: 0..1, the largest share of texts that may trigger; `TARGET_RATE` where
                no budget is given either.
            budget: How many texts may trigger, >= 0, in place of a rate.

        Raises:
            ValueError: Both are given, or one is out of range.
        """
        most, words = self._limit(target_rate, budget)
        calls = self.calls(np.arange(_STEPS + 1) / _STEPS).tolist()
        step = next((step for step, count in enumerate(calls) if count <= most), _STEPS)
        threshold = step / _STEPS
        here = f"{threshold:.2f} triggers {self._share(calls[step])}"
        if calls[step] > most:
            reason = f"no threshold keeps to {words}: even {here}"
        elif step == 0:
            reason = f"every threshold keeps to {words}: {here}"
        else:
            below = f"{(step - 1) / _STEPS:.2f} would trigger {self._share(calls[step - 1])}"
            reason = f"the lowest that keeps to {words}: {here}; {below}"
        return Recommendation(threshold, calls[step], calls[step] / self.n, reason)

    def _limit(self, target_rate: float | None, budget: int | None) -> tuple[int, str]:
        """How many texts may trigger, and the same in words."""
        if budget is None:
            rate = TARGET_RATE if target_rate is None else target_rate
            if not 0 <= rate <= 1:
                msg = f"target_rate must be in 0..1, got {rate!r}"
                raise ValueError(msg)
            return math.floor(rate * self.n + _ROUNDING), f"at most {100 * rate:g}% of the texts"
        if target_rate is not None:
            msg = f"give a target_rate or a budget, got both: {target_rate!r} and {budget!r}"
            raise ValueError(msg)
        if budget < 0:
            msg = f"budget must be >= 0, got {budget!r}"
            raise ValueError(msg)
        return budget, f"a budget of {budget:,} calls"

    def _share(self, calls: int) -> str:
        return f"{calls:,} of {self.n:,} ({calls / self.n:.1%})"

    def to_dict(self, recommended: Recommendation | None = None) -> dict[str, Any]:
        """Everything but the single values, as plain data for JSON.

        Args:
            recommended: The threshold to tell of; `recommend()` where it is left out.
        """
        counts, edges = self.histogram
        return {
            "n": self.n,
            "known": len(self.known),
            "known_share": self.known_share,
            "mean": float(self.known.mean()),
            "deviation": float(self.known.std()),
            "quantiles": {f"{at:g}": value for at, value in self.quantiles.items()},
            "histogram": {"counts": counts.tolist(), "edges": edges.round(2).tolist()},
            "trigger_rates": {f"{at:g}": rate for at, rate in self.trigger_rates.items()},
            "recommended": asdict(recommended or self.recommend()),
        }
