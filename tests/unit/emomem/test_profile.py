import json
import math

import numpy as np
import pytest

from emomem import Affect
from emomem.metadata import encode
from emomem.profile import ArousalProfile

EVEN = [step / 10 for step in range(1, 11)]


def test_unknown_texts_count_in_rates_and_trigger_nothing():
    profile = ArousalProfile([0.5, None, 0.9, math.nan])
    assert (profile.n, profile.known.tolist(), profile.known_share) == (4, [0.5, 0.9], 0.5)
    assert [profile.rate(at) for at in (0.0, 0.5, 0.51, 0.9, 0.91)] == [0.5, 0.5, 0.25, 0.25, 0]


def test_a_text_at_the_threshold_triggers():
    profile = ArousalProfile(EVEN)
    assert list(profile.trigger_rates) == [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
    assert list(profile.trigger_rates.values()) == pytest.approx(
        [1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2]
    )
    assert profile.calls([0.1, 1.0]).tolist() == [10, 1]


def test_the_distribution():
    profile = ArousalProfile([*EVEN, None])
    counts, edges = profile.histogram
    assert counts.sum() == 10
    assert (len(counts), edges[0], edges[-1]) == (20, 0, 1)
    assert profile.quantiles[0.5] == pytest.approx(0.55)
    assert (profile.quantiles[0.0], profile.quantiles[1.0]) == (0.1, 1.0)


@pytest.mark.parametrize(
    ("wanted", "threshold", "calls"),
    [
        ({}, 0.81, 2),
        ({"target_rate": 0.5}, 0.51, 5),
        ({"target_rate": 0.3}, 0.71, 3),
        ({"target_rate": 0.29}, 0.81, 2),
        ({"target_rate": 1}, 0.0, 10),
        ({"budget": 4}, 0.61, 4),
        ({"budget": 99}, 0.0, 10),
    ],
)
def test_the_lowest_threshold_that_keeps_to_the_limit(wanted, threshold, calls):
    found = ArousalProfile(EVEN).recommend(**wanted)
    assert (found.threshold, found.calls, found.rate) == (threshold, calls, calls / 10)


def test_the_limit_holds_whatever_the_values():
    rng = np.random.default_rng(0)
    for spread in (0.01, 0.1, 0.3):
        profile = ArousalProfile(rng.normal(0.5, spread, 999).clip(0, 0.99))
        for rate in (0.0, 0.05, 0.2, 0.7):
            found = profile.recommend(rate)
            assert found.calls <= rate * 999
            below = found.threshold - 0.01
            assert below < 0 or profile.rate(below) > rate


def test_the_reason_says_what_one_step_lower_would_cost():
    reason = ArousalProfile([0.3] * 6 + [0.6] * 4).recommend(0.2).reason
    assert reason == (
        "the lowest that keeps to at most 20% of the texts: 0.61 triggers 0 of 10 (0.0%); "
        "0.60 would trigger 4 of 10 (40.0%)"
    )
    reason = ArousalProfile(EVEN).recommend(budget=1_000).reason
    assert reason == (
        "every threshold keeps to a budget of 1,000 calls: 0.00 triggers 10 of 10 (100.0%)"
    )


def test_where_no_threshold_keeps_to_the_limit_it_says_so():
    found = ArousalProfile([1.0, 1.0, 0.2]).recommend(budget=1)
    assert (found.threshold, found.calls) == (1.0, 2)
    assert found.reason.startswith("no threshold keeps to a budget of 1 calls: even 1.00 triggers")


@pytest.mark.parametrize("values", [[], [None], [math.nan, None]])
def test_nothing_known_is_an_error(values):
    with pytest.raises(ValueError, match=f"no arousal is known of {len(values)} texts"):
        ArousalProfile(values)


@pytest.mark.parametrize("value", [-0.1, 1.1, math.inf])
def test_a_value_out_of_range_is_an_error(value):
    with pytest.raises(ValueError, match=r"arousal must be in 0\.\.1"):
        ArousalProfile([0.5, value])


@pytest.mark.parametrize(
    ("wanted", "says"),
    [
        ({"target_rate": 1.1}, "target_rate must be in 0..1, got 1.1"),
        ({"target_rate": math.nan}, "target_rate must be in 0..1, got nan"),
        ({"budget": -1}, "budget must be >= 0, got -1"),
        ({"budget": 1, "target_rate": 0.1}, "a target_rate or a budget, got both"),
    ],
)
def test_a_wrong_limit_is_an_error(wanted, says):
    with pytest.raises(ValueError, match=says):
        ArousalProfile(EVEN).recommend(**wanted)


def test_affects_and_their_metadata_give_the_same():
    affects = [Affect(arousal=0.5), Affect.unknown(), Affect(valence=0.5), Affect.from_label("joy")]
    first = ArousalProfile.from_affects(affects)
    second = ArousalProfile.from_metadata([encode(affect) for affect in affects])
    assert first.n == second.n == 4
    assert first.known.tolist() == pytest.approx(second.known.tolist())


def test_plain_data():
    profile = ArousalProfile([*EVEN, None])
    data = json.loads(json.dumps(profile.to_dict()))
    assert (data["n"], data["known"]) == (11, 10)
    assert data["trigger_rates"]["0.9"] == pytest.approx(2 / 11)
    assert data["quantiles"]["0.95"] == pytest.approx(0.955)
    assert len(data["histogram"]["edges"]) == 21
    assert data["recommended"]["threshold"] == 0.81
    assert profile.to_dict(profile.recommend(budget=1))["recommended"]["calls"] == 1
