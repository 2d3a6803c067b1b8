import numpy as np
import pytest

from emomem import (
    Affect,
    AffectArray,
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
from emomem.emotions import BASE_RATES, GOEMOTIONS, NEUTRAL, projection
from emomem.ranking import POLICIES, resolve_policy
from emomem.ranking.policies import distinctive, present_valence
from emomem.signals import affinity

DISTRESSED = Affect(valence=-0.8, arousal=0.7)
AT_EASE = Affect(valence=0.6, arousal=0.3)


def columns(*valences, **rest):
    return AffectArray.from_affects([Affect(valence=v, **rest) for v in valences])


def by_valence(make_pool, *valences):
    """A pool of these valences, meaning all but equal, so that the policy decides."""
    cosine = 0.5 - np.arange(len(valences)) * 1e-6
    return make_pool([Affect(valence=v) for v in valences], cosine)


def test_the_present_valence_comes_from_the_emotions_where_it_has_no_number():
    assert present_valence(Affect(valence=-0.2)) == -0.2
    emotions = Affect.from_label("sadness").emotions
    assert present_valence(Affect(emotions=emotions)) == pytest.approx(-0.63)
    assert np.isnan(present_valence(Affect(arousal=0.5)))


def test_congruent_wants_the_users_own_affect():
    assert Congruent().wanted(DISTRESSED) is DISTRESSED
    assert Congruent().wanted(Affect.unknown()) is None
    memories = columns(-0.8, 0.8, None)
    np.testing.assert_array_equal(
        Congruent().match(memories, DISTRESSED), affinity(memories, DISTRESSED)
    )


@pytest.mark.parametrize("valence", [-0.5, 0.0, 1.0, None])
def test_comfort_has_no_wish_for_a_user_who_is_not_in_distress(make_pool, valence):
    present = Affect(valence=valence, arousal=0.9)
    memories = columns(-1.0, -0.9, 0.5)
    assert Comfort().wanted(present) is None
    assert np.isnan(Comfort().match(memories, present)).all()
    assert Comfort().admits(memories, present, 1).all()
    ranked = np.array([0, 1, 2])
    assert Comfort(cap=0).arrange(ranked, memories, present).tolist() == [0, 1, 2]


def test_distinctive_is_what_is_likelier_than_usual():
    emotions = np.zeros(28)
    emotions[[GOEMOTIONS.index(x) for x in ("admiration", "grief", "neutral")]] = 0.5, 0.1, 0.4
    present = Affect.from_emotions(emotions, confidence=0.5)
    wanted = distinctive(present)
    shares = {
        x: (p / BASE_RATES[i]) ** 1.5
        for i, (x, p) in enumerate(zip(GOEMOTIONS, emotions, strict=True))
    }
    total = shares["admiration"] + shares["grief"]
    assert wanted.emotions[GOEMOTIONS.index("grief")] == pytest.approx(shares["grief"] / total)
    assert wanted.emotions[NEUTRAL] == 0
    assert sum(wanted.emotions) == pytest.approx(1)
    assert wanted == present.model_copy(update={"emotions": wanted.emotions})
    assert Affect.model_validate(wanted.model_dump()) == wanted
    assert Congruent().wanted(present) == wanted


@pytest.mark.parametrize(
    "present",
    [
        Affect.from_label("trust"),  # stated
        Affect(valence=-0.4, confidence=0.8),
        Affect.from_emotions(np.eye(28)[NEUTRAL], confidence=0.9),
        Affect.from_emotions(np.eye(28)[3], confidence=0.9),
    ],
)
def test_what_is_stated_plain_or_neutral_stays_as_it_is(present):
    assert distinctive(present) == present


def test_a_reading_recalls_its_rarer_feeling(make_pool):
    weights = {"admiration": 0.6, "nervousness": 0.4}
    present = Affect(emotions=[weights.get(x, 0.0) for x in GOEMOTIONS], confidence=0.7)
    pool = make_pool([Affect(label="admiration"), Affect(label="nervousness")], [0.5, 0.5])
    query = RankQuery(k=2, present=present, policy=Congruent())
    assert Combination().rank(pool, query).order.tolist() == [1, 0]


def test_comfort_is_likeness_and_gentleness():
    memories = AffectArray.from_affects(
        [Affect(valence=0.4, arousal=0.3), Affect(valence=1.0, arousal=0.8), DISTRESSED]
    )
    near = affinity(memories, DISTRESSED)
    gentle = np.array([1.0, np.exp(-1 / 8), np.exp(-(4**2 + (2 / 3) ** 2) / 8)])
    match = Comfort().match(memories, DISTRESSED)
    assert match == pytest.approx(0.6 * near + 0.4 * gentle)


def test_comfort_prefers_the_like_that_was_borne(make_pool):
    """Sadness and joy at once, over pure sadness and over what has nothing to do with it."""
    both = Affect.from_emotions(projection(["sadness", "relief"]).sum(axis=0))
    memories = [Affect.from_label("sadness"), Affect.from_label("anger"), both]
    present = Affect.from_label("sadness")
    pool = make_pool(memories, [0.5, 0.5, 0.5])
    query = RankQuery(k=3, present=present, policy=Comfort(cap=3))
    assert Combination().rank(pool, query).order.tolist() == [2, 0, 1]


def test_comfort_works_on_valence_alone():
    present = Affect(valence=-0.8)
    memories = columns(1.0, 0.4, 0.0, -0.3, None)
    match = Comfort().match(memories, present)
    # An arousal that is not known counts as the valence does.
    gentle = np.exp([-2 * (lack / 0.3) ** 2 / 8 for lack in (0, 0, 0.4, 0.7)])
    assert match[:4] == pytest.approx(0.6 * affinity(memories, present)[:4] + 0.4 * gentle)
    assert np.isnan(match[4])


def test_comfort_leaves_out_what_lies_below_the_floor():
    memories = columns(-0.76, -0.75, 0.0, None, -1.0)
    keep = Comfort().admits(memories, DISTRESSED, 2)
    assert keep.tolist() == [False, True, True, True, False]
    assert Comfort(floor=-1.0).admits(memories, DISTRESSED, 2).all()
    strict = Comfort(floor=0.0).admits(memories, DISTRESSED, 2)
    assert strict.tolist() == [False, False, True, True, False]


@pytest.mark.parametrize(
    ("k", "expected"),
    [
        (1, [False, False, True, False]),
        (2, [False, True, True, False]),
        (3, [True, True, True, False]),
        (9, [True, True, True, True]),
    ],
)
def test_comfort_brings_back_the_least_negative_when_fewer_than_k_stay(k, expected):
    assert Comfort().admits(columns(-0.9, -0.8, 0.3, -1.0), DISTRESSED, k).tolist() == expected


def test_comfort_brings_back_the_nearest_of_equally_negative_memories():
    keep = Comfort().admits(columns(-0.9, -0.9, -0.9), DISTRESSED, 2)
    assert keep.tolist() == [True, True, False]


def test_comfort_reads_the_valence_of_emotions_where_no_number_is_stored():
    emotions = Affect.from_label("grief").emotions  # its valence is -0.69
    memories = AffectArray.from_affects([Affect(emotions=emotions), Affect(valence=0.2)])
    assert Comfort(floor=-0.5).admits(memories, DISTRESSED, 1).tolist() == [False, True]


@pytest.mark.parametrize(
    ("cap", "expected"),
    [(0, [2, 3, 0, 1, 4]), (1, [0, 2, 3, 1, 4]), (2, [0, 1, 2, 3, 4]), (3, [0, 1, 2, 3, 4])],
)
def test_comfort_lets_at_most_cap_strongly_negative_memories_keep_their_rank(cap, expected):
    memories = columns(-0.6, -0.7, -0.5, None, -0.55)
    ranked = np.arange(5)
    assert Comfort(cap=cap).arrange(ranked, memories, DISTRESSED).tolist() == expected


def test_comfort_holds_under_every_strategy_that_moves_memories(make_pool):
    pool = by_valence(make_pool, -1.0, -0.7, -0.6, 0.3, 0.0)
    query = RankQuery(k=4, present=DISTRESSED, policy=Comfort(cap=1))
    for strategy in (Combination(), Salience()):
        order = strategy.rank(pool, query).order.tolist()
        assert 0 not in order
        assert order.index(3) < max(order.index(1), order.index(2))
    assert Semantic().rank(pool, query).order.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("strategy", [Combination(), Salience(), Modulated(), Sequence(pool=2)])
def test_what_lies_below_the_floor_stands_last_where_it_has_to_come_back(make_pool, strategy):
    pool = by_valence(make_pool, -1.0, -0.8, -0.6, 0.3)
    query = RankQuery(k=4, present=DISTRESSED, policy=Comfort())
    assert sorted(strategy.rank(pool, query).order.tolist()[-2:]) == [0, 1]


def test_what_lies_below_the_floor_stands_behind_what_exceeds_the_cap():
    memories = columns(-0.9, -0.6, -0.7, 0.2, None)
    for cap, expected in ((0, [3, 4, 1, 2, 0]), (1, [1, 3, 4, 2, 0]), (2, [1, 2, 3, 4, 0])):
        order = Comfort(cap=cap).arrange(np.arange(5), memories, DISTRESSED)
        assert order.tolist() == expected


@pytest.mark.parametrize("strategy", [Combination(), Salience(), Modulated(), Sequence()])
@pytest.mark.parametrize("gate", [0.1, 1.0])
def test_where_the_query_asks_for_a_fact_the_nearest_comes_first_however_dark(
    make_pool, strategy, gate
):
    memories = [Affect(valence=v, arousal=0.3) for v in (-1.0, -0.9, 0.4, 0.3)]
    pool = make_pool(memories, [0.8, 0.79, 0.75, 0.7])
    query = RankQuery(2, DISTRESSED, Comfort(cap=0), gate, asks=True)
    first, second = strategy.rank(pool, query).order.tolist()
    assert first == 0
    assert (second in {2, 3}) == (gate == 1.0 or not isinstance(strategy, Combination))


def test_without_comfort_a_question_for_a_fact_moves_nothing(make_pool):
    pool = by_valence(make_pool, 0.9, -0.8)
    for present, policy in ((DISTRESSED, Congruent()), (AT_EASE, Comfort())):
        for strategy in (Combination(), Salience()):
            asked, plain = (
                strategy.rank(pool, RankQuery(2, present, policy, asks=asks)).order.tolist()
                for asks in (True, False)
            )
            assert asked == plain


def test_at_a_gate_that_is_all_but_shut_combination_hides_no_memory(make_pool):
    pool = make_pool([Affect(valence=-0.9), Affect(valence=0.0)], [0.9, 0.1])

    def best(gate, strategy=None):
        query = RankQuery(k=1, present=DISTRESSED, policy=Comfort(), gate=gate)
        return (strategy or Combination()).rank(pool, query).order.tolist()

    assert best(0.24) == [0]
    assert best(0.25) == best(1.0) == [1]
    assert best(0.01, Salience()) == [1]


def test_comfort_alone_has_a_last_word():
    kinds = [Auto, Congruent, Comfort, Lesson, Off]
    assert [kind.name for kind in kinds if kind.arranges] == ["comfort"]
    assert list(POLICIES.values()) == kinds


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"floor": 0.1}, r"floor must lie in -1\.\.0, got 0\.1"),
        ({"floor": -1.1}, "floor"),
        ({"floor": float("nan")}, "floor"),
        ({"cap": -1}, "cap must be >= 0, got -1"),
    ],
)
def test_comfort_refuses_a_floor_or_cap_out_of_range(arguments, message):
    with pytest.raises(ValueError, match=message):
        Comfort(**arguments)


