"""The log: what it keeps, what it never holds, and what a crash leaves of it."""

import json
import threading

import pytest

from emomem.memory.operations import (
    InMemoryLog,
    JsonLinesLog,
    Operation,
    SQLiteLog,
    loggable,
    replay,
    user_reference,
)


def operation(kind="create", user="u", **changes):
    return Operation(kind=kind, user=user, at=1.0, changes=changes)


@pytest.fixture(params=["memory", "jsonl", "sqlite"])
def build(request, tmp_path):
    kinds = {
        "memory": InMemoryLog,
        "jsonl": lambda: JsonLinesLog(tmp_path / "log.jsonl"),
        "sqlite": lambda: SQLiteLog(tmp_path / "log.sqlite"),
    }
    return kinds[request.param]


@pytest.fixture
def log(build):
    return build()


def test_each_operation_is_read_in_its_last_state(log):
    first, second = operation(a={"status": "current"}), operation("supersede", b={})
    log.write(first, "begun")
    log.write(second, "begun")
    log.write(first, "done")
    assert [(one.id, one.state) for one in log.read()] == [(first.id, "done"), (second.id, "begun")]
    assert log.read()[0].changes == {"a": {"status": "current"}}


def test_it_is_read_by_user_and_by_unit(log):
    log.record(operation(a={}, b={}))
    log.record(operation(user="v", c={}))
    assert [one.user for one in log.read("v")] == ["v"]
    assert [one.user for one in log.read(ids=["b", "x"])] == ["u"]
    assert log.read("v", ["a"]) == log.read("w") == []


def test_redaction_takes_a_unit_out_of_everything(log):
    log.record(operation(a={"status": "current"}, b={"superseded_by": "a", "sources": "a,c"}))
    log.record(operation(a={}))
    log.record(operation(user="v", a={}))
    assert log.redact("u", {"a"}) == 2
    kept, other = log.read()
    assert kept.changes == {"b": {}}
    assert other.changes == {"a": {}}
    assert log.redact("u", None) == 1
    assert [one.user for one in log.read()] == ["v"]
    assert log.redact("u", None) == 0


def test_redaction_takes_what_came_of_being_replaced_with_it(log):
    replaced = {"superseded_by": "a", "status": "superseded", "suppressed_until": 5.0, "times": 2}
    silent = {"superseded_by": "a", "replaced_until": 5.0, "status": "suppressed"}
    log.record(operation(b=replaced, c=silent, d={**replaced, "superseded_by": "x"}))
    log.redact("u", {"a"})
    [kept] = log.read()
    assert kept.changes == {
        "b": {"times": 2},
        "c": {"status": "suppressed"},
        "d": {**replaced, "superseded_by": "x"},
    }


def test_it_tells_whose_operations_are_begun_and_not_done(log):
    first, second = operation(a={}), operation(user="v", b={})
    log.write(first, "begun")
    log.write(second, "begun")
    assert log.begun("u")
    assert log.begun("v")
    assert not log.begun("w")
    log.write(first, "done")
    assert not log.begun("u")
    log.redact("v", None)
    assert not log.begun("v")


@pytest.mark.parametrize("kind", [JsonLinesLog, SQLiteLog])
def test_it_tells_what_others_have_begun_since_it_was_read(kind, tmp_path):
    log, other = kind(tmp_path / "log"), kind(tmp_path / "log")
    first, second, third = operation(a={}), operation(user="v", b={}), operation(user="w", c={})
    assert not log.begun("u")
    other.write(first, "begun")
    assert log.begun("u")
    other.write(second, "begun")
    other.write(first, "done")
    assert log.begun("v")
    assert not log.begun("u")
    for _ in range(3):  # written anew, and as long as it was
        other.redact("v", None)
        other.write(third, "begun")
        other.write(operation(user="x", d={}), "begun")
        assert log.begun("w")
        other.redact("w", None)
        other.record(operation(user="x", e={}))
        log.settled("w")


def test_a_log_that_tells_nothing_of_others_is_read_once():
    class Own(InMemoryLog):
        def __init__(self):
            self.kept, self.reads = [operation(a={}).model_dump_json()], 0

        def _append(self, line):
            self.kept.append(line)

        def _lines(self):
            self.reads += 1
            return self.kept

    log = Own()
    assert log.begun("u")
    assert not log.begun("v")
    log.write(operation(user="v", b={}), "begun")
    assert log.begun("v")
    assert log.reads == 1


