"""What makes raters comparable, and how far they agree."""

import warnings
from importlib.util import find_spec
from typing import Final

import numpy as np
from numpy.typing import NDArray

from emomem.evaluation.ratings.scales import GRADES

FloatArray = NDArray[np.float64]

_TWO: Final = 2


def z_scores(grades: FloatArray) -> FloatArray:
    """Each grade in standard deviations from the mean of its rater on its scale.

    It takes out that one rater is stricter than another, or uses less of the scale. The deviation
    is that of the rater's own grades (over n). A rater who gave the same grade throughout tells
    nothing of the difference, and has 0.

    Args:
        grades: (raters, items, scales) 1..5, NaN where there is none.

    Returns:
        (raters, items, scales), NaN where there is no grade.

    Example:
        >>> z_scores(np.array([[[1.0], [3.0]], [[4.0], [4.0]]])).ravel().tolist()
        [-1.0, 1.0, 0.0, 0.0]
    """
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", RuntimeWarning
        )  # a scale that nobody of a rater's items has
        mean = np.nanmean(grades, axis=1, keepdims=True)
        deviation = np.nanstd(grades, axis=1, keepdims=True)
    return np.asarray((grades - mean) / np.where(deviation > 0, deviation, 1.0))


def ordinal_alpha(grades: FloatArray) -> float:
    """Krippendorff's alpha (2004) of one scale, its grades taken as ordered: 1 is full agreement.

    Args:
        grades: (raters, items) 1..5, NaN where there is none.

    Returns:
        At most 1, about 0 by chance; NaN where it is not defined: no item has two grades, or all
        grades are the same.

    Raises:
        ImportError: The package `krippendorff` is not installed.
    """
    require_krippendorff()
    import krippendorff  # noqa: PLC0415 - loaded when agreement is measured

    # What only one rater saw says nothing of agreement.
    shared = grades[:, (~np.isnan(grades)).sum(axis=0) >= _TWO]
    if len(np.unique(shared[~np.isnan(shared)])) < _TWO:
        return float("nan")
    return float(
        krippendorff.alpha(
            reliability_data=shared, value_domain=GRADES, level_of_measurement="ordinal"
        )
    )


def require_krippendorff() -> None:
    """Tell how to install what agreement needs where it is missing.

    Raises:
        ImportError: It is not installed.
    """
    if find_spec("krippendorff") is None:
        msg = "agreement needs krippendorff, which is not installed: pip install 'emomem[eval]'"
        raise ImportError(msg)
