import json
import re
import sqlite3
import stat
import time
from contextlib import closing
from importlib.util import find_spec

import pytest
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding

from emomem import Affect, BaseAppraiser
from emomem.inspection.server import Asked, InspectionServer, RefusedError
from emomem.memory import JsonLinesLog, SQLiteLog
from langchain_emomem import AffectEmbeddings, ConflictAwareMemory
from langchain_emomem.cli import inspect as command
from langchain_emomem.cli import recall
from langchain_emomem.cli.inspected import DocumentsInspection, MemoryInspection, Models
from langchain_emomem.cli.stored import open_chroma

PRIVATE = "nobody may read this"
SIZE = 8


class Moody(BaseAppraiser):
    def _read(self, texts):
        return [Affect.from_label("anger" if "hate" in text else "love") for text in texts]


@pytest.fixture
def encoder():
    return DeterministicFakeEmbedding(size=SIZE)


@pytest.fixture(autouse=True)
def here(monkeypatch, tmp_path, counted, encoder):
    monkeypatch.setattr(recall, "open_encoder", lambda: encoder)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def look(emomem):
    def look(*arguments):
        return emomem("inspect", *arguments, "--appraiser", "counted")

    return look


def view_of(path):
    html = path.read_text(encoding="utf-8")
    return json.loads(re.search(r'id="data">(.*?)</script>', html)[1])


@pytest.fixture
def collection(tmp_path, encoder):
    """Opens collections of a folder by their names, as an application has them."""
    chromadb = pytest.importorskip("chromadb")
    langchain_chroma = pytest.importorskip("langchain_chroma")
    settings = chromadb.config.Settings(anonymized_telemetry=False)
    client = chromadb.PersistentClient(str(tmp_path / "db"), settings)
    yield lambda name, by=encoder: langchain_chroma.Chroma(name, by, client=client)
    client.close()


@pytest.fixture
def keep(collection):
    """Keeps a memory of two users and its log."""

    def keep(log=None, by=None):
        store = collection("memories") if by is None else collection("memories", by)
        memory = ConflictAwareMemory(store, user_id="ann", appraiser=Moody(), log=log)
        memory.save("I love coffee in the morning", created_at=1.0)
        memory.save("I hate coffee in the morning", created_at=2.0)
        memory.save("I love the sea", created_at=3.0)
        memory.save(PRIVATE, user_id="bob", created_at=4.0)
        return memory

    return keep


def test_a_copy_of_one_users_memory_for_that_user_alone_to_read(look, keep, tmp_path):
    keep()
    result = look("db", "--user", "ann", "--out", "ann.html")
    assert result.exit_code == 0, result.output
    assert "ann.html: 3 memories of db, collection memories." in result.stdout
    path = tmp_path / "ann.html"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert PRIVATE not in path.read_text(encoding="utf-8")
    view = view_of(path)
    assert (view["kind"], view["user"], view["live"]) == ("memory", "ann", None)
    assert len(view["conflicts"]) == 1
    assert view["forget"]["some"] == "memory.forget('ann', ids=IDS)"
    assert "--log" in view["log_note"]


def test_json_tells_what_was_written(look, keep):
    keep()
    assert json.loads(look("db", "--user", "bob", "--json").stdout) == {
        "page": "emomem-inspect.html",
        "source": "db, collection memories",
        "kind": "memory",
        "user": "bob",
        "memories": 1,
        "conflicts": 0,
        "operations": 0,
        "answers": 0,
    }


def test_queries_are_answered_with_and_without_affect_among_what_counts(look, keep, tmp_path):
    memory = keep()
    old = memory.recall("sea", where={"created_at": 3.0}).facts[0].unit.unit_id
    memory.suppress([old])
    look("db", "--user", "ann", "--query", "I love you", "--query", "why?", "--out", "a.html")
    first, second = view_of(tmp_path / "a.html")["answers"]
    assert (first["query"], second["query"]) == ("I love you", "why?")
    facts = {
        one["id"]
        for one in view_of(tmp_path / "a.html")["memories"]
        if one["metadata"]["kind"] == "fact" and one["status"] == "current"
    }
    assert old not in facts
    for name in ("plain", "affect_modulated"):
        assert {one["id"] for one in first[name]} == facts
    assert {one["rank"] for one in first["affect_modulated"]} == {1, 2}
    assert "I hate coffee" in first["context"]


