"""Emotion label sets, the projections between them, and their place in VAD space.

The canonical space is the 28 labels of GoEmotions (Demszky et al. 2020). Every other
label set has one projection in (its labels -> 28) and one out (28 -> its labels).

Sources: GoEmotions and its Ekman grouping, Demszky et al. (2020),
doi:10.18653/v1/2020.acl-main.372; primary emotions and dyads, Plutchik (1980, 2001); valence,
arousal and dominance of emotion terms, Russell & Mehrabian (1977),
doi:10.1016/0092-6566(77)90037-X.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

UNKNOWN: Final = "unknown"
"""The label of a text from which no affect could be read; never the same as neutral."""

GOEMOTIONS: Final = (
    "admiration", "amusement", "anger", "annoyance", "approval", "caring", "confusion",
    "curiosity", "desire", "disappointment", "disapproval", "disgust", "embarrassment",
    "excitement", "fear", "gratitude", "grief", "joy", "love", "nervousness", "optimism",
    "pride", "realization", "relief", "remorse", "sadness", "surprise", "neutral",
)  # fmt: skip
PLUTCHIK: Final = (
    "joy", "trust", "fear", "surprise", "sadness", "disgust", "anger", "anticipation",
)  # fmt: skip
EKMAN: Final = ("anger", "disgust", "fear", "joy", "sadness", "surprise", "neutral")
DEEP_ENCODING: Final = ("joy", "love", "surprise", "anger", "sadness", "fear", "disgust")

_INDEX: Final = MappingProxyType({label: i for i, label in enumerate(GOEMOTIONS)})
NEUTRAL: Final = _INDEX["neutral"]

# Labels of other sets and common spellings, as mixtures of canonical labels.
_VOCABULARY: Final[Mapping[str, Mapping[str, float]]] = MappingProxyType(
    {
        **{label: {label: 1.0} for label in GOEMOTIONS},
        "trust": {"admiration": 1 / 3, "approval": 1 / 3, "caring": 1 / 3},
        "acceptance": {"admiration": 1 / 3, "approval": 1 / 3, "caring": 1 / 3},
        "anticipation": {"curiosity": 0.4, "desire": 0.3, "optimism": 0.3},
        "happiness": {"joy": 1.0},
        "happy": {"joy": 1.0},
        "sad": {"sadness": 1.0},
        "angry": {"anger": 1.0},
        "fearful": {"fear": 1.0},
        "afraid": {"fear": 1.0},
        "anxiety": {"nervousness": 1.0},
        "anxious": {"nervousness": 1.0},
        "disgusted": {"disgust": 1.0},
        "surprised": {"surprise": 1.0},
        "grateful": {"gratitude": 1.0},
        "proud": {"pride": 1.0},
        "guilt": {"remorse": 1.0},
        "shame": {"embarrassment": 1.0},
        "calm": {"relief": 0.5, "neutral": 0.5},
        "loneliness": {"sadness": 1.0},
        "lonely": {"sadness": 1.0},
    }
)

# 28 -> Plutchik: a label of the wheel keeps its place (annoyance is mild anger, grief intense
# sadness), a dyad is shared by its two parents; neutral has no place on the wheel.
_TO_PLUTCHIK: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "admiration": ("trust",),
        "amusement": ("joy",),
        "anger": ("anger",),
        "annoyance": ("anger",),
        "approval": ("trust",),
        "caring": ("joy", "trust"),
        "confusion": ("surprise",),
        "curiosity": ("anticipation",),
        "desire": ("anticipation",),
        "disappointment": ("sadness", "surprise"),
        "disapproval": ("anger", "disgust"),
        "disgust": ("disgust",),
        "embarrassment": ("fear", "disgust"),
        "excitement": ("joy", "anticipation"),
        "fear": ("fear",),
        "gratitude": ("joy", "trust"),
        "grief": ("sadness",),
        "joy": ("joy",),
        "love": ("joy", "trust"),
        "nervousness": ("fear", "anticipation"),
        "optimism": ("joy", "anticipation"),
        "pride": ("joy",),
        "realization": ("surprise",),
        "relief": ("joy",),
        "remorse": ("sadness", "disgust"),
        "sadness": ("sadness",),
        "surprise": ("surprise",),
        "neutral": (),
    }
)

_TO_EKMAN: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        label: (group,)
        for group, labels in {
            "anger": ("anger", "annoyance", "disapproval"),
            "disgust": ("disgust",),
            "fear": ("fear", "nervousness"),
            "joy": (
                "joy", "amusement", "approval", "excitement", "gratitude", "love", "optimism",
                "relief", "pride", "admiration", "desire", "caring",
            ),
            "sadness": ("sadness", "disappointment", "embarrassment", "grief", "remorse"),
            "surprise": ("surprise", "realization", "confusion", "curiosity"),
            "neutral": ("neutral",),
        }.items()
        for label in labels
    }
)  # fmt: skip

_TO_DEEP_ENCODING: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {**_TO_EKMAN, "love": ("love",), "caring": ("love",), "desire": ("love",), "neutral": ()}
)

# Russell & Mehrabian's term for each label and its means on -1..1; neutral is the origin of
# valence and dominance, with the arousal of their calmest unemotional term.
_RUSSELL_MEHRABIAN: Final[Mapping[str, tuple[str, float, float, float]]] = MappingProxyType(
    {
        "admiration": ("impressed", 0.41, 0.30, -0.32),
        "amusement": ("enjoyment", 0.77, 0.44, 0.42),
        "anger": ("angry", -0.51, 0.59, 0.25),
        "annoyance": ("mildly annoyed", -0.28, 0.17, 0.04),
        "approval": ("appreciative", 0.55, 0.07, -0.14),
        "caring": ("affectionate", 0.64, 0.35, 0.24),
        "confusion": ("confused", -0.53, 0.27, -0.32),
        "curiosity": ("curious", 0.22, 0.62, -0.01),
        "desire": ("aroused", 0.24, 0.57, 0.22),
        "disappointment": ("discontented", -0.53, -0.16, -0.26),
        "disapproval": ("disdainful", -0.32, -0.11, 0.05),
        "disgust": ("disgusted", -0.60, 0.35, 0.11),
        "embarrassment": ("embarrassed", -0.46, 0.54, -0.24),
        "excitement": ("excited", 0.62, 0.75, 0.38),
        "fear": ("fearful", -0.64, 0.60, -0.43),
        "gratitude": ("grateful", 0.64, 0.16, -0.18),
        "grief": ("crushed", -0.69, 0.03, -0.50),
        "joy": ("joyful", 0.76, 0.48, 0.35),
        "love": ("loved", 0.87, 0.54, -0.18),
        "nervousness": ("tense", -0.33, 0.58, -0.11),
        "optimism": ("hopeful", 0.51, 0.23, 0.14),
        "pride": ("proud", 0.77, 0.38, 0.65),
        "realization": ("wonder", 0.27, 0.24, -0.17),
        "relief": ("relaxed", 0.68, -0.46, 0.06),
        "remorse": ("regretful", -0.52, 0.02, -0.21),
        "sadness": ("sad", -0.63, -0.27, -0.33),
        "surprise": ("surprised", 0.40, 0.67, -0.13),
        "neutral": ("nonchalant", 0.0, -0.25, 0.0),
    }
)

LABEL_VAD: Final[FloatArray] = np.array(
    [
        (valence, (arousal + 1) / 2, dominance)
        for _, valence, arousal, dominance in (_RUSSELL_MEHRABIAN[x] for x in GOEMOTIONS)
    ]
)
"""(28, 3): valence -1..1, arousal 0..1, dominance -1..1 of each canonical label."""
LABEL_VAD.setflags(write=False)

BASE_RATES: Final[FloatArray] = np.array(
    [
        0.0951, 0.0536, 0.0361, 0.0569, 0.0677, 0.0250, 0.0315,
        0.0505, 0.0148, 0.0292, 0.0466, 0.0183, 0.0070, 0.0196,
        0.0137, 0.0613, 0.0018, 0.0334, 0.0481, 0.0038, 0.0364,
        0.0026, 0.0256, 0.0035, 0.0126, 0.0305, 0.0244, 0.3276,
    ]
)  # fmt: skip
"""(28,) how often each canonical label is given: its share of GoEmotions' 43,410 training texts.

