import logging
import time
import warnings
from concurrent.futures import ThreadPoolExecutor

import pytest
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding

from emomem import Affect, Combination, Modulated
from emomem.filters import affect_conditions
from emomem.metadata import DEFAULT_FIELDS, decode, encode
from langchain_emomem import AffectModulatedRetriever, EmotionTagger, stores

QUERY = "that evening"
STRATEGIES = ["semantic", "combination", "sequence", "salience", "modulated"]
POLICIES = ["congruent", "comfort", "lesson", "off", "auto"]
FORMS = [
    {"user_id": "ann"},
    {"user_id": {"$eq": "ann"}},
    {"$and": [{"user_id": "ann"}]},
    {"user_id": "ann", "day": {"$gte": 0}},
    {"day": {"$gte": 0, "$lt": 99}, "user_id": "ann"},
    {"user_id": {"$in": ["ann"]}, "day": {"$between": [0, 9]}},
]
SAD = ["goodbye at the station", "the empty house", "a picnic by the river", "a note without a tag"]


def dump(store):
    held = store.get(include=["metadatas", "documents", "embeddings"])
    rows = zip(
        held["ids"], held["documents"], held["metadatas"], held["embeddings"].tolist(), strict=True
    )
    return sorted(rows, key=lambda row: row[0])


@pytest.fixture(params=["embedded", "served"])
def build(request):
    """Collections in this process and on a server."""
    return request.getfixturevalue("chroma" if request.param == "embedded" else "served_chroma")


@pytest.fixture
def store(build, diary, diary_encoder):
    return build(diary_encoder, diary)


@pytest.fixture
def spaced(build, diary, diary_encoder, placed):
    """The diary by the metric of a collection and the length of its vectors."""

    def make(space, scale=1.0):
        return build(placed(diary_encoder.cosines, scale=scale), diary, space=space)

    return make


@pytest.mark.parametrize("where", [None, {}, {"user_id": "ann"}])
@pytest.mark.parametrize(
    "wanted",
    [{"policy": "off"}, {"strategy": "semantic"}, {"affect": Affect.neutral()}],
    ids=["off", "semantic", "gate 0"],
)
async def test_the_plain_call_is_that_of_as_retriever(store, searches, wanted, where):
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
    assert await ours.ainvoke(QUERY) == expected


@pytest.mark.parametrize(
    ("space", "metric"),
    [
        ("cosine", "cosine_distance"),
        ("l2", "squared_l2_distance"),
        ("ip", "inner_product_distance"),
    ],
)
def test_every_space_gives_cosines_and_one_ranking(spaced, texts, space, metric):
    store = spaced(space)
    retriever = AffectModulatedRetriever(vectorstore=store, affect="sadness", policy="congruent")

    explained = retriever.explain(QUERY)

    assert stores.metric_of(store) == metric
    assert texts([one.document for one in explained]) == SAD
    assert [one.signals["cosine"] for one in explained] == pytest.approx(
        [0.8, 0.7, 0.9, 0.75], abs=1e-5
    )


@pytest.mark.parametrize("space", ["l2", "ip"])
def test_vectors_of_any_length_keep_the_order_and_give_no_warning(
    spaced, diary, texts, caplog, space
):
    store = spaced(space, scale=30)
    assert max(abs(score) for _, score in store.similarity_search_with_score(QUERY, 10)) > 500
    by_meaning = AffectModulatedRetriever(
        vectorstore=store,
        affect="sadness",
        policy="congruent",
        strategy=Combination(weight=0),
        k=10,
    )
    by_both = AffectModulatedRetriever(vectorstore=store, affect="sadness", policy="congruent")

    with caplog.at_level(logging.INFO), warnings.catch_warnings():
        warnings.simplefilter("error")
        assert texts(by_meaning.invoke(QUERY)) == texts(diary)
        explained = by_both.explain(QUERY)

    assert texts([one.document for one in explained])[0] == "goodbye at the station"
    assert all(0 <= one.signals["rank"] <= 1 for one in explained)
    assert not [text for text in texts(diary) if text in caplog.text]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_an_encoder_of_no_meaning_and_no_unit_length_is_served(chroma, diary, strategy):
    store = chroma(DeterministicFakeEmbedding(size=16), diary, space="l2")
    retriever = AffectModulatedRetriever(
        vectorstore=store, affect="sadness", policy="congruent", strategy=strategy, k=10
    )

    assert len({document.id for document in retriever.invoke(QUERY)}) == 10


