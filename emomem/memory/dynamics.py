"""How memories fade, and what makes them come back: pure functions on arrays."""

from dataclasses import dataclass
from numbers import Real
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from emomem.affect import Affect, FloatArray
from emomem.emotions import GOEMOTIONS, NEUTRAL

HOUR: Final = 3_600.0
DAY: Final = 86_400.0


@dataclass(frozen=True)
class Decay:
    """Salience that halves with time, computed when it is read and never stored.

    floor + (salience - floor) 2^(-age / h), where h is `half_life` (1 + `arousal` times the
    memory's arousal) / (1 + `success` times its valence above 0): exponential forgetting
    (Ebbinghaus 1885), slower for what was stirring and faster for what went well.

    Args:
        half_life: Days until what is above the floor has halved, > 0.
        floor: 0..1, what remains; a salience below it does not decay.
        arousal: >= 0, how much longer the most stirring memory lasts.
        success: >= 0, how much faster the happiest one fades.

    Raises:
        ValueError: An argument is out of range.

    Example:
        >>> Decay(half_life=30).salience([0.8], age=[30 * DAY], arousal=[0.0], valence=[0.0])
        array([0.4])
    """

    half_life: float
    floor: float = 0.0
    arousal: float = 1.0
    success: float = 1.0

    def __post_init__(self) -> None:
        """Check the arguments."""
        if not 0 < self.half_life < np.inf:
            msg = f"half_life must be > 0 days, got {self.half_life!r}"
            raise ValueError(msg)
        check_share(floor=self.floor)
        for name in ("arousal", "success"):
            if not 0 <= getattr(self, name) < np.inf:
                msg = f"{name} must be >= 0, got {getattr(self, name)!r}"
                raise ValueError(msg)

    def salience(
        self, salience: ArrayLike, age: ArrayLike, arousal: ArrayLike, valence: ArrayLike
    ) -> FloatArray:
        """(n,) the saliences now; NaN where none is known.

        Args:
            salience: (n,) 0..1 as stored, NaN where not known.
            age: (n,) seconds since each was last said or reinforced; below 0 counts as 0.
            arousal: (n,) 0..1, NaN where not known.
            valence: (n,) -1..1, NaN where not known.
        """
        stored = np.asarray(salience, dtype=float)
        slower = 1 + self.arousal * np.nan_to_num(np.asarray(arousal, dtype=float))
        faster = 1 + self.success * np.maximum(0, np.nan_to_num(np.asarray(valence, dtype=float)))
        halvings = np.maximum(0, np.asarray(age, dtype=float)) / DAY / self.half_life
        above = np.maximum(0, stored - self.floor)
        return np.asarray(stored - above * (1 - 2 ** (-halvings * faster / slower)))


def reinforced(salience: ArrayLike, rate: float) -> FloatArray:
    """(n,) saliences after a recall: `rate` of what is missing to 1 is gained.

    Raises:
        ValueError: The rate is outside 0..1.
    """
    check_share(rate=rate)
    stored = np.asarray(salience, dtype=float)
    return np.asarray(stored + rate * (1 - stored))


def faded(affect: Affect, rate: float) -> Affect:
    """A feeling after a recall: `rate` of the way to neutral; its conflict stays as it is.

    Raises:
        ValueError: The rate is outside 0..1.
    """
    check_share(rate=rate)
    update: dict[str, object] = {
        name: value * (1 - rate)
        for name in ("valence", "arousal", "dominance")
        if (value := getattr(affect, name)) is not None
    }
    if affect.emotions is not None:
        calm = np.eye(len(GOEMOTIONS))[NEUTRAL]
        mixed = (1 - rate) * np.asarray(affect.emotions) + rate * calm
        update["emotions"] = tuple(mixed.tolist())
    return affect.model_copy(update=update)


def check_share(**shares: float) -> None:
    """Refuse what does not lie in 0..1.

    Raises:
        TypeError: One is no number.
        ValueError: A number is outside 0..1.
    """
    for name, share in shares.items():
        if isinstance(share, bool) or not isinstance(share, Real):
            msg = f"{name} must be a number in 0..1, got {share!r}"
            raise TypeError(msg)
        if not 0 <= share <= 1:
            msg = f"{name} must lie in 0..1, got {share!r}"
            raise ValueError(msg)
