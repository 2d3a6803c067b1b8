"""What a crash cuts off is finished or dropped, whole."""

import asyncio
import subprocess
import sys

import pytest

from emomem.memory.in_memory import InMemoryStore
from emomem.memory.memory import Memory
from emomem.memory.operations import (
    JsonLinesLog,
    Operation,
    SQLiteLog,
    loggable,
    replay,
    user_reference,
)
from emomem.memory.store import Delete, Key, Patch, Put
from emomem.memory.unit import salience_change


class Crash(Exception):  # noqa: N818 - it is no error
    """The end of a process."""


class Crashing:
    """A store whose process ends before its n-th kind of request, or in the midst of a write."""

    def __init__(self, store, before, *, half=False):
        self.store, self.before, self.half = store, before, half

    def batch(self, requests):
        answers = []
        for request in requests:
            if isinstance(request, self.before):
                if self.half:
                    self.store.put(request.units[:1])
                raise Crash
            answers += self.store.batch([request])
        return answers

    async def abatch(self, requests):
        return self.batch(requests)


@pytest.fixture
def log(tmp_path):
    return JsonLinesLog(tmp_path / "log.jsonl")


@pytest.fixture
def moved(detector):
    detector.script["Milan", "Rome"] = "fact_update"


def states(memory: Memory):
    return [(one.kind, one.state) for one in memory.operations()]


@pytest.mark.usefixtures("moved")
@pytest.mark.parametrize("half", [False, True])
def test_what_was_not_written_is_dropped(build, store, log, clock, half):
    build(log=log).save("Rome")
    clock.now += 1
    with pytest.raises(Crash):
        build(log=log, store=Crashing(store, Put, half=half)).save("Milan")

    memory = build(log=log)
    assert [one.text for one in memory.timeline()] == ["Rome"]
    assert memory.timeline()[0].status == "current"
    assert len(store.list("ann")) == 2
    assert states(memory) == [("create", "done"), ("create", "dropped"), ("supersede", "dropped")]
    assert memory.save("Milan").conflicts
    assert [one.status for one in memory.timeline()] == ["superseded", "current"]


def test_what_was_written_is_finished(build, store, log, moved, clock):
    build(log=log).save("Rome")
    clock.now += 1
    with pytest.raises(Crash):
        build(log=log, store=Crashing(store, Patch)).save("Milan")
    assert [one.status for one in store.list("ann", {"kind": "fact"})] == ["current", "current"]

    memory = build(log=log)
    old, new = memory.timeline()
    assert (old.status, old.superseded_by) == ("superseded", new.unit_id)
    assert [one.against for one in old.conflicts] == [new.unit_id]
    assert states(memory) == [("create", "done"), ("create", "done"), ("supersede", "done")]
    replayed = replay(memory.operations())
    assert all(replayed[one.unit_id]["status"] == one.status for one in store.list("ann"))


def test_a_forgetting_that_was_cut_off_is_finished(build, store, log):
    saved = build(log=log).save("Rome")
    build(log=log).save("Milan")
    with pytest.raises(Crash):
        build(log=log, store=Crashing(store, Delete)).forget(ids=[saved.fact.unit_id])

    memory = build(log=log)
    assert [one.text for one in memory.timeline()] == ["Milan"]
    assert saved.fact.unit_id not in str(log.read())


def test_what_a_failing_store_cuts_off_is_settled_before_the_next_call(build, store, log, clock):
    failing = Crashing(store, Put)
    memory = build(log=log, store=failing)
    with pytest.raises(Crash):
        memory.save("Rome")
    failing.before = ()
    assert memory.save("Milan").fact.text == "Milan"
    assert states(memory) == [("create", "dropped"), ("create", "done")]


@pytest.mark.parametrize("order", [("done", "dropped"), ("dropped", "done")])
def test_what_went_on_meanwhile_is_not_dropped(log, order):
    operation = Operation(kind="create", user="u", at=1.0)
    for state in ("begun", *order):
        log.write(operation, state)
    assert [one.state for one in log.read()] == ["done"]


def test_another_users_crash_is_left_for_that_user(build, store, log):
    with pytest.raises(Crash):
        build(log=log, store=Crashing(store, Put), user_id="bob").save("Rome")
    memory = build(log=log)
    memory.save("Milan")
    assert [one.state for one in log.read()] == ["begun", "done"]
    memory.recall("x", user_id="bob")
    assert [one.state for one in log.read()] == ["dropped", "done"]


def raising(*_):
    raise Crash


def forgets_half(memory, log, saved, monkeypatch):
    """The process ends when the store is done and the log is not."""
    with monkeypatch.context() as patch:
        patch.setattr(log, "redact", raising)
        with pytest.raises(Crash):
            memory.forget(ids=[saved.fact.unit_id])


