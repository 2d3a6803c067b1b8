import numpy as np
import pytest

from emomem import Affect, Combination
from emomem.ranking import Ranking, make_ranker
from emomem.ranking.explain import describe

NAN = float("nan")
SAD, JOYFUL = Affect.from_label("sadness"), Affect.from_label("joy")
DOCUMENTS = ["a private joy", "something unread", "a private grief"]


@pytest.fixture
def plan():
    return make_ranker(Combination(weight=0.3), "congruent", None, SAD).plan("I feel low", 3)


@pytest.fixture
def explanations(plan, make_pool):
    pool = make_pool([JOYFUL, Affect.unknown(), SAD], [0.6, 0.55, 0.5])
    return plan.explain(DOCUMENTS, plan.rank(pool))


def test_every_recalled_document_is_explained_in_its_new_order(explanations):
    assert [e.document for e in explanations] == [DOCUMENTS[2], DOCUMENTS[1], DOCUMENTS[0]]
    assert [e.rank for e in explanations] == [1, 2, 3]
    assert [e.rank_without_affect for e in explanations] == [3, 2, 1]


def test_an_explanation_gives_signals_weights_gate_and_score(explanations):
    first = explanations[0]
    assert first.signals == pytest.approx({"cosine": 0.5, "match": 1.0})
    assert first.weights == pytest.approx({"cosine": 0.7, "match": 0.3})
    assert first.score == pytest.approx(0.7 * 0.5 + 0.3 * 1.0)
    assert (first.gate, first.strategy, first.policy) == (1.0, "combination", "congruent")
    assert first.present == SAD
    assert first.reason == "cosine 0.50 x 0.70 + match 1.00 x 0.30, up 2"
    assert explanations[2].reason == "cosine 0.60 x 0.70 + match 0.00 x 0.30, down 2"


def test_a_signal_that_is_not_known_is_left_out(explanations):
    assert explanations[1].signals == {"cosine": 0.55}
    assert explanations[1].reason == "cosine 0.55, affect not known: meaning alone"


def test_what_is_explained_is_native(explanations):
    for explanation in explanations:
        assert type(explanation.score) is float
        assert type(explanation.rank_without_affect) is int
        assert {type(value) for value in explanation.signals.values()} == {float}


def test_a_log_of_explanations_holds_no_memory(explanations):
    assert "private" not in repr(explanations)


def test_the_plain_call_is_explained_by_its_reason():
    made = make_ranker("combination", "off").plan("anything", 2)
    first, second = made.explain(DOCUMENTS[:2])
    assert (first.document, first.rank, first.rank_without_affect) == (DOCUMENTS[0], 1, 1)
    assert (second.rank, second.rank_without_affect) == (2, 2)
    assert (first.score, first.signals, first.weights, first.gate) == (None, {}, {}, 0.0)
    assert (first.policy, first.reason) == ("off", made.reason)


def test_nothing_recalled_leaves_nothing_to_explain(plan, make_pool):
    assert plan.explain([], plan.rank(make_pool([], []))) == []
    assert plan.explain([]) == []


def test_without_cosines_the_signals_are_those_that_were_weighed(plan, make_pool):
    pool = make_pool([JOYFUL, Affect.unknown(), SAD])
    first, second, third = plan.explain(DOCUMENTS, plan.rank(pool))
    assert (first.document, third.document) == (DOCUMENTS[0], DOCUMENTS[2])
    assert first.signals == pytest.approx({"rank": 1.0, "match": 0.0})
    assert second.signals == pytest.approx({"rank": 0.5})
    assert third.signals == pytest.approx({"rank": 0.0, "match": 1.0})
    assert (first.score, third.score) == pytest.approx((0.7, 0.3))


@pytest.mark.parametrize(
    ("signals", "weights", "known", "moved", "expected"),
    [
        ({"cosine": 0.5, "salience": 0.25}, {}, True, 0, "cosine 0.50, salience 0.25"),
        ({"rank": 1.0, "match": 0.5}, {"rank": 0.9, "match": 0.1}, True, 1,
         "rank 1.00 x 0.90 + match 0.50 x 0.10, up 1"),
        ({"cosine": 0.5}, {}, True, -3, "cosine 0.50, down 3"),
        ({"cosine": 0.5, "match": NAN}, {"cosine": 0.7, "match": 0.3}, False, 2,
         "cosine 0.50, affect not known: meaning alone"),
    ],
)  # fmt: skip
def test_a_reason_names_each_signal_and_the_move(signals, weights, known, moved, expected):
    columns = {name: np.array([NAN, value]) for name, value in signals.items()}
    ranking = Ranking(np.arange(2), np.zeros(2), np.array([False, known]), columns, weights)
    assert describe(ranking, 1, moved) == expected
