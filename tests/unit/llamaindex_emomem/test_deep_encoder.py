"""Deep encoding as LlamaIndex's transformation."""

import copy
import json
import pickle

import pytest
from llama_index.core import Document, MockEmbedding, VectorStoreIndex
from llama_index.core.ingestion import IngestionCache, IngestionPipeline
from llama_index.core.llms import ChatMessage, ChatResponse, CustomLLM, LLMMetadata, MockLLM
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.schema import MetadataMode, NodeWithScore, TextNode, TransformComponent
from pydantic import Field, PrivateAttr, ValidationError

from emomem import Affect, LexiconAppraiser
from emomem.encoding.record import DIMENSIONS, KEYS, DeepMemory
from emomem.metadata import DEFAULT_FIELDS, encode
from llamaindex_emomem import DeepEncoder

TOLD = {name: f"{name} told" for name in DIMENSIONS}
GOOD = json.dumps(TOLD)
STIRRED = encode(Affect(valence=-0.8, arousal=0.9, label="grief"))
CALM = encode(Affect(arousal=0.1))


class Scripted(CustomLLM):
    """Says its lines in turn; an exception among them is raised."""

    temperature: float = 0.1
    says: list = Field(exclude=True)
    name: str = "scripted-1"
    _asked: list = PrivateAttr(default_factory=list)

    @property
    def metadata(self):
        return LLMMetadata(model_name=self.name)

    def complete(self, prompt, **kwargs):
        raise NotImplementedError

    def stream_complete(self, prompt, **kwargs):
        raise NotImplementedError

    def chat(self, messages, **kwargs):
        self._asked.append((messages, self.temperature))
        said = self.says.pop(0)
        if isinstance(said, Exception):
            raise said
        return ChatResponse(message=ChatMessage(role="assistant", content=said))


class Keyed(Scripted):
    """Is let in by a key."""

    api_key: str = "none"


@pytest.fixture(params=["sync", "async"])
def run(request):
    async def encoded(encoder, nodes):
        return await encoder.acall(nodes) if request.param == "async" else encoder(nodes)

    return encoded


def make(*says, **options):
    return DeepEncoder(
        llm=Scripted(says=list(says)), **{"appraiser": LexiconAppraiser(), **options}
    )


async def test_nodes_become_memories(run):
    nodes = [
        TextNode(text="My dog died!", id_="a", metadata={"day": 1, **STIRRED}, embedding=[1.0]),
        TextNode(text="The lease runs.", id_="b", metadata=CALM),
    ]
    before = copy.deepcopy(nodes)
    encoder = make(GOOD)

    deep, standard = await run(encoder, nodes)

    assert nodes == before
    assert (deep.id_, deep.metadata["day"], deep.metadata["deep_fact"]) == ("a", 1, "fact told")
    assert (deep.text, deep.embedding) == (DeepMemory(**TOLD).to_text(), None)
    assert deep.metadata["deep_raw"] == "My dog died!"
    assert (standard.id_, standard.text) == ("b", "user said: The lease runs.")
    for mode in (MetadataMode.EMBED, MetadataMode.LLM):
        assert deep.get_content(mode) == f"day: 1\n\n{deep.text}"
        assert standard.get_content(mode) == standard.text
    assert set(deep.excluded_llm_metadata_keys) == {*KEYS, *DEFAULT_FIELDS.keys()}
    again = await run(encoder, [deep])
    assert again == [deep]
    assert (encoder.cost.calls, encoder.cost.estimated) == (1, 1)


async def test_the_question_is_the_cores(run):
    encoder = make(GOOD)
    await run(encoder, [TextNode(text="My dog died!", metadata=STIRRED)])
    [(messages, temperature)] = (
        encoder.llm._asked or encoder._nodes.encoder._model._model._calm._asked
    )
    assert "label: grief\narousal: 0.90" in messages[1].content
    assert temperature == 0.0


async def test_each_dimension_may_be_a_node_of_one_memory(run):
    [document] = [Document(text="My dog died!", id_="doc", metadata=STIRRED)]
    [node] = SentenceSplitter()([document])
    encoder = make(GOOD, embed="multi")

    made = await run(encoder, [node])

    assert [one.text for one in made] == list(TOLD.values())
    assert len({one.node_id for one in made}) == 4
    assert {one.ref_doc_id for one in made} == {"doc"}
    hits = [NodeWithScore(node=one, score=0.9 - row / 10) for row, one in enumerate(made[1:])]
    other = NodeWithScore(node=TextNode(text="by others"), score=0.85)
    [whole, by_others] = encoder.merge([hits[0], other, *hits[1:]])
    assert (whole.score, whole.node.text) == (0.9, DeepMemory(**TOLD).to_text())
    assert by_others == other
    assert encoder.merge([hits[0], other], 1) == [whole]
    assert made[1].text == "underlying_motive told"


