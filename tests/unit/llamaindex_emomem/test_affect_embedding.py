"""Fused vectors in LlamaIndex."""

import asyncio
import uuid

import chromadb
import numpy as np
import pytest
from chromadb.config import Settings
from langchain_core.vectorstores import InMemoryVectorStore
from llama_index.core import MockEmbedding, StorageContext, VectorStoreIndex
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.schema import QueryBundle, TextNode
from llama_index.core.storage.kvstore import SimpleKVStore
from llama_index.core.vector_stores import SimpleVectorStore
from llama_index.vector_stores.chroma import ChromaVectorStore
from pydantic import ValidationError

from emomem import Affect, Sequence
from emomem.fused import EXTRA, LENGTH
from emomem.metadata import encode
from langchain_emomem import AffectEmbeddings
from langchain_emomem import AffectModulatedRetriever as LangChainRetriever
from llamaindex_emomem import AffectEmbedding, AffectModulatedRetriever

QUERY = "that evening"
SCRIPT = {
    "a picnic by the river": "joy",
    "goodbye at the station": "sadness",
    "the empty house": "sadness",
    "dancing in the kitchen": "joy",
    "the row about money": "anger",
    "the funeral in March": "grief",
    "nobody called": "sadness",
    "the prize": "joy",
    "the shopping list": "neutral",
}


@pytest.fixture
def appraiser(scripted):
    appraiser = scripted(SCRIPT)
    appraiser.source = "script:1"
    return appraiser


@pytest.fixture
def fused(embed_model, appraiser):
    return AffectEmbedding(embed_model=embed_model, appraiser=appraiser)


@pytest.fixture
def fused_index(diary_nodes, fused):
    return VectorStoreIndex(diary_nodes, embed_model=fused)


async def test_a_vector_is_longer_by_the_feeling(fused, embed_model):
    vector = fused.get_text_embedding("the prize")
    plain = embed_model.get_text_embedding("the prize")

    assert len(vector) == len(plain) + EXTRA
    assert type(vector[0]) is float
    assert vector[: len(plain)] == pytest.approx(plain)
    assert np.linalg.norm(vector) == pytest.approx(LENGTH)
    assert await fused.aget_text_embedding("the prize") == vector
    texts = ["the prize", "nobody called"]
    assert await fused.aget_text_embedding_batch(texts) == fused.get_text_embedding_batch(texts)


async def test_a_query_finds_by_meaning_alone(fused, embed_model):
    vector = fused.get_query_embedding(QUERY)

    assert vector == [*embed_model.get_query_embedding(QUERY), *[0.0] * EXTRA]
    assert await fused.aget_query_embedding(QUERY) == vector


@pytest.fixture
def fused_store(diary, diary_encoder, appraiser):
    """The same on the LangChain side."""
    store = InMemoryVectorStore(AffectEmbeddings(diary_encoder, appraiser))
    store.add_documents(diary)
    return store


@pytest.mark.parametrize("policy", ["congruent", "comfort", "lesson", "auto", "off"])
@pytest.mark.parametrize("strategy", ["combination", "sequence", Sequence(first="emotion")])
@pytest.mark.parametrize("affect", ["sadness", "joy"])
def test_a_fused_store_is_recalled_as_on_the_langchain_side(
    fused_index, fused_store, *, strategy, policy, affect
):
    options = {"affect": affect, "policy": policy, "strategy": strategy, "fetch_k": 4}
    theirs = LangChainRetriever(vectorstore=fused_store, k=3, **options)
    ours = AffectModulatedRetriever(fused_index, similarity_top_k=3, **options)

    expected = [one.page_content for one in theirs.invoke(QUERY)]

    assert [one.node.get_content() for one in ours.retrieve(QUERY)] == expected
    found = asyncio.run(ours.aretrieve(QUERY))
    assert [one.node.get_content() for one in found] == expected
    assert [(one.rank_without_affect, one.reason) for one in ours.explain(QUERY)] == [
        (one.rank_without_affect, one.reason) for one in theirs.explain(QUERY)
    ]


def test_what_meaning_would_not_have_found_is_found(fused_index, index, said):
    options = {"affect": "sadness", "policy": "congruent", "similarity_top_k": 3, "fetch_k": 3}

    plain = AffectModulatedRetriever(index, **options).explain(QUERY)
    found = AffectModulatedRetriever(fused_index, **options).explain(QUERY)

    assert {one.rank_without_affect for one in plain} == {1, 2, 3}
    assert [one.rank_without_affect for one in found] == [3, None, 1]
    assert found[1].document.node.get_content() == "the empty house"


def test_plain_retrieval_on_a_fused_store_keeps_the_order_of_meaning(fused_index, index, said):
    assert said(fused_index.as_retriever(similarity_top_k=10).retrieve(QUERY)) == said(
        index.as_retriever(similarity_top_k=10).retrieve(QUERY)
    )


def test_a_query_that_brings_its_vector_is_asked_for_feeling_too(fused_index, fused, said):
    ours = AffectModulatedRetriever(fused_index, affect="sadness", policy="congruent", fetch_k=2)
    bundle = QueryBundle(QUERY, embedding=fused.get_query_embedding(QUERY))

    assert said(ours.retrieve(bundle)) == said(ours.retrieve(QUERY))


