import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from emomem import Affect, AffectArray
from emomem.emotions import GOEMOTIONS, LABEL_VAD, NEUTRAL

JOY, SADNESS, NEUTRAL_LABEL = (GOEMOTIONS.index(x) for x in ("joy", "sadness", "neutral"))
SIGNED, UNIT = ("valence", "dominance"), ("arousal", "conflict", "confidence")


def one_hot(*weights: tuple[int, float]) -> list[float]:
    values = [0.0] * 28
    for index, weight in weights:
        values[index] = weight
    return values


@pytest.mark.parametrize("name", [*SIGNED, *UNIT])
@pytest.mark.parametrize("bad", [float("nan"), float("inf"), float("-inf"), 1.01, -1.01, "much"])
def test_a_number_out_of_range_or_not_finite_is_refused_by_name(name, bad):
    with pytest.raises(ValidationError, match=name):
        Affect(**{name: bad})


@pytest.mark.parametrize("name", UNIT)
def test_a_number_of_0_to_1_may_not_be_negative(name):
    with pytest.raises(ValidationError, match=name):
        Affect(**{name: -0.01})


@pytest.mark.parametrize("name", [*SIGNED, *UNIT])
def test_the_ends_of_a_range_belong_to_it(name):
    for end in (-1.0 if name in SIGNED else 0.0, 1.0):
        assert getattr(Affect(**{name: end}), name) == end


@pytest.mark.parametrize("number", [np.float64(0.5), np.float32(0.5), np.int64(0), 0])
def test_a_numpy_scalar_becomes_a_native_float(number):
    assert type(Affect(valence=number).valence) is float


@pytest.mark.parametrize(
    "bad",
    [
        [1.0],
        [1 / 28] * 27,
        [0.5] * 28,
        [0.0] * 28,
        one_hot((JOY, 1.5), (SADNESS, -0.5)),
        one_hot((JOY, float("nan"))),
        [None] * 28,
        "x" * 28,
        5,
    ],
)
def test_what_is_not_a_distribution_over_the_28_is_a_validation_error(bad):
    with pytest.raises(ValidationError, match="emotions"):
        Affect(emotions=bad)


@pytest.mark.parametrize("name", ["label", "source"])
@pytest.mark.parametrize("blank", ["", "  ", "\t\n"])
def test_a_blank_label_or_source_is_refused(name, blank):
    with pytest.raises(ValidationError, match="must not be blank"):
        Affect(**{name: blank})


def test_it_is_frozen_hashable_and_closed():
    affect = Affect(valence=0.5)
    with pytest.raises(ValidationError, match="frozen"):
        affect.valence = 0.1
    with pytest.raises(ValidationError, match="valance"):
        Affect(valance=0.5)
    assert len({affect, Affect(valence=0.5), Affect(valence=0.6)}) == 2


def test_the_label_is_the_most_probable_emotion_unless_one_is_given():
    emotions = one_hot((JOY, 0.4), (SADNESS, 0.6))
    assert Affect(emotions=emotions).label == "sadness"
    assert Affect(emotions=np.array(emotions)).label == "sadness"
    assert Affect(emotions=emotions, label="bittersweet").label == "bittersweet"


def test_unknown_is_not_neutral():
    unknown, neutral = Affect.unknown("x"), Affect.neutral("x")
    assert unknown.is_unknown
    assert (unknown.label, unknown.source, unknown.valence) == ("unknown", "x", None)
    assert not neutral.is_unknown
    assert (neutral.label, neutral.source, neutral.valence) == ("neutral", "x", 0.0)


@pytest.mark.parametrize("name", ["valence", "arousal", "dominance", "conflict"])
def test_one_number_of_zero_is_enough_to_be_known(name):
    assert not Affect(**{name: 0.0}).is_unknown


def test_confidence_and_source_alone_say_nothing():
    assert Affect(confidence=1.0, source="x").is_unknown


@pytest.mark.parametrize("label", ["sadness", " SADNESS ", "Sadness"])
def test_a_label_gives_its_distribution_and_its_place(label):
    affect = Affect.from_label(label, source="person")
    assert affect.label == "sadness"
    assert affect.emotions == tuple(one_hot((SADNESS, 1.0)))
    assert (affect.valence, affect.arousal, affect.dominance) == pytest.approx(
        (-0.63, 0.365, -0.33)
    )
    assert (affect.confidence, affect.source) == (None, "person")


@pytest.mark.parametrize("label", ["LABEL_0", "unknown", "", "😢"])
def test_a_label_of_no_known_set_is_refused(label):
    with pytest.raises(ValueError, match="unknown emotion label"):
        Affect.from_label(label)


def test_scores_are_rescaled_and_their_vad_is_the_expectation():
    affect = Affect.from_emotions(one_hot((JOY, 6.0), (SADNESS, 2.0)), confidence=0.7)
    assert affect.emotions == tuple(one_hot((JOY, 0.75), (SADNESS, 0.25)))
    assert affect.valence == pytest.approx(0.75 * 0.76 + 0.25 * -0.63)
    assert affect.arousal == pytest.approx(0.75 * 0.74 + 0.25 * 0.365)
    assert affect.dominance == pytest.approx(0.75 * 0.35 + 0.25 * -0.33)
    assert (affect.label, affect.confidence) == ("joy", 0.7)


@pytest.mark.parametrize(
    "bad",
    [[1.0], [], [0.0] * 28, one_hot((JOY, -1.0), (SADNESS, 3.0)), one_hot((0, float("inf")))],
)
def test_scores_that_make_no_distribution_are_refused(bad):
    with pytest.raises(ValueError, match="probabilities must be"):
        Affect.from_emotions(bad)


