"""What holds for every engine: embedded Chroma, a Chroma server, PostgreSQL with pgvector."""

import logging
import threading
import uuid
import warnings
from concurrent.futures import ThreadPoolExecutor

import pytest
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_postgres import PGVector
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

from emomem import Affect, Combination, Modulated
from emomem.filters import affect_conditions
from emomem.metadata import DEFAULT_FIELDS, decode, encode
from langchain_emomem import AffectModulatedRetriever, EmotionTagger, stores

QUERY = "that evening"
ENGINES = ["chroma", "served_chroma", "pgvector"]
STRATEGIES = ["semantic", "combination", "sequence", "salience", "modulated"]
POLICIES = ["auto", "congruent", "comfort", "lesson", "off"]
FORMS = [
    {"user_id": "ann"},
    {"user_id": {"$eq": "ann"}},
    {"$and": [{"user_id": "ann"}]},
    {"user_id": "ann", "day": {"$gte": 0}},
    {"day": {"$gte": 0, "$lt": 99}, "user_id": "ann"},
    {"user_id": {"$in": ["ann"]}, "day": {"$between": [0, 9]}},
]
METRICS = {
    "cosine": {"cosine_distance"},
    "l2": {"squared_l2_distance", "l2_distance"},
    "ip": {"inner_product_distance", "negative_inner_product"},
}
SAD = ["goodbye at the station", "the empty house", "a picnic by the river", "a note without a tag"]


@pytest.fixture(params=ENGINES)
def engine(request):
    return request.param


@pytest.fixture
def build(request, engine):
    """A builder of the engine's collections: `build(encoder, documents=None, space="cosine")`."""
    return request.getfixturevalue(engine)


@pytest.fixture
def store(build, diary, diary_encoder):
    return build(diary_encoder, diary)


@pytest.fixture
def spaced(build, diary, diary_encoder, placed):
    """The diary by the metric of a collection and the length of its vectors."""

    def make(space, scale=1.0):
        return build(placed(diary_encoder.cosines, scale=scale), diary, space)

    return make


@pytest.fixture
async def async_store(request, engine, diary, diary_encoder):
    """A store for async calls: Chroma serves both kinds, PGVector is made for one."""
    if engine != "pgvector":
        yield request.getfixturevalue("store")
        return
    connections = create_async_engine(request.getfixturevalue("postgres"))
    store = PGVector(
        diary_encoder,
        connection=connections,
        collection_name=f"t{uuid.uuid4().hex}",
        async_mode=True,
    )
    # Ids are shared by all collections: here they are new.
    await store.aadd_documents([Document(one.page_content, metadata=one.metadata) for one in diary])
    yield store
    await store.adelete_collection()
    await connections.dispose()


def dump(store):
    """Everything that is stored, vectors too."""
    if isinstance(store, PGVector):
        with store._make_sync_session() as session:
            rows = session.execute(text("select * from langchain_pg_embedding order by id"))
            return [str(row) for row in rows]
    held = store.get(include=["metadatas", "documents", "embeddings"])
    columns = (held["ids"], held["documents"], held["metadatas"], held["embeddings"].tolist())
    return sorted(zip(*columns, strict=True), key=lambda row: row[0])


PLAIN = pytest.mark.parametrize(
    "wanted",
    [{"policy": "off"}, {"strategy": "semantic"}, {"affect": Affect.neutral()}],
    ids=["off", "semantic", "gate 0"],
)


@PLAIN
@pytest.mark.parametrize("where", [None, {}, {"user_id": "ann"}])
def test_the_plain_call_is_that_of_as_retriever(store, searches, wanted, where):
    calls = searches(store)
    plain = store.as_retriever(search_kwargs={"k": 3, **({"filter": where} if where else {})})
    ours = AffectModulatedRetriever(
        vectorstore=store, k=3, filter=where, **{"affect": "sadness", **wanted}
    )

    expected, plain_calls = plain.invoke(QUERY), calls.copy()
    calls.clear()
    assert ours.invoke(QUERY) == expected
    assert calls == plain_calls != []
    assert len(expected) == 3


@PLAIN
async def test_so_is_the_plain_async_call(async_store, searches, wanted):
    calls = searches(async_store)
    where = {"user_id": "ann"}
    plain = async_store.as_retriever(search_kwargs={"k": 3, "filter": where})
    ours = AffectModulatedRetriever(
        vectorstore=async_store, k=3, filter=where, **{"affect": "sadness", **wanted}
    )

    expected, plain_calls = await plain.ainvoke(QUERY), calls.copy()
    calls.clear()
    assert await ours.ainvoke(QUERY) == expected
    assert calls == plain_calls != []
    assert len(expected) == 3