def test_writing_it_anew_keeps_the_link_to_it_and_who_may_read_it(tmp_path):
    (tmp_path / "real").mkdir()
    path, link = tmp_path / "real" / "log.jsonl", tmp_path / "link.jsonl"
    link.symlink_to(path)
    log = JsonLinesLog(link)
    path.chmod(0o640)
    log.record(operation(a={}, b={}))
    log.redact("u", {"a"})
    assert link.is_symlink()
    assert '"a"' not in path.read_text()
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_file_that_was_moved_away_is_begun_anew(tmp_path):
    log = JsonLinesLog(tmp_path / "log.jsonl")
    for does in (log.read, lambda: log.begun("u"), lambda: log.redact("u", None)):
        log.record(operation(a={}))
        assert not log.begun("u")
        (tmp_path / "log.jsonl").rename(tmp_path / "log.1")
        assert not does()
    (tmp_path / "log.jsonl").unlink()
    log.record(operation(b={}))
    assert [list(one.changes) for one in log.read()] == [["b"]]


def test_replaying_gives_the_last_state_of_what_was_done():
    done = [
        operation(a={"status": "current", "affect_salience": 0.5}, b={"status": "current"}),
        operation("supersede", a={"status": "superseded", "superseded_by": "b"}),
        operation("reweight", b={"affect_salience": 0.25}),
        operation("suppress", a={"superseded_by": None}),
    ]
    done = [one.model_copy(update={"state": "done"}) for one in done]
    cut_off = operation("forget", b={"status": "expired"})
    dropped = cut_off.model_copy(update={"state": "dropped"})
    assert replay([*done, cut_off, dropped]) == {
        "a": {"status": "superseded", "affect_salience": 0.5},
        "b": {"status": "current", "affect_salience": 0.25},
    }


def test_the_log_holds_only_what_it_may():
    changes = {"a": {"status": "current", "note": "secret", "conflicts": "[…]", "speaker": "Bo"}}
    assert loggable(changes) == {"a": {"status": "current"}}


def test_a_users_name_tells_nothing_without_the_key():
    assert user_reference("ann", b"1") != user_reference("ann", b"2")
    assert "ann" not in user_reference("ann", b"1")


@pytest.mark.parametrize("kind", [JsonLinesLog, SQLiteLog])
def test_a_file_outlives_the_process(kind, tmp_path):
    kind(tmp_path / "log").record(operation(a={}))
    log = kind(tmp_path / "log")
    log.record(operation(b={}))
    assert [list(one.changes) for one in log.read()] == [["a"], ["b"]]


def test_a_line_that_was_cut_short_costs_only_itself(tmp_path, caplog):
    path = tmp_path / "log.jsonl"
    log = JsonLinesLog(path)
    log.record(operation(a={}))
    with path.open("a") as file:
        file.write('{"kind": "create", "user": "u", "at": 1.0, "cha')
    log.record(operation(b={}))
    assert [list(one.changes) for one in log.read()] == [["a"], ["b"]]
    assert "cannot be read" in caplog.text


def test_writers_at_once_lose_nothing(build):
    log = build()

    def write(name):
        mine = build() if not isinstance(log, InMemoryLog) else log
        for row in range(20):
            mine.record(operation(**{f"{name}-{row}": {}}))
            if row % 10 == 0:
                mine.redact("nobody", {"x"})

    threads = [threading.Thread(target=write, args=(str(n),)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(log.read()) == 80


def test_a_log_in_memory_keeps_the_last_lines():
    log = InMemoryLog(size=3)
    for row in range(5):
        log.record(operation(**{str(row): {}}))
    assert [list(one.changes) for one in log.read()] == [["2"], ["3"], ["4"]]
    with pytest.raises(ValueError, match="size must be"):
        InMemoryLog(size=0)


@pytest.mark.parametrize("kind", [JsonLinesLog, SQLiteLog])
def test_what_is_redacted_is_in_no_byte_of_the_file(kind, tmp_path):
    log = kind(tmp_path / "log")
    for row in range(50):
        log.record(operation(**{f"unit-{row}-x": {"status": "current"}}))
    log.redact("u", {"unit-7-x"})
    held = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"unit-8-x" in held
    assert b"unit-7-x" not in held


def test_its_lines_are_json(tmp_path):
    log = JsonLinesLog(tmp_path / "log.jsonl")
    log.write(operation(a={"status": "current"}), "begun")
    [line] = (tmp_path / "log.jsonl").read_text().splitlines()
    assert json.loads(line)["changes"] == {"a": {"status": "current"}}
