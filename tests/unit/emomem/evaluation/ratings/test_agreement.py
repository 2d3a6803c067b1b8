import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from emomem.evaluation.ratings.agreement import ordinal_alpha, z_scores

tables = st.integers(2, 4).flatmap(
    lambda raters: st.lists(
        st.lists(st.sampled_from([1, 2, 3, 4, 5, math.nan]), min_size=raters, max_size=raters),
        min_size=2,
        max_size=12,
    ).map(lambda rows: np.array(rows, dtype=float).T)
)


def by_definition(grades):
    """Krippendorff (2004): 1 - observed over expected disagreement, all pairs written out."""
    units = [row[~np.isnan(row)] for row in grades.T]
    units = [unit for unit in units if len(unit) > 1]
    values = np.concatenate(units)
    counts = {grade: int((values == grade).sum()) for grade in range(1, 6)}

    def apart(a, b):
        low, high = sorted((int(a), int(b)))
        between = sum(counts[grade] for grade in range(low, high + 1))
        return (between - (counts[low] + counts[high]) / 2) ** 2

    observed = sum(
        2 * apart(a, b) / (len(unit) - 1) for unit in units for a, b in combinations(unit, 2)
    )
    expected = sum(2 * apart(a, b) for a, b in combinations(values, 2)) / (len(values) - 1)
    return 1 - observed / expected


@given(tables)
def test_alpha_is_that_of_its_definition(grades):
    found = ordinal_alpha(grades)
    shared = grades[:, (~np.isnan(grades)).sum(axis=0) > 1]
    if len(set(shared[~np.isnan(shared)])) < 2:
        assert math.isnan(found)
    else:
        assert found == pytest.approx(by_definition(grades))


def test_raters_who_agree_have_an_alpha_of_1():
    assert ordinal_alpha(np.array([[1, 2, 3, 5], [1, 2, 3, 5]], dtype=float)) == 1
    assert ordinal_alpha(np.array([[1, 2, 4, 5], [5, 4, 2, 1]], dtype=float)) < 0


@given(tables)
def test_z_scores_have_mean_0_and_deviation_1_within_a_rater_and_keep_the_order(grades):
    found = z_scores(grades[..., None])[..., 0]
    assert (np.isnan(found) == np.isnan(grades)).all()
    for given_, z in zip(grades, found, strict=True):
        known = ~np.isnan(given_)
        if len(set(given_[known])) > 1:
            assert z[known].mean() == pytest.approx(0, abs=1e-9)
            assert z[known].std() == pytest.approx(1)
            assert (
                np.argsort(z[known], kind="stable") == np.argsort(given_[known], kind="stable")
            ).all()
        else:
            assert (z[known] == 0).all()


def test_a_rater_who_is_stricter_or_uses_less_of_the_scale_has_the_same_z_scores():
    mild = np.array([3.0, 4.0, 5.0, 4.0])
    found = z_scores(np.stack([mild, mild - 2, 2 * mild - 5])[..., None])
    assert found[1] == pytest.approx(found[0])
    assert found[2] == pytest.approx(found[0])
