import copy
import json
import math
import pickle
import sys
import threading
import types

import pytest
from llama_index.core import Document, MockEmbedding, VectorStoreIndex
from llama_index.core.ingestion import DocstoreStrategy, IngestionCache, IngestionPipeline
from llama_index.core.llms import MockLLM
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.prompts import PromptTemplate
from llama_index.core.schema import (
    IndexNode,
    MediaResource,
    MetadataMode,
    Node,
    TextNode,
    TransformComponent,
)
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.vector_stores import SimpleVectorStore
from pydantic import ValidationError

from emomem import Affect, EnsembleAppraiser, LexiconAppraiser, MetadataFields
from emomem.metadata import decode
from llamaindex_emomem import EmotionTagger, LLMAppraiser

SCRIPT = {
    "we won": "joy",
    "we lost": Affect.from_emotions(
        [0.0] * 24 + [0.25, 0.75, 0.0, 0.0], confidence=0.8, source="script"
    ),
    "only valence": Affect(valence=-0.4),
}


@pytest.fixture
def tagger(scripted):
    return EmotionTagger(appraiser=scripted(SCRIPT))


def test_the_appraiser_may_be_given_first(scripted):
    tagger = EmotionTagger(scripted(SCRIPT), batch_size=1)
    [tagged] = tagger([TextNode(text="we won")])
    assert decode(tagged.metadata).label == "joy"
    with pytest.raises(TypeError):
        EmotionTagger(scripted(SCRIPT), 1)


async def test_nodes_become_copies_with_affect_in_their_order(tagger):
    nodes = [TextNode(text=text, id_=text) for text in (*SCRIPT, "a list", "")]
    before = copy.deepcopy(nodes)

    tagged = tagger(nodes)

    assert nodes == before
    assert await tagger.acall(nodes) == tagged
    assert [(one.id_, one.text) for one in tagged] == [(one.id_, one.text) for one in nodes]
    affects = [decode(one.metadata) for one in tagged]
    assert affects[0].label == "joy"
    assert (affects[1].confidence, affects[1].source) == (0.8, "script")
    assert tagged[2].metadata == {"affect_valence": -0.4, "affect_salience": pytest.approx(0.4)}
    assert tagged[3].metadata == tagged[4].metadata == {"affect_label": "unknown"}


def test_copies_share_nothing_with_the_callers_nodes(tagger):
    deep = {"tags": ["a", {"b": [1]}], "valence": "covalent"}
    document = Document(text="we won", metadata=deep)
    [node] = SentenceSplitter()([document])
    before = copy.deepcopy(node)

    [tagged] = tagger([node])
    tagged.metadata["tags"][1]["b"].append(2)
    tagged.relationships.clear()
    tagged.excluded_llm_metadata_keys.append("x")

    assert node == before


def test_only_flat_native_scalars_are_written(tagger):
    for one in tagger([TextNode(text=text) for text in (*SCRIPT, "")]):
        assert json.loads(json.dumps(one.metadata)) == one.metadata
        for key, value in one.metadata.items():
            assert key.startswith("affect_")
            assert type(value) in (str, float)
            assert isinstance(value, str) or math.isfinite(value)


def test_tagging_again_changes_neither_the_id_nor_the_excluded_lists(tagger):
    node = TextNode(text="we won", metadata={"day": 1}, excluded_llm_metadata_keys=["day"])

    [once] = tagger([node])
    [twice] = tagger([once])

    assert twice == once
    assert (twice.id_, twice.hash) == (node.id_, once.hash)
    assert len(set(once.excluded_embed_metadata_keys)) == len(once.excluded_embed_metadata_keys)
    assert once.excluded_llm_metadata_keys[0] == "day"


def test_tagging_anew_leaves_no_stale_key(scripted, tagger):
    [joyful] = tagger([TextNode(text="we won", metadata={"day": 1})])
    [unknown] = EmotionTagger(appraiser=scripted({}))([joyful])

    assert unknown.metadata == {"day": 1, "affect_label": "unknown"}


def test_affect_stays_out_of_what_is_embedded_and_prompted(tagger):
    [tagged] = tagger([TextNode(text="we won", metadata={"day": 1})])

    for mode in (MetadataMode.EMBED, MetadataMode.LLM):
        assert tagged.get_content(mode) == "day: 1\n\nwe won"
    assert "affect_code" in tagged.get_content(MetadataMode.ALL)


