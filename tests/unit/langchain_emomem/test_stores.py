import enum
import pickle
from types import SimpleNamespace

import numpy as np
import pytest
from langchain_core.documents import Document
from langchain_core.vectorstores import InMemoryVectorStore

from langchain_emomem import stores


def named(name, **attributes):
    """An object of a class of that name, as the stores are known by."""
    return type(name, (), attributes)()


def chroma(configuration):
    return named("Chroma", _collection=SimpleNamespace(configuration_json=configuration))


class Distance(enum.StrEnum):
    """As `langchain_postgres` declares it."""

    COSINE = "cosine"
    EUCLIDEAN = "l2"
    MAX_INNER_PRODUCT = "inner"


@pytest.mark.parametrize(
    ("store", "metric"),
    [
        (chroma({"hnsw": {"space": "cosine"}}), "cosine_distance"),
        (chroma({"hnsw": {"space": "l2"}}), "squared_l2_distance"),
        (chroma({"hnsw": {"space": "ip"}}), "inner_product_distance"),
        (chroma({"hnsw": None, "spann": {"space": "cosine"}}), "cosine_distance"),
        (chroma({"hnsw": {"space": "hamming"}}), None),
        (chroma({}), None),
        (named("PGVector", _distance_strategy=Distance.COSINE), "cosine_distance"),
        (named("PGVector", _distance_strategy=Distance.EUCLIDEAN), "l2_distance"),
        (
            named("PGVector", _distance_strategy=Distance.MAX_INNER_PRODUCT),
            "negative_inner_product",
        ),
        (named("PGVector", _distance_strategy="cosine"), "cosine_distance"),
        (named("PGVector", _distance_strategy="hamming"), None),
        (named("Other"), None),
    ],
)
def test_the_metric_is_read_from_the_configuration(store, metric):
    assert stores.metric_of(store) == metric


def test_a_subclass_is_known_by_its_parent(diary_encoder):
    class Mine(InMemoryVectorStore):
        pass

    assert stores.metric_of(Mine(diary_encoder)) == "cosine_similarity"
    assert stores.filter_support(Mine(diary_encoder)) == "grammar"


def test_what_becomes_of_a_filter(diary_encoder, foreign, filterless, opaque):
    expected = {
        InMemoryVectorStore: "grammar",
        opaque: "named",
        foreign: "keywords",
        filterless: "none",
    }
    assert {kind: stores.filter_support(kind(diary_encoder)) for kind in expected} == expected
    assert stores.filter_support(None) == "none"
    for name in ("Chroma", "PGVector", "PGVectorStore"):
        assert stores.filter_support(named(name)) == "grammar"


def test_a_filter_that_one_search_may_swallow_is_not_surely_applied(diary_encoder, opaque):
    class Swallowing(opaque):
        def similarity_search_with_score(self, query, k=4, **kwargs):
            raise NotImplementedError

    class Without(opaque):
        def similarity_search_by_vector(self, embedding, k=4):
            raise NotImplementedError

    assert stores.filter_support(Swallowing(diary_encoder)) == "keywords"
    assert stores.filter_support(Without(diary_encoder)) == "none"


def test_a_document_filter_tests_metadata_and_refuses_an_engines_operator():
    passes = stores.DocumentTest({"user_id": "ann"})

    assert passes(Document("x", metadata={"user_id": "ann"}))
    assert not passes(Document("x"))
    assert pickle.loads(pickle.dumps(passes)) == passes  # noqa: S301 - our own
    with pytest.raises(ValueError, match="only inside an engine"):
        stores.DocumentTest({"$and": [{"user_id": "ann"}, {"name": {"$like": "a%"}}]})


@pytest.mark.parametrize("store_is_async", [True, False])
def test_a_pgvector_store_refuses_the_other_mode(store_is_async):
    store = named("PGVector", async_mode=store_is_async)

    stores.check_mode(store, is_async=store_is_async)
    use = "ainvoke" if store_is_async else "invoke"
    with pytest.raises(RuntimeError, match=f"async_mode={store_is_async}; call {use}$"):
        stores.check_mode(store, is_async=not store_is_async)


def test_any_other_store_serves_both_modes(store):
    for is_async in (True, False):
        stores.check_mode(store, is_async=is_async)


def test_the_encoder_is_found_where_the_store_shows_it(store, diary_encoder):
    assert stores.encoder_of(store) is diary_encoder
    assert stores.encoder_of(SimpleNamespace(embeddings=None)) is None


class Engine:
    """A store of which only the search by vector matters."""

    def __init__(self):
        self.asked = []

    def _answer(self, name, vector, k):
        assert all(type(number) is float for number in vector)
        self.asked.append((name, vector, k))
        return [Document("found")]

    def similarity_search_by_vector(self, embedding, k=4):
        return self._answer("plain", embedding, k)

    async def asimilarity_search_by_vector(self, embedding, k=4):
        return self._answer("aplain", embedding, k)


class Scored(Engine):
    def similarity_search_with_score_by_vector(self, embedding, k=4):
        return [(one, 0.5) for one in self._answer("scored", embedding, k)]


class ScoredBoth(Scored):
    async def asimilarity_search_with_score_by_vector(self, embedding, k=4):
        return [(one, 0.5) for one in self._answer("ascored", embedding, k)]


class LikeChroma(Engine):
    def similarity_search_by_vector_with_relevance_scores(self, embedding, k=4):
        return [(one, 0.5) for one in self._answer("relevance", embedding, k)]


@pytest.mark.parametrize(
    ("kind", "names", "score"),
    [
        (Engine, ["plain", "aplain"], None),
        (Scored, ["scored", "scored"], 0.5),
        (ScoredBoth, ["scored", "ascored"], 0.5),
        (LikeChroma, ["relevance", "relevance"], 0.5),
    ],
)
async def test_a_search_by_vector_by_whatever_name(kind, names, score):
    store, vector = kind(), np.array([0.5, 1.0])

    hits = stores.search_by_vector(store, vector, {"k": 2}, scored=True)
    assert await stores.asearch_by_vector(store, vector, {"k": 2}, scored=True) == hits
    assert [value for _, value in hits] == [score]
    assert store.asked == [(name, [0.5, 1.0], 2) for name in names]

    stores.search_by_vector(store, [0.5, 1], {}, scored=False)
    await stores.asearch_by_vector(store, [0.5, 1], {}, scored=False)
    assert [name for name, _, _ in store.asked[2:]] == ["plain", "aplain"]


def test_one_stored_vector_is_shown_where_the_store_lets_it_be_seen(store, diary_encoder, foreign):
    text, vector = stores.stored_sample(store)

    assert vector.tolist() == diary_encoder.embed_documents([text])[0]
    assert stores.stored_sample(InMemoryVectorStore(diary_encoder)) is None
    assert stores.stored_sample(foreign(diary_encoder)) is None
    assert stores.stored_sample(named("PGVector", async_mode=True)) is None


def test_an_encoder_that_is_needed_must_be_shown(store, diary_encoder):
    assert stores.shown_encoder(store) is diary_encoder
    with pytest.raises(ValueError, match="Other does not show its encoder"):
        stores.shown_encoder(named("Other", embeddings=None))