@pytest.mark.parametrize("space", METRICS)
def test_every_space_gives_cosines_and_one_ranking(spaced, texts, space):
    store = spaced(space)
    retriever = AffectModulatedRetriever(vectorstore=store, affect="sadness", policy="congruent")

    explained = retriever.explain(QUERY)

    assert stores.metric_of(store) in METRICS[space]
    assert texts([one.document for one in explained]) == SAD
    assert [one.signals["cosine"] for one in explained] == pytest.approx(
        [0.8, 0.7, 0.9, 0.75], abs=1e-5
    )


@pytest.mark.parametrize("space", ["l2", "ip"])
def test_vectors_of_any_length_keep_the_order_and_give_no_warning(
    spaced, diary, texts, caplog, space
):
    store = spaced(space, scale=30)
    options = {"vectorstore": store, "affect": "sadness", "policy": "congruent"}
    by_meaning = AffectModulatedRetriever(strategy=Combination(weight=0), k=10, **options)

    with caplog.at_level(logging.INFO), warnings.catch_warnings():
        warnings.simplefilter("error")
        assert texts(by_meaning.invoke(QUERY)) == texts(diary)
        explained = AffectModulatedRetriever(**options).explain(QUERY)

    assert explained[0].document.page_content == "goodbye at the station"
    assert all(0 <= one.signals["rank"] <= 1 for one in explained)
    assert not [memory for memory in texts(diary) if memory in caplog.text]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_an_encoder_of_no_meaning_and_no_unit_length_is_served(build, diary, strategy):
    store = build(DeterministicFakeEmbedding(size=16), diary, "l2")
    retriever = AffectModulatedRetriever(
        vectorstore=store, affect="sadness", policy="congruent", strategy=strategy, k=10
    )

    assert len({document.id for document in retriever.invoke(QUERY)}) == 10


@pytest.mark.parametrize("space", METRICS)
def test_a_mild_memory_on_topic_is_not_overtaken_by_a_furious_one_off_topic(
    build, placed, tagged, texts, space
):
    encoder = placed({"the lease": 0.8, "that referee": 0.1})
    store = build(encoder, [tagged("that referee", "anger"), tagged("the lease", "relief")], space)
    for strategy in (Combination(), Modulated()):
        retriever = AffectModulatedRetriever(
            vectorstore=store, affect="anger", policy="congruent", strategy=strategy
        )
        assert texts(retriever.invoke(QUERY)) == ["the lease", "that referee"], strategy


async def test_sync_and_async_agree_and_a_query_changes_nothing_stored(store, async_store, texts):
    before = dump(store)
    for strategy in STRATEGIES:
        for policy in POLICIES:
            options = {"strategy": strategy, "policy": policy, "affect": "sadness"}
            retriever = AffectModulatedRetriever(vectorstore=store, **options)
            found = retriever.invoke(QUERY)
            again = await AffectModulatedRetriever(vectorstore=async_store, **options).ainvoke(
                QUERY
            )
            assert len(found) == 4
            assert retriever.invoke(QUERY) == found
            assert texts(again) == texts(found), (strategy, policy)
    assert dump(store) == before
    assert len(before) >= 10


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
        strategy=Combination(weight=0.3),
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


def test_every_condition_on_affect_is_taken_by_the_engine(store, diary):
    conditions = {
        "valence": {"$lt": 0.9},
        "arousal": {"$gte": 0.1},
        "dominance": {"$ne": 0.0},
        "salience": {"$gt": 0.0},
        "label": {"$nin": ["anger"]},
        "sadness": {"$gt": 0.5},
    }
    retriever = AffectModulatedRetriever(
        vectorstore=store, affect_filter=conditions, affect="sadness", k=10
    )
    passes = stores.DocumentTest(affect_conditions(conditions, DEFAULT_FIELDS))

    expected = {one.id for one in diary if passes(one)}
    assert {one.id for one in retriever.invoke(QUERY)} == expected
    assert len(expected) > 2


