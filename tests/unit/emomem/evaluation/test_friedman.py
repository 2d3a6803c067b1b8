from itertools import permutations, product

import numpy as np
import pytest
from scipy import stats

from emomem.evaluation.friedman import friedman, pairs


def enumerated(values):
    """p by its definition: every rearrangement within the blocks, one by one."""
    ranks = stats.rankdata(values, axis=1)

    def spread(rows):
        return np.square(np.sum(rows, axis=0) - np.sum(rows) / values.shape[1]).sum()

    all_of_them = [
        spread(rows) for rows in product(*(list(permutations(row)) for row in ranks.tolist()))
    ]
    return np.mean(np.array(all_of_them) >= spread(ranks) - 1e-9)


@pytest.mark.parametrize("levels", [3, 100])  # with ties and without
@pytest.mark.parametrize(("n", "k"), [(1, 3), (3, 3), (4, 3), (3, 4), (5, 2)])
def test_p_is_that_of_all_rearrangements(n, k, levels):
    rng = np.random.default_rng(n * k + levels)
    for _ in range(5):
        values = rng.integers(levels, size=(n, k)) / levels
        found = friedman(values)
        assert found.exact
        assert found.p == pytest.approx(enumerated(values))
        if n > 1 and k > 2 and np.ptp(stats.rankdata(values, axis=1), axis=1).any():
            assert found.statistic == pytest.approx(stats.friedmanchisquare(*values.T)[0])


def test_three_blocks_can_give_no_less_than_one_in_thirty_six():
    found = friedman(np.array([[0.9, 0.5, 0.7], [1.0, 0.4, 0.6], [0.9, 0.6, 0.7]]))
    assert found.p == found.least_p == pytest.approx(1 / 36)
    assert found.w == 1


def test_arms_that_are_alike_do_not_differ():
    found = friedman(np.full((4, 3), 0.5))
    assert (found.statistic, found.p, found.w) == (0, 1, 0)


def test_what_is_too_much_to_count_is_drawn_and_agrees():
    values = np.random.default_rng(5).random((6, 3))
    counted, drawn = friedman(values), friedman(values, most=10)
    assert counted.exact
    assert not drawn.exact
    assert drawn.p == pytest.approx(counted.p, abs=0.01)


@pytest.mark.parametrize("shape", [(0, 3), (3, 1), (3,)])
def test_what_cannot_be_tested_is_refused(shape):
    with pytest.raises(ValueError, match="2 or more arms"):
        friedman(np.zeros(shape))


def test_pairs_are_exact_corrected_and_signed():
    first = np.array([0.9, 0.8, 1.0, 0.7, 0.9, 0.8])
    found = pairs(first, {"less": first - 0.1, "same": first, "more": first + np.arange(1, 7)})
    assert found["less"].p == found["more"].p == pytest.approx(2 / 2**6)
    assert found["less"].least_p == pytest.approx(2 / 2**6)
    assert (found["less"].r, found["same"].r, found["more"].r) == (1, 0, -1)
    assert found["less"].holm == pytest.approx(3 * 2 / 2**6)
    assert found["same"].holm == 1


def test_a_tied_pair_counts_every_sign():
    apart = np.array([0.1, 0.1, 0.1, -0.1, 0.3])
    ranks = stats.rankdata(np.abs(apart))
    signs = np.array(list(product([1, -1], repeat=5)))
    sums = (signs * ranks).sum(axis=1)
    wanted = np.mean(np.abs(sums) >= abs((np.sign(apart) * ranks).sum()) - 1e-9)
    assert pairs(apart, {"none": np.zeros(5)})["none"].p == pytest.approx(wanted)
