import asyncio
import pickle
import time

import numpy as np
import pytest
from llama_index.core import VectorStoreIndex
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.schema import TextNode
from pydantic import ValidationError

from emomem import LocalAppraiser, LocalEncoder
from emomem.appraisal import shared_pass
from emomem.minilm import find_minilm
from langchain_emomem import LocalEmbeddings
from llamaindex_emomem import (
    AffectEmbedding,
    AffectModulatedRetriever,
    EmotionTagger,
    LocalEmbedding,
)

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


async def test_texts_and_queries_are_vectors_of_length_one(encoder):
    embedding = LocalEmbedding(encoder=encoder)
    vectors = embedding.get_text_embedding_batch(TEXTS)

    assert np.shape(vectors) == (4, 384)
    assert type(vectors[0][0]) is float
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1)
    assert embedding.get_query_embedding(TEXTS[0]) == embedding.get_text_embedding(TEXTS[0])
    assert embedding.get_text_embedding(TEXTS[0]) == vectors[0]
    assert vectors == LocalEmbeddings(encoder).embed_documents(TEXTS)
    assert await embedding.aget_text_embedding_batch(TEXTS) == vectors
    found = await asyncio.gather(*[embedding.aget_query_embedding(text) for text in TEXTS])
    assert found == vectors


@pytest.mark.parametrize("kind", ["plain", "fused"])
def test_one_pass_serves_tag_vector_and_query(encoder, rows, kind):
    appraiser = LocalAppraiser(encoder)
    embedding = LocalEmbedding(encoder=encoder)
    if kind == "fused":
        embedding = AffectEmbedding(embed_model=embedding)
    tagger = EmotionTagger(appraiser=appraiser)

    index = VectorStoreIndex(tagger([TextNode(text=text) for text in TEXTS]), embed_model=embedding)
    assert rows() == len(TEXTS)

    retriever = AffectModulatedRetriever(index, appraiser=appraiser, policy="congruent")
    assert len(retriever.retrieve("I feel so alone")) == 2
    assert rows() == len(TEXTS) + 1


async def test_async_does_not_block_the_loop(encoder, monkeypatch, longest_block):
    monkeypatch.setattr(encoder, "embed", lambda texts: time_and(np.zeros((len(texts), 384))))
    embedding = LocalEmbedding(encoder=encoder)
    for work in (embedding.aget_query_embedding("a"), embedding.aget_text_embedding_batch(["a"])):
        _, longest = await longest_block(work)
        assert longest < 0.5


def time_and(result):
    time.sleep(0.6)
    return result


def test_it_is_written_and_made_again(encoder):
    embedding = LocalEmbedding(encoder=encoder, embed_batch_size=8)
    data = embedding.to_dict()

    assert data["model_name"] == "all-MiniLM-L6-v2"
    assert "encoder" not in data
    assert LocalEmbedding.from_dict(data).to_dict() == data
    assert LocalEmbedding.from_json(embedding.to_json()).to_dict() == data
    assert pickle.loads(pickle.dumps(embedding)).to_dict() == data  # noqa: S301 - our own
    assert embedding.encoder is encoder


@pytest.mark.parametrize(
    "wrong", [{"model_name": "other"}, {"encoder": "MiniLM"}, {"embed_batch_size": 0}, {"k": 1}]
)
def test_a_wrong_argument_raises_at_construction(wrong):
    with pytest.raises(ValidationError, match=next(iter(wrong))):
        LocalEmbedding(**wrong)


def test_it_is_a_llamaindex_embedding():
    assert BaseEmbedding in LocalEmbedding.__mro__
    assert LocalEmbedding.class_name() == "LocalEmbedding"
