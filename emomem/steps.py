"""One algorithm for sync and async: a generator yields what it needs and is sent the answer."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Generator
from typing import Any, TypeVar

Request = TypeVar("Request")
Answer = TypeVar("Answer")
Result = TypeVar("Result")


def drive(steps: Generator[Request, Answer, Result], answer: Callable[[Request], Answer]) -> Result:
    """Run the generator to its end, answering each request."""
    try:
        request = next(steps)
        while True:
            request = steps.send(answer(request))
    except StopIteration as done:
        result: Result = done.value
        return result


async def adrive(
    steps: Generator[Request, Answer, Result], answer: Callable[[Request], Awaitable[Answer]]
) -> Result:
    """`drive`, awaiting each answer."""
    try:
        request = next(steps)
        while True:
            request = steps.send(await answer(request))
    except StopIteration as done:
        result: Result = done.value
        return result


class Ask(ABC):
    """A request that knows how to answer itself."""

    @abstractmethod
    def answer(self) -> Any:  # noqa: ANN401 - each has its own kind
        """The answer, in sync."""

    async def aanswer(self) -> Any:  # noqa: ANN401 - the same
        """The answer without blocking the event loop: in a thread, where there is no better way."""
        return await asyncio.to_thread(self.answer)


Steps = Generator[Ask, Any, Result]


def run(steps: Steps[Result]) -> Result:
    """Take steps whose requests answer themselves."""
    return drive(steps, lambda ask: ask.answer())


async def arun(steps: Steps[Result]) -> Result:
    """`run` without blocking the event loop."""
    return await adrive(steps, lambda ask: ask.aanswer())
