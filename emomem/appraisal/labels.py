"""What the labels of a classification model mean, and its scores as an affect."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Self

import numpy as np

from emomem.affect import Affect, FloatArray
from emomem.emotions import NEUTRAL, is_known_label, known_labels, projection

Meaning = str | Mapping[str, float]
"""A known label, or a mixture of known labels with weights >= 0."""

SENTIMENTS: Final = MappingProxyType(
    {
        "positive": 1.0,
        "pos": 1.0,
        "negative": -1.0,
        "neg": -1.0,
        "neutral": 0.0,
        "neu": 0.0,
    }
)
"""The valence of each sentiment label; such a model says nothing of emotions."""


@dataclass(frozen=True, eq=False)
class ModelLabels:
    """The m outputs of a model, as emotions or (for a sentiment model) as valence.

    Attributes:
        names: The name of each output: what it means, in lower case; of a mixture its
            heaviest part.
        meanings: (m, 28) their projection into the canonical space; of a sentiment model
            (m,) their valence, -1..1.

    Example:
        >>> labels = ModelLabels.of(["NEGATIVE", "POSITIVE"])
        >>> labels.affect(np.array([0.1, 0.9])).valence
        0.8
    """

    names: tuple[str, ...]
    meanings: FloatArray

    @classmethod
    def of(cls, labels: Sequence[str], label_map: Mapping[str, Meaning] | None = None) -> Self:
        """Read what the labels mean.

        Args:
            labels: The model's own labels, in the order of its outputs.
            label_map: What a label stands for where its name does not say it (`LABEL_0`).

        Raises:
            TypeError: A label stands for neither a label nor a mixture of them.
            ValueError: A label is neither a known emotion nor, in a model of nothing else, a
                sentiment; or a weight is negative, not finite, or no part has one above 0.
        """
        meanings = [(label_map or {}).get(label, label) for label in labels]
        for meaning in meanings:
            if not isinstance(meaning, str | Mapping):
                msg = f"a label must stand for a label or a mixture, got {meaning!r}"
                raise TypeError(msg)
        mixtures = [{m: 1.0} if isinstance(m, str) else m for m in meanings]
        parts = {_clean(part) for mixture in mixtures for part in mixture}
        names = tuple(
            _clean(max(mixture, key=mixture.__getitem__, default="")) for mixture in mixtures
        )
        if parts <= SENTIMENTS.keys() and parts != {"neutral"}:
            return cls(names, np.array([_valence(mixture) for mixture in mixtures]))
        unknown = [
            label
            for label, mixture in zip(labels, mixtures, strict=True)
            if not all(is_known_label(part) for part in mixture)
        ]
        if unknown:
            msg = (
                f"unknown labels {', '.join(map(repr, unknown))}; give a label_map that says what "
                f"each stands for (in Python, HuggingFaceAppraiser(model, label_map={{"
                f"{unknown[0]!r}: 'joy', ...}})): all of them sentiments "
                f"({', '.join(SENTIMENTS)}), or emotions ({', '.join(known_labels())})"
            )
            raise ValueError(msg)
        return cls(names, projection(labels, label_map))

    def affect(self, scores: FloatArray, source: str | None = None) -> Affect:
        """The affect that scores stand for.

        Scores that sum to more than 1 (several labels at once) are scaled down to a
        distribution. Where they sum to less, the rest is neutral: a model that finds none of
        its labels has said that it sees no feeling, and scaling its noise up would invent one.
        Confidence is the highest score as the model gave it, so it is low then.

        Args:
            scores: (m,) finite, 0..1.
            source: What read it.
        """
        shares = scores / max(1.0, float(scores.sum()))
        rest = max(0.0, 1.0 - float(shares.sum()))
        top = int(np.argmax(shares))
        label = self.names[top] if shares[top] >= rest else "neutral"
        confidence = min(1.0, float(scores[top]))  # a mean of windows may round to above 1
        read = shares @ self.meanings
        if self.meanings.ndim == 1:
            valence = float(np.clip(read, -1.0, 1.0))
            return Affect(valence=valence, label=label, confidence=confidence, source=source)
        read[NEUTRAL] += rest
        return Affect.from_emotions(read, label=label, confidence=confidence, source=source)


def _clean(label: str) -> str:
    return label.strip().lower()


def _valence(mixture: Mapping[str, float]) -> float:
    weights = np.array(list(mixture.values()), dtype=float)
    if not np.isfinite(weights).all() or (weights < 0).any() or not weights.any():
        msg = f"weights must be finite and >= 0 with one above 0, got {dict(mixture)!r}"
        raise ValueError(msg)
    return float(np.average([SENTIMENTS[_clean(part)] for part in mixture], weights=weights))
