import numpy as np
import pytest
from langchain_core.documents import Document

from emomem import Affect, LexiconAppraiser
from emomem.encoder import LocalEncoder
from emomem.fused import BETA, EXTRA, LENGTH, document_phi, looks_fused, mean_phi
from emomem.metadata import encode_emotions
from langchain_emomem import AffectEmbeddings, EmotionTagger, LocalEmbeddings

TEXTS = ["the picnic", "the row", "the list"]


@pytest.fixture
def encoder(placed):
    return placed({"the picnic": 0.9, "the row": 0.5, "the list": 0.1}, scale=7.0)


@pytest.fixture
def appraiser(scripted):
    mixed = Affect.from_emotions(np.arange(1, 29), source="script")
    return scripted({"the picnic": mixed, "the row": "anger"})


@pytest.fixture
def fused(encoder, appraiser):
    return AffectEmbeddings(encoder, appraiser)


async def test_a_document_is_its_sentence_and_its_feeling_at_one_length(fused, encoder, appraiser):
    vectors = np.array(fused.embed_documents(TEXTS))

    phi = document_phi(appraiser.appraise(TEXTS))
    assert vectors.shape == (3, 4 + EXTRA)
    assert vectors[:, :4] == pytest.approx(np.array(encoder.embed_documents(TEXTS)) / 7, abs=1e-6)
    assert vectors[:, 4:-1] == pytest.approx(BETA * phi, abs=1e-6)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(LENGTH, abs=1e-6)
    assert all(map(looks_fused, vectors))
    assert phi[2].tolist() == mean_phi().tolist()
    assert await fused.aembed_documents(TEXTS) == vectors.tolist()
    assert fused.embed_documents([]) == []


async def test_a_query_finds_by_meaning_alone(fused):
    query = np.array(fused.embed_query("anything"))

    found = np.array(fused.embed_documents(TEXTS)) @ query

    assert found == pytest.approx([0.9, 0.5, 0.1], abs=1e-6)
    assert np.linalg.norm(query) == pytest.approx(1)
    assert await fused.aembed_query("anything") == query.tolist()


async def test_a_failing_appraisal_is_unknown_and_loses_no_document(encoder, caplog):
    class Failing(LexiconAppraiser):
        def _read(self, texts):
            msg = f"cannot read {texts}"
            raise RuntimeError(msg)

    fused = AffectEmbeddings(encoder, Failing())

    vectors = fused.embed_documents(TEXTS)

    for vector in vectors:
        assert np.array(vector[4:-1]) / BETA == pytest.approx(mean_phi(), abs=1e-6)
    assert await fused.aembed_documents(TEXTS) == vectors
    assert not [text for text in TEXTS if text in caplog.text]


def test_many_texts_come_in_batches(encoder, appraiser, monkeypatch):
    monkeypatch.setattr("langchain_emomem.affect_embeddings._BATCH", 2)
    fused = AffectEmbeddings(encoder, appraiser)
    sizes, embed = [], encoder.embed_documents
    monkeypatch.setattr(
        encoder, "embed_documents", lambda some: sizes.append(len(some)) or embed(some)
    )

    assert len(fused.embed_documents(TEXTS)) == 3
    assert sizes == [2, 1]


@pytest.mark.parametrize(
    ("source", "wrote"),
    [
        ("felt", True),
        ("felt:zh", True),
        ("felted", False),
        ("review:accepted", False),
        (None, False),
    ],
)
def test_a_tag_of_the_same_appraiser_is_known_by_its_source(fused, appraiser, source, wrote):
    assert not fused.wrote(source)
    appraiser.source = "felt"
    assert fused.wrote(source) == wrote


def test_wrong_parts_raise(fused, encoder, appraiser):
    for given in (fused, "minilm", object()):
        with pytest.raises(TypeError, match="embeddings must be LangChain embeddings of sentences"):
            AffectEmbeddings(given, appraiser)
    with pytest.raises(TypeError, match="appraise and aappraise, got str"):
        AffectEmbeddings(encoder, "lexicon")


async def test_what_is_no_text_is_refused(fused):
    for wrong in ([None], "one text", ["a", 5]):
        with pytest.raises(TypeError, match=r"embed_documents takes a list|a text must be a str"):
            fused.embed_documents(wrong)
        with pytest.raises(TypeError, match=r"embed_documents takes a list|a text must be a str"):
            await fused.aembed_documents(wrong)


def test_one_pass_of_the_local_model_serves_tag_and_vector(monkeypatch):
    encoder = LocalEncoder()
    fused = AffectEmbeddings(LocalEmbeddings(encoder))
    shared, passes = encoder._shared(), []
    read = shared.read
    monkeypatch.setattr(
        shared, "read", lambda texts, **what: passes.append((texts, what)) or read(texts, **what)
    )
    documents = [Document("My dog died."), Document("We won the cup!")]

    tagged = EmotionTagger(appraiser=fused.appraiser).transform_documents(documents)
    vectors = np.array(fused.embed_documents([one.page_content for one in documents]))

    assert [what for _, what in passes] == [{"embed": True, "affect": True, "conflict": False}]
    codes = [encode_emotions(np.square(row / np.linalg.norm(row))) for row in vectors[:, 384:-1]]
    assert codes == [one.metadata["affect_code"] for one in tagged]
    assert all(fused.wrote(one.metadata["affect_source"]) for one in tagged)
    assert vectors[:, :384] == pytest.approx(
        np.array(LocalEmbeddings(encoder).embed_documents([x.page_content for x in documents])),
        abs=1e-6,
    )
