"""The heads of a domain adapter: fitted, checked and applied."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, Final, Self

import numpy as np

from emomem.affect import Affect, FloatArray
from emomem.appraisal.heads import LOGISTIC, SQUARED, LinearHead, fit_head, softmax
from emomem.emotions import projection

MIN_ROWS: Final = 20
"""Rows that a head needs."""

LABEL: Final = "label"
_ACCURACY: Final = "accuracy"
_RANGES: Final = MappingProxyType(
    {"valence": (-1.0, 1.0), "arousal": (0.0, 1.0), "dominance": (-1.0, 1.0)}
)
_FLOOR: Final = 1e-4
"""The least that the branch is taken to believe in a label, so that rows can overrule it."""


@dataclass(frozen=True)
class HeldOut:
    """How well a head does on rows that it hasn't seen (cross-validation in five parts).

    The head's penalty is chosen on the same parts, so `adapter` flatters it a little.

    Attributes:
        target: `label`, `valence`, `arousal` or `dominance`.
        rows: How many rows had it.
        measure: `accuracy`, or `mean absolute error`.
        adapter: The measure with the adapter.
        branch: That of the embedded model alone on the same rows; of labels, with the most
            probable among those that occur.
    """

    target: str
    rows: int
    measure: str
    adapter: float
    branch: float

    @property
    def is_worse(self) -> bool:
        """Whether the head does worse than the embedded model alone."""
        better = max if self.measure == _ACCURACY else min
        return self.adapter != better(self.adapter, self.branch)


@dataclass(frozen=True, eq=False)
class DomainHeads:
    """One head a target, and what they were fitted for.

    Attributes:
        heads: By target (`label`, `valence`, `arousal`, `dominance`), where one was fitted.
        labels: The labels that the label head tells apart, in the order of its outputs.
        report: The held-out check of each head.
    """

    heads: Mapping[str, LinearHead]
    labels: tuple[str, ...]
    report: tuple[HeldOut, ...]

    @classmethod
    def fit(cls, known: Sequence[Affect], own: Sequence[Affect], features: FloatArray) -> Self:
        """Fit a head for whatever enough rows have.

        Args:
            known: n rows of what a person says.
            own: n readings of the embedded model.
            features: (n, d) what they were read from.

        Raises:
            ValueError: Nothing is known in enough rows; or a label is unknown, the only one, or
                in one row alone.
        """
        heads, report = {}, []
        labels: tuple[str, ...] = ()
        for target in (LABEL, *_RANGES):
            rows = [row for row, affect in enumerate(known) if getattr(affect, target) is not None]
            if len(rows) < MIN_ROWS:
                continue
            values = [getattr(known[row], target) for row in rows]
            labels = _distinct(values) if target == LABEL else labels
            base = _base(target, [own[row] for row in rows], labels)
            fit = partial(_fit_labels, labels) if target == LABEL else partial(_fit_numbers, target)
            heads[target], checked = fit(values, features[rows], base)
            report.append(checked)
        if not heads:
            msg = (
                f"too few rows: a label or a number must be known in at least {MIN_ROWS} that can "
                f"be read, of which there are {len(known)}"
            )
            raise ValueError(msg)
        return cls(heads, labels, tuple(report))

    def adapted(self, own: Sequence[Affect], features: FloatArray, source: str) -> list[Affect]:
        """The embedded model's readings, corrected from the features (n, d) they come from."""
        updates: list[dict[str, Any]] = [{"source": source} for _ in own]
        for target, head in self.heads.items():
            scores = head(features, _base(target, own, self.labels))
            if target == LABEL:
                for update, shares in zip(updates, softmax(scores), strict=True):
                    update.update(self._reading(shares))
            else:
                values = np.clip(scores[:, 0], *_RANGES[target]).tolist()
                for update, value in zip(updates, values, strict=True):
                    update[target] = value
        return [a.model_copy(update=update) for a, update in zip(own, updates, strict=True)]

    def _reading(self, shares: FloatArray) -> dict[str, Any]:
        """What the probabilities (m,) of the labels say."""
        emotions = shares @ projection(self.labels)
        return {
            "emotions": tuple((emotions / emotions.sum()).tolist()),
            "label": self.labels[int(np.argmax(shares))],
            "confidence": min(1.0, float(shares.max())),
        }


def _base(target: str, own: Sequence[Affect], labels: Sequence[str]) -> FloatArray:
    """(n, m) what the branch says by itself, on the scale that the head is added on."""
    if target == LABEL:
        emotions = np.array([affect.emotions for affect in own])
        return np.asarray(np.log(np.maximum(emotions @ projection(labels).T, _FLOOR)))
    return np.array([[getattr(affect, target)] for affect in own], dtype=float)


def _fit_labels(
    labels: Sequence[str], values: Sequence[str], features: FloatArray, base: FloatArray
) -> tuple[LinearHead, HeldOut]:
    wanted = np.array([labels.index(_clean(value)) for value in values])
    head, held_out = fit_head(features, base, np.eye(len(labels))[wanted], LOGISTIC)
    hits = [float((scores.argmax(axis=1) == wanted).mean()) for scores in (held_out, base)]
    return head, HeldOut(LABEL, len(values), _ACCURACY, *hits)


def _fit_numbers(
    target: str, values: Sequence[float], features: FloatArray, base: FloatArray
) -> tuple[LinearHead, HeldOut]:
    wanted = np.array(values, dtype=float)[:, None]
    head, held_out = fit_head(features, base, wanted, SQUARED)
    clipped = [np.clip(scores, *_RANGES[target]) for scores in (held_out, base)]
    errors = [float(np.abs(scores - wanted).mean()) for scores in clipped]
    return head, HeldOut(target, len(values), "mean absolute error", *errors)


def _distinct(values: Sequence[str]) -> tuple[str, ...]:
    """The labels that occur, sorted."""
    counts = Counter(map(_clean, values))
    labels = tuple(sorted(counts))
    projection(labels)  # raises for one that is not known
    if len(labels) == 1:
        msg = f"all rows have the label {labels[0]!r}; there is nothing to tell apart"
        raise ValueError(msg)
    alone = [label for label in labels if counts[label] == 1]
    if alone:
        msg = f"a label needs two rows; in one alone: {', '.join(map(repr, alone))}"
        raise ValueError(msg)
    return labels


def _clean(label: str) -> str:
    return label.strip().lower()
