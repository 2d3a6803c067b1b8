"""Affect: what a text feels like. One record, and columns for a pool of them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Annotated, Final, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationInfo,
    field_validator,
    model_validator,
)

from emomem.emotions import (
    GOEMOTIONS,
    LABEL_VAD,
    NEUTRAL,
    PLUTCHIK,
    TO_PLUTCHIK,
    UNKNOWN,
    is_known_label,
    projection,
)
from emomem.signals import row_products, salience

FloatArray = NDArray[np.float64]
Float32Array = NDArray[np.float32]
BoolArray = NDArray[np.bool_]

Signed = Annotated[float, Field(ge=-1, le=1, allow_inf_nan=False)]
Unit = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]

Level = Literal["low", "medium", "high"]

_SUM_TOLERANCE = 1e-3

_THIRDS: Final = {
    "valence": (-1 / 3, 1 / 3),
    "arousal": (1 / 3, 2 / 3),
    "dominance": (-1 / 3, 1 / 3),
    "conflict": (1 / 3, 2 / 3),
}
"""Where each number's scale is cut into three."""


class Affect(BaseModel):
    """The affect of one text or moment; every number is optional by itself.

    Attributes:
        valence: -1 (unpleasant) to 1 (pleasant), 0 neutral.
        arousal: 0 (calm) to 1 (aroused).
        dominance: -1 (controlled) to 1 (in control), 0 neutral.
        conflict: 0 to 1, how much it clashes with a goal, a party or another memory.
        emotions: A distribution over the 28 labels of `emomem.emotions.GOEMOTIONS`; that of
            `label` where it is not given and the label is known.
        label: The primary emotion; taken from `emotions` where it is not given.
        confidence: 0 to 1, how sure the source is; None where it does not say.
        source: What read it, for example `lexicon:vader`.

    Raises:
        pydantic.ValidationError: A number is out of range, NaN or infinite, or `emotions` is
            not a distribution over the 28. (It is a ValueError.)

    Example:
        >>> Affect(valence=-0.6, arousal=0.8, label="anger").valence
        -0.6
        >>> Affect.from_label("joy").label
        'joy'
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    valence: Signed | None = None
    arousal: Unit | None = None
    dominance: Signed | None = None
    conflict: Unit | None = None
    emotions: tuple[Unit, ...] | None = Field(default=None, repr=False)
    label: str | None = None
    confidence: Unit | None = None
    source: str | None = None

    @field_validator("emotions")
    @classmethod
    def _is_distribution(cls, value: tuple[float, ...] | None) -> tuple[float, ...] | None:
        if value is None:
            return None
        if len(value) != len(GOEMOTIONS):
            msg = f"emotions needs {len(GOEMOTIONS)} probabilities, got {len(value)}"
            raise ValueError(msg)
        total = math.fsum(value)
        if abs(total - 1) > _SUM_TOLERANCE:
            msg = f"emotions must sum to 1, got {total:.6g}"
            raise ValueError(msg)
        return value

    @field_validator("label", "source")
    @classmethod
    def _is_not_blank(cls, value: str | None, info: ValidationInfo) -> str | None:
        if value is None:
            return None
        if not value.strip():
            msg = "must not be blank; leave it out instead"
            raise ValueError(msg)
        known = info.field_name == "label" and is_known_label(value)
        return value.strip().lower() if known else value

    @model_validator(mode="after")
    def _complete(self) -> Self:
        """The label of a distribution, or the distribution of a known label."""
        if self.emotions is not None and self.label is None:
            object.__setattr__(self, "label", GOEMOTIONS[int(np.argmax(self.emotions))])
        elif self.emotions is None and self.label is not None and is_known_label(self.label):
            weights = projection([self.label])[0]
            object.__setattr__(self, "emotions", tuple(weights.tolist()))
        return self

    @classmethod
    def unknown(cls, source: str | None = None) -> Self:
        """No affect could be read. It neither wins nor loses a rank; it is not neutral."""
        return cls(label=UNKNOWN, source=source)

    @classmethod
    def neutral(cls, source: str | None = None) -> Self:
        """A text that is known to carry no emotion."""
        return cls.from_label("neutral", source=source)

    @classmethod
    def from_label(cls, label: str, *, source: str | None = None) -> Self:
        """The affect that a label stands for: its distribution and its place in VAD space.

        Args:
            label: A label of any known label set (`emomem.emotions.known_labels`).
            source: What read it.

        Raises:
            ValueError: The label is in no known set; the message lists those that are.
        """
        weights = projection([label])[0]
        return cls.from_emotions(weights, label=label.strip().lower(), source=source)

    @classmethod
    def from_emotions(
        cls,
        probabilities: Sequence[float] | FloatArray,
        *,
        label: str | None = None,
        confidence: float | None = None,
        source: str | None = None,
    ) -> Self:
        """Affect from a distribution over the 28, its VAD by expectation over `LABEL_VAD`.

        Args:
            probabilities: (28,) non-negative, in the order of `GOEMOTIONS`; rescaled to sum
                to 1.
            label: The primary emotion; the most probable where it is not given.
            confidence: 0 to 1.
            source: What read it.

        Raises:
            ValueError: The probabilities are not 28 finite non-negative numbers with a
                positive sum.
        """
        weights = np.asarray(probabilities, dtype=float)
        if weights.shape != (len(GOEMOTIONS),) or not np.isfinite(weights).all():
            msg = f"probabilities must be {len(GOEMOTIONS)} finite numbers, got {weights.shape}"
            raise ValueError(msg)
        if weights.min() < 0 or weights.sum() <= 0:
            msg = f"probabilities must be >= 0 with a positive sum, got {weights.tolist()}"
            raise ValueError(msg)
        weights = weights / weights.sum()
        valence, arousal, dominance = (weights @ LABEL_VAD).tolist()
        return cls(
            valence=valence,
            arousal=arousal,
            dominance=dominance,
            emotions=tuple(weights.tolist()),
            label=label,
            confidence=confidence,
            source=source,
        )

    @property
    def is_unknown(self) -> bool:
        """Whether nothing at all is known of it: no distribution and no number."""
        return self.emotions is None and all(
            x is None for x in (self.valence, self.arousal, self.dominance, self.conflict)
        )

    @property
    def neutrality(self) -> float:
        """0 to 1: the probability of neutral; of numbers alone, what their strength leaves.

        The strength is the largest of |valence|, conflict, and arousal above the middle of its
        scale; of an unknown affect it is 0.
        """
        if self.emotions is not None:
            return self.emotions[NEUTRAL]
        strengths = (abs(self.valence or 0.0), self.conflict or 0.0, 2 * (self.arousal or 0.0) - 1)
        return 1.0 - max(strengths)

    @property
    def plutchik(self) -> dict[str, float] | None:
        """Intensity 0..1 of each of Plutchik's eight; they sum to 1 - p(neutral)."""
        if self.emotions is None:
            return None
        intensities = np.clip(np.asarray(self.emotions) @ TO_PLUTCHIK, 0.0, 1.0)
        return dict(zip(PLUTCHIK, intensities.tolist(), strict=True))

    def binned(self) -> dict[str, Level | None]:
        """Each number as low, medium or high, which stay when a reading wavers a little.

        The thirds of each scale: medium is -1/3 to 1/3 of valence and dominance, and 1/3 to 2/3
        of arousal and conflict, both ends included. None where the number is not known.

        Example:
            >>> Affect(valence=-0.6, arousal=0.5).binned()
            {'valence': 'low', 'arousal': 'medium', 'dominance': None, 'conflict': None}
        """
        return {name: _level(getattr(self, name), *ends) for name, ends in _THIRDS.items()}


