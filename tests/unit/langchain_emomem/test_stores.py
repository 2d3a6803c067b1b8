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


UNIT = np.array([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0], [-0.6, 0.8], [-1.0, 0.0]])
SCORES = {
    "cosine_similarity": UNIT[:, 0],
    "cosine_distance": 1 - UNIT[:, 0],
    "squared_l2_distance": np.sum((UNIT - UNIT[0]) ** 2, axis=1),
    "l2_distance": np.linalg.norm(UNIT - UNIT[0], axis=1),
    "inner_product": UNIT @ UNIT[0],
    "inner_product_distance": 1 - UNIT @ UNIT[0],
    "negative_inner_product": -(UNIT @ UNIT[0]),
}


@pytest.mark.parametrize("metric", SCORES)
def test_every_metric_tells_the_cosines_of_unit_vectors(metric):
    found = stores.cosines(metric, SCORES[metric].tolist())

    assert found == pytest.approx([1.0, 0.8, 0.0, -0.6, -1.0])


@pytest.mark.parametrize(
    ("metric", "scores"),
    [
        (None, [0.1, 0.2]),
        ("cosine_distance", [0.1, None]),
        ("cosine_distance", [0.1, float("nan")]),
        ("cosine_distance", [0.1, 2.5]),
        ("cosine_similarity", [0.9, -27.0]),
        ("squared_l2_distance", [0.1, 800.0]),
        ("l2_distance", [0.1, 27.0]),
        ("inner_product", [90.0, 0.1]),
    ],
)
def test_scores_that_are_no_cosines_tell_none(metric, scores):
    assert stores.cosines(metric, scores) is None


def test_a_rounding_error_is_clipped_and_nothing_leaves_the_scale():
    found = stores.cosines("cosine_distance", [-1e-6, 1.0, 2.00001])

    assert found is not None
    assert found.tolist() == [1.0, 0.0, -1.0]


def test_all_scores_equal_are_equal_cosines():
    assert stores.cosines("cosine_distance", [0.25] * 3) == pytest.approx([0.75] * 3)


def test_only_cosines_do_without_unit_vectors():
    needing = {metric for metric in SCORES if stores.needs_unit_vectors(metric)}

    assert needing == SCORES.keys() - {"cosine_similarity", "cosine_distance"}
    assert not stores.needs_unit_vectors(None)
    assert stores.is_unit([0.6, 0.8])
    assert not stores.is_unit([0.6, 0.9])


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
