"""A memory dreams through a LangChain chat model."""

import json

import pytest
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.language_models import FakeListChatModel
from langchain_core.vectorstores import InMemoryVectorStore

from emomem import LexiconAppraiser
from emomem.memory import recombination as core
from langchain_emomem import ConflictAwareMemory, Recombination

SCENE = json.dumps({"text": "A station of glass.", "valence": -0.4, "arousal": 0.3})


@pytest.fixture
def memory():
    store = InMemoryVectorStore(DeterministicFakeEmbedding(size=8))
    made = ConflictAwareMemory(store, user_id="ann", appraiser=LexiconAppraiser())
    made.save("goodbye at the station")
    return made


def model():
    return FakeListChatModel(responses=[SCENE])


@pytest.mark.parametrize("make", [lambda model: model, Recombination])
async def test_the_model_alone_or_with_who_is_who(memory, make):
    assert memory.dream(make(model())).text == "A station of glass."
    assert (await memory.adream(make(model()))).text == "A station of glass."


def test_what_is_no_model_is_refused_at_once(memory):
    for make in (Recombination, core.Recombination):
        with pytest.raises(TypeError, match="make one, got int"):
            make(3)
    with pytest.raises(TypeError, match=r"LangChainChatModel\(model\) and .* got Fake"):
        core.Recombination(model())
    with pytest.raises(ValueError, match="days must be > 0"):
        Recombination(model(), days=0)
    with pytest.raises(TypeError, match="expected a Recombination"):
        memory.dream("model")


@pytest.mark.parametrize("query", [None, 3])
def test_a_context_is_for_a_text_or_messages(memory, query):
    with pytest.raises(TypeError, match="a query is a text or a list of messages, got"):
        memory.context(query)