@pytest.mark.parametrize("strategy", [Combination(), Modulated()])
def test_a_mild_memory_on_topic_is_not_overtaken_by_a_furious_one_off_topic(
    chroma, placed, tagged, texts, strategy
):
    encoder = placed({"the lease": 0.8, "that referee": 0.1})
    for space in ("cosine", "l2", "ip"):
        store = chroma(
            encoder, [tagged("that referee", "anger"), tagged("the lease", "relief")], space=space
        )
        retriever = AffectModulatedRetriever(
            vectorstore=store, affect="anger", policy="congruent", strategy=strategy
        )
        assert texts(retriever.invoke(QUERY)) == ["the lease", "that referee"], space


async def test_sync_and_async_agree_and_a_query_changes_nothing_stored(store):
    before = dump(store)
    for strategy in STRATEGIES:
        for policy in POLICIES:
            retriever = AffectModulatedRetriever(
                vectorstore=store, strategy=strategy, policy=policy, affect="sadness"
            )
            found = retriever.invoke(QUERY)
            assert len(found) == 4
            assert await retriever.ainvoke(QUERY) == found == retriever.invoke(QUERY)
    assert dump(store) == before


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


def test_a_filter_that_chroma_refuses_is_an_error_and_no_open_store(store):
    retriever = AffectModulatedRetriever(vectorstore=store, affect="sadness")
    for where in ({"$not": {"user_id": "bob"}}, lambda _: True, "ann"):
        with pytest.raises(ValueError, match="Expected where"):
            retriever.invoke(QUERY, filter=where)


async def test_tags_round_trip_exactly(build, placed, scripted):
    affects = {
        "odd": Affect(valence=-1 / 3, arousal=0.1 + 0.2, conflict=1e-17, confidence=1.0),
        "joyful": Affect.from_label("joy", source="a:b"),
        "mixed": Affect.from_emotions([1 / 28] * 28, confidence=0.123456789),
        "unread": Affect.unknown(),
    }
    own = {"score": 3, "valence": "covalent", "label": "x", "flag": True, "ratio": 0.1}
    documents = [Document(text, id=text, metadata=own) for text in affects]
    tagged = EmotionTagger(appraiser=scripted(affects)).transform_documents(documents)
    store = build(placed(dict.fromkeys(affects, 0.5)))

    await store.aadd_documents(tagged)

    found = {document.id: document for document in store.get_by_ids(list(affects))}
    assert found == {document.id: document for document in tagged}
    for text, affect in affects.items():
        assert {**own, **encode(affect)} == found[text].metadata
        assert decode(found[text].metadata).valence == pytest.approx(affect.valence, abs=1e-12)


def test_retagging_leaves_no_stale_key_where_the_id_is_deleted_first(build, placed, scripted):
    store = build(placed({"we won": 0.5}))
    rich = EmotionTagger(appraiser=scripted({"we won": "joy"}))
    poor = EmotionTagger(appraiser=scripted({"we won": Affect(valence=0.5)}))
    store.add_documents(rich.transform_documents([Document("we won", id="1")]))

    stored = store.get_by_ids(["1"])
    assert rich.transform_documents(stored) == stored
    retagged = poor.transform_documents(stored)
    store.delete(["1"])
    store.add_documents(retagged)

    assert store.get_by_ids(["1"])[0].metadata == encode(Affect(valence=0.5))