A text may carry several, so that the shares sum to more than 1.
"""
BASE_RATES.setflags(write=False)

PUBLISHED_VALENCE: Final[Mapping[str, float]] = MappingProxyType(
    {
        "joy": 0.9,
        "love": 0.8,
        "surprise": 0.1,
        "anger": -0.8,
        "sadness": -0.7,
        "fear": -0.6,
        "disgust": -0.75,
    }
)
"""The published label -> valence map of deep encoding; any other label is 0."""


def published_valence(label: str) -> float:
    """Valence -1..1 of a label by the published map; 0 for a label that is not in it."""
    return PUBLISHED_VALENCE.get(label.strip().lower(), 0.0)


def _outward(groups: Mapping[str, tuple[str, ...]], labels: Sequence[str]) -> FloatArray:
    matrix = np.zeros((len(GOEMOTIONS), len(labels)))
    for row, label in enumerate(GOEMOTIONS):
        for target in groups[label]:
            matrix[row, labels.index(target)] = 1 / len(groups[label])
    matrix.setflags(write=False)
    return matrix


TO_PLUTCHIK: Final = _outward(_TO_PLUTCHIK, PLUTCHIK)
"""(28, 8): a distribution over the 28 times this is the eight intensities; neutral adds none."""
TO_EKMAN: Final = _outward(_TO_EKMAN, EKMAN)
"""(28, 7): the Ekman grouping that GoEmotions publishes, and neutral."""
TO_DEEP_ENCODING: Final = _outward(_TO_DEEP_ENCODING, DEEP_ENCODING)
"""(28, 7): the seven labels of deep encoding; neutral adds none."""


def is_known_label(label: str) -> bool:
    """Whether `label` belongs to a known label set, ignoring case and outer white space."""
    return label.strip().lower() in _VOCABULARY


def known_labels() -> tuple[str, ...]:
    """Every label that `projection` and `Affect.from_label` understand, sorted."""
    return tuple(sorted(_VOCABULARY))


def projection(
    labels: Sequence[str], label_map: Mapping[str, str | Mapping[str, float]] | None = None
) -> FloatArray:
    """The matrix that carries scores over `labels` into the canonical space.

    Args:
        labels: The m labels of another set, in its own order.
        label_map: For labels that no known set has (`LABEL_0`): the known label that each
            stands for, or a mixture of known labels.

    Returns:
        (m, 28), each row a distribution; a distribution over `labels` times it is one over
        the 28.

    Raises:
        ValueError: A label is unknown and `label_map` does not explain it, or a mixture has
            a negative, non-finite or all-zero weight.
    """
    label_map = label_map or {}
    matrix = np.zeros((len(labels), len(GOEMOTIONS)))
    for row, label in enumerate(labels):
        meaning = label_map.get(label, label)
        mixture = {meaning: 1.0} if isinstance(meaning, str) else meaning
        for part, weight in mixture.items():
            if not is_known_label(part):
                msg = f"unknown emotion label {part!r}; known are {', '.join(known_labels())}"
                raise ValueError(msg)
            if not (np.isfinite(weight) and weight >= 0):
                msg = f"weight of {part!r} for {label!r} must be finite and >= 0, got {weight!r}"
                raise ValueError(msg)
            for canonical, share in _VOCABULARY[part.strip().lower()].items():
                matrix[row, _INDEX[canonical]] += weight * share
        if not matrix[row].sum() > 0:
            msg = f"label_map for {label!r} gives it no weight at all"
            raise ValueError(msg)
        matrix[row] /= matrix[row].sum()
    return matrix