@given(st.lists(st.floats(0, 1e6), min_size=28, max_size=28).filter(lambda x: sum(x) > 1e-6))
def test_any_scores_give_a_valid_affect(scores):
    affect = Affect.from_emotions(scores)
    assert sum(affect.emotions) == pytest.approx(1)
    assert LABEL_VAD[:, 0].min() - 1e-9 <= affect.valence <= LABEL_VAD[:, 0].max() + 1e-9
    assert scores[GOEMOTIONS.index(affect.label)] == max(scores)


@pytest.mark.parametrize(
    ("affect", "expected"),
    [
        (Affect(emotions=one_hot((NEUTRAL, 0.7), (JOY, 0.3)), valence=-1.0), 0.7),
        (Affect(valence=-0.6, arousal=0.1), 0.4),
        (Affect(arousal=0.8), 0.4),
        (Affect(arousal=0.4), 1.0),
        (Affect(valence=0.0, arousal=0.9), 0.2),
        (Affect(valence=0.1, conflict=0.9), 0.1),
        (Affect(dominance=1.0), 1.0),
        (Affect.unknown(), 1.0),
    ],
)
def test_neutrality_is_p_neutral_or_what_the_numbers_leave(affect, expected):
    assert affect.neutrality == pytest.approx(expected)


def test_plutchik_intensities_sum_to_what_is_not_neutral():
    affect = Affect(emotions=one_hot((NEUTRAL_LABEL, 0.5), (GOEMOTIONS.index("love"), 0.5)))
    intensities = affect.plutchik
    assert len(intensities) == 8
    assert intensities["joy"] == intensities["trust"] == pytest.approx(0.25)
    assert sum(intensities.values()) == pytest.approx(0.5)
    assert Affect(valence=0.5).plutchik is None


def test_columns_hold_what_is_known_and_nan_elsewhere():
    columns = AffectArray.from_affects(
        [Affect(valence=-0.5, conflict=0.0), Affect.unknown(), Affect.from_label("joy")]
    )
    assert len(columns) == 3
    np.testing.assert_array_equal(columns.valence, [-0.5, np.nan, 0.76])
    np.testing.assert_array_equal(columns.arousal, [np.nan, np.nan, 0.74])
    np.testing.assert_array_equal(columns.conflict, [0.0, np.nan, np.nan])
    assert columns.has_emotions.tolist() == [False, False, True]
    assert columns.phi[2, JOY] == 1


@pytest.mark.parametrize(
    ("name", "value", "level"),
    [
        *[("valence", x, "low") for x in (-1.0, -0.34)],
        *[("valence", x, "medium") for x in (-1 / 3, 0.0, 1 / 3)],
        *[("valence", x, "high") for x in (0.34, 1.0)],
        *[("dominance", x, y) for x, y in ((-0.34, "low"), (0.0, "medium"), (0.34, "high"))],
        *[("arousal", x, "low") for x in (0.0, 0.33)],
        *[("arousal", x, "medium") for x in (1 / 3, 0.5, 2 / 3)],
        *[("arousal", x, "high") for x in (0.67, 1.0)],
        *[("conflict", x, y) for x, y in ((0.33, "low"), (0.5, "medium"), (0.67, "high"))],
    ],
)
def test_numbers_are_binned_by_thirds_of_their_scale_and_the_unknown_stays_so(name, value, level):
    unknown = dict.fromkeys(("valence", "arousal", "dominance", "conflict"))
    assert Affect(**{name: value}).binned() == {**unknown, name: level}


def test_nothing_known_bins_to_nothing():
    assert set(Affect.unknown().binned().values()) == {None}
    assert set(Affect(label="joy").binned().values()) == {None}


def test_no_memories_make_empty_columns():
    columns = AffectArray.from_affects([])
    assert len(columns) == 0
    assert columns.phi.shape == (0, 28)
    assert columns.vad.shape == (0, 3)
    assert columns.has_emotions.shape == (0,)


def test_vad_takes_the_expectation_only_where_a_number_is_missing():
    emotions = one_hot((JOY, 0.5), (SADNESS, 0.5))
    columns = AffectArray.from_affects(
        [Affect(emotions=emotions, valence=-1.0), Affect(arousal=0.2), Affect.unknown()]
    )
    np.testing.assert_allclose(
        columns.vad,
        [
            [-1.0, (0.74 + 0.365) / 2, (0.35 - 0.33) / 2],
            [np.nan, 0.2, np.nan],
            [np.nan, np.nan, np.nan],
        ],
        atol=1e-6,
    )
    assert np.isnan(columns.arousal[0])


@pytest.mark.parametrize("name", ["valence", "arousal", "dominance", "conflict", "phi"])
def test_columns_of_another_length_are_refused_by_name(name):
    columns = {x: np.zeros(2) for x in ("valence", "arousal", "dominance", "conflict")}
    columns["phi"] = np.zeros((2, 28), dtype=np.float32)
    columns[name] = columns[name][:1]
    with pytest.raises(ValueError, match="must have shape"):
        AffectArray(**columns)


@given(data=st.data())
def test_one_felt_number_is_its_column_of_vad(data, affects):
    columns = AffectArray.from_affects(data.draw(st.lists(affects, max_size=5)))
    for place, name in enumerate(("valence", "arousal", "dominance")):
        assert np.array_equal(columns.felt(name), columns.vad[:, place], equal_nan=True)
