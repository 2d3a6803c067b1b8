"""Linear heads fitted on few rows: what they add to a base prediction, and how well it holds.

A head predicts link(base + features W + b): the base is what is believed without it, so that a
strong penalty on W, which few or noisy rows ask for, leads back to the base and not to nothing.
The penalty is chosen by cross-validation. numpy alone; texts play no part here.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from emomem.affect import FloatArray

PENALTIES: Final = (100.0, 30.0, 10.0, 3.0, 1.0, 0.3, 0.1)
"""Penalties on the squared weights that are tried, for features of mean squared length 1."""

FOLDS: Final = 5
_STEPS: Final = 30
"""Most steps for each penalty; each penalty starts where the last one ended."""
_STILL: Final = 1e-4
"""The largest change of a weight by a step that is as good as none."""


@dataclass(frozen=True, eq=False)
class LinearHead:
    """What is added to a base prediction.

    Attributes:
        weights: (d, m).
        bias: (m,).
    """

    weights: FloatArray
    bias: FloatArray

    def __call__(self, features: FloatArray, base: FloatArray) -> FloatArray:
        """(n, m) base + features W + b, from (n, d) features and a base (n, m)."""
        return np.asarray(base + features @ self.weights + self.bias)


@dataclass(frozen=True)
class Loss:
    """What a head is fitted by.

    Attributes:
        link: From (n, m) linear predictions to the target's own scale.
        curvature: An upper bound of the loss's second derivative.
        value: (n,) the loss of each row, from predictions on the target's scale and targets.
    """

    link: Callable[[FloatArray], FloatArray]
    curvature: float
    value: Callable[[FloatArray, FloatArray], FloatArray]


def softmax(scores: FloatArray) -> FloatArray:
    """(n, m) rows that sum to 1."""
    exponents = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(exponents / exponents.sum(axis=1, keepdims=True))


SQUARED: Final = Loss(
    link=lambda scores: scores,
    curvature=1.0,
    value=lambda predicted, target: np.square(predicted - target).sum(axis=1),
)
"""Ridge regression; its curvature is exact, so the first step is the closed form."""

LOGISTIC: Final = Loss(
    link=softmax,
    curvature=0.5,
    value=lambda predicted, target: -np.log(np.maximum((predicted * target).sum(axis=1), 1e-9)),
)
"""Multinomial logistic regression; curvature at most 1/2 (Böhning 1992, doi:10.1007/BF00048682)."""


def fit_head(
    features: FloatArray, base: FloatArray, targets: FloatArray, loss: Loss
) -> tuple[LinearHead, FloatArray]:
    """Fit a head and predict each row by one that has not seen it.

    Args:
        features: (n, d).
        base: (n, m) what is predicted without the head, before the link.
        targets: (n, m).
        loss: `SQUARED` or `LOGISTIC`.

    Returns:
        The head fitted on all rows with the penalty that did best on rows held out, and (n, m)
        the held-out predictions with that penalty.
    """
    fold = _folds(targets)
    held_out = np.empty((len(PENALTIES), *targets.shape))
    for number in range(FOLDS):
        seen, unseen = fold != number, fold == number
        path = _path(features[seen], base[seen], targets[seen], loss)
        for row, head in enumerate(path):
            held_out[row, unseen] = loss.link(head(features[unseen], base[unseen]))
    best = int(np.argmin([loss.value(predicted, targets).mean() for predicted in held_out]))
    return _path(features, base, targets, loss)[best], held_out[best]


def _folds(targets: FloatArray) -> FloatArray:
    """(n,) the fold of each row; each fold has its share of every label or of every height."""
    heights = targets @ np.arange(1, targets.shape[1] + 1)
    fold = np.empty(len(targets), dtype=int)
    fold[np.argsort(heights, kind="stable")] = np.arange(len(targets)) % FOLDS
    return fold


def _path(
    features: FloatArray, base: FloatArray, targets: FloatArray, loss: Loss
) -> list[LinearHead]:
    """A head for each of `PENALTIES`.

    Newton's method with an upper bound of the curvature, which always descends. In the features'
    singular directions that bound is diagonal for every penalty, so a step is a division.
    """
    mean = features.mean(axis=0)
    scale = float(np.sqrt(np.square(features - mean).sum(axis=1).mean())) or 1.0
    left, singular, axes = np.linalg.svd((features - mean) / scale, full_matrices=False)
    rotated = left * singular
    weights, bias = np.zeros((len(singular), targets.shape[1])), np.zeros(targets.shape[1])
    heads = []
    for penalty in PENALTIES:
        stiffness = loss.curvature * np.square(singular)[:, None] + penalty
        for _ in range(_STEPS):
            error = loss.link(base + rotated @ weights + bias) - targets
            step = (rotated.T @ error + penalty * weights) / stiffness
            weights = weights - step
            bias = bias - error.mean(axis=0) / loss.curvature
            if np.abs(step).max() < _STILL:
                break
        own = axes.T @ weights / scale
        heads.append(LinearHead(own, bias - mean @ own))
    return heads
