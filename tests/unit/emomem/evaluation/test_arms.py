import numpy as np
import pytest

from emomem.affect import AffectArray
from emomem.evaluation.arms import (
    CONVERSATIONAL,
    OFF,
    PLAIN,
    ByFeeling,
    ByMeaning,
    Prepared,
    Recency,
    best,
    spoken,
)
from emomem.evaluation.datasets import Query, Store, load_empathetic, load_madial
from emomem.evaluation.rivals import Bm25, EmotionalMemoryPackage
from emomem.ranking import Combination, Congruent, Modulated, Salience, Semantic, Sequence

KITE = Query("q", ("I am sad", "Why?", "my kite is gone"), (True, False, True), frozenset({1}))


@pytest.fixture
def prepared(public_data, word_readings):
    _, tom = load_madial(public_data).stores
    return Prepared.of(tom, word_readings())


@pytest.fixture
def turns(public_data, word_readings):
    [store] = load_empathetic(public_data).stores
    return Prepared.of(store, word_readings())


def test_best_is_by_score_with_ties_in_order_and_never_what_is_left_out():
    scores = np.array([0.1, 0.5, 0.5, 0.9])
    assert best(scores, KITE, 3).tolist() == [3, 1, 2]
    without = Query("q", ("x",), (True,), frozenset({0}), left_out=frozenset({3, 1}))
    assert best(scores, without, 4).tolist() == [2, 0]


def test_the_user_s_own_turns_tell_the_feeling_and_one_turn_alone_is_the_query():
    assert spoken(KITE) == ("I am sad", "my kite is gone")
    assert spoken(Query("q", ("x",), (True,), frozenset({0}))) == ()


def test_the_conversational_query_lies_between_context_and_last_turn(prepared):
    context, last, mix = (prepared.forms[form][0] for form in ("context", "last", CONVERSATIONAL))
    assert mix @ context == pytest.approx(mix @ last, abs=1e-5)
    assert mix @ context > context @ last
    assert np.allclose(prepared.forms[CONVERSATIONAL][1], prepared.forms["last"][1])


def test_meaning_finds_the_nearest(prepared):
    outcome = ByMeaning(PLAIN, "context").recall(prepared, 2)
    expected = np.argsort(-prepared.cosines("context"), axis=1, kind="stable")[:, :2]
    assert outcome.rankings == expected.tolist()
    assert outcome.policies == [PLAIN, PLAIN]


def test_recency_is_the_same_for_all_and_nothing_where_no_times_are_known(prepared, turns):
    assert Recency().recall(prepared, 3).rankings == [[0, 2, 1]] * 2
    assert Recency().recall(turns, 3) is None


def test_bm25_goes_by_shared_words(prepared):
    assert [ranking[0] for ranking in Bm25().recall(prepared, 1).rankings] == [1, 2]


def test_bm25_with_nothing_but_stop_words_keeps_the_store_s_order(word_readings):
    query = Query("q", ("it is the",), (True,), frozenset({0}))
    prepared = Prepared.of(Store(("a cat", "a dog"), (query,)), word_readings())
    assert Bm25().recall(prepared, 2).rankings == [[0, 1]]


def test_off_is_plain_retrieval_with_the_same_query(prepared):
    off = ByFeeling(OFF, policy="off").recall(prepared, 3)
    assert off == ByMeaning("same", CONVERSATIONAL).recall(prepared, 3)


def test_feeling_only_finds_the_same_feeling(turns):
    outcome = ByFeeling("x", Combination(weight=1.0), Congruent()).recall(turns, 2)
    assert [set(ranking) for ranking in outcome.rankings[:2]] == [{1, 4}, {0, 4}]
    assert [ranking[0] for ranking in outcome.rankings[2:4]] == [3, 2]
    assert outcome.policies == ["congruent"] * 5


@pytest.mark.parametrize("weight", [0.1, 0.3, 0.5])
def test_fused_candidates_give_what_brute_force_gives(weight, word_readings):
    rng = np.random.default_rng(5)
    words = ["boat", "cake", "dog", "sea", "sad", "happy", "scared", "proud", "song", "rain"]
    texts = tuple(" ".join(rng.choice(words, 6)) for _ in range(200))
    queries = tuple(
        Query(str(row), (texts[row],), (True,), frozenset({0}), left_out=frozenset({row}))
        for row in range(0, 200, 5)
    )
    prepared = Prepared.of(Store(texts, queries), word_readings())
    arms = [
        ByFeeling("x", Combination(weight=weight), Congruent(), candidates=candidates)
        for candidates in ("fused", "all", "nearest")
    ]
    fused, everything, nearest = (arm.recall(prepared, 10).rankings for arm in arms)
    assert fused == everything
    assert nearest != everything


def test_no_arm_finds_the_query_itself_or_anything_twice(turns):
    arms = [
        ByFeeling("x", strategy, Congruent(), candidates=candidates)
        for strategy in (Semantic(), Combination(), Sequence("emotion"), Salience(), Modulated())
        for candidates in ("fused", "nearest", "all")
    ]
    for arm in (*arms, ByMeaning("x", "last"), Bm25(), EmotionalMemoryPackage()):
        for row, ranking in enumerate(arm.recall(turns, 6).rankings):
            assert row not in ranking
            assert len(ranking) == len(set(ranking)) == 5


def test_shuffled_affect_is_the_same_affects_on_other_memories_every_time(turns):
    columns = [np.sort(one.valence) for one in (turns.affects, turns.shuffled)]
    assert np.array_equal(*columns)
    assert not np.array_equal(turns.affects.phi, turns.shuffled.phi)
    again = Prepared(turns.store, turns.vectors, turns.read, turns.forms, turns.appraiser)
    assert np.array_equal(turns.shuffled.phi, again.shuffled.phi)
    congruent = ByFeeling("x", Combination(weight=1.0), Congruent())
    shuffled = ByFeeling("x", Combination(weight=1.0), Congruent(), shuffled=True)
    assert congruent.recall(turns, 2) != shuffled.recall(turns, 2)


def test_a_memory_s_affect_is_what_a_store_gives_back(turns):
    exact = AffectArray.from_affects(turns.read)
    assert np.allclose(turns.affects.valence, exact.valence)
    assert np.allclose(turns.affects.phi, exact.phi, atol=0.01)


def test_the_package_s_memories_do_not_change_as_it_reads_them(turns):
    first = EmotionalMemoryPackage().recall(turns, 3)
    assert EmotionalMemoryPackage().recall(turns, 3) == first


def test_the_package_that_is_not_there_is_left_out(turns, monkeypatch):
    monkeypatch.setattr(EmotionalMemoryPackage, "installed", staticmethod(lambda: False))
    assert EmotionalMemoryPackage().recall(turns, 3) is None
