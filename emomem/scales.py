"""Named adapters from the scales of published sources to this project's ranges.

Each validates and never clamps: a value outside its source's range raises.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, overload

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Scale:
    """A linear map from one closed range to another.

    Example:
        >>> VALENCE_2(-1)
        -0.5
    """

    name: str
    source: tuple[float, float]
    target: tuple[float, float]

    @overload
    def __call__(self, value: float) -> float: ...
    @overload
    def __call__(self, value: Sequence[float] | FloatArray) -> FloatArray: ...

    def __call__(self, value: float | Sequence[float] | FloatArray) -> float | FloatArray:
        """Convert a number, or an array of them.

        Raises:
            ValueError: A value is not a finite number within `source`.
        """
        values = np.asarray(value, dtype=float)
        low, high = self.source
        bad = ~((values >= low) & (values <= high))
        if bad.any():
            msg = f"{self.name} must lie in {low:g}..{high:g}, got {float(values[bad].flat[0])!r}"
            raise ValueError(msg)
        start, end = self.target
        result = start + (values - low) * (end - start) / (high - low)
        return float(result) if result.ndim == 0 else result


VALENCE_2: Final = Scale("valence", (-2, 2), (-1, 1))
AROUSAL_1_3: Final = Scale("arousal", (1, 3), (0, 1))
CONFLICT_4: Final = Scale("conflict", (0, 4), (0, 1))
PLUTCHIK_10: Final = Scale("Plutchik score", (1, 10), (0, 1))
EMOBANK_VALENCE: Final = Scale("EmoBank valence", (1, 5), (-1, 1))
EMOBANK_AROUSAL: Final = Scale("EmoBank arousal", (1, 5), (0, 1))
EMOBANK_DOMINANCE: Final = Scale("EmoBank dominance", (1, 5), (-1, 1))
