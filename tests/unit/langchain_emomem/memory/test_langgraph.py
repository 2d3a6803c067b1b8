"""The key of a LangGraph store; what holds for every store is in the integration tests."""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from langchain_core.embeddings import DeterministicFakeEmbedding
from langgraph.store.memory import InMemoryStore

from emomem.memory.store import Key
from langchain_emomem.memory.langgraph import LangGraphUnits

INDEX = {"dims": 8, "embed": DeterministicFakeEmbedding(size=8)}


class Slow(InMemoryStore):
    """Answers late, now this and now that caller, as over a network."""

    def batch(self, ops):
        time.sleep(hash(str(time.perf_counter_ns())) % 7 / 5000)
        return super().batch(ops)

    async def abatch(self, ops):
        await asyncio.sleep(hash(str(time.perf_counter_ns())) % 7 / 5000)
        return await super().abatch(ops)


def started(store):
    return LangGraphUnits(store).batch([Key()])[0]


@pytest.mark.parametrize("kind", [InMemoryStore, Slow])
def test_threads_that_start_together_on_an_empty_store_take_one_key(kind):
    together = Barrier(4)

    def start(store):
        together.wait(60)
        return started(store)

    with ThreadPoolExecutor(4) as pool:
        for _ in range(50):
            store = kind(index=INDEX)
            keys = set(pool.map(start, [store] * 4))
            assert keys == {started(store)}


async def test_tasks_that_start_together_on_an_empty_store_take_one_key():
    for _ in range(20):
        store = Slow(index=INDEX)
        answers = await asyncio.gather(*(LangGraphUnits(store).abatch([Key()]) for _ in range(4)))
        assert {key for [key] in answers} == {started(store)}


def test_a_key_that_is_there_stays_and_every_store_has_its_own():
    store = InMemoryStore(index=INDEX)
    store.put(("emomem", "own"), "key", {"key": "ab" * 32}, index=False)
    assert started(store) == bytes.fromhex("ab" * 32)
    assert started(InMemoryStore(index=INDEX)) != started(InMemoryStore(index=INDEX))
