"""The stores of a memory over LangChain's and LangGraph's, in sync and async."""

import uuid

import pytest
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_postgres import PGVector
from langgraph.store.memory import InMemoryStore as LangGraphStore
from langgraph.store.postgres import PostgresStore
from psycopg.rows import dict_row
from psycopg_pool import ConnectionPool
from sqlalchemy.ext.asyncio import create_async_engine

from emomem.memory.in_memory import InMemoryStore
from emomem.memory.store import Key
from langchain_emomem.memory.adapters import memory_store
from tests.integration.memory_store_cases import *  # noqa: F403 - its tests run here
from tests.integration.memory_store_cases import QUERY, TEXTS, Caller

ENGINES = [
    "core",
    "in-memory",
    "langgraph",
    "langgraph_postgres",
    "chroma",
    "served_chroma",
    "pgvector",
]


def engine_of(name, encoder, request):
    if name == "core":
        return InMemoryStore(embed=lambda texts: [one(encoder, text) for text in texts])
    if name == "in-memory":
        return InMemoryVectorStore(encoder)
    if name == "langgraph":
        index = {"dims": len(TEXTS) + 1, "embed": encoder, "fields": ["text"]}
        return LangGraphStore(index=index)
    return request.getfixturevalue(name)(encoder)


@pytest.fixture
def langgraph_postgres(postgres):
    """A builder of LangGraph's store on PostgreSQL; all of it are one, and empty at the end."""
    address = postgres.replace("+psycopg", "")
    with ConnectionPool(address, kwargs={"autocommit": True, "row_factory": dict_row}) as pool:

        def build(encoder):
            # It embeds a query as it embeds a document.
            index = {
                "dims": len(TEXTS) + 1,
                "embed": lambda texts: [one(encoder, text) for text in texts],
                "fields": ["text"],
                "ann_index_config": {"kind": "flat"},
            }
            store = PostgresStore(pool, index=index)
            store.setup()
            return store

        yield build
        with pool.connection() as connection:
            connection.execute("truncate store cascade")


def one(encoder, text):
    return encoder.embed_query(text) if text == QUERY else encoder.embed_documents([text])[0]


@pytest.fixture(params=ENGINES)
def engine_name(request):
    return request.param


@pytest.fixture(params=["sync", "async"])
async def store(request, engine_name, placed):
    encoder, is_async = placed(TEXTS), request.param == "async"
    if engine_name == "pgvector" and is_async:
        connections = create_async_engine(request.getfixturevalue("postgres"))
        engine = PGVector(
            encoder,
            connection=connections,
            collection_name=f"t{uuid.uuid4().hex}",
            async_mode=True,
        )
        yield Caller(memory_store(engine), is_async=True)
        await engine.adelete_collection()
        await connections.dispose()
        return
    yield Caller(memory_store(engine_of(engine_name, encoder, request)), is_async=is_async)


def test_two_memories_over_one_store_share_its_key(engine_name, placed, request):
    engine = engine_of(engine_name, placed(TEXTS), request)
    assert memory_store(engine).batch([Key()]) == memory_store(engine).batch([Key()])


def test_another_store_is_refused_by_name(placed):
    with pytest.raises(TypeError, match=r"Chroma, PGVector, .* got dict"):
        memory_store({})
    with pytest.raises(ValueError, match="has no index"):
        memory_store(LangGraphStore())
