import logging
import uuid
import warnings
from concurrent.futures import ThreadPoolExecutor

import pytest
from langchain_core.documents import Document
from langchain_postgres import PGVector
from langchain_postgres.vectorstores import DistanceStrategy
from sqlalchemy import create_engine, text
from sqlalchemy.ext.asyncio import create_async_engine

from emomem import Affect, Combination
from emomem.metadata import encode
from langchain_emomem import AffectModulatedRetriever, EmotionTagger, stores

QUERY = "that evening"
STRATEGIES = ["semantic", "combination", "sequence", "salience", "modulated"]
POLICIES = ["congruent", "comfort", "lesson", "off", "auto"]
SAD = ["goodbye at the station", "the empty house", "a picnic by the river", "a note without a tag"]
FORMS = [
    {"user_id": "ann"},
    {"user_id": {"$eq": "ann"}},
    {"$and": [{"user_id": "ann"}]},
    {"user_id": "ann", "day": {"$gte": 0}},
    {"day": {"$gte": 0, "$lt": 99}, "user_id": "ann"},
    {"user_id": {"$in": ["ann"]}, "day": {"$between": [0, 9]}},
    {"$not": {"user_id": "bob"}},
    {"user_id": {"$like": "an%"}},
]


@pytest.fixture(scope="module")
def engine(postgres):
    engine = create_engine(postgres)
    yield engine
    engine.dispose()


@pytest.fixture
def build(engine):
    """A builder of collections, which go at the end."""
    made = []

    def make(encoder, documents=(), distance=DistanceStrategy.COSINE):
        store = PGVector(
            encoder,
            connection=engine,
            collection_name=f"t{uuid.uuid4().hex}",
            distance_strategy=distance,
        )
        made.append(store)
        if documents:
            store.add_documents(list(documents))
        return store

    yield make
    for store in made:
        store.delete_collection()


@pytest.fixture
def store(build, diary, diary_encoder):
    return build(diary_encoder, diary)


@pytest.fixture
async def async_store(postgres, diary, diary_encoder):
    engine = create_async_engine(postgres)
    store = PGVector(
        diary_encoder, connection=engine, collection_name=f"t{uuid.uuid4().hex}", async_mode=True
    )
    # The ids are another table's key, shared by all collections.
    fresh = [Document(one.page_content, metadata=one.metadata) for one in diary]
    await store.aadd_documents(fresh)
    yield store
    await store.adelete_collection()
    await engine.dispose()


def dump(engine):
    with engine.connect() as connection:
        rows = connection.execute(text("select * from langchain_pg_embedding order by id"))
        return [str(row) for row in rows]


@pytest.mark.parametrize("where", [None, {}, {"user_id": "ann"}])
@pytest.mark.parametrize(
    "wanted",
    [{"policy": "off"}, {"strategy": "semantic"}, {"affect": Affect.neutral()}],
    ids=["off", "semantic", "gate 0"],
)
def test_the_plain_call_is_that_of_as_retriever(store, searches, wanted, where):
    calls = searches(store)
    search_kwargs = {"k": 3, **({"filter": where} if where else {})}
    plain = store.as_retriever(search_kwargs=search_kwargs)
    ours = AffectModulatedRetriever(
        vectorstore=store, k=3, filter=where, **{"affect": "sadness", **wanted}
    )

    expected, plain_calls = plain.invoke(QUERY), calls.copy()
    calls.clear()
    assert ours.invoke(QUERY) == expected
    assert calls == plain_calls
    assert len(expected) == 3


async def test_the_plain_call_is_that_of_as_retriever_in_async_mode(async_store, searches):
    calls = searches(async_store)
    plain = async_store.as_retriever(search_kwargs={"k": 3, "filter": {"user_id": "ann"}})
    ours = AffectModulatedRetriever(
        vectorstore=async_store, k=3, filter={"user_id": "ann"}, affect="sadness", policy="off"
    )

    expected, plain_calls = await plain.ainvoke(QUERY), calls.copy()
    calls.clear()
    assert await ours.ainvoke(QUERY) == expected
    assert calls == plain_calls
    assert len(expected) == 3


