"""What the agent's package shows."""

import inspect

import emomem.agent
from emomem.agent import Controller

SYNC = {"dump_trace"}
"""What writes a small file, or nothing at all."""


def test_every_name_is_there():
    assert all(hasattr(emomem.agent, name) for name in emomem.agent.__all__)


def test_everything_that_can_wait_has_an_async_form_with_the_same_arguments():
    public = {n: m for n, m in inspect.getmembers(Controller, inspect.isfunction) if n[0] != "_"}
    waiting = [n for n, m in public.items() if not inspect.iscoroutinefunction(m)]
    for name in set(waiting) - SYNC:
        assert inspect.signature(public[f"a{name}"]) == inspect.signature(public[name]), name
