"""Mood: the affect of one user over time, from what the user said; and what it does to an agent.

A mood is nowhere stored: it is what the units say, so that it lasts as long as they do, is one
user's, and is forgotten with them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from emomem.affect import Affect, AffectArray, FloatArray
from emomem.memory.dynamics import HOUR, check_share
from emomem.memory.unit import MemoryUnit

_NUMBERS: Final = ("valence", "arousal", "dominance", "conflict")
_LEAST: Final = 0.01
"""What a feeling weighs that is neither pleasant nor unpleasant, nor stirs."""

Stance = Literal["steady", "warm", "gentle", "conservative"]
"""How an agent that shares a mood should act."""


@dataclass(frozen=True)
class MoodTracker:
    """An exponentially weighted mean of what was felt, the latest and the strongest counting most.

    Beside its age a feeling weighs valence^2 + arousal^2, the square of its distance from calm and
    neutral: one outburst is not lost among the plain statements of its hour.

    Args:
        half_life: Hours until a feeling counts half, > 0.

    Raises:
        ValueError: The half-life is out of range.

    Example:
        >>> anger, joy = Affect.from_label("anger"), Affect.from_label("joy")
        >>> MoodTracker(half_life=1).mood([anger, joy], [0.0, 7200.0], now=7200.0).label
        'joy'
    """

    half_life: float = 24.0

    def __post_init__(self) -> None:
        """Check the half-life."""
        if not 0 < self.half_life < np.inf:
            msg = f"half_life must be > 0 hours, got {self.half_life!r}"
            raise ValueError(msg)

    def mood(self, affects: Sequence[Affect], times: Sequence[float], now: float) -> Affect:
        """The mood at a time; unknown where nothing was felt, and its confidence fades with time.

        Args:
            affects: What was felt.
            times: (n,) when, in seconds since 1970; what is after `now` does not count.
            now: The time.
        """
        when = np.asarray(times, dtype=float)
        pairs = zip(affects, when.tolist(), strict=True)
        counted = [
            (affect, time) for affect, time in pairs if time <= now and not affect.is_unknown
        ]
        if not counted:
            return Affect.unknown()
        columns = AffectArray.from_affects([affect for affect, _ in counted])
        ages = now - np.array([time for _, time in counted])
        # By the latest, so that what is long ago still has a mean.
        weights = 2.0 ** (-(ages - ages.min()) / HOUR / self.half_life) * _strength(columns)
        update: dict[str, object] = {
            name: float(np.average(values[known], weights=weights[known]))
            for name in _NUMBERS
            if (known := ~np.isnan(values := getattr(columns, name))).any()
        }
        if (felt := columns.has_emotions).any():
            shares = np.square(columns.phi[felt], dtype=float)
            mixed = np.average(shares, axis=0, weights=weights[felt])
            update["emotions"] = tuple((mixed / mixed.sum()).tolist())
        confidence = float(2.0 ** (-ages.min() / HOUR / self.half_life))
        return Affect.model_validate({**update, "confidence": confidence, "source": "mood"})


def _strength(affects: AffectArray) -> FloatArray:
    """(n,) > 0, how much each feeling weighs; what is not known of it adds nothing."""
    squares = np.square([affects.valence, affects.arousal])
    return np.asarray(np.nansum(squares, axis=0) + _LEAST)


def stepped(before: Affect, towards: Affect, most: float) -> Affect:
    """An agent's mood after one step towards another, no number of it changing by more than `most`.

    The persona stays stable, whatever one message does. What is not known of either does not move.

    Args:
        before: The agent's mood.
        towards: Where it is drawn.
        most: 0..1, the largest change of valence, arousal and dominance.

    Raises:
        ValueError: `most` is outside 0..1.
    """
    check_share(most=most)
    moved: dict[str, float | None] = {}
    for name in _NUMBERS[:3]:
        old, new = getattr(before, name), getattr(towards, name)
        known = old is not None and new is not None
        moved[name] = old + float(np.clip(new - old, -most, most)) if known else old
    return Affect(**moved, source="mood")


def stance(mood: Affect) -> Stance:
    """How to act in a mood: conservative when frustrated, gentle when low, warm when well.

    Frustrated is unpleasant and aroused; low is unpleasant and calm.
    """
    binned = mood.binned()
    if binned["valence"] == "low":
        return "gentle" if binned["arousal"] == "low" else "conservative"
    return "warm" if binned["valence"] == "high" else "steady"


def mood_of(units: Sequence[MemoryUnit], user_id: str, tracker: MoodTracker, now: float) -> Affect:
    """The mood of a user, from the affective units of what the user felt; others' do not count."""
    own = [unit for unit in units if unit.kind == "affective" and unit.experiencer == user_id]
    return tracker.mood([unit.affect for unit in own], [unit.last_at for unit in own], now)
