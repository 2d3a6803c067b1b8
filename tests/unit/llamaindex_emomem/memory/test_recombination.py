"""A memory dreams through a LlamaIndex model."""

import json

import pytest
from llama_index.core import MockEmbedding
from llama_index.core.llms import CompletionResponse, CustomLLM, LLMMetadata
from llama_index.core.vector_stores import SimpleVectorStore

from emomem import LexiconAppraiser
from emomem.memory import recombination as core
from llamaindex_emomem import ConflictAwareMemory, Recombination

SCENE = json.dumps({"text": "A station of glass.", "valence": -0.4, "arousal": 0.3})


class Model(CustomLLM):
    """Says what it is to say."""

    @property
    def metadata(self):
        return LLMMetadata()

    def complete(self, prompt, **kwargs):
        return CompletionResponse(text=SCENE)

    def stream_complete(self, prompt, **kwargs):
        raise NotImplementedError


@pytest.fixture
def memory():
    made = ConflictAwareMemory(
        SimpleVectorStore(), embed_model=MockEmbedding(8), appraiser=LexiconAppraiser()
    )
    made.save("goodbye at the station", user_id="ann")
    return made


@pytest.mark.parametrize("make", [lambda model: model, Recombination])
async def test_the_model_alone_or_with_who_is_who(memory, make):
    assert memory.dream(make(Model()), user_id="ann").text == "A station of glass."
    assert (await memory.adream(make(Model()), user_id="ann")).text == "A station of glass."


def test_what_is_no_model_is_refused_at_once(memory):
    with pytest.raises(TypeError, match="make one, got int"):
        Recombination(3)
    with pytest.raises(TypeError, match=r"LlamaIndexChatModel\(llm\) make one, got Model"):
        core.Recombination(Model())  # it has methods of the names that the core calls
    with pytest.raises(TypeError, match="expected a Recombination"):
        memory.dream("model", user_id="ann")
    with pytest.raises(TypeError, match="a query is a text or a list of messages, got NoneType"):
        memory.context(None, user_id="ann")
