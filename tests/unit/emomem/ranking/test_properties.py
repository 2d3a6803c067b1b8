"""What holds for every strategy under every policy, on pools of any kind."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from emomem import (
    Affect,
    AffectArray,
    Auto,
    CandidatePool,
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
from emomem.ranking import Plan

STRATEGIES = [
    Semantic(),
    Combination(),
    Combination(weight=1.0),
    Combination(fusion="multiply"),
    Combination(scale="pool"),
    Sequence(),
    Sequence(first="emotion", pool=3),
    Salience(prefetch=4),
    Modulated(),
]
POLICIES = [Congruent(), Comfort(), Comfort(floor=-0.2, cap=0), Lesson(), Off(), Auto("care")]
SCALES = ("cosine", "pool")
COLUMNS = ("valence", "arousal", "dominance", "conflict", "phi")

every_strategy = pytest.mark.parametrize("strategy", STRATEGIES, ids=repr)


@st.composite
def queries(draw, affects):
    present = draw(affects | st.just(Affect(valence=-0.9, arousal=0.9, conflict=1.0)))
    return RankQuery(
        k=draw(st.integers(1, 10)),
        present=present,
        policy=draw(st.sampled_from(POLICIES)),
        gate=draw(st.sampled_from([0.0, 0.4, 1.0])),
    )


def acting(strategy, query):
    """What leaves out and arranges: nothing under Semantic, nor Combination at a low gate."""
    silent = isinstance(strategy, Semantic) or (
        isinstance(strategy, Combination) and query.gate < 0.25
    )
    return Off() if silent else query.policy


def admitted(strategy, pool, query):
    """Indices that the policy admits, in the order of meaning."""
    keep = acting(strategy, query).admits(pool.affects, query.present, query.k)
    return [index for index in range(len(pool)) if keep[index]]


def slow_order(strategy, pool, query):
    """The documented order in plain Python: full sort, ties by meaning, unknowns in place."""
    scored = strategy.score(pool, query)
    places = admitted(strategy, pool, query)
    cut = np.zeros(len(pool), dtype=bool) if scored.cut is None else scored.cut
    movable = [index for index in places if scored.known[index]]
    movable.sort(key=lambda index: (bool(cut[index]), -scored.score[index], index))
    movable = (
        acting(strategy, query)
        .arrange(np.array(movable, dtype=int), pool.affects, query.present)
        .tolist()
    )
    order = [movable.pop(0) if scored.known[index] else index for index in places]
    return order[: query.k]


@every_strategy
@given(data=st.data())
def test_the_order_is_that_of_a_full_sort_in_plain_python(strategy, data, pools, affects):
    pool, query = data.draw(pools), data.draw(queries(affects))
    assert strategy.rank(pool, query).order.tolist() == slow_order(strategy, pool, query)


@every_strategy
@given(data=st.data())
def test_the_order_is_unique_admitted_and_as_long_as_can_be(strategy, data, pools, affects):
    pool, query = data.draw(pools), data.draw(queries(affects))
    order = strategy.rank(pool, query).order.tolist()
    allowed = admitted(strategy, pool, query)
    assert len(order) == len(set(order)) == min(query.k, len(allowed))
    assert len(order) == min(query.k, len(pool))  # a policy never leaves fewer than k
    assert set(order) <= set(allowed)


@every_strategy
@given(data=st.data())
def test_an_unknown_memory_stands_where_meaning_puts_it(strategy, data, affects, make_pool):
    memories = data.draw(st.lists(affects | st.just(Affect.unknown()), max_size=8))
    pool = make_pool(
        memories, data.draw(st.sampled_from([None, np.linspace(1, -1, len(memories))]))
    )
    query = data.draw(queries(affects))
    order = strategy.rank(pool, query).order.tolist()
    for place, index in enumerate(admitted(strategy, pool, query)[: query.k]):
        if memories[index].is_unknown:
            assert order[place] == index


@every_strategy
@given(data=st.data())
def test_ranking_is_pure_and_the_same_twice(strategy, data, pools, affects):
    pool, query = data.draw(pools), data.draw(queries(affects))
    before = [np.copy(getattr(pool.affects, name)) for name in COLUMNS]
    before += [pool.semantic.copy(), pool.affects.salience.copy()]
    first, second = strategy.rank(pool, query), strategy.rank(pool, query)
    fresh = CandidatePool(
        affects=AffectArray(*(getattr(pool.affects, name).copy() for name in COLUMNS)),
        cosine=pool.cosine,
    )
    third = strategy.rank(fresh, query)
    for other in (second, third):
        assert first.order.tolist() == other.order.tolist()
        np.testing.assert_array_equal(first.score, other.score)
    after = [getattr(pool.affects, name) for name in COLUMNS]
    after += [pool.semantic, pool.affects.salience]
    for was, now in zip(before, after, strict=True):
        np.testing.assert_array_equal(was, now)


@every_strategy
@given(data=st.data())
def test_scores_are_finite_and_signals_are_columns(strategy, data, pools, affects):
    pool, query = data.draw(pools), data.draw(queries(affects))
    ranking = strategy.rank(pool, query)
    assert ranking.score.shape == (len(pool),)
    assert np.isfinite(ranking.score).all()
    assert all(len(column) == len(pool) for column in ranking.signals.values())
    assert set(ranking.weights) <= set(ranking.signals)
    assert ranking.known.shape == (len(pool),)


WEIGHING = [Combination(weight, scale=scale) for weight in (0.0, 0.3, 1.0) for scale in SCALES]


@pytest.mark.parametrize("strategy", WEIGHING, ids=repr)
@given(data=st.data())
def test_a_known_score_is_the_weighted_sum_of_the_signals(strategy, data, pools, affects):
    pool, query = data.draw(pools), data.draw(queries(affects))
    ranking = strategy.rank(pool, query)
    known = ranking.known
    assert list(ranking.weights) == list(ranking.signals)
    assert sum(ranking.weights.values()) == pytest.approx(1)
    total = sum(ranking.weights[name] * ranking.signals[name] for name in ranking.weights)
    np.testing.assert_allclose(ranking.score[known], total[known], rtol=0, atol=1e-6)
    assert np.isnan(ranking.signals["match"][~known]).all()
    plan = Plan(strategy, query)
    for explanation in plan.explain(range(len(pool)), ranking):
        if known[explanation.document]:
            weighed = [explanation.weights[name] * x for name, x in explanation.signals.items()]
            assert explanation.score == pytest.approx(sum(weighed), abs=1e-6)


@every_strategy
@given(data=st.data())
def test_a_pool_without_affect_keeps_its_order(strategy, data, affects, make_pool):
    query = data.draw(queries(affects))
    n = data.draw(st.integers(0, 8))
    cosine = data.draw(st.sampled_from([None, np.linspace(1, -1, n)]))
    pool = make_pool([Affect.unknown()] * n, cosine)
    assert strategy.rank(pool, query).order.tolist() == list(range(min(query.k, n)))


@pytest.mark.parametrize("k", [1, 5, 10, 400])
@pytest.mark.parametrize("strategy", [Combination(), Modulated(), Salience(prefetch=100)])
def test_the_best_k_of_many_are_the_first_k_of_a_full_sort(strategy, k):
    rng = np.random.default_rng(k)
    n = 2000
    phi = np.sqrt(rng.dirichlet(np.full(28, 0.2), n)).astype(np.float32)
    phi[rng.random(n) < 0.3] = 0
    coarse = np.round(rng.uniform(-1, 1, (3, n)), 1)  # many ties
    coarse[:, rng.random(n) < 0.2] = np.nan
    pool = CandidatePool(
        affects=AffectArray(coarse[0], np.abs(coarse[1]), coarse[2], np.abs(coarse[0]), phi),
        cosine=np.round(np.sort(rng.uniform(-1, 1, n))[::-1], 2),
    )
    query = RankQuery(k=k, present=Affect(valence=-0.4, arousal=0.7, conflict=0.8))
    assert strategy.rank(pool, query).order.tolist() == slow_order(strategy, pool, query)


@pytest.mark.parametrize(
    "strategy", [Combination(), Combination(fusion="multiply"), Modulated()], ids=repr
)
@given(data=st.data(), seed=st.integers(0, 2**32 - 1))
def test_where_no_two_tie_the_ranking_does_not_depend_on_the_pool_order(
    strategy, data, seed, affects
):
    memories = data.draw(st.lists(affects.filter(lambda a: a.valence is not None), max_size=8))
    n = len(memories)
    rng = np.random.default_rng(seed)
    cosine, shuffle = rng.uniform(-1, 1, n), rng.permutation(n)
    query = RankQuery(k=max(n, 1), present=Affect(valence=-0.5, arousal=0.5, dominance=0.1))

    def ranking(indices):
        columns = AffectArray.from_affects([memories[i] for i in indices])
        return strategy.rank(CandidatePool(affects=columns, cosine=cosine[indices]), query)

    straight, shuffled = ranking(np.arange(n)), ranking(shuffle)
    np.testing.assert_allclose(straight.score[shuffle], shuffled.score, rtol=0, atol=1e-12)
    if (np.diff(np.sort(straight.score)) > 1e-9).all():
        assert shuffle[shuffled.order].tolist() == straight.order.tolist()
