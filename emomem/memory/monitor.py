"""Watching a user's affect over time: its distribution, alerts, and how to answer."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from emomem.affect import Affect, AffectArray, FloatArray
from emomem.memory.dynamics import DAY, check_share
from emomem.memory.unit import MemoryUnit

Alert = Literal["persistent_negativity", "drift", "rumination"]
Opening = Literal["empathise", "solve", "ask"]
Detail = Literal["terse", "detailed"]


@dataclass(frozen=True)
class Report:
    """What a monitor saw.

    Attributes:
        days: (d,) the days, as seconds since 1970 at their beginning (UTC), the oldest first.
        counts: (d,) how many memories of each day have a valence.
        valence: (d,) their mean valence, -1..1; NaN where there is none.
        arousal: (d,) their mean arousal, 0..1; NaN where none is known.
        emotions: (d, 28) the mean distribution over emotions; zeros where none is known.
        alerts: What should be looked at.
        returning: The ids of the negative memories that keep returning.
    """

    days: FloatArray
    counts: FloatArray
    valence: FloatArray
    arousal: FloatArray
    emotions: FloatArray
    alerts: tuple[Alert, ...]
    returning: tuple[str, ...]


@dataclass(frozen=True)
class Monitor:
    """Looks at the affective units of one user.

    A day is the plain mean of what was felt in it, so that days can be compared whatever was said
    in them; a mood weighs the strong feelings more, so that an outburst shows (`MoodTracker`).

    Args:
        window: How many of the last days with memories are looked at, >= 1.
        negative: -1..0, a mean valence below it is negative.
        share: 0..1, the share of the window's days that have to be negative for an alert.
        drift: > 0, how many standard deviations of the days before the window their mean valence
            may have moved, up or down.
        returns: How often a negative memory has to be said to be called returning, >= 2.

    Raises:
        ValueError: A number is out of range.
    """

    window: int = 7
    negative: float = -1 / 3
    share: float = 0.7
    drift: float = 2.0
    returns: int = 3

    def __post_init__(self) -> None:
        """Check the numbers."""
        check_share(share=self.share, negative=-self.negative)
        least = {"window": 1, "drift": 0, "returns": 2}
        for name, low in least.items():
            if not getattr(self, name) >= low:
                msg = f"{name} must be >= {low}, got {getattr(self, name)!r}"
                raise ValueError(msg)

    def report(self, units: Sequence[MemoryUnit]) -> Report:
        """The affect of each day, and the alerts of the last days.

        Args:
            units: Affective units, in any order; those of unknown valence do not count.
        """
        felt = [unit for unit in units if unit.affect.valence is not None]
        columns = AffectArray.from_affects([unit.affect for unit in felt])
        begin = np.floor(np.array([unit.created_at for unit in felt], dtype=float) / DAY) * DAY
        days, place, counts = np.unique(begin, return_inverse=True, return_counts=True)
        valence = _means(columns.valence, place, len(days))
        arousal = _means(columns.arousal, place, len(days))
        emotions = np.zeros((len(days), columns.phi.shape[1]))
        np.add.at(emotions, place, np.square(columns.phi, dtype=float))
        returning = [
            unit.unit_id
            for unit in felt
            if unit.times >= self.returns and (unit.affect.valence or 0.0) < self.negative
        ]
        return Report(
            days=days,
            counts=counts.astype(float),
            valence=valence,
            arousal=arousal,
            emotions=emotions / np.maximum(emotions.sum(axis=1, keepdims=True), 1e-12),
            alerts=self._alerts(valence, returning),
            returning=tuple(returning),
        )

    def _alerts(self, valence: FloatArray, returning: Sequence[str]) -> tuple[Alert, ...]:
        recent, before = valence[-self.window :], valence[: -self.window]
        alerts: list[Alert] = []
        if len(recent) == self.window and np.mean(recent < self.negative) >= self.share:
            alerts.append("persistent_negativity")
        if len(before) >= self.window:
            spread = max(float(before.std()), 1e-6)
            if abs(float(recent.mean() - before.mean())) / spread > self.drift:
                alerts.append("drift")
        if returning:
            alerts.append("rumination")
        return tuple(alerts)


@dataclass(frozen=True)
class Hint:
    """How to answer: what comes first, and at what length."""

    opening: Opening
    detail: Detail


def hint(present: Affect) -> Hint:
    """How to answer a user in a state.

    Empathise first with the distressed, solve first for the calm or content, ask where the state
    is not known or torn. Be terse with the stirred, who read little, and detailed with the calm.
    """
    binned = present.binned()
    detail: Detail = "terse" if binned["arousal"] == "high" else "detailed"
    if present.is_unknown or binned["conflict"] == "high":
        return Hint("ask", detail)
    return Hint("empathise" if binned["valence"] == "low" else "solve", detail)


def _means(values: FloatArray, place: NDArray[np.intp], count: int) -> FloatArray:
    """(count,) the mean of the known values of each place; NaN where there is none."""
    known = ~np.isnan(values)
    total = np.zeros(count)
    number = np.zeros(count)
    np.add.at(total, place[known], values[known])
    np.add.at(number, place[known], 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(total / number)
