"""The conflict-aware memory on real engines: crashes, processes at once, what stays on disk."""

import importlib.util
import json
import re
import subprocess
import sys
import uuid
from pathlib import Path

import pytest
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_postgres import PGVector
from sqlalchemy import text as sql

from emomem import LexiconAppraiser
from emomem.memory.operations import replay
from emomem.memory.unit import MemoryUnit, make_unit_id, to_metadata
from langchain_emomem import ConflictAwareMemory
from langchain_emomem.memory.adapters import memory_store

SCRIPT = Path(__file__).with_name("memory_process.py")
EXAMPLE = Path(__file__).parents[3] / "examples" / "customer_care_agent.py"


def module(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def start(*arguments):
    command = [sys.executable, SCRIPT, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)  # noqa: S603 - our own


def test_what_a_kill_cuts_off_is_whole_after_the_restart(tmp_path):
    where = ("chroma", str(tmp_path / "chroma"), "units", tmp_path / "log.jsonl")
    with start(*where, "Ann", 1000) as saving:
        for _ in range(12):
            assert saving.stdout.readline()
        saving.kill()

    memory = module(SCRIPT).memory(*where)
    facts, readings = memory.timeline(), memory.search_by_pattern({"valence": {"$gte": -1}})
    assert len(facts) >= 12
    assert {one.interaction_id for one in facts} == {one.interaction_id for one in readings}
    assert {one.state for one in memory.operations()} <= {"done", "dropped"}
    replayed = replay(memory.operations())
    assert {one.unit_id: one.status for one in (*facts, *readings)} == {
        id_: state["status"] for id_, state in replayed.items()
    }


@pytest.mark.parametrize("engine", ["served_chroma", "pgvector"])
@pytest.mark.parametrize("count", [15, pytest.param(500, marks=pytest.mark.slow)])
def test_two_processes_at_once_lose_no_unit(request, tmp_path, engine, count):
    served = engine == "served_chroma"
    address = request.getfixturevalue("chroma_server" if served else "postgres")
    where = (engine, address, f"t{uuid.uuid4().hex}", tmp_path / "log.jsonl")
    memory = module(SCRIPT).memory(*where)
    names = ("Ann", "Bo")
    both = [start(*where, name, count) for name in names]
    for saving in both:
        saving.communicate()
        assert saving.returncode == 0

    facts = {one.text for one in memory.timeline()}
    wanted = {
        f"{n} lives in town number {row}, a lovely place" for n in names for row in range(count)
    }
    assert facts == wanted
    assert len(memory.export("ann")["units"]) == 4 * count
    assert {one.state for one in memory.operations()} == {"done"}


@pytest.mark.parametrize("many", [3000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_the_few_units_of_one_user_are_all_found_among_many(pgvector, pg_engine, many):
    size, few = 8, 50
    encoder = DeterministicFakeEmbedding(size=size)
    vectorstore = pgvector(encoder)
    store = memory_store(vectorstore)
    units = [
        MemoryUnit(text=f"note {row}", user_id="ann", speaker="ann", created_at=row)
        for row in range(few)
    ]
    units = [
        one.model_copy(update={"unit_id": make_unit_id(one, uuid.uuid4().bytes)}) for one in units
    ]
    store.put(units)
    other = to_metadata(units[0].model_copy(update={"user_id": "bob"}))
    fill = sql(
        "insert into langchain_pg_embedding (id, collection_id, embedding, document, cmetadata) "
        "select 'b' || row || :salt, c.uuid, "
        "(select array_agg(random() + 0 * row * d) from generate_series(1, :size) d)::vector, "
        "'x', cast(:other as jsonb) from generate_series(1, :many) row, langchain_pg_collection c "
        "where c.name = :name"
    )
    with pg_engine.begin() as connection:
        values = {"salt": uuid.uuid4().hex, "size": size, "many": many, "other": json.dumps(other)}
        connection.execute(fill, {**values, "name": vectorstore.collection_name})
        connection.execute(
            sql(
                "create index hnsw_of_test on langchain_pg_embedding using hnsw "
                f"((embedding::vector({size})) vector_cosine_ops)"
            )
        )
    try:
        hits = store.search("ann", "anything", 99, {"kind": "fact"})
    finally:
        with pg_engine.begin() as connection:
            connection.execute(sql("drop index hnsw_of_test"))
    assert {hit.unit.unit_id for hit in hits} == {one.unit_id for one in units}


def bytes_below(folder):
    return b"".join(path.read_bytes() for path in Path(folder).rglob("*") if path.is_file())


def test_forgotten_text_is_in_no_file_of_an_embedded_chroma(tmp_path):
    # Chroma keeps a write in its queue until `sync_threshold` of them are done: 1000 by default.
    where = ("chroma", str(tmp_path / "chroma"), "units", tmp_path / "log.jsonl")
    script = (
        f"import sys; sys.path.insert(0, {str(SCRIPT.parent)!r}); import memory_process as p; "
        "import chromadb; c = chromadb.PersistentClient("
        f"{where[1]!r}, chromadb.config.Settings(anonymized_telemetry=False)); "
        "index = {'sync_threshold': 2, 'batch_size': 2}; "
        "c.create_collection('units', configuration={'hnsw': index}); "
        f"m = p.memory(*{where[:3]!r}, {str(where[3])!r}); "
        "m.save('the zebracorn is mine'); m.save('the kettle is hers'); "
        "[one] = [f for f in m.timeline() if 'zebracorn' in f.text]; m.forget(ids=[one.unit_id]); "
        "m.save('the spoon is hers'); m.recall('spoon')"
    )
    subprocess.run([sys.executable, "-c", script], check=True)  # noqa: S603 - our own
    chroma = Path(sys.executable).with_name("chroma")
    vacuum = [chroma, "vacuum", "--path", where[1], "--force"]
    subprocess.run(vacuum, check=True, capture_output=True)  # noqa: S603 - the engine's own
    held = bytes_below(tmp_path)
    assert b"kettle" in held
    assert b"zebracorn" not in held


def test_forgotten_text_is_in_no_table_of_postgres(pgvector, pg_engine):
    vectorstore = pgvector(DeterministicFakeEmbedding(size=8))
    memory = ConflictAwareMemory(vectorstore, user_id="ann", appraiser=LexiconAppraiser())
    saved = memory.save("the zebracorn is mine")
    memory.save("the kettle is hers")
    memory.forget(ids=[saved.fact.unit_id])
    with pg_engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(sql("vacuum full langchain_pg_embedding"))
        connection.execute(sql("checkpoint"))
        folder = connection.execute(sql("show data_directory")).scalar()
    held = bytes_below(Path(folder) / "base")
    assert b"kettle" in held
    assert b"zebracorn" not in held


@pytest.mark.parametrize("postgres_too", [False, True])
def test_an_angry_customer_returns_and_is_met_with_what_happened(request, capsys, postgres_too):
    options = []
    if postgres_too:
        options = ["--postgres", request.getfixturevalue("postgres").replace("+psycopg", "")]
    assert module(EXAMPLE).main(options) == 0
    second = capsys.readouterr().out.split("== day 2")[1]
    assert "When does order 55 arrive?" in second
    assert re.search(r'affect="anger"[^>]*>This is the third time you lose my parcel', second)
    assert re.search(r"<memory [^>]*>Order 55 arrives on Friday\.", second)
    assert re.search(r'status="no longer so">Order 55 arrives on Tuesday\.', second)
    assert "fact_update: 'Order 55 arrives on Tuesday.' -> 'Order 55 arrives on Friday.'" in second


async def test_a_store_of_one_mode_refuses_the_other_clearly(pgvector, postgres):
    encoder = DeterministicFakeEmbedding(size=8)
    options = {"user_id": "ann", "appraiser": LexiconAppraiser()}
    with pytest.raises(RuntimeError, match=r"async_mode=False; call the methods that do not"):
        await ConflictAwareMemory(pgvector(encoder), **options).asave("x")
    other = PGVector(encoder, connection=postgres, collection_name="t", async_mode=True)
    with pytest.raises(RuntimeError, match=r"async_mode=True; call the methods that begin"):
        ConflictAwareMemory(other, **options).save("x")
