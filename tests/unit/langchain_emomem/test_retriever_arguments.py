import pytest
from langchain_core.runnables import ConfigurableField
from langchain_core.vectorstores import InMemoryVectorStore
from pydantic import ValidationError

from emomem import Affect, Combination, MetadataFields
from langchain_emomem import AffectModulatedRetriever

QUERY = "that evening"
NO_FILTERS = ["", [], 0, 1.5, False, (), "user_id = 'ann'", ["ann"]]


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"k": 0}, "k must be >= 1, got 0"),
        ({"k": -3}, "k must be >= 1, got -3"),
        ({"k": 2.5}, "valid integer"),
        ({"search_kwargs": {"k": 0}}, "k must be >= 1, got 0"),
        ({"k": 2, "search_kwargs": {"k": 5}}, "k is 2, but search_kwargs says 5; give one"),
        ({"fetch_k": 0}, "fetch_k must be >= 1, got 0"),
        ({"strategy": "semantics"}, "one of semantic, combination, .*'semantics'"),
        ({"strategy": 3}, "strategy"),
        ({"policy": "happy"}, "one of auto, congruent, .*'happy'"),
        ({"affect": "sadnes"}, "sadnes"),
        ({"affect": 0.5}, "affect"),
        ({"appraiser": object()}, "appraiser"),
        ({"metric": "euclid"}, "cosine_distance"),
        ({"search_type": "mmr"}, "search_type\n.*not permitted"),
        ({"lambda_mult": 0.5}, "lambda_mult\n.*not permitted"),
        (
            {"filter": {"user_id": "a"}, "search_kwargs": {"filter": {"user_id": "b"}}},
            "filter is {'user_id': 'a'}, but search_kwargs says {'user_id': 'b'}",
        ),
        ({"filter": {"user_id": None}}, "'user_id' has the value None"),
        ({"search_kwargs": {"filter": {"user_id": None}}}, "'user_id' has the value None"),
        *[({"filter": no}, "a filter is a dictionary") for no in NO_FILTERS],
        *[({"search_kwargs": {"filter": no}}, "a filter is a dictionary") for no in NO_FILTERS],
        ({"filter": {"$and": []}}, r"\$and needs a non-empty list"),
        ({"filter": {"name": {"$like": "a%"}}}, "only inside an engine"),
        ({"affect_filter": {"mood": "low"}}, "one of valence, .*'mood'"),
        ({"affect_filter": {"valence": {"$lt": None}}}, "has the value None"),
        ({"affect_filter": {"$or": "sadness"}}, r"\$or needs a non-empty list"),
        ({"affect_filter": {"$not": 1}}, r"\$not takes filters"),
        ({"affect_filter": {"$and": [1]}}, r"\$and takes filters"),
    ],
)
def test_a_wrong_argument_raises_at_construction(store, wrong, says):
    with pytest.raises(ValidationError, match=says):
        AffectModulatedRetriever(**{"vectorstore": store, "affect": "joy", **wrong})


def test_exactly_one_source_is_given(store):
    for sources in ({}, {"vectorstore": store, "base_retriever": store.as_retriever()}):
        with pytest.raises(ValidationError, match="exactly one of vectorstore and base_retriever"):
            AffectModulatedRetriever(affect="joy", **sources)


@pytest.mark.parametrize(
    ("wrong", "error", "says"),
    [
        ({"k": 0}, ValueError, "k must be >= 1, got 0"),
        ({"k": -1}, ValueError, "k must be >= 1, got -1"),
        ({"k": 2.0}, TypeError, "k must be an int, got 2.0"),
        ({"k": True}, TypeError, "k must be an int, got True"),
        ({"policy": "happy"}, ValueError, "policy must be .*'happy'"),
        ({"affect": "sadnes"}, ValueError, "sadnes"),
        ({"affect": lambda: 0.5}, TypeError, "affect must be an Affect"),
        ({"filter": {"user_id": None}}, ValueError, "'user_id' has the value None"),
        ({"conversation": ["hi", 7]}, TypeError, "a str or a message; got int, str"),
        ({"conversation": 5}, TypeError, "a list of turns, got one int"),
        ({"conversation": 0}, TypeError, "a list of turns, got one int"),
        ({"conversation": {"role": "user"}}, TypeError, "a list of turns, got one dict"),
        *[({"filter": no}, ValueError, "a filter is a dictionary") for no in NO_FILTERS],
        ({"strategy": "salience"}, TypeError, "k, filter, affect, policy, .*got strategy"),
        ({"kk": 3}, TypeError, "k, filter, affect, policy, conversation; got kk"),
    ],
)
@pytest.mark.parametrize("method", ["invoke", "explain", "ainvoke", "aexplain"])
async def test_a_wrong_argument_of_a_call_raises(store, wrong, error, says, method):
    retriever = AffectModulatedRetriever(vectorstore=store, affect="joy")

    async def call():
        found = getattr(retriever, method)(QUERY, **wrong)
        return await found if method.startswith("a") else found

    with pytest.raises(error, match=says):
        await call()


def test_a_wrong_call_reaches_no_store(store, searches):
    calls = searches(store)
    retriever = AffectModulatedRetriever(vectorstore=store, affect="joy")
    for wrong in ({"k": 0}, {"filter": {"user_id": None}}, {"filter": []}, {"kk": 3}):
        with pytest.raises((ValueError, TypeError)):
            retriever.invoke(QUERY, **wrong)
    assert calls == []


def test_an_affect_holds_no_nan():
    for number in (float("nan"), float("inf"), 1.5):
        with pytest.raises(ValidationError):
            Affect(valence=number)


