"""Deep encoding as LangChain's document transformer."""

import json

import pytest
from langchain_chroma import Chroma
from langchain_core.documents import BaseDocumentTransformer, Document
from langchain_core.language_models import BaseChatModel, FakeListChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import RunnableLambda
from langchain_core.tracers.context import _configure_hooks
from pydantic import Field

from emomem import Affect, LexiconAppraiser
from emomem.encoding.documents import PENDING_FILTER
from emomem.encoding.record import DIMENSIONS, DeepMemory
from emomem.metadata import encode
from langchain_emomem import AffectModulatedRetriever, DeepEncoder

TOLD = {name: f"{name} told" for name in DIMENSIONS}
GOOD = json.dumps(TOLD)
STIRRED = encode(Affect(valence=-0.8, arousal=0.9, label="grief"))
CALM = encode(Affect(arousal=0.1))
USAGE = {"input_tokens": 300, "output_tokens": 40, "total_tokens": 340}


class Telling(BaseChatModel):
    """Says its lines in turn, with what each took; an exception among them is raised."""

    temperature: float | None = None
    says: list = Field(default_factory=list)
    at: list = Field(default_factory=list)

    @property
    def _llm_type(self):
        return "telling"

    def _generate(self, messages, stop=None, run_manager=None, **kwargs):
        self.at.append(self.temperature)
        said = self.says.pop(0)
        if isinstance(said, Exception):
            raise said
        message = AIMessage(
            said, usage_metadata=USAGE, response_metadata={"model_name": "telling-1"}
        )
        return ChatResult(generations=[ChatGeneration(message=message)])


@pytest.fixture(params=["sync", "async"])
def transform(request):
    async def run(encoder, documents):
        if request.param == "async":
            return await encoder.atransform_documents(documents)
        return encoder.transform_documents(documents)

    return run


def make(*says, **options):
    return DeepEncoder(Telling(says=list(says)), **{"appraiser": LexiconAppraiser(), **options})


async def test_documents_become_memories(transform):
    documents = [
        Document("My dog died!", id="a", metadata={"day": 1, **STIRRED}),
        Document("The lease runs until March.", id="b", metadata=CALM),
    ]
    encoder = make(GOOD)

    deep, standard = await transform(encoder, documents)

    assert isinstance(encoder, BaseDocumentTransformer)
    assert (deep.id, deep.metadata["day"], deep.metadata["deep_fact"]) == ("a", 1, "fact told")
    assert deep.page_content == DeepMemory(**TOLD).to_text()
    assert deep.metadata["deep_raw"] == documents[0].page_content == "My dog died!"
    assert (standard.id, standard.page_content) == ("b", "user said: The lease runs until March.")
    assert standard.metadata["deep_status"] == "standard"


async def test_the_cost_is_what_the_messages_tell(transform):
    hooks = len(_configure_hooks)
    encoder = make("no", GOOD, GOOD)
    await transform(encoder, [Document(text, metadata=STIRRED) for text in "ab"])
    cost = encoder.cost
    assert (cost.calls, cost.prompt_tokens, cost.answer_tokens, cost.estimated) == (3, 900, 120, 0)
    assert len(_configure_hooks) == hooks

    silent = DeepEncoder(FakeListChatModel(responses=[GOOD]), appraiser=LexiconAppraiser())
    await transform(silent, [Document("a", metadata=STIRRED)])
    assert (silent.cost.calls, silent.cost.estimated) == (1, 1)
    assert silent.cost.prompt_tokens > 100


@pytest.mark.parametrize(("options", "asked_at"), [({}, 0.0), ({"temperature": 0.3}, 0.3)])
async def test_the_temperature_is_the_callers(transform, options, asked_at):
    model = Telling(says=[GOOD], **options)
    await transform(
        DeepEncoder(model, appraiser=LexiconAppraiser()), [Document("a", metadata=STIRRED)]
    )
    assert model.at == [asked_at]


@pytest.fixture
def store(placed, tmp_path):
    """A Chroma that places the four dimensions of one memory, and the standard ones."""
    texts = {
        "user said: a": 0.3,
        "user said: b": 0.5,
        **dict(zip(TOLD.values(), (0.2, 0.9, 0.1, 0.8), strict=True)),
    }
    store = Chroma(
        "deep",
        placed(texts),
        persist_directory=str(tmp_path),
        collection_metadata={"hnsw:space": "cosine"},
    )
    yield store
    store.delete_collection()


async def test_over_several_vectors_a_memory_is_one_result(store):
    encoder = make(GOOD, embed="multi")
    documents = [Document("a", id="1", metadata=STIRRED), Document("b", id="2", metadata=CALM)]
    store.add_documents(encoder.transform_documents(documents))

    retriever = store.as_retriever(search_kwargs={"k": 8}) | RunnableLambda(encoder.merge)
    found = retriever.invoke("anything")

    assert await retriever.ainvoke("anything") == found
    assert [one.metadata["deep_raw"] for one in found] == ["a", "b"]
    assert found[0].page_content == DeepMemory(**TOLD).to_text()
    assert found[0].metadata["deep_dimension"] == "underlying_motive"
    assert len(encoder.merge(found, 1)) == 1

    ours = AffectModulatedRetriever(vectorstore=store, k=8, appraiser=LexiconAppraiser())
    merged = encoder.merge(ours.invoke("anything", affect="sadness"))
    assert sorted(one.metadata["deep_raw"] for one in merged) == ["a", "b"]


@pytest.mark.parametrize("is_async", [False, True])
async def test_what_failed_is_found_in_the_store_and_tried_again(store, is_async):
    encoder = make(TimeoutError(), GOOD, embed="multi")
    documents = [Document("a", id="1", metadata=STIRRED), Document("b", id="2", metadata=CALM)]
    store.add_documents(encoder.transform_documents(documents))
    assert encoder.cost.failed == 1

    held = store.get(where=dict(PENDING_FILTER))
    assert held["ids"] == ["1"]
    pending = store.get_by_ids(held["ids"])
    if is_async:
        again = await encoder.aretry_pending(pending)
    else:
        again = encoder.retry_pending(pending)
    store.delete(held["ids"])
    store.add_documents(again)

    assert store.get(where=dict(PENDING_FILTER))["ids"] == []
    assert len(store.get()["ids"]) == 5
    fact = store.get(where={"deep_dimension": "fact"})
    assert (fact["documents"], fact["metadatas"][0]["deep_raw"]) == (["fact told"], "a")


@pytest.mark.parametrize(
    ("wrong", "error"),
    [({"embed": "all"}, ValueError), ({"threshold": 2}, ValueError), ({"budget": -1}, ValueError)],
)
def test_a_wrong_argument_raises_at_once(wrong, error):
    with pytest.raises(error, match=next(iter(wrong))):
        make(**wrong)


def test_what_is_no_chat_model_raises():
    with pytest.raises(TypeError, match="LangChain chat model, got str"):
        DeepEncoder("gpt")