def test_lesson_matches_the_negative_and_the_conflicting():
    memories = AffectArray.from_affects(
        [
            Affect(valence=-0.8),
            Affect(valence=0.8),
            Affect(conflict=0.6),
            Affect(valence=-0.4, conflict=1.0),
            Affect(valence=0.4, conflict=1.0),
            Affect(arousal=1.0),
        ]
    )
    for present in (DISTRESSED, AT_EASE, Affect.unknown()):
        np.testing.assert_allclose(
            Lesson().match(memories, present), [0.8, 0.0, 0.6, 0.7, 0.5, np.nan]
        )


def test_lesson_raises_a_bad_experience_among_equally_near_memories(make_pool):
    pool = by_valence(make_pool, 0.5, 0.0, -0.9)
    query = RankQuery(k=3, present=AT_EASE, policy=Lesson())
    assert Combination().rank(pool, query).order.tolist() == [2, 0, 1]


def test_off_wants_nothing():
    assert Off().wanted(DISTRESSED) is None
    assert np.isnan(Off().match(columns(-0.5, 0.5), DISTRESSED)).all()


@pytest.mark.parametrize(
    ("profile", "distressed", "negative", "in_conflict", "otherwise"),
    [
        ("companion", "comfort", "congruent", "congruent", "congruent"),
        ("care", "comfort", "lesson", "lesson", "congruent"),
        ("roleplay", "congruent", "congruent", "congruent", "congruent"),
        ("research", "lesson", "lesson", "lesson", "off"),
    ],
)
def test_auto_chooses_by_its_table(profile, distressed, negative, in_conflict, otherwise):
    auto = Auto(profile)
    rows = [
        (distressed, [Affect(valence=-0.51), Affect(valence=-1.0, conflict=1.0)]),
        (negative, [Affect(valence=-0.5), Affect(valence=-0.01)]),
        (in_conflict, [Affect(conflict=0.75), Affect(valence=0.9, conflict=0.8)]),
        (otherwise, [Affect(valence=0.0), Affect(valence=0.5, conflict=0.74), Affect(arousal=1)]),
    ]
    for expected, presents in rows:
        for present in presents:
            assert auto.resolve(present).name == expected
            assert RankQuery(k=1, present=present, policy=auto).policy == auto.resolve(present)
            assert auto.wanted(present) == auto.resolve(present).wanted(present)
    assert auto.resolve(Affect.unknown()).name == "off"