def test_tags_round_trip_exactly(build, placed, scripted):
    affects = {
        "odd": Affect(valence=-1 / 3, arousal=0.1 + 0.2, conflict=1e-17, confidence=1.0),
        "joyful": Affect.from_label("joy", source="a:b"),
        "mixed": Affect.from_emotions([1 / 28] * 28, confidence=0.123456789),
        "unread": Affect.unknown(),
    }
    own = {"score": 3, "valence": "covalent", "label": "x", "flag": True, "ratio": 0.1}
    documents = [Document(one, id=f"r-{one}", metadata=own) for one in affects]
    tagged = EmotionTagger(appraiser=scripted(affects)).transform_documents(documents)
    store = build(placed(dict.fromkeys(affects, 0.5)))

    store.add_documents(tagged)

    found = {one.page_content: one for one in store.get_by_ids([one.id for one in tagged])}
    assert found == {one.page_content: one for one in tagged}
    for memory, affect in affects.items():
        assert {**own, **encode(affect)} == found[memory].metadata
        assert decode(found[memory].metadata).valence == pytest.approx(affect.valence, abs=5.1e-5)


def test_retagging_leaves_no_stale_key_where_the_id_is_deleted_first(build, placed, scripted):
    store = build(placed({"we won": 0.5}))
    rich = EmotionTagger(appraiser=scripted({"we won": "joy"}))
    poor = EmotionTagger(appraiser=scripted({"we won": Affect(valence=0.5)}))
    store.add_documents(rich.transform_documents([Document("we won", id="r-1")]))

    stored = store.get_by_ids(["r-1"])
    assert rich.transform_documents(stored) == stored
    retagged = poor.transform_documents(stored)
    store.delete(["r-1"])
    store.add_documents(retagged)

    assert store.get_by_ids(["r-1"])[0].metadata == encode(Affect(valence=0.5))


def test_an_id_again_replaces(build, placed, tagged, texts):
    store = build(placed({"one": 0.5, "two": 0.6}))
    for memory in (tagged("one", "joy"), tagged("two", "sadness")):
        memory.id = "same"
        store.add_documents([memory])
    retriever = AffectModulatedRetriever(vectorstore=store, affect="joy", policy="congruent")

    assert texts(retriever.invoke(QUERY)) == ["two"]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_an_empty_collection_and_an_empty_query(store, build, diary_encoder, strategy):
    options = {"strategy": strategy, "affect": "sadness", "policy": "congruent"}
    empty = build(diary_encoder)

    assert AffectModulatedRetriever(vectorstore=empty, **options).invoke(QUERY) == []
    assert len(AffectModulatedRetriever(vectorstore=store, **options).invoke("")) == 4


def test_no_log_and_no_warning_holds_a_memory_or_the_query(store, texts, caplog):
    with caplog.at_level(logging.INFO), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for strategy in STRATEGIES:
            found = AffectModulatedRetriever(
                vectorstore=store, strategy=strategy, affect="sadness", policy="congruent"
            ).invoke(QUERY)

    said = caplog.text + "".join(str(warning.message) for warning in caught)
    assert "elevance score" not in said
    assert not [one for one in (QUERY, *texts(found)) if one in said]


async def test_async_does_not_block_the_loop(async_store, scripted, monkeypatch, texts):
    search, searched = async_store.similarity_search_with_score, []

    def watched(*args, **kwargs):
        searched.append(threading.get_ident())
        return search(*args, **kwargs)

    monkeypatch.setattr(async_store, "similarity_search_with_score", watched)
    appraiser = scripted({QUERY: "sadness"})
    retriever = AffectModulatedRetriever(
        vectorstore=async_store, appraiser=appraiser, policy="congruent"
    )

    assert texts(await retriever.ainvoke(QUERY)) == SAD
    # PGVector's own async search calls no sync one.
    assert bool(searched) != isinstance(async_store, PGVector)
    assert appraiser.threads
    assert threading.get_ident() not in {*searched, *appraiser.threads}


def test_threads_may_share_one_retriever(store, scripted):
    script = {f"{mood} {turn}": mood for turn in range(10) for mood in ("sadness", "joy", "anger")}
    retriever = AffectModulatedRetriever(
        vectorstore=store, appraiser=scripted(script), policy="congruent"
    )
    alone = {mood: retriever.invoke(QUERY, affect=mood) for mood in ("sadness", "joy", "anger")}

    with ThreadPoolExecutor(16) as pool:
        found = list(pool.map(retriever.invoke, script))

    assert found == [alone[mood] for mood in script.values()]
