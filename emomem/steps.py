"""One algorithm for sync and async: a generator yields what it needs and is sent the answer."""

from collections.abc import Awaitable, Callable, Generator
from typing import TypeVar

Ask = TypeVar("Ask")
Answer = TypeVar("Answer")
Result = TypeVar("Result")


def drive(steps: Generator[Ask, Answer, Result], answer: Callable[[Ask], Answer]) -> Result:
    """Run the generator to its end, answering each request."""
    try:
        request = next(steps)
        while True:
            request = steps.send(answer(request))
    except StopIteration as done:
        result: Result = done.value
        return result


async def adrive(
    steps: Generator[Ask, Answer, Result], answer: Callable[[Ask], Awaitable[Answer]]
) -> Result:
    """`drive`, awaiting each answer."""
    try:
        request = next(steps)
        while True:
            request = steps.send(await answer(request))
    except StopIteration as done:
        result: Result = done.value
        return result
