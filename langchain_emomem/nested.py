"""Work within a run, so that whatever runs it begins are traced as children of that one."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from langchain_core.callbacks import Callbacks
from langchain_core.runnables.config import ensure_config, set_config_context

T = TypeVar("T")


def nested(callbacks: Callbacks, work: Callable[[], T]) -> T:
    """What the work returns.

    Args:
        callbacks: Those of a run's children; None leaves the run that the caller is in.
        work: The work. Nothing in it, down to a chat model, has to be handed callbacks.
    """
    with set_config_context(ensure_config({"callbacks": callbacks})) as context:
        return context.run(work)


async def anested(callbacks: Callbacks, work: Coroutine[Any, Any, T]) -> T:
    """`nested` without blocking the event loop."""
    with set_config_context(ensure_config({"callbacks": callbacks})) as context:
        return await asyncio.create_task(work, context=context)
