import numpy as np
import pytest

pytest.importorskip("scipy")

from emomem.emotions import EKMAN, GOEMOTIONS
from training import metrics


def test_macro_f1_is_the_mean_over_labels():
    gold = np.array([[1, 0], [1, 0], [0, 1]], dtype=bool)
    chosen = np.array([[1, 0], [0, 0], [0, 1]], dtype=bool)
    assert metrics.macro_f1(gold, chosen) == pytest.approx((2 / 3 + 1) / 2)


def test_labels_are_grouped_to_ekman():
    labels = np.zeros((1, 28), dtype=bool)
    labels[0, [GOEMOTIONS.index("annoyance"), GOEMOTIONS.index("pride")]] = True
    grouped = metrics.to_ekman(labels)
    assert [EKMAN[i] for i in np.flatnonzero(grouped[0])] == ["anger", "joy"]


def test_pearson_agrees_with_numpy_and_bears_constants():
    left, right = np.random.default_rng(0).normal(size=(2, 50, 3))
    left[:, 2] = 1
    expected = [np.corrcoef(left[:, i], right[:, i])[0, 1] for i in range(2)]
    np.testing.assert_allclose(metrics.pearson(left, right), [*expected, 0])


def test_calibration_error_of_an_overconfident_reader():
    right = np.array([True, False] * 50)
    assert metrics.calibration_error(np.full(100, 0.9), right) == pytest.approx(0.4)
    assert metrics.calibration_error(np.full(100, 0.5), right) == pytest.approx(0)


def test_interval_holds_the_mean():
    values = np.random.default_rng(0).normal(size=200)
    low, high = metrics.interval(lambda rows: float(values[rows].mean()), 200)
    assert low < values.mean() < high
