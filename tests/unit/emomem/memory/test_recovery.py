"""What a crash cuts off is finished or dropped, whole."""

import pytest

from emomem.memory.memory import Memory
from emomem.memory.operations import JsonLinesLog, Operation, replay
from emomem.memory.store import Delete, Patch, Put


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


@pytest.mark.parametrize("restarted", [False, True])
def test_what_is_said_again_after_a_failed_forgetting_stays(build, log, restarted, monkeypatch):
    memory = build(log=log)
    saved = memory.save("Rome")
    memory.save("Milan")
    forgets_half(memory, log, saved, monkeypatch)
    # Another process does not know of it yet.
    other = build(log=log)
    other._parts.cut_off = set()
    other.save("Rome", created_at=5.0)

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
