"""Fusion: several readings of one moment, of text, voice or face, become one affect."""

import math
from collections.abc import Sequence
from numbers import Real
from typing import Final

import numpy as np

from emomem.affect import Affect, AffectArray, FloatArray
from emomem.emotions import GOEMOTIONS, UNKNOWN
from emomem.signals import affinity

NUMBERS: Final = ("valence", "arousal", "dominance", "conflict")
"""The numbers of an affect that readings are put together in."""


def fuse(*readings: Affect, weights: Sequence[float] | None = None) -> Affect:
    """One affect from several readings of the same moment.

    Each reading counts by its precision, weight times confidence (1 where it gives none). Each
    number is the precision-weighted mean of those that are known; distributions are mixed in
    the same proportions, and the label is the most probable emotion of the mixture (where no
    distribution is known, the label that carries most precision). A reading that is unknown,
    or of precision 0, contributes nothing.

    Confidence is the mean confidence of the readings that give one, by weight, times their
    agreement: the mean affinity (`emomem.signals.affinity`) of the readings to the result, by
    precision. So a cheerful text in an angry voice is doubtful; None where none gives one.

    Args:
        readings: At least one, for example the text's and those of the caller's own audio and
            vision models.
        weights: How far each source is to be trusted, finite and >= 0, one of them above 0;
            None trusts them alike.

    Raises:
        TypeError: A reading is no Affect, or a weight no number.
        ValueError: There is no reading, or the weights are wrong.

    Example:
        >>> text = Affect(valence=0.6, confidence=0.5)
        >>> voice = Affect(valence=-0.4, arousal=0.9, confidence=1.0)
        >>> fused = fuse(text, voice, weights=(2, 1))
        >>> round(fused.valence, 2), fused.arousal
        (0.1, 0.9)
    """
    trust = _weights(readings, weights)
    precision = trust * [1.0 if r.confidence is None else r.confidence for r in readings]
    precision[[reading.is_unknown for reading in readings]] = 0.0
    heard = np.flatnonzero(precision)
    if not heard.size:
        return Affect.unknown(source=joined_sources("fused", readings))
    known = [readings[row] for row in heard]
    fused = _mean(known, precision[heard])
    confidence = _confidence(known, trust[heard], precision[heard], fused)
    return fused.model_copy(update={"confidence": confidence})


def mixture(affects: Sequence[Affect], weights: FloatArray) -> FloatArray | None:
    """(28,) the mean of the distributions that are known, by weight; None where none is."""
    rows = [row for row, affect in enumerate(affects) if affect.emotions is not None]
    if not rows:
        return None
    mixed = weights[rows] @ np.array([affects[row].emotions for row in rows])
    return np.asarray(mixed / mixed.sum())


def affinities(affects: Sequence[Affect], result: Affect) -> FloatArray:
    """(n,) how well each affect matches what became of them all, 0..1; 0 where not at all."""
    return np.nan_to_num(affinity(AffectArray.from_affects(affects), result))


def joined_sources(prefix: str, affects: Sequence[Affect]) -> str:
    """What the result is marked with: a prefix and the sources it was made of, each once."""
    sources = dict.fromkeys(affect.source for affect in affects if affect.source)
    return f"{prefix}:{'+'.join(sources)}" if sources else prefix


def _weights(readings: Sequence[Affect], weights: Sequence[float] | None) -> FloatArray:
    if not readings:
        msg = "fuse needs at least one reading"
        raise ValueError(msg)
    for reading in readings:
        if not isinstance(reading, Affect):
            msg = f"a reading must be an Affect, got {type(reading).__name__}"
            raise TypeError(msg)
    if weights is None:
        return np.ones(len(readings))
    if isinstance(weights, str | Real) or not all(isinstance(x, Real) for x in weights):
        msg = f"weights must be numbers, one a reading, got {weights!r}"
        raise TypeError(msg)
    if len(weights) != len(readings):
        msg = f"weights must be one a reading; got {len(weights)} for {len(readings)}"
        raise ValueError(msg)
    if not all(math.isfinite(x) and x >= 0 for x in weights) or not any(weights):
        msg = f"weights must be finite and >= 0 with one above 0, got {tuple(weights)!r}"
        raise ValueError(msg)
    return np.array(weights, dtype=float)


def _mean(known: Sequence[Affect], precision: FloatArray) -> Affect:
    numbers = {}
    for name in NUMBERS:
        values = np.array([getattr(affect, name) for affect in known], dtype=float)
        rows = np.flatnonzero(~np.isnan(values))
        if rows.size:
            mean = float(np.average(values[rows], weights=precision[rows]))
            numbers[name] = min(max(mean, float(values[rows].min())), float(values[rows].max()))
    emotions = mixture(known, precision)
    return Affect(
        **numbers,
        emotions=None if emotions is None else tuple(emotions.tolist()),
        label=_heaviest(known, precision)
        if emotions is None
        else GOEMOTIONS[int(np.argmax(emotions))],
        source=joined_sources("fused", known),
    )


def _heaviest(known: Sequence[Affect], precision: FloatArray) -> str | None:
    totals: dict[str, float] = {}
    for affect, weight in zip(known, precision, strict=True):
        if affect.label not in (None, UNKNOWN):
            totals[str(affect.label)] = totals.get(str(affect.label), 0.0) + float(weight)
    return max(totals, key=totals.__getitem__, default=None)


def _confidence(
    known: Sequence[Affect], trust: FloatArray, precision: FloatArray, fused: Affect
) -> float | None:
    said = np.array([affect.confidence for affect in known], dtype=float)
    rows = np.flatnonzero(~np.isnan(said))
    if not rows.size:
        return None
    agreement = np.average(affinities(known, fused), weights=precision)
    return float(np.clip(np.average(said[rows], weights=trust[rows]) * agreement, 0.0, 1.0))
