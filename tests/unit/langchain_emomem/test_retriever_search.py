"""What is searched for: the query, the conversation, a rewritten query, the wanted feeling."""

import numpy as np
import pytest
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langchain_core.vectorstores import InMemoryVectorStore
from pydantic import ValidationError

from emomem import Affect, Combination
from emomem.metadata import encode
from langchain_emomem import AffectEmbeddings, AffectModulatedRetriever

QUERY = "I miss it"
PLACES = {
    QUERY: [0, 0, 1],
    "the dog": [1, 0, 0],
    f"the dog\n{QUERY}": [1, 0, 0],
    f"the dog\nlovely\n{QUERY}": [1, 0, 0],
    "a house with a garden": [0, 0.5, 1],
    "Rex in the garden": [1, 0, 1],
    "a new leash": [1, 0.1, 0],
}
MEMORIES = ("a house with a garden", "Rex in the garden", "a new leash")


class Places(Embeddings):
    def __init__(self):
        self.asked = []

    def embed_query(self, text):
        self.asked.append(text)
        return [float(x) for x in PLACES.get(text, [0, 1, 0])]

    def embed_documents(self, texts):
        return [[float(x) for x in PLACES[text]] for text in texts]


@pytest.fixture(params=["plain", "fused"])
def store(request, scripted):
    encoder = Places()
    if request.param == "fused":
        encoder = AffectEmbeddings(encoder, scripted(dict.fromkeys(MEMORIES, "sadness")))
    store = InMemoryVectorStore(encoder)
    sad = encode(Affect.from_label("sadness"))
    store.add_documents([Document(text, id=text, metadata=sad) for text in MEMORIES])
    return store


@pytest.mark.parametrize("policy", ["off", "congruent"])
async def test_the_conversation_is_searched_for_with_the_query(store, texts, policy):
    options = {"vectorstore": store, "affect": "sadness", "policy": policy, "k": 1}
    alone = AffectModulatedRetriever(**options)
    mixing = AffectModulatedRetriever(query_from="conversation", **options)

    assert texts(alone.invoke(QUERY, conversation=["the dog"])) == ["a house with a garden"]
    for turns in (["the dog"], ["the dog", QUERY], [HumanMessage("the dog"), HumanMessage(QUERY)]):
        assert texts(mixing.invoke(QUERY, conversation=turns)) == ["Rex in the garden"]
    said = [SystemMessage("be kind"), HumanMessage("the dog"), AIMessage("lovely"), AIMessage(" ")]
    assert texts(await mixing.ainvoke(QUERY, conversation=said)) == ["Rex in the garden"]
    for nothing in (None, [], [SystemMessage("be kind")]):
        assert texts(mixing.invoke(QUERY, conversation=nothing)) == ["a house with a garden"]


def test_the_cosines_are_those_of_the_mixture(store):
    retriever = AffectModulatedRetriever(
        vectorstore=store, affect="sadness", policy="congruent", query_from="conversation"
    )

    explained = retriever.explain(QUERY, conversation=["the dog"])

    mixture = np.array([1, 0, 1]) / 2**0.5
    for one in explained:
        place = np.array(PLACES[one.document.page_content])
        expected = float(place @ mixture / np.linalg.norm(place))
        assert one.signals["cosine"] == pytest.approx(expected, abs=1e-5)


def test_a_conversation_needs_an_encoder_that_is_shown(diary_encoder, store):
    class Hidden(InMemoryVectorStore):
        embeddings = None

    options = {"affect": "joy", "query_from": "conversation"}
    with pytest.raises(ValidationError, match="Hidden does not show its encoder"):
        AffectModulatedRetriever(vectorstore=Hidden(diary_encoder), **options)
    with pytest.raises(ValidationError, match="query_from go with vectorstore"):
        AffectModulatedRetriever(base_retriever=store.as_retriever(), **options)
    with pytest.raises(ValidationError, match="query_from"):
        AffectModulatedRetriever(vectorstore=store, affect="joy", query_from="context")


async def test_a_rewriter_says_what_is_searched_for_and_not_how_the_user_feels(
    store, scripted, texts
):
    PLACES["Rex, my dog"] = [1, 0, 1]
    appraiser = scripted({QUERY: "sadness"})
    retriever = AffectModulatedRetriever(
        vectorstore=store,
        appraiser=appraiser,
        policy="congruent",
        rewriter=FakeListChatModel(responses=['{"query": "Rex, my dog"}']),
        k=1,
    )

    assert texts(retriever.invoke(QUERY)) == ["Rex in the garden"]
    assert texts(await retriever.ainvoke(QUERY)) == ["Rex in the garden"]
    assert texts(retriever.invoke(QUERY, policy="off")) == ["Rex in the garden"]
    assert appraiser.asked == [QUERY, QUERY]
    mute = retriever.model_copy(update={"rewriter": FakeListChatModel(responses=["?"])})
    assert texts(mute.invoke(QUERY)) == ["a house with a garden"]


class TestSearchFeeling:
    @pytest.fixture
    def sad_and_far(self, diary_encoder, diary):
        store = InMemoryVectorStore(diary_encoder)
        store.add_documents(diary)
        return store

    @pytest.fixture
    def options(self, sad_and_far):
        return {
            "vectorstore": sad_and_far,
            "affect": "anger",
            "policy": "congruent",
            "strategy": Combination(weight=0.6),
            "k": 2,
            "fetch_k": 3,
        }

    async def test_what_carries_the_feeling_joins_the_nearest(self, options, texts):
        without = AffectModulatedRetriever(**options)
        joining = AffectModulatedRetriever(search_feeling=True, **options)

        assert "the row about money" not in texts(without.invoke("that evening"))
        found = joining.explain("that evening")

        assert found[0].document.page_content == "the row about money"
        assert found[0].rank_without_affect is None
        assert found[0].signals["cosine"] == pytest.approx(0.5)
        assert await joining.ainvoke("that evening") == [one.document for one in found]

    @pytest.mark.parametrize(
        ("policy", "affect", "beyond"), [("comfort", "grief", {9}), ("lesson", "joy", {6, 7, 8})]
    )
    def test_a_policy_of_its_own_match_searches_by_valence(self, options, policy, affect, beyond):
        options = {**options, "policy": policy, "affect": affect, "k": 6}
        options["strategy"] = Combination(weight=0.95)
        joining = AffectModulatedRetriever(search_feeling=True, **options)

        found = joining.invoke("that evening")

        assert {one.metadata["day"] for one in found if one.metadata["day"] > 5} == beyond

    def test_nobody_sees_anothers_memory(self, options):
        joining = AffectModulatedRetriever(
            search_feeling=True, filter={"user_id": "bob"}, **options
        )

        found = joining.invoke("that evening", k=9)

        assert {one.metadata["user_id"] for one in found} == {"bob"}

    def test_the_plain_call_is_one_search(self, options, searches):
        calls = searches(options["vectorstore"])
        AffectModulatedRetriever(search_feeling=True, **options).invoke(
            "that evening", policy="off"
        )
        assert [name for name, _, _ in calls] == [
            "similarity_search",
            "similarity_search_with_score",
        ]

    def test_it_needs_a_store_that_filters_by_itself(self, foreign, diary_encoder):
        with pytest.raises(ValidationError, match="filters by itself, not ForeignStore"):
            AffectModulatedRetriever(
                vectorstore=foreign(diary_encoder), affect="joy", search_feeling=True
            )
