"""The memory over LlamaIndex's own store; what it does is the core's and tested there."""

import pytest
from llama_index.core import MockEmbedding, Settings, VectorStoreIndex
from llama_index.core.llms import ChatMessage
from llama_index.core.schema import TextNode
from llama_index.core.vector_stores import SimpleVectorStore

from emomem import LexiconAppraiser
from emomem.memory.in_memory import InMemoryStore
from llamaindex_emomem import ConflictAwareMemory

OPTIONS = {"user_id": "ann", "appraiser": LexiconAppraiser()}


@pytest.fixture
def memory():
    return ConflictAwareMemory(SimpleVectorStore(), embed_model=MockEmbedding(8), **OPTIONS)


async def test_a_context_is_of_the_users_last_message(memory):
    memory.save("I live in Rome")
    block = memory.context("where do I live?")
    assert "I live in Rome" in block
    messages = [
        ChatMessage("hello"),
        ChatMessage("where do I live?"),
        ChatMessage("let me see", role="assistant"),
    ]
    assert memory.context(messages) == await memory.acontext(messages) == block
    assert memory.context("I want to die").startswith("<caution by=")
    with pytest.raises(TypeError, match="a str or a ChatMessage"):
        memory.context([3])


def test_what_has_changed_is_found_and_forgotten_on_demand(memory):
    memory.save("I live in Rome", created_at=1.0)
    memory.save("I live in Milan", created_at=2.0)
    assert [one.unit.text for one in memory.recall("x").facts] == ["I live in Milan"]
    assert memory.forget(user_id="ann").units == 4
    assert memory.timeline() == []


def test_an_index_in_the_same_store_and_the_memory_leave_each_other_alone():
    store, embed_model = SimpleVectorStore(), MockEmbedding(8)
    nodes = [TextNode(text="a page", metadata={"user_id": "ann", "kind": "fact"})]
    index = VectorStoreIndex(nodes, embed_model=embed_model)
    memory = ConflictAwareMemory(index.vector_store, embed_model=embed_model, **OPTIONS)
    memory.save("I live in Rome")
    assert [one.text for one in memory.timeline()] == ["I live in Rome"]
    memory.forget(user_id="ann")
    assert [one.text for one in index.as_retriever().retrieve("x")] == ["a page"]
    del store


def test_without_an_encoder_it_takes_the_one_of_the_settings(monkeypatch):
    encoder = MockEmbedding(3)
    monkeypatch.setattr(Settings, "_embed_model", encoder)
    store = SimpleVectorStore()
    ConflictAwareMemory(store, **OPTIONS).save("I live in Rome")
    assert {len(vector) for vector in store.data.embedding_dict.values()} == {3}


def test_wrong_options_raise_at_once():
    with pytest.raises(TypeError, match="colour"):
        ConflictAwareMemory(SimpleVectorStore(), embed_model=MockEmbedding(8), colour="red")
    with pytest.raises(TypeError, match="got dict"):
        ConflictAwareMemory({}, **OPTIONS)
    with pytest.raises(ValueError, match="embed_model goes with a vector store"):
        ConflictAwareMemory(InMemoryStore(embed=len), embed_model=MockEmbedding(8), **OPTIONS)