def test_a_purge_that_raises_leaves_all_to_another_call(build, log):
    purged, failing = [], [True]

    def purge(texts):
        if failing:
            raise Crash
        purged.extend(texts)

    memory = build(log=log, purges=[purge])
    saved = memory.save("Rome")
    with pytest.raises(Crash):
        memory.forget(ids=[saved.fact.unit_id])
    assert [one.text for one in memory.timeline()] == ["Rome"]
    failing.clear()
    assert memory.forget(ids=[saved.fact.unit_id]).units == 2
    assert purged == ["Rome", "Rome"]
    assert memory.timeline() == []
    assert all(one.kind == "forget" and one.state == "done" for one in log.read())


@pytest.fixture
def unaware(build, log, monkeypatch):
    """Does something in a process to which the log does not tell what others have begun."""

    def run(does):
        with monkeypatch.context() as patch:
            patch.setattr(log, "begun", lambda _: False)
            does(build(log=log))

    return run


@pytest.mark.parametrize("restarted", [False, True])
def test_what_is_said_again_after_a_failed_forgetting_stays(
    build, log, restarted, monkeypatch, unaware
):
    memory = build(log=log)
    saved = memory.save("Rome")
    memory.save("Milan")
    forgets_half(memory, log, saved, monkeypatch)
    unaware(lambda other: other.save("Rome", created_at=5.0))

    memory = build(log=log) if restarted else memory
    assert {one.text for one in memory.timeline()} == {"Rome", "Milan"}
    assert all(one.state == "done" for one in log.read())
    replayed = replay(log.read())
    assert all(replayed[one.unit_id]["times"] == 1 for one in memory.timeline())


def test_a_failed_forgetting_is_finished_before_the_next_call(build, log, monkeypatch):
    memory = build(log=log)
    saved = memory.save("Rome")
    forgets_half(memory, log, saved, monkeypatch)
    assert not memory.save("Rome").merged
    assert [one.text for one in memory.timeline()] == ["Rome"]
    assert [one.text for one in build(log=log).timeline()] == ["Rome"]
    assert "begun" not in {one.state for one in log.read()}


@pytest.mark.usefixtures("moved")
def test_a_forgetting_that_was_cut_off_brings_back_what_was_contradicted(build, store, log):
    build(log=log).save("Rome")
    saved = build(log=log).save("Milan")
    with pytest.raises(Crash):
        build(log=log, store=Crashing(store, Patch)).forget(ids=[saved.fact.unit_id])
    assert [one.status for one in build(log=log).timeline()] == ["current"]


def test_forgetting_nothing_leaves_nothing_begun(build, log):
    assert build(log=log).forget(ids=["missing"]).units == 0
    assert "begun" not in {one.state for one in log.read()}


@pytest.mark.parametrize("before", [Put, Patch, Delete])
def test_what_a_forgetting_gives_back_in_part_survives_a_crash(build, store, log, detector, before):
    old, moved, named = "Rome it is. Rex barks.", "Milan", "Max barks"
    detector.script[moved, "Rome it is."] = detector.script[moved, old] = "fact_update"
    detector.script[named, "Rex barks."] = "fact_update"
    memory = build(log=log)
    memory.save(old)
    ids = [memory.save(text).fact.unit_id for text in (moved, named)]
    with pytest.raises(Crash):
        build(log=log, store=Crashing(store, before)).forget(ids=ids[:1])

    memory = build(log=log)
    texts = [one.text for one in memory.timeline() if one.status == "current"]
    assert sorted(texts) == ["Max barks", "Rome it is."]
    replayed = replay(memory.operations())
    assert all(replayed[one.unit_id]["status"] == one.status for one in store.list("ann"))


class Unanswered(Crashing):
    """A store whose process does not hear that a kind of request was carried out."""

    def batch(self, requests):
        answers = self.store.batch(requests)
        if any(isinstance(one, self.before) for one in requests):
            raise Crash
        return answers


@pytest.fixture
def unanswered(build, store, log):
    return build(log=log, store=Unanswered(store, Patch))


@pytest.mark.parametrize("kind", [JsonLinesLog, SQLiteLog])
def test_what_one_worker_left_another_finishes_before_its_next_call(build, store, tmp_path, kind):
    failing = Crashing(store, ())
    one, other = build(log=kind(tmp_path / "l"), store=failing), build(log=kind(tmp_path / "l"))
    one.save("Rome")
    assert other.recall("Rome").facts
    failing.before = Delete
    with pytest.raises(Crash):
        one.forget("ann")
    assert not other.recall("Rome").facts
    assert "begun" not in {row.state for row in kind(tmp_path / "l").read()}


@pytest.mark.usefixtures("moved")
def test_what_was_cut_off_is_finished_before_it_is_forgotten(build, log, unanswered):
    build(log=log).save("Rome")
    with pytest.raises(Crash):
        unanswered.save("Milan")
    other = build(log=log)
    other.forget(ids=[one.unit_id for one in other.timeline() if one.text == "Milan"])
    assert [one.unit.text for one in other.recall("Rome").facts] == ["Rome"]


HOLDS = """
import sys
from emomem.memory.operations import JsonLinesLog
JsonLinesLog(sys.argv[1]).claims.take(sys.argv[2], alone=False)
print("claimed", flush=True)
sys.stdin.read()
"""


