import asyncio
import copy
import pickle

import numpy as np
import pytest
from langchain_core.documents import Document
from langchain_core.vectorstores import InMemoryVectorStore

from emomem import LocalAppraiser, LocalEncoder
from emomem.appraisal import shared_pass
from emomem.minilm import find_minilm
from langchain_emomem import AffectModulatedRetriever, EmotionTagger, LocalEmbeddings

TEXTS = ["I miss my grandmother.", "We won the cup!", "The shop opens at nine.", "我很难过"]


@pytest.fixture
def encoder():
    return LocalEncoder()


@pytest.fixture
def rows():
    """How many token rows the shared layers were given."""
    counted = []
    lower = shared_pass.shared_pass(find_minilm()).load("lower")[0]
    handle = lower.register_forward_pre_hook(lambda _, given: counted.append(len(given[0])))
    yield lambda: sum(counted)
    handle.remove()


@pytest.fixture
def documents():
    return [Document(text) for text in TEXTS]


def test_documents_and_queries_are_vectors_of_length_one(encoder):
    embeddings = LocalEmbeddings(encoder)
    vectors = embeddings.embed_documents(TEXTS)
    assert np.shape(vectors) == (4, 384)
    assert type(vectors[0][0]) is float
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1)
    assert embeddings.embed_query(TEXTS[0]) == vectors[0]
    assert embeddings.embed_documents([]) == []


async def test_async_gives_the_same(encoder):
    embeddings = LocalEmbeddings(encoder)
    found = await asyncio.gather(*[embeddings.aembed_query(text) for text in TEXTS])
    expected = LocalEmbeddings(LocalEncoder(cache_size=0)).embed_documents(TEXTS)
    assert np.allclose(found, expected, atol=1e-5)


def test_tagging_and_then_storing_encodes_each_text_once(encoder, rows, documents):
    store = InMemoryVectorStore(LocalEmbeddings(encoder))
    tagger = EmotionTagger(appraiser=LocalAppraiser(encoder))
    store.add_documents(tagger.transform_documents(documents))
    assert rows() == len(TEXTS)


def test_the_default_tagger_and_embeddings_share_a_pass(rows):
    texts = [f"never read before, number {n}, and I am happy" for n in range(3)]
    store = InMemoryVectorStore(LocalEmbeddings())
    store.add_documents(EmotionTagger().transform_documents([Document(text) for text in texts]))
    assert rows() == len(texts)


def test_a_query_that_is_appraised_and_searched_is_encoded_once(encoder, rows, documents):
    appraiser = LocalAppraiser(encoder)
    store = InMemoryVectorStore(LocalEmbeddings(encoder))
    store.add_documents(EmotionTagger(appraiser=appraiser).transform_documents(documents))
    before = rows()
    AffectModulatedRetriever(vectorstore=store, appraiser=appraiser).invoke("I feel so alone")
    assert rows() == before + 1


def test_a_tagger_beside_another_encoder_never_embeds(encoder, documents):
    EmotionTagger(appraiser=LocalAppraiser(encoder)).transform_documents(documents)
    assert all(reading.embedding is None for reading in encoder._cache.values())


def test_a_tagger_and_embeddings_can_be_copied_and_sent_to_another_process():
    tagger, embeddings = EmotionTagger(appraiser=LocalAppraiser()), LocalEmbeddings()
    [tagged] = tagger.transform_documents([Document(TEXTS[0])])
    for other in (
        tagger.model_copy(deep=True),
        pickle.loads(pickle.dumps(tagger)),  # noqa: S301 - our own
    ):
        assert other.transform_documents([Document(TEXTS[0])]) == [tagged]
    for made in (copy.deepcopy(embeddings), pickle.loads(pickle.dumps(embeddings))):  # noqa: S301
        assert made.encoder is embeddings.encoder
