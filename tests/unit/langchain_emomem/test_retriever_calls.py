"""What one call may say, and what a caller may ask of the retriever beside `invoke`."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langchain_core.runnables import ConfigurableField, RunnableLambda

from emomem import Affect, Off
from langchain_emomem import AffectModulatedRetriever, ChatModelAppraiser

QUERY = "that evening"
SAD = ["goodbye at the station", "the empty house", "a picnic by the river", "a note without a tag"]
NEAREST = [
    "a picnic by the river",
    "the shopping list",
    "goodbye at the station",
    "a note without a tag",
]


@pytest.fixture
def retriever(store):
    return AffectModulatedRetriever(vectorstore=store, affect="sadness", policy="congruent")


async def test_one_call_may_override_k_filter_affect_and_policy(retriever, texts):
    def recall(**call):
        return texts(retriever.invoke(QUERY, **call))

    assert recall() == SAD
    assert recall(k=1) == SAD[:1]
    assert recall(policy="off") == recall(policy=Off()) == NEAREST
    assert recall(affect="joy")[:2] == ["a picnic by the river", "dancing in the kitchen"]
    assert recall(affect=lambda: Affect.from_label("joy")) == recall(affect="joy")
    assert recall(filter={"user_id": "bob"}, k=2) == ["the empty house", "a note without a tag"]
    assert recall(k=None, filter=None, affect=None, policy=None, conversation=None) == SAD
    assert texts(await retriever.ainvoke(QUERY, k=2, policy="off")) == NEAREST[:2]
    assert recall() == SAD


@pytest.mark.parametrize("nothing", [None, {}])
def test_a_call_cannot_lift_the_filter_with_nothing(store, nothing):
    retriever = AffectModulatedRetriever(
        vectorstore=store, filter={"user_id": "ann"}, policy="off", affect="joy"
    )

    found = retriever.invoke(QUERY, filter=nothing, k=10)

    assert {document.metadata["user_id"] for document in found} == {"ann"}


@pytest.mark.parametrize(
    "conversation",
    [
        "I cried all day",
        ["I cried all day"],
        ("I cried all day",),
        [
            SystemMessage("be kind"),
            HumanMessage("I cried all day"),
            AIMessage("what a lovely day!"),
        ],
        [HumanMessage([{"type": "text", "text": "I cried all day"}])],
    ],
    ids=["str", "list", "tuple", "messages", "content blocks"],
)
def test_the_conversation_tells_the_affect_before_the_query_does(
    store, scripted, texts, conversation
):
    together = f"I cried all day\n{QUERY}"
    appraiser = scripted({together: "sadness", QUERY: "joy"})
    retriever = AffectModulatedRetriever(vectorstore=store, appraiser=appraiser, policy="congruent")

    assert texts(retriever.invoke(QUERY, conversation=conversation)) == SAD
    assert appraiser.asked == [together, QUERY]
    assert texts(retriever.invoke(QUERY, conversation=[AIMessage("I cried all day")])) != SAD
    assert appraiser.asked[2:] == [QUERY]


def test_a_given_affect_comes_before_the_conversation(store, scripted, texts):
    appraiser = scripted({"such fun": "joy"})
    retriever = AffectModulatedRetriever(
        vectorstore=store, appraiser=appraiser, affect="sadness", policy="congruent"
    )

    assert texts(retriever.invoke(QUERY, conversation="such fun")) == SAD
    assert appraiser.asked == []


@pytest.mark.parametrize("where", ["retriever", "call"])
async def test_an_unknown_mood_falls_through_to_the_conversation_then_the_query(
    store, scripted, texts, where
):
    low, dull = f"I feel low\n{QUERY}", f"well, well\n{QUERY}"
    appraiser = scripted({QUERY: "joy", low: "sadness"})
    mood, call = (
        ({"affect": Affect.unknown}, {})
        if where == "retriever"
        else ({}, {"affect": Affect.unknown})
    )
    retriever = AffectModulatedRetriever(
        vectorstore=store, appraiser=appraiser, policy="congruent", **mood
    )
    joyful = texts(retriever.invoke(QUERY, affect="joy"))

    for conversation, expected, asked in (
        ("I feel low", SAD, [low, QUERY]),
        ("well, well", joyful, [dull, QUERY]),
        (None, joyful, [QUERY]),
    ):
        for recall in (retriever.invoke, retriever.ainvoke):
            appraiser.asked.clear()
            found = recall(QUERY, conversation=conversation, **call)
            assert texts(await found if recall == retriever.ainvoke else found) == expected
            assert appraiser.asked == asked


async def test_explain_gives_the_order_of_invoke_with_ranks_and_reasons(retriever, texts):
    explained = retriever.explain(QUERY)

    assert [one.document for one in explained] == retriever.invoke(QUERY)
    assert [one.rank for one in explained] == [1, 2, 3, 4]
    assert [one.rank_without_affect for one in explained] == [3, 5, 1, 4]
    assert explained[0].score == pytest.approx(0.78 * 0.8 + 0.22, abs=0.01)
    assert explained[0].signals == pytest.approx({"cosine": 0.8, "match": 1.0}, abs=0.01)
    assert explained[0].weights == pytest.approx({"cosine": 0.78, "match": 0.22})
    assert explained[0].reason == "cosine 0.80 x 0.78 + match 1.00 x 0.22, up 2"
    assert "match" not in explained[3].signals
    assert {(one.strategy, one.policy, one.gate) for one in explained} == {
        ("combination", "congruent", 1.0)
    }
    again = await retriever.aexplain(QUERY)
    assert [(one.document, one.rank, one.reason) for one in again] == [
        (one.document, one.rank, one.reason) for one in explained
    ]


async def test_explain_of_the_plain_call_says_why_it_was_made(retriever, texts):
    explained = retriever.explain(QUERY, policy="off", k=2)

    assert texts([one.document for one in explained]) == NEAREST[:2]
    assert [(one.rank, one.rank_without_affect, one.score) for one in explained] == [
        (1, 1, None),
        (2, 2, None),
    ]
    assert {one.reason for one in explained} == {"affect is off"}
    assert await retriever.aexplain(QUERY, policy="off", k=2) == explained


def test_batches_streams_and_chains_work(retriever, texts):
    assert [texts(found) for found in retriever.batch([QUERY, "another"])] == [SAD, SAD]
    assert [texts(found) for found in retriever.stream(QUERY)] == [SAD]
    assert (retriever | texts | len).invoke(QUERY) == 4
    assert texts(retriever.bind(k=1).invoke(QUERY)) == SAD[:1]


async def test_abatch_works(retriever, texts):
    assert [texts(found) for found in await retriever.abatch([QUERY, "another"])] == [SAD, SAD]


def test_fields_can_be_made_configurable(retriever, texts):
    configurable = retriever.configurable_fields(
        policy=ConfigurableField(id="policy"), k=ConfigurableField(id="k")
    )

    assert texts(configurable.invoke(QUERY)) == SAD
    off = {"configurable": {"policy": "off", "k": 2}}
    assert texts(configurable.invoke(QUERY, off)) == NEAREST[:2]
    with pytest.raises(ValueError, match="policy must be a Policy or one of"):
        configurable.invoke(QUERY, {"configurable": {"policy": "of"}})


class Runs(BaseCallbackHandler):
    """Remembers the runs that it saw begin and end."""

    def __init__(self):
        self.begun, self.ended, self.failed = [], [], []

    def on_retriever_start(self, serialized, query, *, run_id, parent_run_id=None, **kwargs):
        self.begun.append((kwargs["name"], run_id, parent_run_id, kwargs["metadata"]))

    def on_retriever_end(self, documents, *, run_id, **kwargs):
        self.ended.append((run_id, len(documents)))

    def on_retriever_error(self, error, *, run_id, **kwargs):
        self.failed.append(run_id)


async def test_a_handler_sees_one_run_of_a_store(retriever):
    runs, aruns = Runs(), Runs()
    retriever.invoke(QUERY, {"callbacks": [runs]})
    await retriever.ainvoke(QUERY, {"callbacks": [aruns]})

    for seen in (runs, aruns):
        [(name, run, parent, metadata)] = seen.begun
        assert (name, parent) == ("AffectModulatedRetriever", None)
        assert metadata["ls_vector_store_provider"] == "InMemoryVectorStore"
        assert seen.ended == [(run, 4)]


async def test_the_run_of_a_base_retriever_is_a_child(store):
    base = store.as_retriever(search_kwargs={"k": 10})
    retriever = AffectModulatedRetriever(base_retriever=base, affect="sadness")
    runs, aruns = Runs(), Runs()
    retriever.invoke(QUERY, {"callbacks": [runs]})
    await retriever.ainvoke(QUERY, {"callbacks": [aruns]})

    for seen in (runs, aruns):
        (name, run, parent, _), (base_name, _, base_parent, _) = seen.begun
        assert (name, parent) == ("AffectModulatedRetriever", None)
        assert (base_name, base_parent) == ("VectorStoreRetriever", run)
        assert [count for _, count in seen.ended] == [10, 4]


@pytest.mark.parametrize("method", ["invoke", "ainvoke"])
@pytest.mark.parametrize("chained", [False, True])
async def test_the_runs_of_chat_models_are_children(store, family, method, chained):
    said = '{"valence": -0.8, "arousal": 0.3, "label": "grief", "query": "that evening"}'
    model = FakeListChatModel(responses=[said])
    retriever = AffectModulatedRetriever(
        vectorstore=store, appraiser=ChatModelAppraiser(model), rewriter=model
    )
    asked = getattr(RunnableLambda(str) | retriever if chained else retriever, method)
    found = asked("I feel awful", {"callbacks": [family], "tags": ["night"]})
    assert len(await found if method == "ainvoke" else found) == 4

    [(run, _)] = family.retrievers
    assert family.models == [(run, True)] * 2


async def test_what_explain_begins_is_a_child_of_the_run_that_asks_for_it(store, family):
    model = FakeListChatModel(responses=['{"valence": -0.8, "arousal": 0.3, "label": "grief"}'])
    retriever = AffectModulatedRetriever(
        base_retriever=store.as_retriever(), appraiser=ChatModelAppraiser(model)
    )
    config = {"callbacks": [family], "tags": ["night"]}
    RunnableLambda(retriever.explain).invoke("I feel awful", config)
    await RunnableLambda(retriever.explain, retriever.aexplain).ainvoke("I feel awful", config)

    parents = [parent for _, parent in family.retrievers]
    assert None not in parents
    assert family.models == [(parent, True) for parent in parents]


def test_a_handler_sees_the_run_that_fails(retriever):
    runs = Runs()
    with pytest.raises(ValueError, match="k must be >= 1"):
        retriever.invoke(QUERY, {"callbacks": [runs]}, k=0)

    assert len(runs.failed) == 1
    assert not runs.ended


def test_a_tracing_service_is_told_the_names_of_store_and_encoder(store, retriever):
    assert retriever._get_ls_params() == {
        "ls_retriever_name": "affectmodulated",
        "ls_vector_store_provider": "InMemoryVectorStore",
        "ls_embedding_provider": "Placed",
    }
    wrapping = AffectModulatedRetriever(base_retriever=store.as_retriever(), affect="joy")
    assert wrapping._get_ls_params() == retriever._get_ls_params()


async def test_async_runs_neither_appraiser_nor_mood_on_the_loops_thread(store, scripted, texts):
    appraiser, moods = scripted({QUERY: "sadness"}), []

    def mood():
        moods.append(threading.get_ident())
        return Affect.unknown()

    retriever = AffectModulatedRetriever(
        vectorstore=store, appraiser=appraiser, affect=mood, policy="congruent"
    )

    assert texts(await retriever.ainvoke(QUERY)) == SAD
    assert len(moods) == len(appraiser.threads) == 1
    assert threading.get_ident() not in {*moods, *appraiser.threads}


async def test_an_async_mood_is_awaited_and_refused_in_sync(store, texts):
    async def mood():
        await asyncio.sleep(0)
        return "sadness"

    retriever = AffectModulatedRetriever(vectorstore=store, affect=mood, policy="congruent")

    assert texts(await retriever.ainvoke(QUERY)) == SAD
    with pytest.raises(TypeError, match="affect is async; call ainvoke"):
        retriever.invoke(QUERY)


def test_threads_may_share_one_retriever(store, scripted, texts):
    script = {f"{mood} {turn}": mood for turn in range(40) for mood in ("sadness", "joy", "anger")}
    retriever = AffectModulatedRetriever(
        vectorstore=store, appraiser=scripted(script), policy="congruent"
    )
    alone = {mood: retriever.invoke(QUERY, affect=mood) for mood in ("sadness", "joy", "anger")}

    with ThreadPoolExecutor(16) as pool:
        found = list(pool.map(retriever.invoke, script))

    assert found == [alone[mood] for mood in script.values()]
    assert len({str(texts(recalled)) for recalled in alone.values()}) == 3
