"""What the memory's package shows."""

import inspect

import emomem.memory
from emomem.memory import BaseMemoryStore, Memory
from emomem.protocols import MemoryStore


def test_every_name_is_there():
    assert all(hasattr(emomem.memory, name) for name in emomem.memory.__all__)


def test_everything_that_can_wait_has_an_async_form_with_the_same_arguments():
    for kind in (Memory, BaseMemoryStore):
        public = {n: m for n, m in inspect.getmembers(kind, inspect.isfunction) if n[0] != "_"}
        for name, method in public.items():
            if inspect.iscoroutinefunction(method):
                continue
            twin = public[f"a{name}"]
            assert inspect.signature(twin) == inspect.signature(method), name


def test_a_store_of_the_base_is_one_of_the_protocol(store):
    assert isinstance(store, MemoryStore)
