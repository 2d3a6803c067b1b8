"""Each strategy against its published formula, worked by hand or in plain Python."""

import math

import numpy as np
import pytest

from emomem import (
    Affect,
    AffectArray,
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
from emomem.emotions import GOEMOTIONS, PLUTCHIK, TO_PLUTCHIK
from emomem.ranking import resolve_strategy

SAD, JOYFUL = Affect.from_label("sadness"), Affect.from_label("joy")
UNKNOWN = Affect.unknown()


def mixture(**weights: float) -> Affect:
    return Affect.from_emotions([weights.get(label, 0.0) for label in GOEMOTIONS])


def order(strategy, pool, k=10, present=SAD, **query):
    return strategy.rank(pool, RankQuery(k=k, present=present, **query)).order.tolist()


# Affinities to sadness: sqrt(0.64) = 0.8, 0, sqrt(0.25) = 0.5, 1.
MEMORIES = [
    mixture(sadness=0.64, joy=0.36),
    JOYFUL,
    mixture(sadness=0.25, joy=0.75),
    SAD,
]
COSINES = [0.9, 0.8, 0.7, 0.2]


@pytest.mark.parametrize(
    ("strategy", "expected"),
    [
        (
            Combination(weight=0.3),
            [0.7 * 0.9 + 0.3 * 0.8, 0.7 * 0.8, 0.7 * 0.7 + 0.15, 0.7 * 0.2 + 0.3],
        ),
        (Combination(weight=1.0), [0.8, 0, 0.5, 1]),
        (Combination(weight=0.0), COSINES),
        (Combination(fusion="multiply"), [0.95 * 0.8, 0, 0.85 * 0.5, 0.6]),
        (
            Combination(weight=0.3, scale="pool"),
            [0.7 + 0.3 * 0.8, 0.7 * 6 / 7, 0.7 * 5 / 7 + 0.15, 0.3],
        ),
        (Combination(scale="pool", fusion="multiply"), [0.8, 0, 5 / 14, 0]),
    ],
    ids=["add", "feeling alone", "meaning alone", "multiply", "pool", "pool multiply"],
)
def test_combination_is_its_formula(make_pool, strategy, expected):
    ranking = strategy.rank(make_pool(MEMORIES, COSINES), RankQuery(k=4, present=SAD))
    assert ranking.score == pytest.approx(expected, abs=1e-6)
    assert ranking.order.tolist() == sorted(range(4), key=lambda i: -round(expected[i], 6))
    assert ranking.known.all()
    assert ranking.signals["match"] == pytest.approx([0.8, 0, 0.5, 1], abs=1e-6)
    cosine = ranking.signals["cosine"]
    if strategy.scale == "pool":
        assert cosine == pytest.approx([1, 6 / 7, 5 / 7, 0])
    elif strategy.fusion == "multiply":
        assert cosine == pytest.approx([0.95, 0.9, 0.85, 0.6])
    else:
        assert cosine.tolist() == COSINES


def test_the_gate_scales_the_weight_and_the_reported_weights(make_pool):
    query = RankQuery(k=4, present=SAD, gate=0.5)
    ranking = Combination(weight=0.4).rank(make_pool(MEMORIES, COSINES), query)
    assert ranking.weights == pytest.approx({"cosine": 0.8, "match": 0.2})
    assert ranking.score[0] == pytest.approx(0.8 * 0.9 + 0.2 * 0.8, abs=1e-6)
    multiplied = Combination(fusion="multiply").rank(make_pool(MEMORIES, COSINES), query)
    assert multiplied.score[0] == pytest.approx(0.95 * math.sqrt(0.8), abs=1e-6)


@pytest.mark.parametrize("fusion", ["add", "multiply"])
def test_a_closed_gate_leaves_the_semantic_order(make_pool, fusion):
    for cosine in (COSINES, None):
        pool = make_pool(MEMORIES, cosine)
        assert order(Combination(fusion=fusion), pool, gate=0.0) == [0, 1, 2, 3]


def test_without_cosines_combination_stretches_rank_and_match(make_pool):
    ranking = Combination(weight=0.3).rank(make_pool(MEMORIES), RankQuery(k=4, present=SAD))
    assert ranking.score == pytest.approx(
        [0.7 + 0.3 * 0.8, 0.7 * 2 / 3, 0.7 / 3 + 0.15, 0.3], abs=1e-6
    )
    assert ranking.signals.keys() == ranking.weights.keys() == {"rank", "match"}
    assert ranking.signals["rank"] == pytest.approx([1, 2 / 3, 1 / 3, 0])


@pytest.mark.parametrize("cosine", [None, "equal"])
def test_memories_that_feel_alike_keep_the_semantic_order(make_pool, cosine):
    rng = np.random.default_rng(7)
    present = Affect.from_emotions(rng.dirichlet(np.ones(28)))
    for n in (2, 5, 17, 63):
        memory = Affect.from_emotions(rng.dirichlet(np.full(28, 0.3)))
        pool = make_pool([memory] * n, None if cosine is None else [0.5] * n)
        for scale in ("cosine", "pool"):
            assert order(Combination(scale=scale), pool, n, present) == list(range(n))


@pytest.mark.parametrize("weight", [0.0, 0.3])
def test_an_intense_off_topic_memory_does_not_overtake_a_mild_on_topic_one(make_pool, weight):
    furious = Affect(valence=-0.9, arousal=1.0, dominance=0.5, label="anger")
    calm = Affect(valence=0.1, arousal=0.1)
    pool = make_pool([calm, furious], [0.8, 0.1])
    for strategy in (Combination(weight=weight), Combination(weight=weight, scale="pool")):
        assert order(strategy, pool, 2, furious) == [0, 1]
    assert order(Combination(weight=weight), make_pool([calm, furious]), 2, furious) == [0, 1]


def published_distances(pool, wanted, fusion):
    """Emotional RAG's distance on explicit vectors, memory by memory."""

    def plutchik(emotions):
        return [
            1 + 9 * sum(p * TO_PLUTCHIK[row, column] for row, p in enumerate(emotions))
            for column in range(len(PLUTCHIK))
        ]

    distances = []
    query = plutchik(wanted.emotions)
    for phi, cosine in zip(pool.affects.phi.astype(float), pool.cosine, strict=True):
        # Unit vectors at that angle: q = (1, 0), m = (cos, sin).
        semantic = math.dist((1, 0), (cosine, math.sqrt(1 - cosine**2)))
        memory = plutchik(phi**2)
        dot = sum(q * m for q, m in zip(query, memory, strict=True))
        emotional = 1 - dot / (math.hypot(*query) * math.hypot(*memory))
        distances.append(semantic * emotional if fusion == "multiply" else semantic + emotional)
    return distances


@pytest.mark.parametrize("policy", [Congruent(), Lesson()])
@pytest.mark.parametrize("fusion", ["add", "multiply"])
def test_paper_gives_the_published_distances_and_their_order(fusion, policy):
    rng = np.random.default_rng(11)
    n = 200
    phi = np.sqrt(rng.dirichlet(np.full(28, 0.2), n)).astype(np.float32)
    unknown = np.full(n, np.nan)
    pool = CandidatePool(
        affects=AffectArray(unknown, unknown, unknown, unknown, phi),
        cosine=np.sort(rng.uniform(-1, 1, n))[::-1],
    )
    # What was read, with a confidence, is not what congruence itself wants.
    present = Affect.from_emotions(rng.dirichlet(np.full(28, 0.2)), confidence=0.8)
    expected = published_distances(pool, present, fusion)
    query = RankQuery(k=n, present=present, policy=policy)
    ranking = Combination(fusion=fusion, scale="paper").rank(pool, query)
    assert -ranking.score == pytest.approx(expected, abs=1e-9)
    assert ranking.order.tolist() == sorted(range(n), key=lambda i: expected[i])


def test_paper_multiply_ranks_a_zero_distance_first_as_published(make_pool):
    pool = make_pool([SAD, JOYFUL, SAD], [1.0, 1.0, -1.0])
    ranking = Combination(fusion="multiply", scale="paper").rank(pool, RankQuery(3, SAD))
    assert ranking.order.tolist() == [0, 1, 2]
    assert ranking.score == pytest.approx([0, 0, 0], abs=1e-12)


def test_paper_raises_without_cosines_or_present_emotions(make_pool):
    paper = Combination(scale="paper")
    for pool, present in (
        (make_pool(MEMORIES), SAD),
        (make_pool(MEMORIES, COSINES), Affect(valence=-0.5)),
        (make_pool(MEMORIES, COSINES), UNKNOWN),
    ):
        with pytest.raises(ValueError, match="paper"):
            order(paper, pool, present=present)


def test_sequence_semantic_first_orders_the_nearest_by_feeling(make_pool):
    pool = make_pool(MEMORIES, COSINES)
    assert order(Sequence(pool=3), pool) == [0, 2, 1, 3]
    assert order(Sequence(), pool, k=1) == [0]  # of the nearest two
    assert order(Sequence(pool=4), pool, k=1) == [3]


def test_sequence_emotion_first_orders_the_most_alike_by_meaning(make_pool):
    pool = make_pool(MEMORIES, COSINES)
    assert order(Sequence(first="emotion", pool=2), pool) == [0, 3, 1, 2]
    assert order(Sequence(first="emotion"), pool, k=1) == [0]
    assert order(Sequence(first="emotion", pool=1), pool, k=1) == [3]


def test_sequence_fetches_what_it_keeps_and_more_where_feeling_chooses():
    assert Sequence().pool_size(4) == 20
    assert Sequence(pool=50).pool_size(4) == 50
    assert Sequence(first="emotion", pool=50).pool_size(4) == 100
    assert Sequence(first="emotion").pool_size(30) == 120


def test_salience_orders_the_prefetch_by_how_striking_it_is(make_pool):
    memories = [Affect(arousal=a) for a in (0.1, 0.5, 0.3, 1.0)]
    pool = make_pool(memories, COSINES)
    assert order(Salience(prefetch=3), pool) == [1, 2, 0, 3]
    assert order(Salience(), pool, k=2) == [3, 1]
    assert order(Salience(prefetch=1), pool, k=2) == [0, 3]


@pytest.mark.parametrize(
    ("strategy", "k", "size"),
    [
        (Semantic(), 4, 20),
        (Combination(), 10, 20),
        (Combination(), 11, 22),
        (Modulated(), 4, 20),
        (Salience(), 10, 30),
        (Salience(), 40, 40),
        (Salience(prefetch=5), 3, 5),
    ],
)
def test_a_strategy_says_how_many_to_fetch(strategy, k, size):
    assert strategy.pool_size(k) == size


@pytest.mark.parametrize(
    ("present", "expected"),
    [
        (Affect(valence=-0.1, conflict=0.75), [1 + 0.4 + 0.1, 1 + 0.8, 1 + 0.1, None, 1]),
        (Affect(valence=-0.1, conflict=0.74), [1.1, 1, 1.1, None, 1]),
        (Affect(valence=0.0, conflict=1.0), [1.4, 1.8, 1, None, 1]),
        (Affect(valence=0.5), [1, 1, 1, None, 1]),
        (Affect(emotions=SAD.emotions), [1.1, 1, 1.1, None, 1]),
        (UNKNOWN, [1, 1, 1, None, 1]),
    ],
)
def test_modulated_is_its_formula(make_pool, present, expected):
    memories = [
        Affect(valence=-0.2, conflict=0.5),
        Affect(conflict=1.0),
        Affect(emotions=SAD.emotions),
        Affect(arousal=1.0),  # neither valence nor conflict: not known to this strategy
        Affect(valence=0.9),
    ]
    cosines = [0.9, 0.5, 0.0, -0.5, -1.0]
    ranking = Modulated().rank(make_pool(memories, cosines), RankQuery(5, present))
    np.testing.assert_allclose(ranking.signals["modulation"], np.array(expected, dtype=float))
    scores = [(1 + c) / 2 * m for c, m in zip(cosines, expected, strict=True) if m is not None]
    assert np.delete(ranking.score, 3) == pytest.approx(scores)
    assert ranking.order[3] == 3


def test_semantic_is_the_order_of_the_store_even_where_it_is_not_by_cosine(make_pool):
    pool = make_pool(MEMORIES, [0.2, 0.9, 0.2, 0.5])
    assert order(Semantic(), pool, k=3) == [0, 1, 2]


@pytest.mark.parametrize("policy", [Off(), Comfort(), Lesson()])
def test_where_the_policy_has_no_wish_combination_leaves_the_semantic_order(make_pool, policy):
    memories = [Affect(arousal=a) for a in (0.9, 0.2, 0.7)]  # nothing negative, no conflict
    pool = make_pool(memories, [0.5, 0.4, 0.3])
    assert order(Combination(weight=1.0), pool, present=JOYFUL, policy=policy) == [0, 1, 2]


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Combination(weight=1.5), "weight must lie in 0..1, got 1.5"),
        (lambda: Combination(weight=float("nan")), "weight"),
        (lambda: Combination(weight="x"), "weight must lie in 0..1, got 'x'"),
        (lambda: Combination(weight=None), "weight must lie in 0..1, got None"),
        (lambda: Combination(fusion="sum"), "fusion must be one of add, multiply, got 'sum'"),
        (lambda: Combination(scale="rank"), "scale must be one of cosine, pool, paper"),
        (lambda: Sequence(first="affect"), "first must be one of semantic, emotion"),
        (lambda: Sequence(pool=0), "pool must be >= 1 or None, got 0"),
        (lambda: Salience(prefetch=0), "prefetch must be >= 1, got 0"),
        (lambda: RankQuery(k=0), "k must be >= 1, got 0"),
        (lambda: RankQuery(k=-3), "k must be >= 1, got -3"),
        (lambda: RankQuery(k=1, gate=1.1), "gate must lie in 0..1, got 1.1"),
        (lambda: RankQuery(k=1, gate=float("nan")), "gate"),
        (lambda: resolve_strategy("emotional"), "one of semantic, combination, sequence"),
        (lambda: resolve_strategy(None), "strategy must be a Strategy or one of"),
        (lambda: resolve_strategy(["semantic"]), "strategy must be a Strategy or one of"),
    ],
)
def test_a_wrong_argument_raises_at_once_and_says_what_is_allowed(build, message):
    with pytest.raises(ValueError, match=message):
        build()


@pytest.mark.parametrize("kind", [Semantic, Combination, Sequence, Salience, Modulated])
def test_a_strategy_is_found_by_its_name_or_taken_as_it_is(kind):
    assert resolve_strategy(kind.name) == kind()
    instance = kind()
    assert resolve_strategy(instance) is instance
