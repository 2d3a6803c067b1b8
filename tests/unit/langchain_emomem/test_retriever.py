import copy
import logging
import warnings

import pytest
from langchain_core.documents import Document
from langchain_core.vectorstores import InMemoryVectorStore

from emomem import Affect, Auto, Combination, Modulated
from emomem.metadata import _warn_once
from langchain_emomem import AffectModulatedRetriever

QUERY = "that evening"
STRATEGIES = ["semantic", "combination", "sequence", "salience", "modulated"]
POLICIES = ["congruent", "comfort", "lesson", "off", "auto"]
PLAIN = {
    "policy off": {"affect": "sadness", "policy": "off"},
    "semantic": {"affect": "sadness", "strategy": "semantic"},
    "neutral moment": {"affect": Affect.neutral()},
    "no confidence": {"affect": Affect(valence=-0.9, confidence=0.0)},
    "nothing wanted": {"affect": "joy", "policy": "comfort"},
}


def anns(document: Document) -> bool:
    return document.metadata["user_id"] == "ann"


@pytest.mark.parametrize("wanted", PLAIN.values(), ids=PLAIN)
@pytest.mark.parametrize("search_kwargs", [{"k": 3}, {"k": 3, "filter": anns}])
async def test_where_affect_has_no_say_the_very_call_of_as_retriever_is_made(
    store, searches, wanted, search_kwargs
):
    calls = searches(store)
    plain = store.as_retriever(search_kwargs=search_kwargs)
    ours = AffectModulatedRetriever(vectorstore=store, search_kwargs=search_kwargs, **wanted)

    expected, plain_calls = plain.invoke(QUERY), calls.copy()
    calls.clear()
    found, our_calls = ours.invoke(QUERY), calls.copy()
    calls.clear()
    aexpected, plain_acalls = await plain.ainvoke(QUERY), calls.copy()
    calls.clear()
    afound, our_acalls = await ours.ainvoke(QUERY), calls.copy()

    assert len(expected) == 3
    assert found == expected == afound == aexpected
    assert our_calls == plain_calls != []
    assert our_acalls == plain_acalls != []