@pytest.mark.parametrize(
    ("distance", "metric"),
    [
        (DistanceStrategy.COSINE, "cosine_distance"),
        (DistanceStrategy.EUCLIDEAN, "l2_distance"),
        (DistanceStrategy.MAX_INNER_PRODUCT, "negative_inner_product"),
        ("l2", "l2_distance"),
    ],
)
def test_every_distance_gives_cosines_and_one_ranking(
    build, diary, diary_encoder, distance, metric
):
    store = build(diary_encoder, diary, distance)
    retriever = AffectModulatedRetriever(vectorstore=store, affect="sadness", policy="congruent")

    explained = retriever.explain(QUERY)

    assert stores.metric_of(store) == metric
    assert [one.document.page_content for one in explained] == SAD
    assert [one.signals["cosine"] for one in explained] == pytest.approx(
        [0.8, 0.7, 0.9, 0.75], abs=1e-5
    )


@pytest.mark.parametrize(
    "distance", [DistanceStrategy.EUCLIDEAN, DistanceStrategy.MAX_INNER_PRODUCT]
)
def test_vectors_of_any_length_keep_the_order(build, diary, diary_encoder, placed, distance):
    store = build(placed(diary_encoder.cosines, scale=30), diary, distance)
    by_meaning = AffectModulatedRetriever(
        vectorstore=store,
        affect="sadness",
        policy="congruent",
        strategy=Combination(weight=0),
        k=10,
    )

    assert [one.document for one in by_meaning.explain(QUERY)] == store.similarity_search(QUERY, 10)
    assert all("rank" in one.signals for one in by_meaning.explain(QUERY))
    assert by_meaning.invoke(QUERY) == diary


def test_asking_changes_nothing_stored_and_is_answered_alike(store, engine):
    before = dump(engine)
    for strategy in STRATEGIES:
        for policy in POLICIES:
            retriever = AffectModulatedRetriever(
                vectorstore=store, strategy=strategy, policy=policy, affect="sadness"
            )
            found = retriever.invoke(QUERY)
            assert len(found) == 4
            assert retriever.invoke(QUERY) == found
    assert dump(engine) == before
    assert len(before) >= 10


async def test_the_two_modes_agree(store, async_store, texts):
    for strategy in STRATEGIES:
        for policy in POLICIES:
            options = {"strategy": strategy, "policy": policy, "affect": "sadness"}
            found = AffectModulatedRetriever(vectorstore=store, **options).invoke(QUERY)
            again = AffectModulatedRetriever(vectorstore=async_store, **options).ainvoke(QUERY)
            assert texts(await again) == texts(found), (strategy, policy)


async def test_each_mode_refuses_the_other_clearly(store, async_store):
    ours = AffectModulatedRetriever(vectorstore=store, affect="sadness")
    theirs = AffectModulatedRetriever(vectorstore=async_store, affect="sadness")
    for policy in ("off", "congruent"):
        with pytest.raises(RuntimeError, match=r"made with async_mode=False; call invoke$"):
            await ours.ainvoke(QUERY, policy=policy)
        with pytest.raises(RuntimeError, match=r"made with async_mode=True; call ainvoke$"):
            theirs.invoke(QUERY, policy=policy)


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_no_user_sees_anothers_memory(store, form):
    for strategy in STRATEGIES:
        retriever = AffectModulatedRetriever(
            vectorstore=store, strategy=strategy, affect="sadness", k=9, filter=form
        )
        for policy in POLICIES:
            found = retriever.invoke(QUERY, policy=policy)
            assert [one.metadata["user_id"] for one in found] == ["ann"] * 5, (strategy, policy)