def test_affect_never_counts_against_the_chunk_size(scripted):
    text = " ".join(f"word{number}" for number in range(300))
    splitter = SentenceSplitter(
        chunk_size=64, chunk_overlap=0, chunking_tokenizer_fn=lambda text: [text]
    )  # NLTK's own needs data that the first llama-index-core 0.14 does not find
    document = Document(text=text, metadata={"day": 1})

    [tagged] = EmotionTagger(appraiser=scripted({text: "joy"}))([document])

    assert len(tagged.get_metadata_str(MetadataMode.ALL)) > 300
    assert [one.text for one in splitter([tagged])] == [one.text for one in splitter([document])]


def test_nodes_of_any_kind_are_tagged(tagger):
    nodes = [
        Document(text="we won"),
        Node(text_resource=MediaResource(text="we won")),
        IndexNode(text="we won", index_id="i", obj=TextNode(text="other")),
        Node(),
    ]

    tagged = tagger(nodes)

    assert [type(one) for one in tagged] == [type(one) for one in nodes]
    assert [one.metadata["affect_label"] for one in tagged] == ["joy"] * 3 + ["unknown"]


def test_the_fields_may_be_named(scripted):
    fields = MetadataFields(prefix="mood_", label="primary")
    [tagged] = EmotionTagger(appraiser=scripted(SCRIPT), fields=fields)([TextNode(text="we won")])

    assert tagged.metadata["primary"] == "joy"
    assert {"primary", "mood_code"} <= set(tagged.excluded_embed_metadata_keys)


class Counted(LexiconAppraiser):
    """Counts the texts that it reads."""

    def __init__(self, source="counted:1"):
        super().__init__()
        self.source = source
        self.read = 0

    def _read(self, texts):
        self.read += len(texts)
        return super()._read(texts)


DOCUMENTS = [Document(text="What a lovely day", id_="a"), Document(text="I hate it", id_="b")]


@pytest.mark.parametrize("is_async", [False, True])
async def test_the_ingestion_cache_holds_tags_until_the_model_changes(is_async):
    cache = IngestionCache()

    async def run(appraiser):
        pipeline = IngestionPipeline(
            transformations=[SentenceSplitter(), EmotionTagger(appraiser=appraiser)], cache=cache
        )
        if is_async:
            return await pipeline.arun(documents=DOCUMENTS)
        return pipeline.run(documents=DOCUMENTS)

    first, same, other = Counted(), Counted(), Counted("counted:2")
    tagged = await run(first)
    assert [one.metadata["affect_source"] for one in tagged] == ["lexicon:vader"] * 2
    again = await run(same)
    await run(other)

    assert [one.metadata for one in again] == [one.metadata for one in tagged]
    assert (first.read, same.read, other.read) == (2, 0, 2)


@pytest.mark.parametrize("strategy", list(DocstoreStrategy))
@pytest.mark.parametrize("is_async", [False, True])
async def test_the_docstore_knows_what_was_tagged_before(strategy, is_async):
    appraiser = Counted()
    pipeline = IngestionPipeline(
        transformations=[
            SentenceSplitter(),
            EmotionTagger(appraiser=appraiser),
            MockEmbedding(embed_dim=4),
        ],
        docstore=SimpleDocumentStore(),
        docstore_strategy=strategy,
        vector_store=SimpleVectorStore(),
        disable_cache=True,
    )

    async def run(documents):
        given = [one.model_copy() for one in documents]
        if is_async:
            return await pipeline.arun(documents=given)
        return pipeline.run(documents=given)

    assert len(await run(DOCUMENTS)) == 2
    assert await run(DOCUMENTS) == []
    assert appraiser.read == 2
    changed = [DOCUMENTS[0], Document(text="I love it", id_="b")]
    assert [one.text for one in await run(changed)] == ["I love it"]
    assert appraiser.read == 3


class Quiet:
    """An appraiser that another process can be sent."""

    source = "quiet:1"

    def appraise(self, texts):
        return [Affect.neutral() for _ in texts]

    async def aappraise(self, texts):
        return self.appraise(texts)


def test_another_process_reads_with_the_same_appraiser_or_none(scripted, monkeypatch):
    monkeypatch.setitem(sys.modules, __name__, sys.modules.get(__name__) or types.ModuleType("x"))
    monkeypatch.setattr(sys.modules[__name__], "Quiet", Quiet, raising=False)

    for tagger in (EmotionTagger(batch_size=3), EmotionTagger(appraiser=Quiet())):
        again = pickle.loads(pickle.dumps(tagger))  # noqa: S301 - our own
        assert again.to_dict() == tagger.to_dict()
    with pytest.raises(TypeError, match="Scripted cannot be sent"):
        pickle.dumps(EmotionTagger(appraiser=scripted({})))


