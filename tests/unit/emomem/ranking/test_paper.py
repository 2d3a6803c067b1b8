"""The strategies in the scale of Emotional RAG, against its ranking as written out plainly."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emomem import Affect, AffectArray, CandidatePool, Combination, RankQuery, Semantic, Sequence

K, KEPT = 10, 20

# By the name in the paper's text, that in its code, and ours.
STRATEGIES = {
    ("ordinary RAG", "OriginalRAG"): Semantic(),
    ("C-A", "C-A"): Combination(fusion="add", scale="paper"),
    ("C-M", "C-M"): Combination(fusion="multiply", scale="paper"),
    ("S-S", "S-C"): Sequence(first="semantic", pool=KEPT, scale="paper"),
    ("S-E", "S-S"): Sequence(first="emotion", pool=KEPT, scale="paper"),
}


def euclidean(one, other):
    return math.sqrt(sum((a - b) ** 2 for a, b in zip(one, other, strict=True)))


def cosine_distance(one, other):
    dot = sum(a * b for a, b in zip(one, other, strict=True))
    return 1 - dot / (math.hypot(*one) * math.hypot(*other))


def reference(name, query, felt, memories, feelings):
    """Places of the memories, best first, by the name that the published code gives."""
    far = [euclidean(query, memory) for memory in memories]
    apart = [cosine_distance(felt, feeling) for feeling in feelings]
    everyone = range(len(memories))
    if name == "OriginalRAG":
        return sorted(everyone, key=lambda i: far[i])[:K]
    if name == "C-A":
        return sorted(everyone, key=lambda i: far[i] + apart[i])[:K]
    if name == "C-M":
        return sorted(everyone, key=lambda i: far[i] * apart[i])[:K]
    first, second = (far, apart) if name == "S-C" else (apart, far)
    kept = sorted(everyone, key=lambda i: first[i])[:KEPT]
    return sorted(kept, key=lambda i: second[i])[:K]


def ranked(strategy, query, felt, memories, feelings):
    cosines = memories @ query
    nearest = np.argsort(-cosines, kind="stable")
    unknown = np.full(len(memories), np.nan)
    nothing = AffectArray(*[unknown] * 4, np.zeros((len(memories), 28), dtype=np.float32))
    pool = CandidatePool(nothing, cosine=cosines[nearest], plutchik=feelings[nearest])
    asked = RankQuery(K, plutchik=tuple(felt))
    return nearest[strategy.rank(pool, asked).order].tolist()


@pytest.mark.parametrize("names", STRATEGIES, ids=lambda names: names[1])
@settings(max_examples=60)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 80), whole=st.booleans())
def test_the_order_is_that_of_the_published_code(names, seed, n, whole):
    rng = np.random.default_rng(seed)
    vectors = rng.normal(size=(n + 1, 16))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    # A prompt's scores are whole numbers; some noise keeps ties apart, which the code leaves open.
    feelings = rng.integers(1, 11, size=(n + 1, 8)) if whole else rng.uniform(1, 10, (n + 1, 8))
    feelings = np.clip(feelings + rng.uniform(-0.01, 0.01, (n + 1, 8)), 1, 10)
    parts = (vectors[0], feelings[0], vectors[1:], feelings[1:])
    assert ranked(STRATEGIES[names], *parts) == reference(names[1], *parts)


def test_scores_of_a_prompt_are_not_squeezed_into_a_distribution():
    # As shares that sum to 1 both memories would be the same distance from the query.
    strong, weak = np.array([10.0, 10, 1, 1, 1, 1, 1, 1]), np.array([2.0, 2, 1, 1, 1, 1, 1, 1])
    query = np.array([1.0, 0.0])
    memories = np.array([[1.0, 0.0], [1.0, 0.0]])
    order = ranked(Combination(scale="paper"), query, strong, memories, np.stack([weak, strong]))
    assert order == [1, 0]


@pytest.mark.parametrize("first", ["semantic", "emotion"])
def test_a_memory_without_scores_keeps_the_rank_that_meaning_gives_it(first):
    nothing = AffectArray.from_affects([Affect.unknown()] * 3)
    scores = np.array([[1.0] * 8, [np.nan] * 8, [9.0] + [1.0] * 7])
    pool = CandidatePool(nothing, cosine=np.array([0.9, 0.8, 0.7]), plutchik=scores)
    joyful = RankQuery(3, plutchik=(9.0, *[1.0] * 7))
    order = Sequence(first=first, scale="paper").rank(pool, joyful).order.tolist()
    assert order[1] == 1
    assert order[0] == (2 if first == "semantic" else 0)


def test_sequence_in_paper_scale_is_not_asked_of_a_fused_store():
    assert Sequence(first="emotion", scale="paper").fused_weight(RankQuery(3)) is None


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Sequence(scale="pool"), "scale must be one of cosine, paper"),
        (lambda: RankQuery(3, plutchik=(0.5,) * 8), r"must lie in 1\.\.10, got 0\.5"),
        (lambda: RankQuery(3, plutchik=(2.0,) * 7), "plutchik must be 8 scores, got 7"),
        (
            lambda: CandidatePool(AffectArray.from_affects([]), plutchik=np.ones((1, 8))),
            "plutchik has 1 values for 0",
        ),
    ],
)
def test_what_is_wrong_is_named(make, says):
    with pytest.raises(ValueError, match=says):
        make()
