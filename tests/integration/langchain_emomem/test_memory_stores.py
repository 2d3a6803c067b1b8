"""The stores of a memory over LangChain's and LangGraph's, in sync and async."""

import asyncio
import math
import uuid
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from threading import Barrier

import pytest
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_postgres import PGVector
from langgraph.store.memory import InMemoryStore as LangGraphStore
from langgraph.store.postgres import AsyncPostgresStore, PostgresStore
from psycopg import connect
from psycopg.rows import dict_row
from psycopg_pool import ConnectionPool
from sqlalchemy import create_engine, text
from sqlalchemy.ext.asyncio import create_async_engine

from emomem.memory.in_memory import InMemoryStore
from emomem.memory.store import Key
from emomem.memory.unit import make_unit_id
from langchain_emomem.memory.adapters import memory_store
from tests.integration.memory_store_cases import *  # noqa: F403 - its tests run here
from tests.integration.memory_store_cases import QUERY, TEXTS, Caller, unit

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


def test_processes_that_start_together_on_an_empty_postgres_take_one_key(
    langgraph_postgres, postgres, placed
):
    # Each with a store of its own, as in another process.
    engines, together = [langgraph_postgres(placed(TEXTS)) for _ in range(4)], Barrier(4)

    def start(engine):
        together.wait(60)
        return memory_store(engine).batch([Key()])[0]

    address = postgres.replace("+psycopg", "")
    with ThreadPoolExecutor(4) as pool, connect(address, autocommit=True) as connection:
        for _ in range(20):
            keys = set(pool.map(start, engines))
            late = memory_store(langgraph_postgres(placed(TEXTS)))
            assert keys == set(late.batch([Key()]))
            connection.execute("truncate store cascade")


async def test_what_starts_together_on_an_async_postgres_takes_one_key(
    langgraph_postgres, postgres, placed
):
    langgraph_postgres(placed(TEXTS))  # which makes its tables
    address = postgres.replace("+psycopg", "")
    async with AsyncExitStack() as stack:
        index = {"dims": len(TEXTS) + 1, "embed": placed(TEXTS)}
        opened = [AsyncPostgresStore.from_conn_string(address, index=index) for _ in range(4)]
        engines = [await stack.enter_async_context(one) for one in opened]
        for _ in range(20):
            tasks = [memory_store(engine).abatch([Key()]) for engine in engines]
            assert len({key for [key] in await asyncio.gather(*tasks)}) == 1
            async with engines[0]._cursor() as cursor:
                await cursor.execute("truncate store cascade")


def test_another_store_is_refused_by_name(placed):
    with pytest.raises(TypeError, match=r"Chroma, PGVector, .* got dict"):
        memory_store({})
    with pytest.raises(ValueError, match="has no index"):
        memory_store(LangGraphStore())


class Turning(Embeddings):
    """Puts "text 12" at 12 degrees of a third to the query."""

    def embed_query(self, text):
        return [1.0, 0.0]

    def embed_documents(self, texts):
        angles = [math.radians(int(text.removeprefix("text ")) / 3) for text in texts]
        return [[math.cos(angle), math.sin(angle)] for angle in angles]


@pytest.fixture
def indexed(pg_engine):
    """A builder of a store in a database of its own, whose vectors have one width and an index."""
    with pg_engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("CREATE DATABASE indexed"))
    own = create_engine(pg_engine.url.set(database="indexed"))

    def build(encoder):
        store = PGVector(encoder, connection=own)
        with own.begin() as connection:
            for statement in INDEX:
                connection.execute(text(statement))
        return store

    yield build
    own.dispose()
    with pg_engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("DROP DATABASE indexed"))


INDEX = (
    "ALTER TABLE langchain_pg_embedding ALTER COLUMN embedding TYPE vector(2)",
    "CREATE INDEX ON langchain_pg_embedding USING hnsw (embedding vector_cosine_ops)",
)


@pytest.fixture(params=["chroma", "served_chroma", "indexed"])
def large(request, monkeypatch):
    """An empty store that counts as large however few units it has; PostgreSQL's has an index."""
    monkeypatch.setattr("emomem.memory.chroma._LARGE", 0)
    return memory_store(request.getfixturevalue(request.param)(Turning()))


def said(store, user, rows, **more):
    """Units with the ids that a memory gives them."""
    units = [unit(f"text {row}", user_id=user, **more) for row in rows]
    [key] = store.batch([Key()])
    return [one.model_copy(update={"unit_id": make_unit_id(one, key)}) for one in units]


