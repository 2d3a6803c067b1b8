import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from emomem import scales

SCALES = [
    scales.VALENCE_2,
    scales.AROUSAL_1_3,
    scales.CONFLICT_4,
    scales.PLUTCHIK_10,
    scales.EMOBANK_VALENCE,
    scales.EMOBANK_AROUSAL,
    scales.EMOBANK_DOMINANCE,
]


@pytest.mark.parametrize(
    ("scale", "value", "expected"),
    [
        (scales.VALENCE_2, -2, -1),
        (scales.VALENCE_2, -1, -0.5),
        (scales.VALENCE_2, 2, 1),
        (scales.AROUSAL_1_3, 1, 0),
        (scales.AROUSAL_1_3, 2.5, 0.75),
        (scales.AROUSAL_1_3, 3, 1),
        (scales.CONFLICT_4, 0, 0),
        (scales.CONFLICT_4, 3, 0.75),
        (scales.PLUTCHIK_10, 1, 0),
        (scales.PLUTCHIK_10, 5.5, 0.5),
        (scales.PLUTCHIK_10, 10, 1),
        (scales.EMOBANK_VALENCE, 3, 0),
        (scales.EMOBANK_VALENCE, 1.5, -0.75),
        (scales.EMOBANK_AROUSAL, 3, 0.5),
        (scales.EMOBANK_DOMINANCE, 5, 1),
    ],
)
def test_a_source_value_lands_where_the_design_puts_it(scale, value, expected):
    result = scale(value)
    assert type(result) is float
    assert result == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("scale", SCALES, ids=lambda scale: scale.name)
@pytest.mark.parametrize("beyond", [-1e-9, 1e-9, float("nan"), float("inf"), float("-inf")])
def test_a_value_outside_its_source_is_refused_and_named(scale, beyond):
    low, high = scale.source
    value = (low if beyond < 0 else high) + beyond
    with pytest.raises(ValueError, match=rf"{scale.name} must lie in {low:g}\.\.{high:g}, got"):
        scale(value)


def test_one_bad_value_in_an_array_is_refused_and_named():
    with pytest.raises(ValueError, match=r"got 2\.5"):
        scales.VALENCE_2([0.0, 2.5, 1.0])


def test_an_array_keeps_its_shape_and_is_not_changed():
    values = np.array([[0.0, 1.0], [2.0, 4.0]])
    result = scales.CONFLICT_4(values)
    assert result.tolist() == [[0.0, 0.25], [0.5, 1.0]]
    assert values.tolist() == [[0.0, 1.0], [2.0, 4.0]]
    assert scales.CONFLICT_4([]).shape == (0,)


@pytest.mark.parametrize("scale", SCALES, ids=lambda scale: scale.name)
@given(share=st.floats(0, 1))
def test_every_value_of_the_source_stays_within_the_target(scale, share):
    low, high = scale.source
    start, end = scale.target
    value = min(low + share * (high - low), high)
    assert start <= scale(value) <= end
    assert scale(value) == pytest.approx(start + share * (end - start), abs=1e-9)
