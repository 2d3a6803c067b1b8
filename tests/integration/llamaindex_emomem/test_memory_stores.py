"""The stores of a memory over LlamaIndex's vector stores, in sync and async."""

import asyncio
import uuid
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import chromadb
import pytest
from chromadb.config import Settings
from hypothesis import given as given_by_hypothesis
from hypothesis import settings
from hypothesis import strategies as st
from langchain_chroma import Chroma
from llama_index.core import MockEmbedding
from llama_index.core.vector_stores import SimpleVectorStore
from llama_index.core.vector_stores.types import BasePydanticVectorStore
from llama_index.vector_stores.chroma import ChromaVectorStore
from llama_index.vector_stores.postgres import PGVectorStore
from sqlalchemy import text as sql

from emomem.filters import matches, normalise
from emomem.memory.in_memory import InMemoryStore
from emomem.memory.store import Key, Put, Search
from langchain_emomem.memory.adapters import memory_store as langchain_store
from llamaindex_emomem.memory.adapters import memory_store
from tests.integration.memory_store_cases import *  # noqa: F403 - its tests run here
from tests.integration.memory_store_cases import QUERY, TEXTS, Caller, unit

ENGINES = ["simple", "chroma", "pgvector", "pgvector jsonb", "pgvector jsonb hnsw"]
HNSW = {
    "hnsw_m": 16,
    "hnsw_ef_construction": 64,
    "hnsw_ef_search": 40,
    "hnsw_dist_method": "vector_cosine_ops",
}


def dropped(store):
    """Takes the table of a store away, and its connections."""
    if store.client is not None:  # it was used
        with store.client.begin() as connection:
            connection.execute(sql(f"drop table data_{store.table_name}"))
        asyncio.run(store.close())


@pytest.fixture
def pgvector_of_llamaindex(request):
    """A builder of tables, which go at the end."""
    made = []

    def build(**options):
        url = request.getfixturevalue("postgres")
        store = PGVectorStore.from_params(
            connection_string=url,
            async_connection_string=url,
            table_name=f"t{uuid.uuid4().hex}",
            embed_dim=len(TEXTS) + 1,
            **options,
        )
        made.append(store)
        return store

    yield build
    for store in made:
        dropped(store)


@pytest.fixture
def chroma_of_llamaindex(request):
    def build():
        client = chromadb.EphemeralClient(Settings(anonymized_telemetry=False))
        space = {"hnsw": {"space": "cosine"}}
        collection = client.create_collection(f"t{uuid.uuid4().hex}", configuration=space)
        request.addfinalizer(lambda: client.delete_collection(collection.name))
        return ChromaVectorStore(chroma_collection=collection)

    return build


@pytest.fixture(params=ENGINES)
def engine(request):
    name, *more = request.param.split()
    if name == "simple":
        return SimpleVectorStore()
    build = request.getfixturevalue(f"{name}_of_llamaindex")
    options = {"hnsw_kwargs": HNSW} if "hnsw" in more else {}
    if more:
        options |= {"use_jsonb": True, "indexed_metadata_keys": {("user_id", "text")}}
    return build(**options)


@pytest.fixture(params=["sync", "async"])
def store(request, engine, placed, given):
    made = memory_store(engine, given(placed(TEXTS)))
    return Caller(made, is_async=request.param == "async")


def test_two_memories_over_one_store_share_its_key(engine, placed, given):
    encoder = given(placed(TEXTS))
    keys = [memory_store(engine, encoder).batch([Key()]) for _ in range(2)]
    assert keys[0] == keys[1]


def test_what_everybody_has_is_looked_for_among_the_nearest_of_all(
    pgvector_of_llamaindex, placed, given
):
    made = memory_store(pgvector_of_llamaindex(hnsw_kwargs=HNSW), given(placed(TEXTS)))
    made.put([unit("near", user_id="bob"), unit("nearer"), unit("far"), unit("middle")])
    made.put([unit("near", kind="affective")])
    facts = Search("ann", {"kind": "fact"}, QUERY, 2)
    among = made._of_all(facts, made._embed_model.get_query_embedding(QUERY))
    with made._vector_store._session() as session:
        call = next(among)
        while True:
            answer = session.execute(call)
            try:
                call = among.send(list(answer.all()) if answer.returns_rows else [])
            except StopIteration as done:
                rows = done.value
                break
    assert [row.text for row in rows] == ["nearer", "middle"]
    assert [hit.unit.text for hit in made.batch([facts])[0]] == ["nearer", "middle"]
    assert made._worthwhile.is_so
    assert [hit.unit.text for hit in made.search("bob", QUERY, 9, {"kind": "fact"})] == ["near"]


