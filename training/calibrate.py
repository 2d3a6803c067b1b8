"""What is fitted on development data after training: temperature, thresholds, working VAD."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from emomem.appraisal.branch import Calibration, columns, group_odds
from emomem.emotions import LABEL_VAD
from training.data import emobank
from training.metrics import to_ekman

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from training.data import Rows

    Array = NDArray[np.floating]

HEAD_SHARE: Final = 0.5
"""The regression head's share in working VAD."""

_QUANTILES: Final = np.linspace(0, 1, 101)
_SIGN_FROM: Final = 0.1
"""A gold label mean beyond this on either side counts as pleasant or unpleasant."""


def temperature(logits: Array, gold: Array) -> float:
    """Return the temperature with the least cross-entropy; both matrices are (n, k)."""

    def cross_entropy(log_temperature: float) -> float:
        scaled = logits / np.exp(log_temperature)
        return float(np.mean(np.logaddexp(0, scaled) - gold * scaled))

    return float(np.exp(minimize_scalar(cross_entropy, bounds=(-1.5, 1.5), method="bounded").x))


def thresholds(probabilities: Array, gold: Array, prior: float = 0.7) -> NDArray[np.float64]:
    """Return the threshold of each label that gives the best F1.

    A label with a dozen examples would follow their accidents, so `prior` of every gold answer is
    replaced by the calibrated probability itself, which smooths the curve.

    Args:
        probabilities: (n, k) calibrated.
        gold: (n, k), 0 or 1.
        prior: weight of the probability in the smoothed answer, 0..1.
    """
    smoothed = (1 - prior) * gold + prior * probabilities
    result = np.empty(gold.shape[1])
    for label in range(gold.shape[1]):
        order = np.argsort(-probabilities[:, label])
        hits = np.cumsum(smoothed[order, label])
        f1 = 2 * hits / (np.arange(1, len(order) + 1) + hits[-1])
        best = int(np.argmax(f1))
        ranked = probabilities[order, label]
        result[label] = (ranked[best] + ranked[min(best + 1, len(order) - 1)]) / 2
    return result


def chance_of_right(scores: Array, right: NDArray[np.bool_]) -> tuple[float, float]:
    """Return slope and intercept of the logistic curve from a score (n,) to being right (n,)."""
    model = LogisticRegression(C=1e6).fit(scores.reshape(-1, 1), right)
    return float(model.coef_[0, 0]), float(model.intercept_[0])


def grouping(
    odds: Array, gold: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return weights (7, 7) and bias (7,) from the groups' own log-odds to what gold says.

    Args:
        odds: (n, 7) that any member of a group holds, members taken as independent.
        gold: (n, 7).
    """
    models = [LogisticRegression(max_iter=1000).fit(odds, group) for group in gold.T]
    return (
        np.stack([model.coef_[0] for model in models], axis=1),
        np.array([model.intercept_[0] for model in models]),
    )


def signed_ranks(gold: Array) -> NDArray[np.float64]:
    """Return the working value -1..1 of each quantile of a signed scale.

    As many texts stay below, at and above 0 as have gold labels there; on either side the values
    are spread evenly.

    Args:
        gold: (n,) the gold labels' means.
    """
    below, above = np.mean(gold < -_SIGN_FROM), np.mean(gold > _SIGN_FROM)
    negative = np.minimum(_QUANTILES / below - 1, 0)
    positive = np.maximum((_QUANTILES - 1 + above) / above, 0)
    result: NDArray[np.float64] = negative + positive
    return result


def calibration(outputs: Array, dev: Rows, data: Path) -> Calibration:
    """Fit everything between raw outputs and affect.

    Args:
        outputs: (n, 44) raw outputs of the branch for GoEmotions' development split.
        dev: that split.
        data: folder of the public data, for the scale of EmoBank's training split.
    """
    gold = dev.targets[:, columns("emotions")]
    logits = outputs[:, columns("emotions")]
    scale = temperature(logits, gold)
    right = gold[np.arange(len(gold)), logits.argmax(1)] > 0
    head = outputs[:, columns("vad")].astype(np.float64)
    vad = emobank(data, "train").targets[:, columns("vad")].astype(np.float64)
    chances = calibrated(logits, scale)
    table = gold @ LABEL_VAD / gold.sum(1, keepdims=True)
    groups, odds = to_ekman(gold > 0), group_odds(chances)
    weights, bias = grouping(odds, groups)
    return Calibration(
        temperature=scale,
        confidence=chance_of_right(logits.max(1), right),
        thresholds=thresholds(chances, gold),
        ekman_weights=weights,
        ekman_bias=bias,
        ekman_thresholds=thresholds(expit(odds @ weights + bias), groups.astype(float)),
        vad_mean=vad.mean(0),
        vad_deviation=vad.std(0),
        ranks_from=np.quantile(head, _QUANTILES, axis=0).T,
        ranks_to=np.stack([signed_ranks(table[:, 0]), _QUANTILES, signed_ranks(table[:, 2])]),
        head_share=HEAD_SHARE,
    )


def calibrated(logits: Array, scale: float) -> NDArray[np.float64]:
    """Return probabilities of logits at a temperature."""
    result: NDArray[np.float64] = expit(logits / scale)
    return result