@pytest.mark.parametrize("size", [SIZE, SIZE + 1])
def test_what_counts_again_by_itself_is_found_and_what_was_replaced_is_not(
    opened, collection, encoder, size
):
    before = time.time() - 100
    store = collection("memories", DeterministicFakeEmbedding(size=size))
    memory = ConflictAwareMemory(store, user_id="ann", appraiser=Moody(), clock=lambda: before)
    kept = {text: memory.save(text).fact.unit_id for text in ("I live in Rome", "I like tea")}
    named = memory.save("My dog is called Rex").fact.unit_id
    memory.suppress([kept["I like tea"], named], 50)
    assert memory.save("I moved to Paris", expires_at=before + 50).conflicts
    assert memory.save("My dog is called Max").conflicts
    models = Models(encoder, Moody())
    inspection = MemoryInspection("db", opened.documents, opened, models, "ann", None)
    found = inspection.search(Asked(query="I love you"))
    expected = {*kept, "My dog is called Max"}
    for name in ("plain", "affect_modulated"):
        assert {one["text"] for one in found[name]} == expected


@pytest.mark.parametrize("kind", [JsonLinesLog, SQLiteLog])
def test_operations_are_those_of_the_log(look, keep, tmp_path, kind):
    memory = keep(kind("memory.log"))
    look("db", "--user", "ann", "--log", "memory.log", "--out", "a.html")
    told = [one.model_dump(mode="json") for one in memory.operations()]
    assert view_of(tmp_path / "a.html")["operations"] == told
    assert len(told) >= 3


def test_looking_changes_nothing_not_even_what_a_crash_cut_off(look, keep, tmp_path):
    memory = keep(JsonLinesLog("memory.log"))
    lines = (tmp_path / "memory.log").read_text(encoding="utf-8").splitlines()
    begun = [line for line in lines if '"begun"' in line]
    (tmp_path / "memory.log").write_text("\n".join([*lines, begun[0].replace('"id":"', '"id":"0')]))
    before = (tmp_path / "memory.log").read_bytes(), memory._parts.store.list("ann")
    look("db", "--user", "ann", "--log", "memory.log", "--query", "I love you", "--out", "a.html")
    assert view_of(tmp_path / "a.html")["operations"][-1]["state"] == "begun"
    assert ((tmp_path / "memory.log").read_bytes(), memory._parts.store.list("ann")) == before


@pytest.mark.parametrize("fused", [True, False])
def test_vectors_of_another_encoder_are_made_anew_and_fused_ones_are_known(
    look, keep, tmp_path, fused, encoder
):
    other = DeterministicFakeEmbedding(size=5)
    keep(by=AffectEmbeddings(encoder, Moody()) if fused else other)
    look("db", "--user", "ann", "--query", "I love you", "--out", "a.html")
    view = view_of(tmp_path / "a.html")
    assert ("anew" in view["note"]) is not fused
    assert len(view["answers"][0]["plain"]) == 3
    assert PRIVATE not in (tmp_path / "a.html").read_text(encoding="utf-8")


def test_plain_documents(look, collection, tmp_path):
    tags = {"affect_valence": -0.5, "created_at": 5}
    collection("notes").add_documents([Document("a", id="1", metadata=tags), Document("b", id="2")])
    result = look("db", "--query", "a", "--out", "a.html")
    assert result.exit_code == 0, result.output
    view = view_of(tmp_path / "a.html")
    assert (view["kind"], view["user"], view["forget"]["all"]) == ("documents", None, "")
    by_text = {one["text"]: one for one in view["memories"]}
    assert by_text["a"]["affect"]["valence"] == -0.5
    assert (by_text["a"]["at"], by_text["b"]["at"]) == (5.0, None)
    assert {one["id"] for one in view["answers"][0]["plain"]} == {"1", "2"}


def test_a_file_is_tagged_where_it_is_not(look, counted, tmp_path):
    rows = [{"text": "a b", "affect_arousal": 0.9}, {"text": "a b c"}]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    result = look("a.jsonl", "--query", "a b", "--out", "a.html")
    assert result.exit_code == 0, result.output
    view = view_of(tmp_path / "a.html")
    assert [one["affect"]["arousal"] for one in view["memories"]] == [0.9, 0.3]
    assert counted.asked[0] == ["a b c"]
    assert len(view["answers"][0]["plain"]) == 2
    assert view["note"] == ""
    assert (view["forget"]["some"], "of a file" in view["forget"]["what"]) == ("", True)
    (tmp_path / "b.txt").write_text("a b")
    assert look("b.txt", "--out", "b.html").stdout.startswith("b.html: 1 memory of b.txt.\n")


