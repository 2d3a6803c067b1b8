"""Vectors of another encoder, and plain and fused ones, are not mixed by accident."""

import pytest
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding, Embeddings
from langchain_core.vectorstores import InMemoryVectorStore
from pydantic import ValidationError

from emomem import LexiconAppraiser
from langchain_emomem import AffectEmbeddings, AffectModulatedRetriever
from langchain_emomem.compatibility import check_vectors

PLAIN = DeterministicFakeEmbedding(size=8)


def fused(encoder=PLAIN):
    return AffectEmbeddings(encoder, LexiconAppraiser())


def held(encoder):
    store = InMemoryVectorStore(encoder)
    store.add_documents([Document("What a lovely day", id="1")])
    return store


def retriever(store, **more):
    return AffectModulatedRetriever(vectorstore=store, affect="joy", **more)


@pytest.mark.parametrize("encoder", [PLAIN, fused()], ids=["plain", "fused"])
def test_a_store_of_its_own_encoder_is_served(encoder):
    assert len(retriever(held(encoder)).invoke("that day")) == 1


def test_plain_vectors_under_affect_embeddings_name_both_dimensions_and_the_way_out():
    store = held(PLAIN)
    store.embedding = fused()

    with pytest.raises(ValidationError, match=r"of 8 dimensions.*makes 37 \(8 \+ 29\).*migrate"):
        retriever(store)


def test_fused_vectors_under_the_plain_encoder_do_too():
    store = held(fused())
    store.embedding = PLAIN

    with pytest.raises(ValidationError, match=r"of 37 dimensions \(8 \+ 29\).*makes 8.*migrate"):
        retriever(store)
    assert len(retriever(store, embeddings=fused()).invoke("that day")) == 1


def test_another_encoder_of_another_size_is_noticed():
    store = held(fused())
    store.embedding = fused(DeterministicFakeEmbedding(size=16))

    with pytest.raises(ValidationError, match=r"of 37 dimensions.*makes 45 \(16 \+ 29\)"):
        retriever(store)


def test_another_encoder_of_the_same_size_is_noticed():
    class Other(DeterministicFakeEmbedding):
        def embed_documents(self, texts):
            return super().embed_documents([f"{text}!" for text in texts])

    store = held(fused())
    store.embedding = fused(Other(size=8))

    with pytest.raises(ValidationError, match="made with another encoder than Other"):
        retriever(store)


def test_vectors_of_another_version_are_noticed():
    store = held(fused())
    store.store["1"]["vector"][-1] += 0.5

    with pytest.raises(ValidationError, match="not fused vectors of this version"):
        retriever(store)


def test_an_encoder_that_wraps_affect_embeddings_is_taken_at_its_word():
    class Wrapping(Embeddings):
        def embed_documents(self, texts):
            return fused().embed_documents(texts)

        def embed_query(self, text):
            return fused().embed_query(text)

    store = held(Wrapping())
    assert len(retriever(store).invoke("that day")) == 1
    assert len(retriever(store, embeddings=fused()).invoke("that day")) == 1


def test_an_empty_store_is_looked_at_again_and_any_other_once(monkeypatch):
    looked = []
    embed = PLAIN.embed_documents
    monkeypatch.setattr(
        type(PLAIN), "embed_documents", lambda self, texts: looked.append(texts) or embed(texts)
    )
    store = InMemoryVectorStore(fused())
    for _ in range(2):
        check_vectors(store)
    assert looked == []

    store.add_documents([Document("What a lovely day")])
    looked.clear()
    for _ in range(2):
        check_vectors(store)
    assert looked == [["What a lovely day"]]
