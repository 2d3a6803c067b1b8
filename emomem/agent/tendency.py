"""The fast side: what present affect and the most salient memories press for, without a model."""

from collections.abc import Sequence
from typing import Final, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict

from emomem.affect import Affect, AffectArray, BoolArray, FloatArray, Signed, Unit
from emomem.memory.recalling import Recalled

Impulse = Literal["approach", "confront", "withdraw", "attend"]
"""To move towards, against or away from what happens, or only to look at it."""

_THRESHOLD: Final = 0.1
"""Valence from which there is an impulse at all."""


class Pull(BaseModel):
    """How much one voice says in a tendency.

    Attributes:
        unit_id: The memory; None for the present affect.
        weight: 0..1: a memory's salience over their number; how far the present affect is from
            neutral.
        valence: -1..1.
        arousal: 0..1; None where it is not known, and dominance alike.
        dominance: -1..1.
    """

    model_config = ConfigDict(frozen=True)

    unit_id: str | None
    weight: Unit
    valence: Signed
    arousal: Unit | None
    dominance: Signed | None


class Tendency(BaseModel):
    """What an agent is moved to before it thinks.

    Attributes:
        impulse: "approach" where it is pleasant; where it is not, "confront" in control and
            "withdraw" without (the octants of Mehrabian 1996, whose axes the numbers are);
            "attend" where it is neither.
        strength: 0..1, |valence|.
        valence: -1..1, the mean of the pulls by their weights; arousal and dominance alike, of
            those that know them, and 0 where none does.
        arousal: 0..1.
        dominance: -1..1.
        pulls: What pulled, the present affect first.
    """

    model_config = ConfigDict(frozen=True)

    impulse: Impulse
    strength: Unit
    valence: Signed
    arousal: Unit
    dominance: Signed
    pulls: tuple[Pull, ...] = ()


def tendency_of(present: Affect, felt: Sequence[Recalled]) -> Tendency:
    """The tendency of a moment; memories whose salience or valence is not known do not pull.

    The present affect weighs 1 - p(neutral), and all memories together their mean salience.

    Args:
        present: What the agent feels.
        felt: What came to mind, with its salience.

    Example:
        >>> tendency_of(Affect.from_label("anger"), []).impulse
        'confront'
        >>> tendency_of(Affect.neutral(), []).impulse
        'attend'
    """
    vad = AffectArray.from_affects([present, *(one.unit.affect for one in felt)]).vad
    saliences = np.array([one.salience for one in felt], dtype=float)
    known: BoolArray = ~np.isnan(vad[:, 0])
    known[1:] &= ~np.isnan(saliences)
    weights = np.array([1.0 - present.neutrality, *(saliences / max(1, known[1:].sum()))])
    ids = [None, *(one.unit.unit_id for one in felt)]
    rows = np.flatnonzero(known).tolist()
    valence, arousal, dominance = (_mean(vad[rows, axis], weights[rows]) for axis in range(3))
    return Tendency(
        impulse=_impulse(valence, dominance),
        strength=abs(valence),
        valence=valence,
        arousal=arousal,
        dominance=dominance,
        pulls=tuple(_pull(ids[row], weights[row], vad[row]) for row in rows),
    )


def _mean(values: FloatArray, weights: FloatArray) -> float:
    """The mean of what is known by its weights; 0 where nothing is, or nothing weighs."""
    held = (weights > 0) & ~np.isnan(values)
    if not held.any():
        return 0.0
    values, weights = values[held], weights[held]
    # Rounding may not lead out of what there is.
    return float(np.clip(np.average(values, weights=weights), values.min(), values.max()))


def _pull(unit_id: str | None, weight: float, vad: FloatArray) -> Pull:
    valence, arousal, dominance = (None if np.isnan(x) else float(x) for x in vad)
    return Pull.model_validate(
        {
            "unit_id": unit_id,
            "weight": weight,
            "valence": valence,
            "arousal": arousal,
            "dominance": dominance,
        }
    )


def _impulse(valence: float, dominance: float) -> Impulse:
    if abs(valence) < _THRESHOLD:
        return "attend"
    if valence > 0:
        return "approach"
    return "confront" if dominance > 0 else "withdraw"