def test_what_another_process_is_doing_is_left_to_it(build, store, log, tmp_path):
    [key] = store.batch([Key()])
    user = user_reference("ann", key)
    memory = build(log=log)
    command = [sys.executable, "-c", HOLDS, str(tmp_path / "log.jsonl"), user]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:  # noqa: S603 - our own
        assert process.stdout.readline() == "claimed\n"
        JsonLinesLog(tmp_path / "log.jsonl").write(
            Operation(kind="create", user=user, at=1.0, changes={"x": {}}), "begun"
        )
        memory.save("Milan")
        assert states(memory) == [("create", "begun"), ("create", "done")]
        process.kill()
    assert states(memory) == [("create", "dropped"), ("create", "done")]


def test_what_is_in_no_line_any_more_is_looked_for_once(build, store, log):
    [key] = store.batch([Key()])
    user = user_reference("ann", key)
    log.write(Operation(kind="forget", user=user, at=1.0, changes={"x": {}}), "begun")
    JsonLinesLog(log._path).redact(user, {"x"})
    assert log.begun(user)
    build(log=log).timeline()
    assert not log.begun(user)


class Slow(InMemoryStore):
    """A store whose answer to a write takes its time."""

    def __init__(self, **options):
        super().__init__(**options)
        self.written = asyncio.Event()

    async def abatch(self, requests):
        answers = self.batch(requests)
        if any(isinstance(one, (Put, Patch)) for one in requests):
            self.written.set()
            await asyncio.sleep(0.05)
        return answers


@pytest.fixture
def slow(store):
    return Slow(embed=store._embed)


def test_what_was_cancelled_is_finished_before_what_waited_for_it(build, slow):
    async def both():
        memory = build(store=slow)
        ids = [(await memory.asave("Rome")).fact.unit_id]
        first = asyncio.create_task(memory.asuppress(ids))
        await asyncio.sleep(0.02)
        second = asyncio.create_task(memory.asuppress(ids, 0))
        await asyncio.sleep(0.01)
        first.cancel()
        assert await second
        return await memory.arecall("Rome"), await memory.aoperations()

    recall, operations = asyncio.run(both())
    assert [one.unit.text for one in recall.facts] == ["Rome"]
    assert [one.state for one in operations] == ["done"] * 3


def test_a_recall_does_not_wait_for_what_is_just_being_done(build, slow):
    async def both():
        memory = build(store=slow)
        saving = asyncio.create_task(memory.asave("Rome"))
        await slow.written.wait()
        memory.recall("Rome")  # in sync, where it could not wait
        assert not saving.done()
        await saving

    asyncio.run(both())


@pytest.mark.parametrize(
    ("cut_off", "after", "value"),
    [
        (
            lambda memory, id_: memory.suppress([id_]),
            lambda memory, id_: memory.suppress([id_], 0),
            "status",
        ),
        (
            lambda memory, id_: memory.reweight({id_: 0.5}),
            lambda memory, id_: memory.reweight({id_: 0.25}),
            "salience",
        ),
        *[
            (
                lambda memory, _: memory.save("Rome", expires_at=2e9),
                lambda memory, _: memory.save("Rome", expires_at=3e9),
                value,
            )
            for value in ("times", "expires_at")
        ],
    ],
)
def test_what_was_cut_off_does_not_overwrite_what_was_done_since(  # noqa: PLR0913, PLR0917 - fixtures
    build, store, log, unanswered, unaware, cut_off, after, value
):
    unit_id = build(log=log).save("Rome").fact.unit_id
    with pytest.raises(Crash):
        cut_off(unanswered, unit_id)
    unaware(lambda other: after(other, unit_id))
    [before] = store.list("ann", ids=[unit_id])
    [unit] = build(log=log).timeline()
    assert getattr(unit, value) == getattr(before, value)
    assert "begun" not in {one.state for one in log.read()}


def test_a_weight_that_was_cut_off_counts_once_it_is_finished(build, store, log):
    unit_id = build(log=log).save("Rome").fact.unit_id
    changes = loggable({unit_id: salience_change(0.5)})
    user = log.read()[0].user
    log.write(Operation(kind="reweight", user=user, at=1.0, changes=changes), "begun")
    assert build(log=log).timeline()[0].salience == 0.5


@pytest.mark.usefixtures("moved")
def test_what_took_a_place_and_was_forgotten_takes_none_when_it_is_recovered(
    build, store, log, unanswered, unaware
):
    build(log=log).save("Rome")
    with pytest.raises(Crash):
        unanswered.save("Milan")
    [milan] = [unit for unit in store.list("ann", {"kind": "fact"}) if unit.text == "Milan"]
    unaware(lambda other: other.forget(ids=[milan.unit_id]))
    memory = build(log=log)
    assert [one.status for one in memory.timeline()] == ["current"]
    replayed = replay(memory.operations())
    assert all(replayed[one.unit_id]["status"] == one.status for one in store.list("ann"))
