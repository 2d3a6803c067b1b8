import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from emomem.evaluation.statistics import Bootstrap

scores = st.lists(st.floats(0, 1), min_size=2, max_size=30).map(np.array)


def test_an_interval_is_that_of_normal_theory_where_there_is_much_data():
    values = np.random.default_rng(1).normal(0.1, 1.0, 400)
    found = Bootstrap(400).mean(values)
    half = 1.96 * values.std() / np.sqrt(400)
    assert found.mean == pytest.approx(values.mean())
    assert found.low == pytest.approx(values.mean() - half, abs=0.01)
    assert found.high == pytest.approx(values.mean() + half, abs=0.01)


def test_nineteen_of_twenty_intervals_hold_the_truth():
    rng = np.random.default_rng(2)
    bootstrap = Bootstrap(100, samples=1_000)
    held = 0
    for _ in range(300):
        found = bootstrap.mean(rng.normal(0.3, 1.0, 100))
        held += found.low <= 0.3 <= found.high
    assert 0.90 <= held / 300 <= 0.98


def test_pairing_takes_the_difficulty_of_queries_out():
    rng = np.random.default_rng(3)
    difficulty, better = rng.uniform(0, 1, 200), rng.normal(0.05, 0.02, 200)
    bootstrap = Bootstrap(200)
    paired = bootstrap.difference(difficulty + better, difficulty)
    assert 0 < paired.low < 0.05 < paired.high + 0.01
    assert paired.high - paired.low < 0.01
    unpaired = bootstrap.mean(difficulty)
    assert unpaired.high - unpaired.low > 0.05


@given(scores)
def test_an_arm_does_not_differ_from_itself(values):
    found = Bootstrap(len(values), samples=100).difference(values, values)
    assert (found.mean, found.low, found.high) == (0, 0, 0)


@given(scores)
def test_the_interval_lies_within_the_values(values):
    found = Bootstrap(len(values), samples=200).mean(values)
    assert values.min() - 1e-9 <= found.low <= found.high <= values.max() + 1e-9


def test_a_relative_difference_is_one_of_means():
    baseline = np.array([0.2, 0.4, 0.6, 0.0] * 50)
    found = Bootstrap(200).relative(1.2 * baseline, baseline)
    assert [found.mean, found.low, found.high] == pytest.approx([0.2, 0.2, 0.2])
    with pytest.raises(ValueError, match="other than 0"):
        Bootstrap(2).relative(np.ones(2), np.zeros(2))


def test_the_same_seed_draws_the_same():
    values = np.random.default_rng(4).uniform(size=50)
    assert Bootstrap(50).mean(values) == Bootstrap(50).mean(values)
    assert Bootstrap(50, seed=1).mean(values) != Bootstrap(50).mean(values)


def test_there_is_no_interval_of_nothing():
    with pytest.raises(ValueError, match="at least 1 query, got 0"):
        Bootstrap(0)
