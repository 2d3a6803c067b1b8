import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.vectors import (
    DIMENSIONS,
    Feelings,
    Memories,
    SentenceVectors,
    fused_queries,
    recall,
)
from emomem.fused import EXTRA, document_phi, looks_fused
from emomem.metadata import decode


@pytest.fixture
def drawn(tmp_path):
    generator = np.random.default_rng(1)
    sentences, feelings = SentenceVectors(generator), Feelings(generator, 56)
    return Memories.drawn(tmp_path / "vectors.npy", 40, sentences, feelings), feelings.affects


def test_drawn_memories_are_fused_vectors_with_the_tags_that_they_hold(drawn):
    memories, affects = drawn
    assert memories.vectors.shape == (40, DIMENSIONS + EXTRA)
    phi = document_phi(affects)
    for batch in memories.batches():
        for row, vector, tag in zip(batch.rows, batch.vectors, batch.tags, strict=True):
            assert looks_fused(vector)
            assert vector[-EXTRA:-1] == pytest.approx(0.5 * phi[memories.which[row]], abs=1e-6)
            assert decode(tag).label == affects[memories.which[row]].label
    assert [row for batch in memories.first(13).batches() for row in batch.rows] == list(range(13))


@given(st.integers(1, 5), st.sampled_from([0.0, 0.3, 0.5]), st.randoms())
def test_recall_is_the_share_of_the_exact_best(k, weight, random):
    generator = np.random.default_rng(random.randrange(100))
    sentences, wanted = SentenceVectors(generator), document_phi(Feelings(generator, 28).affects)
    vectors = generator.normal(size=(30, DIMENSIONS + EXTRA)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)  # ties are counted at this length
    queries = fused_queries(sentences.draw(3), wanted[:3], weight)
    ranked = np.argsort(-(vectors @ queries.T.astype(np.float32)), axis=0).T
    kept = random.randint(0, k)
    found = [[*row[:kept], *row[-1:]] for row in ranked]
    assert recall(vectors, queries, found, k) == pytest.approx(kept / k)


def test_recall_goes_through_documents_in_parts(monkeypatch):
    monkeypatch.setattr("benchmarks.vectors._CHUNK", 7)
    vectors = np.eye(20, dtype=np.float32) * np.arange(20, dtype=np.float32)[:, None]
    queries = np.ones((1, 20))
    assert recall(vectors, queries, [[19, 18, 17]], 3) == 1
    assert recall(vectors, queries, [[19, 18, 16]], 3) == pytest.approx(2 / 3)


def test_equal_scores_count_as_found():
    vectors = np.ones((6, 4), dtype=np.float32)
    assert recall(vectors, np.ones((1, 4)), [[4, 5]], 2) == 1
