"""The two sides: the fast tendency and the norms, and how far they are apart."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emomem import Affect, MemoryUnit
from emomem.agent import Norms, State, Tendency
from emomem.agent.norms import conflict_of, norms_of
from emomem.agent.tendency import tendency_of
from emomem.memory.recalling import Recalled

LABELS = st.sampled_from(["anger", "fear", "joy", "grief", "neutral", "unknown"])


def remembered(label, salience=0.5, id_="m"):
    affect = Affect.unknown() if label == "unknown" else Affect.from_label(label)
    unit = MemoryUnit(
        text="it", user_id="a", speaker="a", created_at=0, unit_id=id_, kind="affective",
        affect=affect,
    )  # fmt: skip
    return Recalled(unit, 0.5, salience)


@pytest.mark.parametrize(
    ("label", "impulse"),
    [("joy", "approach"), ("anger", "confront"), ("fear", "withdraw"), ("sadness", "withdraw")],
)
def test_present_affect_and_memories_alike_give_the_impulse(label, impulse):
    by_state = tendency_of(Affect.from_label(label), [])
    by_memory = tendency_of(Affect.neutral(), [remembered(label)])
    assert by_state.impulse == by_memory.impulse == impulse
    assert by_state.strength == pytest.approx(abs(by_state.valence))


def test_the_more_salient_memory_pulls_harder():
    calm = Affect.neutral()
    fear = tendency_of(calm, [remembered("fear", 0.9, "f"), remembered("joy", 0.2, "j")])
    joy = tendency_of(calm, [remembered("fear", 0.2, "f"), remembered("joy", 0.9, "j")])
    assert fear.valence < 0 < joy.valence
    assert [(pull.unit_id, pull.weight) for pull in fear.pulls] == [
        (None, 0.0),
        ("f", pytest.approx(0.45)),
        ("j", pytest.approx(0.1)),
    ]


def test_what_is_not_known_does_not_pull():
    unknown = [remembered("unknown"), remembered("anger", None)]
    assert tendency_of(Affect.unknown(), unknown).pulls == ()
    assert tendency_of(Affect.neutral(), unknown).impulse == "attend"


def test_a_feeling_of_which_only_valence_is_known_pulls_by_that():
    dark = MemoryUnit(
        text="it", user_id="a", speaker="a", created_at=0, unit_id="d", affect=Affect(valence=-0.8)
    )
    found = tendency_of(Affect.neutral(), [Recalled(dark, None, 0.4)])
    assert (found.impulse, found.valence, found.dominance) == ("withdraw", -0.8, 0.0)
    assert (found.pulls[1].arousal, found.pulls[1].dominance) == (None, None)


@given(LABELS, st.lists(st.tuples(LABELS, st.none() | st.floats(0, 1)), max_size=6))
def test_every_tendency_is_within_what_pulls(label, memories):
    present = Affect.unknown() if label == "unknown" else Affect.from_label(label)
    found = tendency_of(present, [remembered(*one) for one in memories])
    pulls = [pull.valence for pull in found.pulls if pull.weight > 0]
    low, high = (min(pulls), max(pulls)) if pulls else (0.0, 0.0)
    assert low - 1e-9 <= found.valence <= high + 1e-9


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Sam called.", ["Sam"]),
        ("I had a sample of BO's bread", ["Bo"]),
        ("Nobody came", []),
        ("林芳来了，和Sam一起", ["Sam", "林芳"]),
    ],
)
def test_a_tie_counts_where_its_name_stands(text, named):
    norms = norms_of(State(relations={"Sam": 6, "Bo": -9, "林芳": 2}), text)
    assert [tie.name for tie in norms.ties if tie.named] == named
    assert [tie.named for tie in norms.ties] == sorted(
        [tie.named for tie in norms.ties], reverse=True
    )


def test_ties_of_those_named_are_weighed_together():
    norms = norms_of(State(relations={"Sam": 6, "Bo": -9}), "Sam and Bo came")
    assert norms.pull == pytest.approx(-0.15)
    assert norms_of(State(), "Sam").pull == 0


@pytest.mark.parametrize(
    ("valence", "pull", "conflict"),
    [(-0.6, 0.8, 0.7), (0.6, -0.8, 0.7), (-0.6, -0.8, 0), (0.5, 0.9, 0), (-0.6, 0, 0), (-1, 1, 1)],
)
def test_they_are_in_conflict_where_they_point_apart(valence, pull, conflict):
    tendency = Tendency(
        impulse="attend", strength=abs(valence), valence=valence, arousal=0, dominance=0
    )
    norms = Norms(persona="", beliefs=(), ties=(), pull=pull)
    assert conflict_of(tendency, norms) == pytest.approx(conflict)