def test_an_index_tags_as_it_is_built(tagger):
    index = VectorStoreIndex.from_documents(
        [Document(text="we won")],
        transformations=[SentenceSplitter(), tagger],
        embed_model=MockEmbedding(embed_dim=4),
    )
    [node] = index.docstore.docs.values()

    assert node.metadata["affect_label"] == "joy"


def test_it_is_written_by_its_models_name_and_made_again():
    tagger = EmotionTagger(batch_size=8, fields=MetadataFields(prefix="mood_"))
    data = tagger.to_dict()

    assert data["model"] == tagger.model == "emomem:2"
    assert data["class_name"] == "EmotionTagger"
    assert "appraiser" not in data
    assert EmotionTagger.from_dict(data) == tagger
    assert EmotionTagger.from_json(tagger.to_json()).to_dict() == data

    lexicon = EmotionTagger(appraiser=LexiconAppraiser())
    with pytest.raises(ValueError, match=r"'lexicon:vader', got 'emomem:2'; give it"):
        EmotionTagger.from_dict(lexicon.to_dict())
    again = EmotionTagger.from_json(lexicon.to_json(), appraiser=LexiconAppraiser())
    assert again.to_dict() == lexicon.to_dict()


def test_a_models_key_is_never_written_and_its_prompt_counts():
    llm = MockLLM()
    object.__setattr__(llm, "api_key", "sk-secret")
    appraiser = LLMAppraiser(llm)
    tagger = EmotionTagger(appraiser=appraiser)
    before = tagger.to_json()

    appraiser.update_prompts({"affect_scoring": PromptTemplate("Rate {text} as JSON.")})

    assert "secret" not in before
    assert tagger.model.startswith("chat:MockLLM#")
    assert tagger.to_json() != before
    assert EmotionTagger(appraiser=LLMAppraiser(llm, language="pt")).model != tagger.model


def test_what_an_appraiser_asks_is_part_of_its_name():
    def name(appraiser):
        return EmotionTagger(appraiser=appraiser).model

    english, portuguese = (LLMAppraiser(MockLLM(), language=one) for one in ("en", "pt"))
    assert name(EnsembleAppraiser([english])) != name(EnsembleAppraiser([portuguese]))
    assert name(EnsembleAppraiser([Counted()])) != name(EnsembleAppraiser([Counted("counted:2")]))


@pytest.mark.parametrize("show_progress", [True, False])
async def test_texts_go_in_batches_with_and_without_a_progress_bar(
    scripted, monkeypatch, capsys, *, show_progress
):
    appraiser = scripted({f"t{row}": "joy" for row in range(7)})
    sizes = []
    read = appraiser._read
    monkeypatch.setattr(appraiser, "_read", lambda texts: sizes.append(len(texts)) or read(texts))
    tagger = EmotionTagger(appraiser=appraiser, batch_size=3, show_progress=show_progress)
    nodes = [TextNode(text=text) for text in appraiser.script]

    assert len(tagger(nodes)) == len(await tagger.acall(nodes)) == 7
    assert sizes == [3, 3, 1] * 2
    assert ("Tagging" in capsys.readouterr().err) == show_progress
    assert tagger([]) == []


async def test_async_does_not_block_the_loop(scripted):
    appraiser = scripted(SCRIPT)
    [tagged] = await EmotionTagger(appraiser=appraiser).acall([TextNode(text="we won")])

    assert tagged.metadata["affect_label"] == "joy"
    assert threading.get_ident() not in appraiser.threads


@pytest.mark.parametrize(
    "wrong",
    [
        {"batch_size": 0},
        {"on_failure": "raise"},
        {"appraiser": object()},
        {"prefix": "x_"},
        {"fields": {"scales": {"valence": float}}},
    ],
)
def test_a_wrong_argument_raises_at_construction(scripted, wrong):
    with pytest.raises(ValidationError, match=next(iter(wrong))):
        EmotionTagger(**{"appraiser": scripted({}), **wrong})


def test_it_is_a_llamaindex_transformation(tagger):
    assert TransformComponent in EmotionTagger.__mro__
    assert EmotionTagger.class_name() == "EmotionTagger"
    with pytest.raises(ValidationError, match="frozen"):
        tagger.batch_size = 3
