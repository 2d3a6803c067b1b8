"""The memory over LangChain's own stores; what it does is the core's and tested there."""

import pytest
from langchain_core.embeddings import DeterministicFakeEmbedding, Embeddings
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.vectorstores import InMemoryVectorStore
from langgraph.store.memory import InMemoryStore

from emomem import LexiconAppraiser
from langchain_emomem import AffectModulatedRetriever, ConflictAwareMemory

ENCODER = DeterministicFakeEmbedding(size=8)


@pytest.fixture(params=["vector store", "LangGraph store"])
def store(request):
    if request.param == "vector store":
        return InMemoryVectorStore(ENCODER)
    return InMemoryStore(index={"dims": 8, "embed": ENCODER, "fields": ["text"]})


@pytest.fixture
def memory(store):
    return ConflictAwareMemory(store, user_id="ann", appraiser=LexiconAppraiser())


async def test_a_context_is_of_the_last_human_message(memory):
    memory.save("I live in Rome")
    block = memory.context("where do I live?")
    assert "I live in Rome" in block
    messages = [HumanMessage("hello"), HumanMessage("where do I live?"), AIMessage("let me see")]
    assert memory.context(messages) == await memory.acontext(messages) == block
    assert memory.context("I want to die").startswith("<caution by=")
    with pytest.raises(TypeError, match="a str or a message"):
        memory.context([3])


def test_the_default_detectors_find_what_has_changed(memory):
    memory.save("I live in Rome", created_at=1.0)
    assert [one.kind for one in memory.check("I live in Milan")] == ["fact_update"]
    memory.save("I live in Milan", created_at=2.0)
    assert [one.unit.text for one in memory.recall("x").facts] == ["I live in Milan"]


def test_a_goal_is_held_against_an_instruction(memory):
    memory.goals.add("keep the budget under 2,000")
    assert [one.kind for one in memory.check("Book the suite for 3,000")] == ["goal_instruction"]


def test_a_mood_is_the_present_affect_of_a_retriever():
    store = InMemoryVectorStore(ENCODER)
    options = {"appraiser": LexiconAppraiser(), "clock": lambda: 1e9}
    memory = ConflictAwareMemory(store, user_id="ann", **options)
    memory.save("What a lovely, wonderful day!")
    retriever = AffectModulatedRetriever(
        vectorstore=store, affect=memory.mood, policy="congruent", filter={"user_id": "ann"}
    )
    [first, *_] = retriever.explain("that evening")
    assert first.present == memory.mood()
    assert first.present.valence > 0


def test_wrong_options_raise_at_once(store):
    with pytest.raises(TypeError, match="colour"):
        ConflictAwareMemory(store, colour="red")
    with pytest.raises(TypeError, match="got dict"):
        ConflictAwareMemory({})


class Places(Embeddings):
    """A text's place by the words in it: dogs along one axis, boats along the other."""

    def embed_query(self, text):
        return [float(text.count("dog")), float(text.count("boat")), 0.01]

    def embed_documents(self, texts):
        return [self.embed_query(text) for text in texts]


async def test_the_conversation_shapes_what_is_searched():
    store = InMemoryVectorStore(Places())
    memory = ConflictAwareMemory(store, user_id="ann", appraiser=LexiconAppraiser())
    memory.save("the boat is blue")
    memory.save("the dog is old")
    said = [HumanMessage("my dog"), AIMessage("the dog?"), HumanMessage("yes")]
    turns = ["my dog", "the dog?"]

    def first(found):
        return found.facts[0].unit.text

    assert first(memory.recall("yes", conversation=turns)) == "the dog is old"
    assert first(await memory.arecall("yes", conversation=turns)) == "the dog is old"
    assert first(memory.recall("the boat", conversation=["a boat"])) == "the boat is blue"
    for block in (memory.context(said), await memory.acontext(said)):
        assert block.index("the dog is old") < block.index("the boat is blue")
    with pytest.raises(TypeError, match="conversation is a list"):
        memory.recall("yes", conversation="my dog")
