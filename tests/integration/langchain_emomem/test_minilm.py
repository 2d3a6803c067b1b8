"""A real encoder, where it is meaning that counts."""

import logging

import pytest
from langchain_core.documents import Document

from emomem import Affect
from emomem.metadata import encode
from langchain_emomem import AffectModulatedRetriever, AffectReranker

QUERY = "I feel alone since the move"
DIARY = {
    "Since I moved to the new city I eat dinner by myself every night.": "sadness",
    "Moving here was the best decision, I already made three good friends.": "joy",
    "We carried the boxes up to the third floor of the new flat.": "neutral",
    "The referee robbed us and I screamed at the television!": "anger",
    "Grandmother's funeral was on a rainy Tuesday.": "grief",
    "The recipe needs two eggs and a cup of flour.": "neutral",
    "My tomato plants won the first prize at the fair!": "joy",
}
LONELY, FRIENDS, BOXES, *_ = DIARY


@pytest.fixture
def documents():
    return [
        Document(text, metadata=encode(Affect.from_label(label))) for text, label in DIARY.items()
    ]


@pytest.fixture
def store(chroma, minilm, documents):
    return chroma(minilm, documents)


async def test_feeling_decides_among_what_is_about_the_matter(store, documents, texts):
    def recall(**options):
        return AffectModulatedRetriever(vectorstore=store, k=3, **options)

    sad = texts(recall(affect="sadness", policy="congruent").invoke(QUERY))
    glad = texts(recall(affect="joy", policy="congruent").invoke(QUERY))
    off = recall(affect="sadness", policy="off").invoke(QUERY)

    assert off == store.as_retriever(search_kwargs={"k": 3}).invoke(QUERY)
    assert set(texts(off)[:2]) == {LONELY, FRIENDS}
    assert sad[0] == LONELY
    assert glad[0] == FRIENDS
    assert await recall(affect="joy", policy="congruent").ainvoke(QUERY) == recall(
        affect="joy", policy="congruent"
    ).invoke(QUERY)


def test_the_furious_stranger_stays_behind(store, texts):
    found = AffectModulatedRetriever(
        vectorstore=store, k=7, affect="anger", policy="congruent"
    ).invoke("the boxes for the new flat")

    assert texts(found)[0] == BOXES


@pytest.mark.parametrize("space", ["cosine", "l2", "ip"])
def test_every_space_ranks_alike_without_a_warning(chroma, minilm, documents, caplog, space):
    retriever = AffectModulatedRetriever(
        vectorstore=chroma(minilm, documents, space=space), affect="sadness", policy="congruent"
    )
    with caplog.at_level(logging.WARNING):
        explained = retriever.explain(QUERY)
    reranked = AffectReranker(
        affect="sadness", policy="congruent", top_n=4, embeddings=minilm
    ).compress_documents(documents, QUERY)

    assert [one.document.page_content for one in explained] == [
        one.page_content for one in reranked
    ]
    assert all("cosine" in one.signals for one in explained)
    assert caplog.records == []