@pytest.mark.parametrize("is_async", [False, True])
async def test_an_ingestion_keeps_what_failed_for_another_try(is_async):
    cache = IngestionCache()
    encoder = make(TimeoutError(), GOOD)
    pipeline = IngestionPipeline(transformations=[SentenceSplitter(), encoder], cache=cache)
    documents = [Document(text="a", id_="1", metadata=STIRRED), Document(text="b", metadata=CALM)]

    async def ingest():
        if is_async:
            return await pipeline.arun(documents=documents)
        return pipeline.run(documents=documents)

    stored = await ingest()
    assert [one.metadata["deep_status"] for one in stored] == ["failed", "standard"]
    assert [one.metadata["deep_status"] for one in await ingest()] == ["failed", "standard"]
    assert encoder.cost.calls == 1

    again = await encoder.aretry_pending(stored) if is_async else encoder.retry_pending(stored)
    assert [one.metadata["deep_status"] for one in again] == ["deep", "standard"]
    assert again[0].node_id == stored[0].node_id
    assert again[1] == stored[1]


def test_an_index_is_built_of_memories():
    index = VectorStoreIndex.from_documents(
        [Document(text="a", metadata=STIRRED)],
        transformations=[SentenceSplitter(), make(GOOD, embed="raw")],
        embed_model=MockEmbedding(embed_dim=4),
    )
    [node] = index.docstore.docs.values()
    assert (node.text, node.metadata["deep_fact"]) == ("user said: a", "fact told")


def test_it_is_written_by_its_models_names_and_made_again():
    encoder = make(embed="multi", budget=7)
    data = encoder.to_dict()
    assert data["chat_model"].startswith("scripted-1#")
    assert (data["embed"], data["budget"]) == ("multi", 7)
    assert not {"llm", "appraiser"} & data.keys()

    again = DeepEncoder.from_dict(data, llm=encoder.llm, appraiser=LexiconAppraiser())
    assert again.to_dict() == data
    other = DeepEncoder.from_json(
        encoder.to_json(), llm=Scripted(says=[], name="scripted-2"), appraiser=LexiconAppraiser()
    )
    assert other.to_dict() != data
    llm = MockLLM()
    named = DeepEncoder(llm=llm, appraiser=LexiconAppraiser()).chat_model
    assert named.startswith("MockLLM#")
    assert encoder.model_copy(update={"llm": MockLLM(max_tokens=5)}).chat_model != named


def test_a_key_of_the_llm_is_no_part_of_its_name():
    def name(**options):
        return make().model_copy(update={"llm": Keyed(says=[], **options)}).chat_model

    assert name(api_key="a") == name(api_key="b")
    assert name(temperature=0.3) != name(temperature=0.9)


def test_another_process_encodes_alike_and_counts_by_itself():
    encoder = DeepEncoder(llm=MockLLM(), budget=3)
    nodes = [TextNode(text="a", metadata=STIRRED)]
    encoder(nodes)
    sent = pickle.loads(pickle.dumps(encoder))  # noqa: S301 - our own
    assert sent.to_dict() == encoder.to_dict()
    statuses = [one.metadata["deep_status"] for _ in range(2) for one in sent(nodes)]
    assert statuses == ["failed", "over_budget"]
    assert (encoder.cost.calls, sent.cost.calls) == (2, 3)


def test_a_copy_that_differs_asks_its_own_llm():
    encoder = make()
    copied = encoder.model_copy(update={"llm": Scripted(says=[GOOD])})
    [deep] = copied([TextNode(text="a", metadata=STIRRED)])
    assert deep.metadata["deep_status"] == "deep"
    assert encoder.cost.calls == 0


@pytest.mark.parametrize(
    "wrong",
    [{"threshold": 2.0}, {"embed": "all"}, {"budget": -1}, {"max_concurrency": 0},
     {"appraiser": object()}, {"llm": "gpt"}, {"prefix": "x_"},
     {"fields": {"scales": {"valence": float}}}],
)  # fmt: skip
def test_a_wrong_argument_raises_at_construction(wrong):
    with pytest.raises(ValidationError, match=next(iter(wrong))):
        make(**wrong) if "llm" not in wrong else DeepEncoder(**wrong)


def test_it_is_a_llamaindex_transformation():
    encoder = make()
    assert isinstance(encoder, TransformComponent)
    assert DeepEncoder.class_name() == "DeepEncoder"
    with pytest.raises(ValidationError, match="frozen"):
        encoder.budget = 3