def searched(store, user, k=10, kind="fact"):
    hits = store.search(user, QUERY, k, {"kind": kind})
    assert all(hit.unit.user_id == user and hit.unit.kind == kind for hit in hits)
    return [int(hit.unit.text.removeprefix("text ")) for hit in hits]


def test_what_everybody_has_is_looked_for_among_the_nearest_of_all(large, monkeypatch):
    large.put(
        said(large, "ann", range(0, 240, 2))
        + said(large, "ann", range(1, 240, 2), kind="affective")
    )
    found = []
    of_all = large._of_all

    def watched(request, vector):
        rows = yield from of_all(request, vector)
        found.append([row.text for row in rows])
        return rows

    monkeypatch.setattr(large, "_of_all", watched)
    assert searched(large, "ann") == list(range(0, 20, 2))
    assert searched(large, "ann", 30, "affective") == list(range(1, 60, 2))
    assert [len(texts) for texts in found] == [10, 30]
    [first] = large.search("ann", QUERY, 1, {"kind": "fact"})
    assert first.cosine == pytest.approx(1, abs=1e-5)


def test_of_one_user_among_many_all_are_found_in_a_large_store(large):
    large.put(said(large, "many", range(200)) + said(large, "few", range(200, 250)))
    assert searched(large, "few", 60) == list(range(200, 250))
    assert searched(large, "few") == list(range(200, 210))
    assert searched(large, "many") == list(range(10))
    assert searched(large, "nobody") == []


def test_what_is_not_everybodys_is_left_to_the_filter_of_the_engine(large, monkeypatch):
    monkeypatch.setattr(large, "_of_all", None)
    large.put(said(large, "ann", range(100)) + said(large, "ann", range(100, 103), kind="goal"))
    assert searched(large, "ann", 3, "goal") == [100, 101, 102]
    assert large.search("ann", QUERY, 5, {"kind": "fact", "times": {"$gt": 1}}) == []


def test_of_other_users_nothing_but_ids_is_read(chroma, monkeypatch):
    monkeypatch.setattr("emomem.memory.chroma._LARGE", 0)
    large = memory_store(chroma(Turning()))
    mine, others = said(large, "ann", range(0, 40, 2)), said(large, "bob", range(1, 40, 2))
    large.put(mine + others)
    read = []
    get = large._collection.get

    def watched(**asked):
        read.extend(asked.get("ids") or ())
        return get(**asked)

    monkeypatch.setattr(large._collection, "get", watched)
    assert searched(large, "ann", 5) == [0, 2, 4, 6, 8]
    assert read
    assert not {one.unit_id for one in others} & set(read)


def test_what_is_deleted_meanwhile_leaves_no_gap(chroma, monkeypatch):
    monkeypatch.setattr("emomem.memory.chroma._LARGE", 0)
    large = memory_store(chroma(Turning()))
    units = said(large, "ann", range(40))
    large.put(units)
    get = large._collection.get

    def deleting(**asked):
        if units[1].unit_id in asked.get("ids", ()):
            large._collection.delete(ids=[units[1].unit_id])
        return get(**asked)

    monkeypatch.setattr(large._collection, "get", deleting)
    assert searched(large, "ann", 5) == [0, 2, 3, 4, 5]


def test_ids_of_somebodys_own_are_left_to_the_filter_of_the_engine(chroma, monkeypatch):
    monkeypatch.setattr("emomem.memory.chroma._LARGE", 0)
    large = memory_store(chroma(Turning()))
    large.put([unit(f"text {row}") for row in range(3)])
    large.put(said(large, "ann", range(10, 40)))
    assert searched(large, "ann", 3) == [0, 1, 2]


def test_ids_that_were_made_in_another_collection_are_left_to_the_filter(chroma, monkeypatch):
    monkeypatch.setattr("emomem.memory.chroma._LARGE", 0)
    large, another = memory_store(chroma(Turning())), memory_store(chroma(Turning()))
    large.put(said(another, "ann", range(2)))
    large.put(said(large, "ann", range(10, 40)) + said(large, "bob", range(10, 40)))
    assert searched(large, "ann", 3) == [0, 1, 10]
    assert large._told_by_ids == {"ann": False}
    assert searched(large, "bob", 3) == [10, 11, 12]
    assert large._told_by_ids["bob"]
