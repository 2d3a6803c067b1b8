"""How memories fade and come back."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from emomem import Affect
from emomem.memory.dynamics import DAY, Decay, faded, reinforced

SHARES = st.floats(0, 1)
AGES = st.floats(0, 1e9)


@given(SHARES, st.tuples(AGES, AGES).map(sorted), SHARES, st.floats(-1, 1), SHARES)
def test_salience_only_falls_and_never_below_the_floor(stored, ages, arousal, valence, floor):
    decay = Decay(half_life=10, floor=floor)
    early, late = decay.salience([stored] * 2, ages, [arousal] * 2, [valence] * 2)
    assert late <= early <= stored
    assert late >= min(stored, floor) - 1e-12


@given(st.floats(0.01, 1), st.floats(1, 1e7))
def test_what_stirred_fades_slower_and_what_went_well_faster(stored, age):
    calm, stirred, happy = Decay(half_life=10).salience(
        [stored] * 3, [age] * 3, [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]
    )
    assert happy <= calm <= stirred


def test_a_half_life_halves_what_is_above_the_floor():
    decay = Decay(half_life=2, floor=0.2, arousal=0, success=0)
    values = decay.salience([0.6, 0.1, np.nan], [2 * DAY] * 3, [1, 1, 1], [1, 1, 1])
    assert values[:2] == pytest.approx([0.4, 0.1])
    assert np.isnan(values[2])
    assert decay.salience([0.6], [-5.0], [np.nan], [np.nan]) == pytest.approx([0.6])


@given(SHARES, SHARES)
def test_reinforcement_only_raises(stored, rate):
    [value] = reinforced([stored], rate)
    assert stored <= value + 1e-12 <= 1 + 1e-9


@given(SHARES)
def test_a_feeling_fades_towards_neutral_and_stays_an_affect(rate):
    anger = Affect.from_label("anger").model_copy(update={"conflict": 0.7})
    after = Affect.model_validate(faded(anger, rate).model_dump())
    assert abs(after.valence) <= abs(anger.valence)
    assert after.arousal <= anger.arousal
    assert after.conflict == 0.7
    assert sum(after.emotions) == pytest.approx(1)
    assert after.neutrality == pytest.approx(rate)
    assert faded(Affect.unknown(), rate) == Affect.unknown()


@pytest.mark.parametrize(
    ("name", "value"),
    [("half_life", 0), ("half_life", np.inf), ("floor", 1.5), ("arousal", -1), ("success", -1)],
)
def test_wrong_numbers_raise_at_once(name, value):
    with pytest.raises(ValueError, match=name):
        Decay(**{"half_life": 1, name: value})
    with pytest.raises(ValueError, match="rate"):
        reinforced([0.5], 2)
