"""Tagging, storing and recalling in Chroma with one model, each text encoded once."""

import pytest
from langchain_core.documents import Document

from emomem import LocalAppraiser, LocalEncoder
from emomem.appraisal.shared_pass import shared_pass
from emomem.minilm import find_minilm
from langchain_emomem import (
    AffectEmbeddings,
    AffectModulatedRetriever,
    EmotionTagger,
    LocalEmbeddings,
)

DIARY = [
    "Since I moved to the new city I eat dinner by myself every night and I feel so lonely.",
    "Moving to the new city made me so happy, I already have three good friends.",
    "The recipe needs two eggs and a cup of flour.",
]


@pytest.fixture
def rows():
    """How many token rows the shared layers were given."""
    counted = []
    lower = shared_pass(find_minilm()).load("lower")[0]
    handle = lower.register_forward_pre_hook(lambda _, given: counted.append(len(given[0])))
    yield lambda: sum(counted)
    handle.remove()


def test_each_document_and_each_query_is_encoded_once(chroma, rows, texts):
    encoder = LocalEncoder()
    appraiser = LocalAppraiser(encoder)
    store = chroma(LocalEmbeddings(encoder))
    tagger = EmotionTagger(appraiser=appraiser)
    store.add_documents(tagger.transform_documents([Document(text) for text in DIARY]))
    assert rows() == len(DIARY)

    retriever = AffectModulatedRetriever(
        vectorstore=store, appraiser=appraiser, k=2, policy="congruent"
    )
    found = texts(retriever.invoke("I feel so sad and alone since I moved to the new city"))
    assert found[0] == DIARY[0]
    assert DIARY[2] not in found
    assert rows() == len(DIARY) + 1


def test_so_they_are_with_fused_vectors(chroma, rows, texts):
    embeddings = AffectEmbeddings(LocalEmbeddings(LocalEncoder()))
    store = chroma(embeddings)
    tagger = EmotionTagger(appraiser=embeddings.appraiser)
    store.add_documents(tagger.transform_documents([Document(text) for text in DIARY]))
    assert rows() == len(DIARY)

    retriever = AffectModulatedRetriever(
        vectorstore=store, appraiser=embeddings.appraiser, k=2, policy="congruent"
    )
    explained = retriever.explain("I feel so sad and alone since I moved to the new city")
    assert texts([one.document for one in explained]) == DIARY[:2]
    assert explained[0].signals["match"] > explained[1].signals["match"]
    assert rows() == len(DIARY) + 1


def test_the_vectors_in_the_store_are_those_of_sentence_transformers(chroma, minilm, texts):
    ours = chroma(LocalEmbeddings(LocalEncoder()), [Document(text) for text in DIARY])
    theirs = chroma(minilm, [Document(text) for text in DIARY])
    for (one, near), (other, as_near) in zip(
        ours.similarity_search_with_score("a new home", k=3),
        theirs.similarity_search_with_score("a new home", k=3),
        strict=True,
    ):
        assert one.page_content == other.page_content
        assert near == pytest.approx(as_near, abs=1e-4)