def _level(value: float | None, low: float, high: float) -> Level | None:
    if value is None:
        return None
    return "low" if value < low else "high" if value > high else "medium"


@dataclass(frozen=True, eq=False)
class AffectArray:
    """The affects of n memories as columns; NaN, and a zero row of `phi`, mean not known.

    Attributes:
        valence: (n,) -1..1.
        arousal: (n,) 0..1.
        dominance: (n,) -1..1.
        conflict: (n,) 0..1.
        phi: (n, 28) float32, the square roots of each distribution.
    """

    valence: FloatArray
    arousal: FloatArray
    dominance: FloatArray
    conflict: FloatArray
    phi: Float32Array

    def __post_init__(self) -> None:
        """Check that the columns agree in length."""
        n = len(self.valence)
        for column in fields(self):
            values = getattr(self, column.name)
            shape = (n, len(GOEMOTIONS)) if column.name == "phi" else (n,)
            if values.shape != shape:
                msg = f"column {column.name!r} must have shape {shape}, got {values.shape}"
                raise ValueError(msg)

    def __len__(self) -> int:
        """How many memories the columns describe."""
        return len(self.valence)

    @staticmethod
    def from_affects(affects: Sequence[Affect]) -> "AffectArray":
        """Columns of some affects, in their order."""

        def column(name: str) -> FloatArray:
            return np.array([getattr(affect, name) for affect in affects], dtype=float)

        phi = np.zeros((len(affects), len(GOEMOTIONS)), dtype=np.float32)
        for row, affect in enumerate(affects):
            if affect.emotions is not None:
                phi[row] = np.sqrt(affect.emotions)
        return AffectArray(
            valence=column("valence"),
            arousal=column("arousal"),
            dominance=column("dominance"),
            conflict=column("conflict"),
            phi=phi,
        )

    @cached_property
    def has_emotions(self) -> BoolArray:
        """(n,) where a distribution is known."""
        return np.asarray(np.einsum("ij->i", self.phi) > 0)

    @cached_property
    def salience(self) -> FloatArray:
        """(n,) 0..1 (`emomem.signals.salience`), NaN where not known."""
        return salience(self.valence, self.arousal, self.conflict)

    def felt(self, name: Literal["valence", "arousal", "dominance"]) -> FloatArray:
        """(n,) one column of `vad`; the other two are not asked for where it is complete."""
        column: FloatArray = getattr(self, name)
        if not np.isnan(column).any():
            return column
        return self.vad[:, ("valence", "arousal", "dominance").index(name)]

    @cached_property
    def vad(self) -> FloatArray:
        """(n, 3) valence, arousal and dominance for matching.

        Where a distribution is known and a number is not, the number is the distribution's
        expectation over `LABEL_VAD`; the columns themselves stay as they were stored.
        """
        vad = np.stack([self.valence, self.arousal, self.dominance]).T
        if not np.isnan(vad).any():
            return vad
        rows = np.flatnonzero(self.has_emotions & np.isnan(vad).any(axis=1))
        if rows.size:
            expected = row_products(np.square(self.phi[rows], dtype=float), LABEL_VAD)
            vad[rows] = np.where(np.isnan(vad[rows]), expected, vad[rows])
        return vad