def test_a_nan_affect_given_as_a_dictionary_raises(store):
    with pytest.raises(ValidationError, match="finite"):
        AffectModulatedRetriever(vectorstore=store, affect={"valence": float("nan")})


def test_search_kwargs_give_k_and_filter_as_for_as_retriever(store):
    retriever = AffectModulatedRetriever(
        vectorstore=store, affect="joy", search_kwargs={"k": 2, "filter": {"user_id": "ann"}}
    )

    assert [one.metadata["user_id"] for one in retriever.invoke(QUERY)] == ["ann", "ann"]
    assert len(retriever.invoke(QUERY, k=3)) == 3
    for other in ({"user_id": "bob"}, lambda found: found.metadata["user_id"] == "bob"):
        found = retriever.invoke(QUERY, filter=other)
        assert [one.metadata["user_id"] for one in found] == ["bob", "bob"]


def test_a_k_in_search_kwargs_stays_when_another_field_is_configured(store):
    retriever = AffectModulatedRetriever(vectorstore=store, affect="joy", search_kwargs={"k": 2})
    configurable = retriever.configurable_fields(
        policy=ConfigurableField(id="policy"), search_kwargs=ConfigurableField(id="search_kwargs")
    )
    for configured, k in (({"policy": "off"}, 2), ({"search_kwargs": {"k": 3}}, 3)):
        assert len(configurable.invoke(QUERY, {"configurable": configured})) == k


def test_other_search_kwargs_reach_the_store(foreign, diary, diary_encoder, searches):
    store = foreign(diary_encoder)
    store.add_documents(diary)
    calls = searches(store)
    options = {"k": 2, "namespace": "n"}
    for policy in ("off", "congruent"):
        retriever = AffectModulatedRetriever(
            vectorstore=store, affect="joy", policy=policy, search_kwargs=options
        )
        retriever.invoke(QUERY)

    assert calls
    assert all(kwargs["namespace"] == "n" for _, _, kwargs in calls)


@pytest.mark.parametrize(
    ("options", "size"), [({}, 20), ({"k": 15}, 30), ({"fetch_k": 6}, 6), ({"fetch_k": 2}, 4)]
)
def test_fetch_k_is_what_is_fetched_and_at_least_k(store, searches, options, size):
    calls = searches(store)
    AffectModulatedRetriever(vectorstore=store, affect="sadness", **options).invoke(QUERY)

    assert calls[0] == ("similarity_search_with_score", (QUERY,), {"k": size})


def test_a_retriever_cannot_be_changed(store):
    retriever = AffectModulatedRetriever(vectorstore=store, affect="sadness")
    for name, value in {"k": 2, "policy": "off", "filter": {"user_id": "ann"}}.items():
        with pytest.raises(ValidationError, match="frozen"):
            setattr(retriever, name, value)


@pytest.mark.parametrize(
    ("update", "expected"),
    [
        ({"filter": {"user_id": "bob"}}, ["the empty house", "a note without a tag"]),
        ({"affect_filter": {"label": "joy"}}, ["a picnic by the river", "dancing in the kitchen"]),
        ({"strategy": "semantic"}, ["a picnic by the river", "the shopping list"]),
        ({"strategy": Combination(weight=1)}, ["goodbye at the station", "the empty house"]),
        ({"policy": "off"}, ["a picnic by the river", "the shopping list"]),
        ({"affect": "joy"}, ["a picnic by the river", "dancing in the kitchen"]),
        ({"k": 1}, ["goodbye at the station"]),
    ],
    ids=str,
)
async def test_a_copy_with_another_field_keeps_no_part_of_the_old(store, texts, update, expected):
    retriever = AffectModulatedRetriever(
        vectorstore=store, affect="sadness", policy="congruent", k=2
    )
    before = texts(retriever.invoke(QUERY))

    changed = retriever.model_copy(update=update)

    assert texts(changed.invoke(QUERY)) == texts(await changed.ainvoke(QUERY)) == expected
    assert texts(retriever.invoke(QUERY)) == before == ["goodbye at the station", "the empty house"]


def test_a_copy_with_another_source_asks_it(store, diary, placed, texts):
    retriever = AffectModulatedRetriever(vectorstore=store, affect="sadness", policy="off", k=1)
    other = InMemoryVectorStore(placed({"elsewhere": 0.5}))
    other.add_texts(["elsewhere"])

    assert texts(retriever.model_copy(update={"vectorstore": other}).invoke(QUERY)) == ["elsewhere"]


@pytest.mark.parametrize(
    "wrong", [{"fetch_k": 9}, {"metric": "cosine_distance"}, {"search_kwargs": {"k": 2}}]
)
def test_what_belongs_to_a_vectorstore_is_refused_beside_a_base_retriever(store, wrong):
    with pytest.raises(ValidationError, match=f"{next(iter(wrong))} go with vectorstore"):
        AffectModulatedRetriever(base_retriever=store.as_retriever(), affect="joy", **wrong)


def test_other_keys_may_hold_the_affect(placed, texts):
    store = InMemoryVectorStore(placed({"won": 0.8, "lost": 0.7}))
    store.add_texts(["won", "lost"], [{"mood": "joy"}, {"mood": "sadness"}])
    retriever = AffectModulatedRetriever(
        vectorstore=store,
        affect="sadness",
        policy="congruent",
        fields=MetadataFields(label="mood"),
    )

    assert texts(retriever.invoke(QUERY)) == ["lost", "won"]
    joyful = retriever.model_copy(update={"affect_filter": {"label": "joy"}})
    assert texts(joyful.invoke(QUERY)) == ["won"]