VALUES = {"n": [1, 2.5, -3], "it's": ["x", 'a "b" \\ $v0', "ünï-日本"], "paid": [True, False]}


def filters():
    def one(key):
        value = st.sampled_from(VALUES[key])
        some = st.lists(value, max_size=2)
        parts = [
            value,
            *(st.fixed_dictionaries({name: value}) for name in ("$eq", "$ne")),
            *(st.fixed_dictionaries({name: some}) for name in ("$in", "$nin")),
            st.fixed_dictionaries({"$exists": st.booleans()}),
        ]
        if key != "paid":
            parts += [st.fixed_dictionaries({o: value}) for o in ("$lt", "$lte", "$gt", "$gte")]
        return st.fixed_dictionaries({key: st.one_of(parts)})

    def more(inner):
        several = st.lists(inner, min_size=1, max_size=3)
        logical = [st.fixed_dictionaries({name: several}) for name in ("$and", "$or")]
        return st.one_of(*logical, st.fixed_dictionaries({"$not": inner}))

    return st.recursive(st.one_of(*map(one, VALUES)), more, max_leaves=5)


@pytest.fixture(scope="module")
def filled(postgres):
    """A store of units with every combination of values, in the table of a PGVectorStore."""
    url = postgres
    engine = PGVectorStore.from_params(
        connection_string=url, async_connection_string=url, table_name="filled", embed_dim=4
    )
    store = memory_store(engine, MockEmbedding(4))
    combinations = product(*([None, *values] for values in VALUES.values()))
    store.put(
        [
            unit("near", metadata={k: v for k, v in zip(VALUES, one, strict=True) if v is not None})
            for one in combinations
        ]
    )
    yield store
    dropped(engine)


@settings(max_examples=60, deadline=None)
@given_by_hypothesis(where=filters())
def test_postgres_takes_a_filter_as_every_other_store_does(filled, where):
    everything = filled.list("ann")
    assert len(everything) == 48
    wanted = [one for one in everything if matches(normalise(where), one.metadata)]
    assert filled.list("ann", where) == wanted


def test_postgres_refuses_an_operator_that_it_would_not_apply(filled):
    with pytest.raises(ValueError, match=r"'\$like' is none of \$eq"):
        filled.list("ann", {"n": {"$like": "x%"}})


def test_the_same_unit_written_by_many_at_once_is_one(pgvector_of_llamaindex, placed, given):
    store = memory_store(pgvector_of_llamaindex(), given(placed(TEXTS)))
    same = unit()
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: store.put([same]), range(24)))
    assert store.list("ann") == [same]


def test_units_and_their_key_are_kept_by_persist(placed, given, tmp_path):
    engine, encoder = SimpleVectorStore(), given(placed(TEXTS))
    store = memory_store(engine, encoder)
    [key, _] = store.batch([Key(), Put([unit("near")])])
    path = str(tmp_path / "store.json")
    engine.persist(path)
    again = memory_store(SimpleVectorStore.from_persist_path(path), encoder)
    assert again.list("ann") == store.list("ann")
    assert again.search("ann", QUERY)[0].cosine == pytest.approx(0.9)
    assert again.batch([Key()]) == [key]


def test_both_frameworks_keep_one_memory_in_one_collection(chroma_of_llamaindex, placed, given):
    engine, encoder = chroma_of_llamaindex(), placed(TEXTS)
    client = chromadb.EphemeralClient(Settings(anonymized_telemetry=False))
    theirs = langchain_store(Chroma(engine.client.name, encoder, client=client))
    ours = memory_store(engine, given(encoder))
    theirs.put([unit("near")])
    assert ours.list("ann") == theirs.list("ann")
    assert ours.search("ann", QUERY) == theirs.search("ann", QUERY)
    assert ours.batch([Key()]) == theirs.batch([Key()])


def test_another_store_is_refused_by_name():
    class OtherStore(BasePydanticVectorStore):
        stores_text: bool = True

        @property
        def client(self):
            return None

        def add(self, nodes, **options):
            return []

        def delete(self, ref_doc_id, **options):
            pass

        def query(self, query, **options):
            return None

    encoder = MockEmbedding(4)
    for other in ({}, OtherStore()):
        with pytest.raises(TypeError, match=f"PGVectorStore or .* got {type(other).__name__}"):
            memory_store(other, encoder)
    with pytest.raises(ValueError, match="InMemoryStore has its own"):
        memory_store(InMemoryStore(embed=len), encoder)
