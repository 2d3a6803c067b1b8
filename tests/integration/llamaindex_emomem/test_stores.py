"""Real engines: embedded Chroma, PostgreSQL with pgvector, LlamaIndex's own store."""

import asyncio
import uuid

import chromadb
import pytest
from chromadb.config import Settings
from llama_index.core import StorageContext, VectorStoreIndex
from llama_index.core.schema import MetadataMode, TextNode
from llama_index.core.vector_stores import (
    FilterOperator,
    MetadataFilter,
    MetadataFilters,
    SimpleVectorStore,
)
from llama_index.vector_stores.chroma import ChromaVectorStore
from llama_index.vector_stores.postgres import PGVectorStore

from emomem.ranking import STRATEGIES
from llamaindex_emomem import AffectModulatedRetriever, AffectPostprocessor

QUERY = "that evening"
STORES = ["simple", "chroma cosine", "chroma l2", "chroma ip", "pgvector"]


@pytest.fixture
def store(request, postgres_of_llamaindex):
    """A builder of an empty store of one kind."""

    def build(kind, dimensions):
        if kind == "simple":
            return SimpleVectorStore()
        if kind == "pgvector":
            return postgres_of_llamaindex(dimensions)
        client = chromadb.EphemeralClient(Settings(anonymized_telemetry=False))
        collection = client.create_collection(
            f"t{uuid.uuid4().hex}", configuration={"hnsw": {"space": kind.split()[1]}}
        )
        request.addfinalizer(lambda: client.delete_collection(collection.name))
        return ChromaVectorStore(chroma_collection=collection)

    return build


@pytest.fixture
def postgres_of_llamaindex(request):
    def build(dimensions):
        url = request.getfixturevalue("postgres")
        return PGVectorStore.from_params(
            connection_string=url,
            async_connection_string=url,
            table_name=f"t{uuid.uuid4().hex}",
            embed_dim=dimensions,
        )

    return build


@pytest.fixture(params=STORES)
def index(request, store, diary_nodes, embed_model):
    """The diary in each engine."""
    vector_store = store(request.param, len(diary_nodes) + 1)
    context = StorageContext.from_defaults(vector_store=vector_store)
    yield VectorStoreIndex(diary_nodes, storage_context=context, embed_model=embed_model)
    if isinstance(vector_store, PGVectorStore):
        asyncio.run(vector_store.close())


@pytest.fixture
def memory(diary_nodes, embed_model):
    return VectorStoreIndex(diary_nodes, embed_model=embed_model)


@pytest.mark.parametrize("strategy", STRATEGIES)
async def test_every_engine_gives_the_order_of_the_cosines(index, memory, strategy):
    options = {"strategy": strategy, "affect": "sadness", "similarity_top_k": 5}
    expected = AffectModulatedRetriever(memory, **options)
    ours = AffectModulatedRetriever(index, **options)

    found = ours.retrieve(QUERY)

    assert [one.node_id for one in found] == [one.node_id for one in expected.retrieve(QUERY)]
    assert [one.node_id for one in await ours.aretrieve(QUERY)] == [one.node_id for one in found]
    signals = [one.signals.get("cosine") for one in ours.explain(QUERY)]
    assert signals == pytest.approx(
        [one.signals.get("cosine") for one in expected.explain(QUERY)], abs=1e-5
    )


async def test_filters_hold_in_every_engine(index, said):
    filters = MetadataFilters(
        filters=[
            MetadataFilter(key="user_id", value="ann"),
            MetadataFilter(key="affect_valence", value=0.0, operator=FilterOperator.LT),
        ]
    )
    for policy in ("off", "congruent"):
        retriever = AffectModulatedRetriever(
            index, filters=filters, affect="sadness", policy=policy, similarity_top_k=9
        )
        found = said(retriever.retrieve(QUERY))
        assert sorted(found) == ["goodbye at the station", "nobody called", "the row about money"]
        assert said(await retriever.aretrieve(QUERY)) == found


@pytest.fixture
def numbered(postgres_of_llamaindex, embed_model):
    """Nodes of users whose names look like numbers, in PostgreSQL."""
    vector_store = postgres_of_llamaindex(11)
    context = StorageContext.from_defaults(vector_store=vector_store)
    nodes = [
        TextNode(text="the prize", metadata={"user": user}, excluded_embed_metadata_keys=["user"])
        for user in ("7", "007", "7.0", "70")
    ]
    yield VectorStoreIndex(nodes, storage_context=context, embed_model=embed_model)
    asyncio.run(vector_store.close())


@pytest.mark.parametrize("policy", ["off", "congruent"])
def test_a_user_is_no_number(numbered, policy):
    def found(value, operator=FilterOperator.EQ):
        filters = MetadataFilters(
            filters=[MetadataFilter(key="user", value=value, operator=operator)]
        )
        retriever = AffectModulatedRetriever(
            numbered, filters=filters, affect="joy", policy=policy, similarity_top_k=2
        )
        return [one.node.metadata["user"] for one in retriever.retrieve(QUERY)]

    assert found("7") == ["7"]
    assert found(["7", "70"], FilterOperator.IN) in (["7", "70"], ["70", "7"])
    with pytest.raises(ValueError, match="has a quote"):
        found("7' or '1' = '1")


def test_tags_come_back_as_they_were_and_stay_out_of_the_prompt(index, diary_nodes):
    stored = {node.node_id: node for node in diary_nodes}
    for one in AffectModulatedRetriever(index, affect="joy", similarity_top_k=10).retrieve(QUERY):
        assert one.node.metadata == stored[one.node_id].metadata
        assert "affect" not in one.node.get_content(MetadataMode.LLM)


@pytest.mark.parametrize("index", STORES[1:], indirect=True)
def test_a_vector_store_alone_will_do(index, embed_model, said):
    options = {"affect": "sadness", "policy": "congruent"}
    alone = AffectModulatedRetriever(
        vector_store=index.vector_store, embed_model=embed_model, **options
    )
    assert said(alone.retrieve(QUERY)) == said(
        AffectModulatedRetriever(index, **options).retrieve(QUERY)
    )


@pytest.mark.parametrize("policy", ["congruent", "comfort", "auto"])
def test_the_postprocessor_ranks_what_an_engine_returns(index, said, policy):
    metric = {
        "ChromaVectorStore": lambda store: {
            "cosine": "exp_cosine_distance",
            "l2": "exp_squared_l2_distance",
            "ip": "exp_inner_product_distance",
        }[store.client.configuration_json["hnsw"]["space"]]
    }.get(type(index.vector_store).__name__, lambda _: "cosine_similarity")(index.vector_store)
    nodes = index.as_retriever(similarity_top_k=10).retrieve(QUERY)
    options = {"affect": "sadness", "policy": policy}

    found = AffectPostprocessor(metric=metric, top_n=4, **options).postprocess_nodes(
        nodes, query_str=QUERY
    )

    retriever = AffectModulatedRetriever(index, similarity_top_k=4, **options)
    assert said(found) == said(retriever.retrieve(QUERY))
