"""Work on many items at a time, each once, with progress; the first failure stops it."""

from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Final, TypeVar

from emomem.evaluation.readings import Progress, silent

CONCURRENT: Final = 8
"""How many chat model calls run at a time, where nobody says otherwise."""

A = TypeVar("A", bound=Hashable)
B = TypeVar("B")


def each(
    work: Callable[[A], B],
    items: Sequence[A],
    what: str,
    progress: Progress = silent,
    concurrent: int = CONCURRENT,
) -> dict[A, B]:
    """The work's result by item, each once, some at a time; the first failure stops it.

    Args:
        work: Is called in threads.
        items: On what; the same item is worked on once.
        what: What is done, for the progress.
        progress: Is told how far it is.
        concurrent: How many are worked on at a time, >= 1.

    Raises:
        Exception: What the work raises.
    """
    found = {}
    pool = ThreadPoolExecutor(concurrent)
    try:
        waiting = {pool.submit(work, item): item for item in dict.fromkeys(items)}
        for done in as_completed(waiting):
            found[waiting[done]] = done.result()
            progress(what, len(found), len(waiting))
    finally:
        pool.shutdown(cancel_futures=True)
    return found