def fails(result, says):
    assert result.exit_code == 2, result.output
    assert says in result.stderr
    assert (result.stderr.count("\n"), result.stdout) == (1, "")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["nowhere"], "STORE is a folder of Chroma, postgresql://…, or a file; there is no such"),
        (["a.txt", "--query", " "], "--query must be some text"),
        (["a.txt", "--out", "nowhere/a.html"], "no such folder: nowhere"),
        (["a.txt", "--serve", "--out", "a.html"], "--serve writes no copy"),
        (["a.txt", "--serve", "--query", "a"], "--serve writes no copy"),
        (["a.txt", "--serve", "--port", "65536"], "--port must be 0..65535, got 65536"),
        (["a.txt", "--port", "8000"], "--port is of --serve"),
        (["a.txt", "--out", "."], "--out must be a file, and . is a folder"),
        (["a.txt", "--out", ""], "--out must be a file"),
        (["a.txt", "--out", "a.txt"], "--out must end in .html or .htm, got a.txt"),
        (["a.txt", "--out", "new.csv"], "--out must end in .html or .htm, got new.csv"),
        ([".", "--out", "a.html"], "--out must be no part of STORE, got a.html"),
        (["."], "--out must be no part of STORE, got emomem-inspect.html"),
        (["chroma.sqlite3"], "chroma.sqlite3 is a part of a Chroma store: give its folder, ."),
        (["a.txt", "--user", "ann"], "a.txt is a file, which has no --user"),
        (["a.txt", "--log", "a.log"], "a.txt is a file, which has no --log"),
        (["a.txt", "--collection", "a"], "a.txt is a file, which has no --collection"),
        pytest.param(
            ["postgresql://ann:secret@@:x/y"],
            "the URL of the database cannot be read",
            marks=pytest.mark.skipif(
                find_spec("langchain_postgres") is None, reason="needs langchain-postgres"
            ),
        ),
    ],
)
def test_wrong_arguments_are_one_line_and_exit_2(look, tmp_path, arguments, says):
    (tmp_path / "a.txt").write_text("a")
    (tmp_path / "chroma.sqlite3").touch()
    result = look(*arguments)
    fails(result, says)
    assert "secret" not in result.stderr
    assert not list(tmp_path.glob("*.html"))


def test_a_copy_never_takes_the_place_of_what_it_is_made_from(look, tmp_path):
    for name in ("diary.html", "log.html"):
        (tmp_path / name).write_text(PRIVATE)
    (tmp_path / "link.htm").symlink_to("diary.html")
    for out in ("diary.html", "link.htm"):
        fails(look("./diary.html", "--out", out), f"--out must be no part of STORE, got {out}")
    says = "--out must be no part of --log, got log.html"
    fails(look("db", "--log", "log.html", "--out", "log.html"), says)
    assert {path.read_text() for path in tmp_path.glob("*.htm*")} == {PRIVATE}


def test_what_a_store_does_not_hold_is_told_in_one_line(look, keep):
    keep()
    fails(look("db"), "a --user must be one of those in db, collection memories: 'ann', 'bob'")
    fails(look("db", "--user", "eve"), "the --user eve must be one of those in db")
    fails(look("db", "--collection", "x"), "the --collection x must be one of those in db")
    fails(look("db", "--user", "ann", "--log", "nope.log"), "no such file: nope.log")
    fails(look("db", "--text-column", "a"), "--text-column is of a file")


def test_plain_documents_are_nobodys(look, collection):
    collection("notes").add_documents([Document("a", id="1")])
    fails(look("db", "--user", "ann"), "holds plain documents, which have no --user")


def test_what_is_no_log_is_refused_and_stays_as_it_is(look, keep, tmp_path):
    keep()
    (tmp_path / "notes.txt").write_text("My own notes")
    (tmp_path / "notes.jsonl").write_text('{"text": "My own notes"}\n')
    (tmp_path / "noise.bin").write_bytes(b"\xff\x00")
    with closing(sqlite3.connect(tmp_path / "a.sqlite")) as file:
        file.execute("create table notes (text)")
    before = {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    for name in ("notes.txt", "notes.jsonl", "noise.bin", "a.sqlite"):
        fails(look("db", "--user", "ann", "--log", name), f"{name} is no log of a memory")
    assert {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()} == before


def test_a_store_that_is_broken_is_told_in_one_line(look, tmp_path):
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "chroma.sqlite3").write_bytes(b"broken" * 1000)
    result = look("broken")
    assert (result.exit_code, result.stderr.count("\n")) == (1, 1)
    assert "the Chroma store in broken cannot be opened: " in result.stderr


def test_an_unforeseen_error_shows_no_memory(look, keep, monkeypatch):
    keep()

    def broken(*arguments):
        raise RuntimeError(PRIVATE)

    monkeypatch.setattr(command, "page", broken)
    result = look("db", "--user", "ann")
    assert (result.exit_code, result.stderr.count("\n")) == (1, 1)
    assert "unexpected RuntimeError in" in result.stderr
    assert PRIVATE not in result.output


