"""Measures of the affect model: those of the evaluation, and what training alone needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from emomem.emotions import TO_EKMAN
from emomem.evaluation.agreement import calibration_error, interval, macro_f1, pearson

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Answers = NDArray[np.bool_]

__all__ = ["calibration_error", "interval", "macro_f1", "pearson", "to_ekman"]


def to_ekman(labels: Answers) -> Answers:
    """Group labels (n, 28) to Ekman's six and neutral (n, 7); any member sets its group."""
    grouped: Answers = labels @ (TO_EKMAN > 0)
    return grouped