async def test_5462_documents_at_once_are_tagged_stored_or_refused_and_recalled(chroma, scripted):
    count = 5462
    encoder = DeterministicFakeEmbedding(size=4)
    appraiser = scripted({f"t{row}": "sadness" if row % 2 else "joy" for row in range(count)})
    documents = [Document(text, metadata={"row": row}) for row, text in enumerate(appraiser.script)]

    tagged = EmotionTagger(appraiser=appraiser).transform_documents(documents)

    assert len(tagged) == count
    store = chroma(encoder)
    with pytest.raises(Exception, match=r"max(imum)? batch size (of )?5461"):
        store.add_documents(tagged)
    for start in range(0, count, 5461):
        store.add_documents(tagged[start : start + 5461])
    everything = AffectModulatedRetriever(
        vectorstore=store, affect="sadness", policy="congruent", strategy=Combination(weight=1)
    ).invoke("t1", k=count)
    assert len({document.metadata["row"] for document in everything}) == count
    assert {document.metadata["affect_label"] for document in everything[: count // 2]} == {
        "sadness"
    }


def test_an_id_twice_is_refused_and_an_id_again_replaces(build, placed, tagged, texts):
    store = build(placed({"one": 0.5, "two": 0.6}))
    [first, second] = [tagged("one", "joy"), tagged("two", "sadness")]
    first.id = second.id = "same"
    with pytest.raises(Exception, match="duplicates of: same"):
        store.add_documents([first, second])
    store.add_documents([first])
    store.add_documents([second])
    retriever = AffectModulatedRetriever(vectorstore=store, affect="joy", policy="congruent")

    assert texts(retriever.invoke(QUERY)) == ["two"]


@pytest.mark.parametrize("strategy", STRATEGIES)
async def test_an_empty_collection_and_an_empty_query(store, build, diary_encoder, strategy):
    options = {"strategy": strategy, "affect": "sadness", "policy": "congruent"}
    empty = AffectModulatedRetriever(vectorstore=build(diary_encoder), **options)

    assert empty.invoke(QUERY) == await empty.ainvoke(QUERY) == []
    assert len(AffectModulatedRetriever(vectorstore=store, **options).invoke("")) == 4


def test_no_log_and_no_warning_holds_a_memory_or_the_query(store, caplog):
    with caplog.at_level(logging.DEBUG), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for strategy in STRATEGIES:
            found = AffectModulatedRetriever(
                vectorstore=store, strategy=strategy, affect="sadness", policy="congruent"
            ).invoke(QUERY)

    said = caplog.text + "".join(str(warning.message) for warning in caught)
    assert "elevance score" not in said
    assert not [text for text in (QUERY, *(one.page_content for one in found)) if text in said]


async def test_async_does_not_block_the_loop(store, scripted, longest_block, monkeypatch, texts):
    search = store.similarity_search_with_score

    def slowly(*args, **kwargs):
        time.sleep(0.6)
        return search(*args, **kwargs)

    monkeypatch.setattr(store, "similarity_search_with_score", slowly)
    retriever = AffectModulatedRetriever(
        vectorstore=store, appraiser=scripted({QUERY: "sadness"}, delay=0.6), policy="congruent"
    )
    await retriever.ainvoke(QUERY)  # whatever is made on first use

    found, gap = await longest_block(retriever.ainvoke(QUERY))

    assert texts(found) == SAD
    assert gap < 0.4


def test_threads_may_share_one_retriever(store, scripted):
    script = {f"{mood} {turn}": mood for turn in range(20) for mood in ("sadness", "joy", "anger")}
    retriever = AffectModulatedRetriever(
        vectorstore=store, appraiser=scripted(script), policy="congruent"
    )
    alone = {mood: retriever.invoke(QUERY, affect=mood) for mood in ("sadness", "joy", "anger")}

    with ThreadPoolExecutor(16) as pool:
        found = list(pool.map(retriever.invoke, script))

    assert found == [alone[mood] for mood in script.values()]


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
    where = affect_conditions(conditions, DEFAULT_FIELDS)

    expected = {one.id for one in diary if stores.document_filter(where)(one)}
    assert {one.id for one in retriever.invoke(QUERY)} == expected
    assert len(expected) > 2