@pytest.mark.parametrize(("profile", "chosen"), [("companion", "congruent"), ("care", "lesson")])
def test_what_reads_as_neutral_is_no_distress_however_low_its_valence(profile, chosen):
    read = [0.5 if label in {"neutral", "grief"} else 0.0 for label in GOEMOTIONS]
    for label, expected in (("neutral", chosen), ("grief", "comfort"), (None, "comfort")):
        emotions = None if label is None else read
        present = Affect(valence=-0.65, label=label, emotions=emotions)
        assert Auto(profile).resolve(present).name == expected


def test_any_other_policy_resolves_to_itself():
    for policy in (Congruent(), Comfort(), Lesson(), Off()):
        assert policy.resolve(DISTRESSED) is policy


@pytest.mark.parametrize("profile", ["friend", "", "Companion", None])
def test_auto_refuses_an_unknown_profile_and_lists_the_known(profile):
    with pytest.raises(ValueError, match="one of companion, care, roleplay, research"):
        Auto(profile)


@pytest.mark.parametrize("kind", [Congruent, Comfort, Lesson, Off, Auto])
def test_a_policy_is_found_by_its_name_or_taken_as_it_is(kind):
    assert resolve_policy(kind.name) == kind()
    instance = kind()
    assert resolve_policy(instance) is instance


@pytest.mark.parametrize("policy", ["kindness", "", None, 3, ["off"], Comfort])
def test_an_unknown_policy_is_refused_and_the_known_are_listed(policy):
    with pytest.raises(ValueError, match="one of auto, congruent, comfort, lesson, off"):
        resolve_policy(policy)