@pytest.mark.parametrize(
    ("query", "script"),
    [
        ("when was the picnic?", {"when was the picnic?": "joy"}),
        ("the list", {}),
        ("the list", {"the list": Affect.neutral()}),
    ],
    ids=["a factual question", "no affect read", "a neutral text"],
)
def test_gate_zero_makes_the_plain_call(store, searches, scripted, query, script):
    calls = searches(store)
    ours = AffectModulatedRetriever(vectorstore=store, k=3, appraiser=scripted(script))

    assert ours.invoke(query) == store.as_retriever(search_kwargs={"k": 3}).invoke(query)
    ours_first, plain_first = calls[0], calls[len(calls) // 2]
    assert ours_first == plain_first == ("similarity_search", (query,), {"k": 3})


def test_combination_ranks_by_meaning_and_feeling(store, texts):
    retriever = AffectModulatedRetriever(vectorstore=store, affect="sadness", policy="congruent")

    # 0.7 cos + 0.3 match, and the memory without a tag stays fourth.
    assert texts(retriever.invoke(QUERY)) == [
        "goodbye at the station",
        "the empty house",
        "a picnic by the river",
        "a note without a tag",
    ]


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("affect", ["sadness", "joy", Affect(valence=-0.9, conflict=0.9)])
async def test_sync_and_async_agree_and_asking_twice_changes_nothing(
    store, strategy, policy, affect
):
    before = copy.deepcopy(store.store)
    retriever = AffectModulatedRetriever(
        vectorstore=store, strategy=strategy, policy=policy, affect=affect, k=4
    )

    first, second = retriever.invoke(QUERY), retriever.invoke(QUERY)

    assert len(first) == 4
    assert first == second == await retriever.ainvoke(QUERY)
    assert store.store == before


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("policy", ["congruent", "lesson"])
def test_an_untagged_memory_keeps_the_rank_that_meaning_gives_it(store, texts, strategy, policy):
    retriever = AffectModulatedRetriever(
        vectorstore=store, strategy=strategy, policy=policy, affect="sadness", k=6
    )

    assert texts(retriever.invoke(QUERY))[3] == "a note without a tag"


def test_a_store_without_any_tag_is_recalled_by_meaning(diary, diary_encoder, texts):
    store = InMemoryVectorStore(diary_encoder)
    store.add_documents([Document(found.page_content) for found in diary])
    for strategy in STRATEGIES:
        retriever = AffectModulatedRetriever(vectorstore=store, strategy=strategy, affect="sadness")
        assert retriever.invoke(QUERY) == store.similarity_search(QUERY, k=4), strategy


@pytest.mark.parametrize("strategy", [Combination(), Combination(scale="pool"), Modulated()])
@pytest.mark.parametrize("policy", ["congruent", "lesson", Auto(), Auto("care")])
def test_a_mild_memory_on_topic_is_not_overtaken_by_a_furious_one_off_topic(
    placed, tagged, texts, strategy, policy
):
    # Cosine distances 0.2 and 0.9.
    store = InMemoryVectorStore(placed({"the lease": 0.8, "that referee": 0.1}))
    store.add_documents([tagged("that referee", "anger"), tagged("the lease", "relief")])
    retriever = AffectModulatedRetriever(
        vectorstore=store, strategy=strategy, policy=policy, affect="anger"
    )

    assert texts(retriever.invoke(QUERY)) == ["the lease", "that referee"]


def test_a_missing_arousal_is_missing(placed, texts):
    # Were a missing arousal taken for 0.3 or 0, the first would rank last.
    store = InMemoryVectorStore(placed({"first": 0.9, "second": 0.8, "third": 0.7}))
    metadata = {"first": {}, "second": {"affect_arousal": 0.5}, "third": {"affect_arousal": 0.9}}
    store.add_texts(list(metadata), list(metadata.values()))
    retriever = AffectModulatedRetriever(vectorstore=store, strategy="salience", affect="joy")

    assert texts(retriever.invoke(QUERY)) == ["first", "third", "second"]


def test_results_carry_the_users_own_keys_unchanged(placed, tagged):
    own = {"score": 7, "valence": "covalent", "label": "work", "tags": ["a", {"b": 1}]}
    store = InMemoryVectorStore(placed({"one": 0.9, "two": 0.8}))
    store.add_documents([tagged("one", "joy", **copy.deepcopy(own)), tagged("two", "sadness")])
    retriever = AffectModulatedRetriever(vectorstore=store, affect="sadness", policy="congruent")

    [one] = [found for found in retriever.invoke(QUERY) if found.page_content == "one"]

    assert one.metadata == tagged("one", "joy", **own).metadata


def test_nothing_that_the_caller_passed_is_changed(store):
    search_kwargs = {"k": 3, "filter": anns}
    affect_filter = {"$and": [{"valence": {"$lt": 0, "$gt": -1}}]}
    conversation = ["hello", "I feel low"]
    kept = copy.deepcopy((search_kwargs, affect_filter, conversation))
    retriever = AffectModulatedRetriever(
        vectorstore=store,
        search_kwargs=search_kwargs,
        affect_filter=affect_filter,
        affect="sadness",
    )

    assert retriever.invoke(QUERY, conversation=conversation)
    assert (search_kwargs, affect_filter, conversation) == kept


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("policy", POLICIES)
def test_no_log_and_no_warning_holds_a_memory_or_the_query(store, caplog, strategy, policy):
    retriever = AffectModulatedRetriever(
        vectorstore=store, strategy=strategy, policy=policy, affect="sadness"
    )
    with caplog.at_level(logging.DEBUG), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = retriever.invoke(QUERY)
        explained = retriever.explain(QUERY)

    said = caplog.text + "".join(str(warning.message) for warning in caught) + repr(explained)
    assert QUERY not in said
    assert not [memory for memory in found if memory.page_content in said]


def test_bad_affect_metadata_is_logged_without_text_and_counts_as_unknown(placed, caplog, texts):
    _warn_once.cache_clear()
    store = InMemoryVectorStore(placed({"bad": 0.9, "sad": 0.8}))
    store.add_texts(["bad", "sad"], [{"affect_valence": 7.5}, {"affect_label": "sadness"}])
    retriever = AffectModulatedRetriever(vectorstore=store, affect="sadness", policy="congruent")

    assert texts(retriever.invoke(QUERY)) == ["bad", "sad"]
    assert [record.getMessage() for record in caplog.records] == [
        "metadata key 'affect_valence' is not a number in -1..1 in every memory; ignored where not"
    ]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_an_empty_store_and_an_empty_query_are_answered(
    store, diary_encoder, scripted, texts, strategy
):
    empty = InMemoryVectorStore(diary_encoder)
    for affect in ("sadness", None):
        options = {"strategy": strategy, "affect": affect, "appraiser": scripted({})}
        assert AffectModulatedRetriever(vectorstore=empty, **options).invoke(QUERY) == []
        assert AffectModulatedRetriever(vectorstore=empty, **options).explain(QUERY) == []
        assert len(AffectModulatedRetriever(vectorstore=store, **options).invoke("")) == 4


def test_documents_of_equal_id_and_text_are_all_ranked(tagged, placed, texts):
    store = InMemoryVectorStore(placed({"same": 0.5, "other": 0.9}))
    store.add_documents([tagged("same", "sadness"), tagged("same", "joy"), tagged("other", "joy")])
    store.add_documents([tagged("other", "joy")])
    retriever = AffectModulatedRetriever(
        vectorstore=store, affect="sadness", policy="congruent", strategy=Combination(weight=1)
    )

    assert texts(retriever.invoke(QUERY)) == ["same", "other", "other", "same"]


def test_k_beyond_the_store_returns_all_of_it_once(store, texts, diary):
    retriever = AffectModulatedRetriever(vectorstore=store, affect="sadness", k=50)

    assert sorted(texts(retriever.invoke(QUERY))) == sorted(texts(diary))
