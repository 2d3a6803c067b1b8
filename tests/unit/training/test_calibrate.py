import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("sklearn")

from emomem.appraisal.branch import OUTPUTS, Calibration, columns
from emomem.emotions import EKMAN, GOEMOTIONS, TO_EKMAN
from training import calibrate


@pytest.fixture
def labelled():
    rng = np.random.default_rng(0)
    logits = rng.normal(-1, 2, size=(2000, 28))
    gold = (rng.random(logits.shape) < calibrate.calibrated(logits, 1.0)).astype(float)
    return logits, gold


def test_temperature_is_found_again(labelled):
    logits, gold = labelled
    assert calibrate.temperature(logits, gold) == pytest.approx(1, abs=0.05)
    assert calibrate.temperature(3 * logits, gold) == pytest.approx(3, abs=0.15)


def test_thresholds_beat_a_half(labelled):
    logits, gold = labelled
    chances = calibrate.calibrated(logits, 1.0)
    found = calibrate.thresholds(chances, gold, prior=0.0)

    def f1(chosen):
        return np.mean(2 * (chosen & (gold > 0)).sum(0) / (chosen.sum(0) + gold.sum(0)))

    assert f1(chances >= found) > f1(chances >= 0.5)


def test_signed_ranks_use_the_range_and_keep_the_neutral_share():
    gold = np.repeat([-0.6, 0.0, 0.7], [25, 35, 40])
    values = calibrate.signed_ranks(gold)
    assert values[0] == -1
    assert values[-1] == 1
    assert (np.diff(values) >= 0).all()
    assert np.mean(np.abs(values) < 1e-9) == pytest.approx(0.35, abs=0.02)


def reading():
    return Calibration(
        temperature=1.0,
        confidence=(1.0, 0.0),
        thresholds=np.full(28, 0.3),
        ekman_weights=np.eye(7),
        ekman_bias=np.zeros(7),
        ekman_thresholds=np.full(7, 0.3),
        vad_mean=np.zeros(3),
        vad_deviation=np.full(3, 0.2),
        ranks_from=np.tile([-2.0, 2.0], (3, 1)),
        ranks_to=np.array([[-1.0, 1], [0, 1], [-1, 1]]),
        head_share=0.5,
    )


def test_grouping_learns_what_one_group_says_of_another():
    rng = np.random.default_rng(0)
    odds = rng.normal(0, 2, (3000, 7))
    truth = odds.copy()
    truth[:, 1] -= odds[:, 0]
    gold = rng.random((3000, 7)) < 1 / (1 + np.exp(-truth))
    weights, bias = calibrate.grouping(odds, gold)
    expected = np.eye(7)
    expected[0, 1] = -1
    np.testing.assert_allclose(weights, expected, atol=0.2)
    np.testing.assert_allclose(bias, 0, atol=0.2)


def test_the_identity_leaves_each_group_the_chance_of_any_member():
    outputs = outputs_for("sadness", [0, 0, 0])
    chances = reading().ekman(outputs)
    sadness = EKMAN.index("sadness")
    members = reading().probabilities(outputs)[:, TO_EKMAN[:, sadness] > 0]
    assert chances[0, sadness] == pytest.approx(1 - np.prod(1 - members))


def outputs_for(label, head):
    outputs = np.full((1, OUTPUTS), -9.0)
    outputs[0, GOEMOTIONS.index(label)] = 5
    outputs[0, columns("vad")] = head
    return outputs


def test_working_valence_uses_both_readings():
    calibration = reading()
    sad = calibration.working_vad(outputs_for("sadness", [-2, 0, 0]))
    assert sad[0, 0] == pytest.approx((-1 - 0.63) / 2, abs=0.02)
    assert 0 <= sad[0, 1] <= 1
    outputs = outputs_for("sadness", [-2, 0, 0])
    np.testing.assert_allclose(calibration.distribution(outputs).sum(1), 1)
    np.testing.assert_allclose(calibration.raw_vad(outputs)[0], [-0.4, 0, 0])


def test_groups_hold_where_a_label_does():
    chances = reading().ekman(outputs_for("pride", [0, 0, 0]))[0]
    assert EKMAN[chances.argmax()] == "joy"
    assert chances.max() > 0.9


def test_a_calibration_survives_json():
    calibration = reading()
    again = Calibration.from_json(calibration.to_json())
    outputs = outputs_for("joy", [1, 0.5, -0.5])
    np.testing.assert_allclose(again.working_vad(outputs), calibration.working_vad(outputs))
    assert tuple(again.confidence) == (1.0, 0.0)