def test_a_tag_is_trusted_only_where_the_vector_holds_it(embed_model, appraiser, diary_encoder):
    """Cosines come out right whoever wrote the tags."""
    appraiser.script["day: 0\n\nthe prize"] = "anger"
    diary_encoder.cosines["day: 0\n\nthe prize"] = 0.4
    corrected = encode(Affect.from_label("sadness", source="by hand"))
    own = encode(Affect.from_label("sadness", source="script:1"))
    keys = {"excluded_embed_metadata_keys": list(corrected)}
    nodes = [
        TextNode(text="a picnic by the river", metadata=corrected, **keys),
        TextNode(text="nobody called", metadata=own, **keys),
        TextNode(text="goodbye at the station"),
        TextNode(text="the prize", metadata={"day": 0, **own}, **keys),
    ]
    embed_model._encoder = type(diary_encoder)(diary_encoder.cosines)
    index = VectorStoreIndex(
        nodes, embed_model=AffectEmbedding(embed_model=embed_model, appraiser=appraiser)
    )
    ours = AffectModulatedRetriever(index, affect="sadness", policy="congruent", similarity_top_k=4)

    found = {one.document.node.get_content(): one.signals["cosine"] for one in ours.explain(QUERY)}

    assert found == pytest.approx(
        {
            "a picnic by the river": 0.9,
            "nobody called": 0.2,
            "goodbye at the station": 0.8,
            "the prize": 0.4,
        },
        abs=1e-6,
    )


def test_it_is_written_without_the_model_within(fused, embed_model, appraiser):
    data = fused.to_dict()

    assert data["model_name"] == "fused:given"
    assert data["model"] == "script:1"
    assert "embed_model" not in data
    assert "appraiser" not in data
    again = AffectEmbedding.from_json(fused.to_json(), embed_model=embed_model, appraiser=appraiser)
    assert again.to_dict() == data
    assert AffectEmbedding(embed_model=MockEmbedding(4)).to_dict() != (
        AffectEmbedding(embed_model=MockEmbedding(5)).to_dict()
    )
    with pytest.raises(ValidationError, match="'fused:given', got 'fused:all-MiniLM-L6-v2'"):
        AffectEmbedding.from_dict(data)
    assert AffectEmbedding.from_dict(AffectEmbedding().to_dict()).model == "emomem:2"


@pytest.mark.parametrize(
    "wrong",
    [
        {"embed_model": None},
        {"appraiser": "joy"},
        {"beta": 1},
        {"embed_batch_size": 0},
        {"embeddings_cache": SimpleKVStore()},
        {"embed_model": AffectEmbedding(embed_model=MockEmbedding(4))},
    ],
)
def test_a_wrong_argument_raises_at_construction(wrong):
    with pytest.raises(ValidationError, match=next(iter(wrong))):
        AffectEmbedding(**wrong)


def test_it_is_a_llamaindex_embedding():
    assert BaseEmbedding in AffectEmbedding.__mro__
    assert AffectEmbedding.class_name() == "AffectEmbedding"


@pytest.mark.parametrize("kind", ["simple", "chroma"])
def test_vectors_of_another_model_are_noticed_at_construction(
    diary_nodes, fused, embed_model, appraiser, kind
):
    def held(model):
        store = SimpleVectorStore()
        if kind == "chroma":
            client = chromadb.EphemeralClient(Settings(anonymized_telemetry=False))
            store = ChromaVectorStore(client.create_collection(f"t{uuid.uuid4().hex}"))
        context = StorageContext.from_defaults(vector_store=store)
        return VectorStoreIndex(diary_nodes, storage_context=context, embed_model=model)

    def searched(index, model):
        index._embed_model = model  # as an index that is opened again
        return AffectModulatedRetriever(index, affect="joy", similarity_top_k=1).retrieve(QUERY)

    mock = MockEmbedding(embed_dim=11)
    assert searched(held(fused), fused)
    assert searched(held(embed_model), embed_model)
    with pytest.raises(ValueError, match=r"of 11 dimensions, but AffectEmbedding .* makes 40"):
        searched(held(embed_model), fused)
    with pytest.raises(ValueError, match=r"fused vectors of 40 dimensions .* makes 11"):
        searched(held(fused), mock)
    with pytest.raises(ValueError, match="made with another encoder than MockEmbedding"):
        searched(held(fused), AffectEmbedding(embed_model=mock, appraiser=appraiser))
    with pytest.raises(ValueError, match="not fused vectors of this version"):
        searched(held(MockEmbedding(embed_dim=40)), fused)


@pytest.mark.parametrize("text", ["", "the prize"])
def test_a_first_node_without_text_or_with_another_is_no_other_model(
    diary_nodes, fused_index, text
):
    first = fused_index.docstore.get_node(diary_nodes[0].node_id)
    first.set_content(text)
    fused_index.docstore.add_documents([first])

    assert AffectModulatedRetriever(fused_index, affect="joy").retrieve(QUERY)


def test_a_vector_of_the_model_within_is_no_query_of_fused_vectors(fused_index, embed_model):
    retriever = AffectModulatedRetriever(fused_index, affect="joy")
    bundle = QueryBundle(QUERY, embedding=[0.1] * 40)

    with pytest.raises(ValueError, match="must end in 29 zeros"):
        retriever.retrieve(bundle)
