"""What a plan asks of a store of fused vectors, and of one that filters."""

import numpy as np
import pytest

from emomem import (
    Affect,
    Auto,
    Combination,
    Comfort,
    Congruent,
    Lesson,
    Modulated,
    Off,
    RankQuery,
    Salience,
    Semantic,
    Sequence,
)
from emomem.filters import affect_conditions
from emomem.metadata import DEFAULT_FIELDS
from emomem.ranking import Plan

SAD = Affect.from_label("sadness")


def plan(strategy=None, policy=None, present=SAD, gate=1.0, reason=""):
    query = RankQuery(k=4, present=present, policy=policy or Congruent(), gate=gate)
    return Plan(strategy or Combination(weight=0.4), query, reason)


def test_a_sum_of_cosine_and_match_is_asked_at_its_weight_times_the_gate():
    wish = plan(gate=0.5).wish

    assert wish.weight == pytest.approx(0.2)
    assert wish.exact
    assert wish.psi == pytest.approx(np.sqrt(SAD.emotions))
    query = wish.query([3.0, 4.0])
    assert query[:2] == pytest.approx([0.8 * 0.6, 0.8 * 0.8])
    assert wish.match(np.sqrt([SAD.emotions, Affect.from_label("joy").emotions])) == pytest.approx(
        [1.0, 0.0]
    )


def test_feeling_first_is_nearly_feeling_alone():
    assert plan(Sequence(first="emotion"), gate=0.1).wish.weight == 0.99
    assert plan(Combination(weight=1.0)).wish.weight == 0.99


@pytest.mark.parametrize(
    "without",
    [
        plan(Combination(weight=0.0)),
        plan(Combination(fusion="multiply")),
        plan(Combination(scale="pool")),
        plan(Combination(scale="paper")),
        plan(Sequence(first="semantic")),
        plan(Semantic()),
        plan(Salience()),
        plan(Modulated()),
        plan(gate=0.0),
        plan(policy=Off()),
        plan(policy=Comfort(), present=Affect.from_label("joy")),
        plan(present=Affect(valence=-0.5)),
        plan(reason="affect is off"),
    ],
)
def test_anything_else_finds_candidates_by_meaning_alone(without):
    assert without.wish is None
    assert without.feeling is None


@pytest.mark.parametrize(
    ("policy", "exact"),
    [(Congruent(), True), (Auto(), False), (Comfort(), False), (Lesson(), False)],
)
def test_a_policy_with_a_match_of_its_own_is_no_exact_wish(policy, exact):
    assert plan(policy=policy).wish.exact == exact


@pytest.mark.parametrize(
    ("wanted", "conditions"),
    [
        (plan(), {"sadness": {"$gte": 0.5}}),
        (plan(policy=Comfort()), "$gte"),
        (plan(policy=Lesson()), "$lte"),
    ],
)
def test_the_wanted_feeling_is_a_filter(wanted, conditions):
    found = wanted.feeling
    if isinstance(conditions, str):
        [(bound, value)] = found["valence"].items()
        assert bound == conditions
        assert (value > 0) == (bound == "$gte")
    else:
        assert found == conditions
    assert affect_conditions(found, DEFAULT_FIELDS)


def test_neutral_is_no_feeling_to_filter_by():
    assert plan(present=Affect.neutral()).feeling is None
