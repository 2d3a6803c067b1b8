"""How well judged personalities agree with known ones, as Emotional RAG measures it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from emomem.evaluation.characters import MIDDLE, Label
from emomem.evaluation.datasets.incharacter import Questionnaire
from emomem.evaluation.statistics import Bootstrap, Interval

ACC_DIM: Final = "Acc(Dim)"
ACC_FULL: Final = "Acc(Full)"
MSE: Final = "MSE"
MAE: Final = "MAE"


@dataclass(frozen=True)
class Agreement:
    """How one character's judged personality agrees with its labels.

    Attributes:
        counted: How many dimensions were compared.
        right: How many of them lie on the known side of the middle.
        full: Whether all do; None where a dimension that counts was not judged, or none counts.
        squared: The sum of the squared errors, each error divided by the range of the scale.
        absolute: That of the errors' sizes.
        missing: How many dimensions that count were not judged.
    """

    counted: int
    right: int
    full: bool | None
    squared: float
    absolute: float
    missing: int


def agreement(
    scores: Mapping[str, float], labels: Mapping[str, Label], questionnaire: Questionnaire
) -> Agreement:
    """Compare one character's judged scores with its labels.

    A label "X", too near to the middle, is left out. A score in the middle itself counts as low.

    Args:
        scores: By dimension, those that were judged.
        labels: By dimension.
        questionnaire: Whose dimensions they are.
    """
    counting = [
        name for name in questionnaire.dimensions if name in labels and labels[name].kind != "X"
    ]
    compared = [name for name in counting if name in scores]
    middle = MIDDLE[questionnaire.kind]
    span = questionnaire.high - questionnaire.low
    errors = [(scores[name] - labels[name].score) / span for name in compared]
    right = sum(("H" if scores[name] > middle else "L") == labels[name].kind for name in compared)
    missing = len(counting) - len(compared)
    return Agreement(
        counted=len(compared),
        right=right,
        full=None if missing or not compared else right == len(compared),
        squared=float(np.square(errors).sum()),
        absolute=float(np.abs(errors).sum()),
        missing=missing,
    )


def summary(found: Sequence[Agreement]) -> dict[str, Interval]:
    """The four measures over characters, each with its 95% interval; none where nothing counts.

    Acc(Dim), MSE and MAE are over all dimensions of all characters, Acc(Full) over characters;
    the intervals draw characters, whose dimensions belong together.
    """
    compared = [one for one in found if one.counted]
    if not compared:
        return {}
    drawn = Bootstrap(len(compared))
    counts = np.array([one.counted for one in compared], dtype=float)

    def per_dimension(name: str) -> Interval:
        sums = np.array([getattr(one, name) for one in compared], dtype=float)
        share = drawn.relative(sums, counts)
        return Interval(share.mean + 1, share.low + 1, share.high + 1)

    measures = {
        ACC_DIM: per_dimension("right"),
        MSE: per_dimension("squared"),
        MAE: per_dimension("absolute"),
    }
    whole = np.array([one.full for one in compared if one.full is not None], dtype=float)
    if len(whole):
        measures[ACC_FULL] = Bootstrap(len(whole)).mean(whole)
    return measures