def test_serving_tells_its_address_and_ends_cleanly(look, keep, monkeypatch):
    keep()

    def stopped(self):
        raise KeyboardInterrupt

    monkeypatch.setattr(InspectionServer, "serve_forever", stopped)
    result = look("db", "--user", "ann", "--serve")
    assert result.exit_code == 0
    assert re.search(r"Open http://127\.0\.0\.1:\d+/#[\w-]{40,}\n", result.stdout)
    assert result.stderr == "Stopped.\n"
    url = json.loads(look("db", "--user", "ann", "--serve", "--json").stdout)["url"]
    assert url.startswith("http://127.0.0.1:")


@pytest.fixture
def opened(tmp_path, collection):
    collection("memories")
    with open_chroma(tmp_path / "db") as opened:
        yield opened


@pytest.mark.parametrize("size", [SIZE, SIZE + 1])
def test_what_is_forgotten_is_gone_from_store_log_and_search(keep, opened, encoder, size):
    log = JsonLinesLog("memory.log")
    memory = keep(log, DeterministicFakeEmbedding(size=size))
    models = Models(encoder, Moody())
    inspection = MemoryInspection("db", opened.documents, opened, models, "ann", log)
    doomed = next(one for one in inspection.view()["memories"] if one["text"] == "I love the sea")
    assert inspection.forget([doomed["id"]]) == {"units": 2, "operations": 1}
    texts = {one["text"] for one in inspection.view()["memories"]}
    assert texts == {"I love coffee in the morning", "I hate coffee in the morning"}
    found = inspection.search(Asked(query="I love the sea"))
    assert {one["text"] for one in found["plain"]} == texts
    assert not any(doomed["id"] in one.changes for one in memory.operations())
    assert inspection.forget(None)["units"] == 4
    nothing = inspection.search(Asked(query="I love the sea"))
    assert nothing["why_plain"] == "there is nothing to recall"
    assert [one.text for one in memory._parts.store.list("bob")] == [PRIVATE, PRIVATE]


def replaced(collection, log, by):
    """A memory of what was superseded, and the id of what took its place."""
    memory = ConflictAwareMemory(
        collection("memories", by), user_id="ann", appraiser=Moody(), log=log
    )
    memory.save("I live in Rome. My dog is called Rex.", created_at=1.0)
    later = memory.save("I moved to Milan", created_at=2.0).fact.unit_id
    memory.save("I love the sea", created_at=3.0)
    return memory, later


def test_what_was_superseded_counts_again(collection, opened, encoder):
    log = JsonLinesLog("memory.log")
    _, later = replaced(collection, log, encoder)
    models = Models(encoder, Moody())
    inspection = MemoryInspection("db", opened.documents, opened, models, "ann", log)
    assert inspection.forget([later])["units"] == 2
    view = inspection.view()
    rome = next(one for one in view["memories"] if "Rome" in one["text"])
    assert (rome["status"], "Milan" in json.dumps(view)) == ("current", False)
    found = inspection.search(Asked(query="where do I live?"))
    assert rome["text"] in {one["text"] for one in found["plain"]}


def test_what_takes_an_encoder_that_is_not_known_is_refused_and_undone(collection, opened, encoder):
    log = JsonLinesLog("memory.log")
    memory, later = replaced(collection, log, DeterministicFakeEmbedding(size=SIZE + 1))
    models = Models(encoder, Moody())
    inspection = MemoryInspection("db", opened.documents, opened, models, "ann", log)
    before = memory._parts.store.list("ann")
    with pytest.raises(RefusedError, match="forget it in your application"):
        inspection.forget([later])
    assert memory._parts.store.list("ann") == before
    assert {one.state for one in memory.operations()} == {"done", "dropped"}
    assert inspection.forget(None)["units"] == len(before)


def test_without_the_log_it_warns_that_the_log_keeps_what_it_has(keep, opened):
    keep()
    view = MemoryInspection("db", opened.documents, opened, None, "ann", None).view()
    assert "--log" in view["forget"]["warning"]
    assert "chroma vacuum" in view["forget"]["kept"]


def test_documents_are_forgotten_one_by_one_with_all_their_vectors(collection, opened, encoder):
    pieces = [Document("a", id=str(n), metadata={"deep_memory_id": "m"}) for n in range(3)]
    collection("memories").add_documents([*pieces, Document("b", id="b")])
    models = Models(encoder, Moody())
    inspection = DocumentsInspection("db", opened.documents, opened, models)
    assert inspection.forget(["0"]) == {"units": 3, "operations": 0}
    assert [one["text"] for one in inspection.view()["memories"]] == ["b"]
    with pytest.raises(RuntimeError, match="one by one"):
        inspection.forget(None)


def test_help_shows_examples(emomem):
    text = emomem("inspect", "--help").stdout
    assert "emomem inspect ./db --collection memories --user ann --serve" in text
