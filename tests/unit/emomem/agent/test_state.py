"""The update and what may be in a state."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from emomem import Affect
from emomem.agent import State
from emomem.agent.norms import norms_of
from emomem.agent.state import updated
from emomem.emotions import PLUTCHIK

ANY = st.floats(allow_nan=True, allow_infinity=True)


@given(st.lists(st.tuples(st.floats(-10, 10), ANY), min_size=1), st.sampled_from([0.0, -10.0]))
def test_a_step_is_bounded_and_stays_in_range(pairs, low):
    levels = np.maximum([level for level, _ in pairs], low)
    gradients = [gradient for _, gradient in pairs]
    moved = updated(levels, gradients, low, 10.0)
    assert ((low <= moved) & (moved <= 10)).all()
    assert (np.abs(moved - levels) <= 1 + 1e-12).all()
    for before, after, g in zip(levels, moved, gradients, strict=True):
        if math.isnan(g) or g == 0:
            assert after == before
        elif abs(g) <= 10 and low <= before + 0.1 * g <= 10:
            assert after == pytest.approx(before + 0.1 * g)
        else:
            assert (after - before) * g >= 0


def test_a_state_moves_what_is_named_and_nothing_else(state):
    after = state.after({"anger": -30.0}, {"Bo": -10.0}, "It rained.")
    assert after.affect == {"anger": 7.0, "joy": 0.0}
    assert after.relations == {"Sam": 6.0, "Bo": -10.0}
    assert (after.persona, after.beliefs) == (state.persona, state.beliefs)
    assert after.observation == "It rained."
    assert state.affect["anger"] == 8.0
    with pytest.raises(KeyError, match="'hope'; there are anger, joy"):
        state.after({"hope": 1.0})


def test_what_it_feels_is_an_affect_and_the_rest_is_neutral():
    assert State().affect == dict.fromkeys(PLUTCHIK, 0.0)
    assert State().present.neutrality == 1.0
    angry = State(affect={"anger": 8.0, "joy": 1.0}).present
    assert angry.label == "anger"
    assert angry.neutrality == pytest.approx(0.1)
    full = State(affect={"anger": 10.0, "fear": 10.0}).present
    assert (full.neutrality, full.plutchik["anger"]) == (0.0, pytest.approx(0.5))


def test_without_a_model_affect_is_drawn_to_what_was_felt():
    state = State(affect={"anger": 2.0, "sadness": 4.0, "remorse": 0.0})
    drawn = state.towards(Affect.from_label("anger"))
    assert drawn == pytest.approx({"anger": 8.0, "sadness": -4.0, "remorse": 0.0})
    assert state.towards(Affect.from_label("remorse"))["remorse"] == pytest.approx(10.0)
    assert state.towards(Affect.unknown()) == {}
    assert state.towards(Affect(valence=-0.5)) == {}


def test_it_shows_and_quotes_no_text():
    secret = {"persona": "4711", "beliefs": ("4711",), "observation": "4711"}
    state = State(**secret, relations={"4711": 6.0})
    assert "4711" not in f"{state!r} {norms_of(state, '4711 calls')!r}"
    with pytest.raises(ValueError, match="valid string") as raised:
        State(persona=["4711"], beliefs="4711")
    assert "4711" not in str(raised.value)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"affect": {"anger": 10.5}}, "less than or equal to 10"),
        ({"affect": {"anger": float("nan")}}, "finite"),
        ({"affect": {"wobble": 1.0}}, "known set.*'wobble'"),
        ({"affect": {}}, "got none"),
        ({"relations": {"Sam": -11}}, "greater than or equal to -10"),
        ({"mood": 1}, "Extra inputs"),
    ],
)
def test_what_is_no_state_raises_and_says_why(wrong, told):
    with pytest.raises(ValueError, match=told):
        State(**wrong)