def test_filters_go_to_the_engine_in_its_own_grammar(store, searches, texts):
    calls = searches(store)
    retriever = AffectModulatedRetriever(
        vectorstore=store,
        affect="sadness",
        policy="congruent",
        filter={"user_id": "ann", "day": {"$gte": 2, "$lt": 9}},
        affect_filter={"valence": {"$lt": 0}, "label": {"$in": ["sadness", "anger"]}},
    )

    assert texts(retriever.invoke(QUERY)) == [
        "goodbye at the station",
        "nobody called",
        "the row about money",
    ]
    [(name, _, kwargs)] = calls
    assert name == "similarity_search_with_score"
    assert kwargs["filter"] == {
        "$and": [
            {"user_id": "ann"},
            {"day": {"$gte": 2}},
            {"day": {"$lt": 9}},
            {"affect_valence": {"$lt": 0}},
            {"affect_label": {"$in": ["sadness", "anger"]}},
        ]
    }


async def test_tags_round_trip_exactly_and_retagging_leaves_no_stale_key(build, placed, scripted):
    affects = {
        "odd": Affect(valence=-1 / 3, arousal=0.1 + 0.2, confidence=1.0),
        "joyful": Affect.from_label("joy", source="a:b"),
        "unread": Affect.unknown(),
    }
    own = {"score": 3, "valence": "covalent", "flag": True, "deep": {"list": [1, "a"]}}
    rich = EmotionTagger(appraiser=scripted(affects))
    tagged = rich.transform_documents(
        [Document(one, id=f"r-{one}", metadata=own) for one in affects]
    )
    store = build(placed(dict.fromkeys(affects, 0.5)))
    store.add_documents(tagged)

    found = store.get_by_ids([document.id for document in tagged])
    assert sorted(found, key=lambda one: one.id) == sorted(tagged, key=lambda one: one.id)

    poor = EmotionTagger(appraiser=scripted({"joyful": Affect(valence=0.5)}))
    store.add_documents(poor.transform_documents(found))
    [again] = store.get_by_ids(["r-joyful"])
    assert again.metadata == {**own, **encode(Affect(valence=0.5))}


def test_an_empty_collection_an_empty_query_and_an_id_twice(build, store, diary_encoder, tagged):
    empty = build(diary_encoder)
    for strategy in STRATEGIES:
        options = {"strategy": strategy, "affect": "sadness", "policy": "congruent"}
        assert AffectModulatedRetriever(vectorstore=empty, **options).invoke(QUERY) == []
        assert len(AffectModulatedRetriever(vectorstore=store, **options).invoke("")) == 4
    again = tagged("the prize", "joy")
    again.id = "d9"
    store.add_documents([again])
    retriever = AffectModulatedRetriever(vectorstore=store, affect="joy", policy="congruent", k=20)
    assert len(retriever.invoke(QUERY)) == 10


def test_no_log_and_no_warning_holds_a_memory_or_the_query(store, caplog):
    retriever = AffectModulatedRetriever(vectorstore=store, affect="sadness", policy="congruent")
    with caplog.at_level(logging.INFO), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = retriever.invoke(QUERY)

    said = caplog.text + "".join(str(warning.message) for warning in caught)
    assert not [one for one in (QUERY, *(d.page_content for d in found)) if one in said]


def test_threads_may_share_one_retriever(store, scripted):
    script = {f"{mood} {turn}": mood for turn in range(10) for mood in ("sadness", "joy", "anger")}
    retriever = AffectModulatedRetriever(
        vectorstore=store, appraiser=scripted(script), policy="congruent"
    )
    alone = {mood: retriever.invoke(QUERY, affect=mood) for mood in ("sadness", "joy", "anger")}

    with ThreadPoolExecutor(16) as pool:
        found = list(pool.map(retriever.invoke, script))

    assert found == [alone[mood] for mood in script.values()]


async def test_async_does_not_block_the_loop(async_store, scripted, longest_block, texts):
    retriever = AffectModulatedRetriever(
        vectorstore=async_store,
        appraiser=scripted({QUERY: "sadness"}, delay=0.6),
        policy="congruent",
    )
    await retriever.ainvoke(QUERY)  # whatever is made on first use

    found, gap = await longest_block(retriever.ainvoke(QUERY))

    assert texts(found) == SAD
    assert gap < 0.4
