import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from emomem import Affect
from emomem.appraisal.fusion import fuse
from emomem.emotions import GOEMOTIONS

NUMBERS = ("valence", "arousal", "dominance", "conflict")


def emotions(**shares):
    return tuple(shares.get(label, 0.0) for label in GOEMOTIONS)


def test_numbers_are_the_mean_by_weight_times_confidence_of_those_known():
    text = Affect(valence=0.6, dominance=0.5, confidence=0.5)
    voice = Affect(valence=-0.4, arousal=0.9, confidence=1.0)
    fused = fuse(text, voice, weights=(3, 1))
    assert fused.valence == pytest.approx((1.5 * 0.6 + 1.0 * -0.4) / 2.5)
    assert (fused.arousal, fused.dominance, fused.conflict) == (0.9, 0.5, None)


def test_no_confidence_counts_as_certain():
    fused = fuse(Affect(valence=1.0), Affect(valence=0.0, confidence=0.25))
    assert fused.valence == pytest.approx(1.0 / 1.25)


def test_distributions_are_mixed_and_the_label_is_read_off_the_mixture():
    text = Affect(emotions=emotions(joy=0.6, love=0.4), confidence=0.5)
    face = Affect(emotions=emotions(love=0.5, relief=0.5), label="relief", confidence=1.0)
    fused = fuse(text, face)
    expected = emotions(joy=0.3, love=0.2 + 0.5, relief=0.5)
    assert fused.emotions == pytest.approx(tuple(x / 1.5 for x in expected))
    assert fused.label == "love"


def test_without_a_distribution_the_label_with_most_precision_stands():
    positive = Affect(valence=0.5, label="positive", confidence=0.4)
    negative = Affect(valence=-0.5, label="negative", confidence=0.5)
    assert fuse(positive, negative).label == "negative"
    assert fuse(positive, negative, positive).label == "positive"
    assert fuse(Affect(valence=0.1), Affect(valence=0.2)).label is None


@pytest.mark.parametrize("nothing", [Affect.unknown(), Affect(valence=-1.0, confidence=0.0)])
def test_what_is_unknown_or_worth_nothing_contributes_nothing(nothing):
    reading = Affect(valence=0.5, arousal=0.5, emotions=emotions(joy=1.0), confidence=0.6)
    fused = fuse(nothing, reading, nothing)
    for name in (*NUMBERS, "label", "confidence"):
        assert getattr(fused, name) == pytest.approx(getattr(reading, name))
    assert fused.emotions == pytest.approx(reading.emotions)


def test_a_reading_of_weight_0_contributes_nothing():
    reading = Affect(valence=0.5, confidence=0.6)
    fused = fuse(reading, Affect(valence=-1.0, confidence=0.1), weights=(1, 0))
    assert (fused.valence, fused.confidence) == (0.5, pytest.approx(0.6))


@pytest.mark.parametrize(
    "readings",
    [[Affect.unknown()], [Affect.unknown()] * 3, [Affect(valence=1.0, confidence=0.0)]],
)
def test_nothing_known_is_unknown(readings):
    assert fuse(*readings).is_unknown
    assert fuse(*readings).label == "unknown"


def test_confidence_is_the_mean_by_weight_times_the_mean_affinity_by_precision():
    text, voice = Affect(valence=0.6, confidence=0.5), Affect(valence=0.2, confidence=0.8)
    fused = fuse(text, voice, weights=(2, 1))
    valence = (1.0 * 0.6 + 0.8 * 0.2) / 1.8
    near = [np.exp(-(((x - valence) / 0.3) ** 2) / 8) for x in (0.6, 0.2)]
    agreement = (1.0 * near[0] + 0.8 * near[1]) / 1.8
    assert fused.confidence == pytest.approx((2 * 0.5 + 0.8) / 3 * agreement)


def test_readings_that_clash_are_doubted():
    joy, anger = (
        Affect.from_emotions(emotions(**{label: 1.0}), confidence=0.9) for label in ("joy", "anger")
    )
    assert fuse(joy, joy).confidence == pytest.approx(0.9)
    assert fuse(joy, anger).confidence == pytest.approx(0.9 * 0.5**0.5)


def test_confidence_is_none_where_no_reading_gives_one_and_is_of_those_that_do():
    assert fuse(Affect(valence=0.5), Affect(valence=0.5)).confidence is None
    assert fuse(Affect(valence=0.5), Affect(valence=0.5, confidence=0.3)).confidence == 0.3


def test_the_source_names_what_it_was_made_of():
    text, voice = Affect(valence=0.5, source="emomem:2"), Affect(arousal=0.5, source="audio")
    assert fuse(text, voice, text, Affect.unknown("vision")).source == "fused:emomem:2+audio"
    assert fuse(Affect(valence=0.5)).source == "fused"


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ((1,), "one a reading; got 1 for 2"),
        ((1, 2, 3), "got 3 for 2"),
        ((1, -1), "finite and >= 0"),
        ((1, float("nan")), "finite and >= 0"),
        ((1, float("inf")), "finite and >= 0"),
        ((0, 0), "one above 0"),
    ],
)
def test_wrong_weights_are_refused(weights, message):
    with pytest.raises(ValueError, match=message):
        fuse(Affect(valence=0.5), Affect(valence=0.1), weights=weights)


@pytest.mark.parametrize("weights", ["ab", ("1", 2), 1, (None, 1)])
def test_weights_that_are_no_numbers_are_refused(weights):
    with pytest.raises(TypeError, match="weights must be numbers, one a reading, got"):
        fuse(Affect(valence=0.5), Affect(valence=0.1), weights=weights)


def test_no_reading_and_what_is_none_are_refused():
    with pytest.raises(ValueError, match="at least one reading"):
        fuse()
    with pytest.raises(TypeError, match="must be an Affect, got dict"):
        fuse(Affect(valence=0.5), {"valence": 0.5})


@given(data=st.data())
def test_a_fused_affect_lies_among_its_readings_and_their_order_is_no_matter(affects, data):
    readings = data.draw(st.lists(affects, min_size=1, max_size=4))
    fused = fuse(*readings)
    heard = [r for r in readings if not r.is_unknown and r.confidence != 0]
    for name in NUMBERS:
        values = [getattr(r, name) for r in heard if getattr(r, name) is not None]
        assert (getattr(fused, name) is None) == (not values)
        if values:
            assert min(values) <= getattr(fused, name) <= max(values)
    turned = fuse(*reversed(readings))
    for name in (*NUMBERS, "confidence"):
        assert getattr(fused, name) == pytest.approx(getattr(turned, name), abs=1e-6)
    if fused.emotions is not None:
        assert sum(fused.emotions) == pytest.approx(1)


@given(data=st.data())
def test_one_reading_stays_what_it_is(affects, data):
    reading = data.draw(affects)
    fused = fuse(reading)
    if reading.confidence == 0 or reading.is_unknown:
        assert fused.is_unknown
        return
    assert all(getattr(fused, name) == getattr(reading, name) for name in NUMBERS)
    assert fused.confidence == pytest.approx(reading.confidence, abs=1e-6)
    assert fused.emotions == (None if reading.emotions is None else pytest.approx(reading.emotions))
