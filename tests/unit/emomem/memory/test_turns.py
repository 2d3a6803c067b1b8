"""Changes of one user's memories wait for each other; what is cancelled is whole."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from contextvars import Context

import pytest

from emomem.memory.in_memory import InMemoryStore
from emomem.memory.operations import replay
from emomem.memory.store import Put
from emomem.memory.turns import turn_of


class Gated(InMemoryStore):
    """A store whose writes wait for a gate, in their thread."""

    def __init__(self, embed):
        super().__init__(embed)
        self.gate, self.reached = threading.Event(), threading.Event()

    def batch(self, requests):
        if any(isinstance(one, Put) for one in requests):
            self.reached.set()
            assert self.gate.wait(9)
        return super().batch(requests)


def test_of_contradicting_threads_one_holds(build, detector):
    texts = [f"town {row}" for row in range(12)]
    detector.script = {(a, b): "fact_update" for a in texts for b in texts if a != b}
    memories = [build() for _ in texts]  # of one store
    with ThreadPoolExecutor(12) as pool:
        list(pool.map(lambda memory, text: memory.save(text), memories, texts))
        list(pool.map(lambda memory: memory.save("the same"), memories))
    line = memories[0].timeline()
    assert [one.status for one in line].count("current") == 2
    assert [one.times for one in line if one.text == "the same"] == [12]


async def test_so_do_tasks_of_which_some_are_cancelled(build):
    memory = build()
    await memory.asave("first")
    tasks = [asyncio.create_task(memory.asave("the same")) for _ in range(12)]
    await asyncio.sleep(0)
    for task in tasks[::3]:
        task.cancel()
    done = await asyncio.gather(*tasks, return_exceptions=True)
    saved = sum(not isinstance(one, BaseException) for one in done)
    [one] = [one for one in await memory.atimeline() if one.text == "the same"]
    assert saved <= one.times <= 12
    assert not turn_of("nobody")._taken
    assert (await asyncio.wait_for(memory.asave("last"), 9)).fact.text == "last"


async def test_a_cancelled_save_is_whole(build, store, detector):
    store = Gated(store._embed)
    store.gate.set()
    memory = build(store=store)
    detector.script["two", "one"] = "fact_update"
    await memory.asave("one")
    store.gate.clear()
    store.reached.clear()
    task = asyncio.create_task(memory.asave("two"))
    await asyncio.to_thread(store.reached.wait, 9)
    task.cancel()
    await asyncio.sleep(0.01)
    assert not task.done()  # it waits for what it has begun
    store.gate.set()
    with pytest.raises(asyncio.CancelledError):
        await task

    line = await memory.atimeline()
    assert sorted((one.text, one.status) for one in line) == [
        ("one", "superseded"),
        ("two", "current"),
    ]
    replayed = replay(await memory.aoperations())
    assert all(replayed[one.unit_id]["status"] == one.status for one in store.list("ann"))


async def test_a_part_may_call_its_memory_and_a_loop_is_never_stopped(build, detector):
    memory = build()

    def settle(new, conflict):
        memory.suppress([conflict.against.unit_id])
        raise RuntimeError

    memory._parts.settle = settle
    detector.script["two", "one"] = "fact_update"
    await memory.asave("one")
    assert (await asyncio.wait_for(memory.asave("two"), 9)).conflicts

    turn = turn_of("u")
    assert await turn.atake()

    def other() -> bool:
        return turn.take()

    waiting = asyncio.get_running_loop().run_in_executor(None, other)
    assert not await asyncio.create_task(_take_in_loop(turn))
    turn.give_back()
    assert await waiting


async def _take_in_loop(turn) -> bool:
    return Context().run(turn.take)


async def test_a_sync_call_that_would_stop_a_task_of_its_loop_is_refused(build, store):
    store = Gated(store._embed)
    memory = build(store=store)
    task = asyncio.create_task(memory.asave("one"))
    await asyncio.to_thread(store.reached.wait, 9)
    with pytest.raises(RuntimeError, match="await the method that begins with an a"):
        Context().run(memory.save, "two")
    store.gate.set()
    assert Context().run(memory.save, "three", user_id="bob").fact.user_id == "bob"
    await task
    assert memory.save("two").fact.text == "two"
    assert sorted(one.text for one in memory.timeline()) == ["one", "two"]
