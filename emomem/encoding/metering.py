"""A chat model whose calls are counted, bounded, and waited for where its server is busy."""

import asyncio
import threading
import time
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple, Protocol, runtime_checkable

from emomem.portable import Portable
from emomem.protocols import ChatMessage, ChatModel, JsonSchema
from emomem.steps import adrive, drive
from emomem.tokens import count_tokens

PAUSES: Final = (1.0, 4.0, 16.0)
"""Seconds to wait before each new try where a server has too much to do."""

_TOO_MANY: Final = 429
_NO_CREDIT: Final = "insufficient_quota"  # which no waiting helps
_BUSY: Final = ("ratelimit", "toomanyrequests", "resourceexhausted", "throttl", "overloaded")


class BudgetSpentError(RuntimeError):
    """No more calls may be made."""


class Tokens(NamedTuple):
    """What one call took."""

    prompt: int
    answer: int


@runtime_checkable
class TellsTokens(Protocol):
    """A chat model that tells what a call took, where its server does."""

    def complete_told(
        self, messages: Sequence[ChatMessage], schema: JsonSchema | None = None
    ) -> tuple[str, Tokens | None]:
        """The text of the answer, and the tokens of the call; None where they are not told."""
        ...

    async def acomplete_told(
        self, messages: Sequence[ChatMessage], schema: JsonSchema | None = None
    ) -> tuple[str, Tokens | None]:
        """The same without blocking the event loop."""
        ...


@dataclass(frozen=True)
class Cost:
    """What a model was asked so far.

    Attributes:
        calls: How many calls were made, those that failed and second tries included.
        prompt_tokens: The tokens of the questions that were answered.
        answer_tokens: The tokens of the answers.
        estimated: How many of the answered calls did not tell their tokens; theirs are estimated,
            one for four bytes.
    """

    calls: int = 0
    prompt_tokens: int = 0
    answer_tokens: int = 0
    estimated: int = 0


class MeteredChatModel(Portable):
    """A chat model with a meter and a budget; where its server is busy, it is asked again.

    A copy carries the meter's state and counts on by itself.

    Args:
        model: The model.
        budget: How many calls may be made, >= 0; None for any number.

    Raises:
        ValueError: The budget is negative, or no int.
    """

    def __init__(self, model: ChatModel, budget: int | None = None) -> None:
        if budget is not None and (type(budget) is not int or budget < 0):
            msg = f"budget must be >= 0 or None, got {budget!r}"
            raise ValueError(msg)
        self._model = model
        self.budget = budget
        self.cost = Cost()
        self._renew()

    def _renew(self) -> None:
        self._lock = threading.Lock()

    def complete(self, messages: Sequence[ChatMessage], schema: JsonSchema | None = None) -> str:
        """The text of the answer.

        Raises:
            BudgetSpentError: No more calls may be made.
            Exception: Whatever the model raises.
        """

        def answer(pause: float | None) -> Any:  # noqa: ANN401 - what `_steps` is sent
            if pause is not None:
                return time.sleep(pause)
            try:
                if isinstance(self._model, TellsTokens):
                    return self._model.complete_told(messages, schema)
                return self._model.complete(messages, schema), None
            except Exception as error:  # noqa: BLE001 - `_steps` judges it
                return error

        return drive(self._steps(messages), answer)

    async def acomplete(
        self, messages: Sequence[ChatMessage], schema: JsonSchema | None = None
    ) -> str:
        """`complete` without blocking the event loop."""

        async def answer(pause: float | None) -> Any:  # noqa: ANN401 - the same
            if pause is not None:
                return await asyncio.sleep(pause)
            try:
                if isinstance(self._model, TellsTokens):
                    return await self._model.acomplete_told(messages, schema)
                return await self._model.acomplete(messages, schema), None
            except Exception as error:  # noqa: BLE001 - the same
                return error

        return await adrive(self._steps(messages), answer)

    def _steps(
        self, messages: Sequence[ChatMessage]
    ) -> Generator[float | None, tuple[str, Tokens | None] | Exception | None, str]:
        """Yields seconds to wait, or None to call; is sent what the call gave or raised."""
        pauses = iter(PAUSES)
        while True:
            self._take()
            given = yield None
            if isinstance(given, tuple):
                self._count(messages, *given)
                return given[0]
            assert isinstance(given, Exception)  # noqa: S101 - there is nothing else
            pause = next(pauses, None)
            if pause is None or not is_busy(given):
                raise given
            yield pause

    def _take(self) -> None:
        with self._lock:
            if self.budget is not None and self.cost.calls >= self.budget:
                msg = f"the budget of {self.budget} calls is spent"
                raise BudgetSpentError(msg)
            self.cost = replace(self.cost, calls=self.cost.calls + 1)

    def _count(self, messages: Sequence[ChatMessage], text: str, told: Tokens | None) -> None:
        tokens = told or Tokens(
            sum(count_tokens(turn["content"]) for turn in messages), count_tokens(text)
        )
        with self._lock:
            self.cost = replace(
                self.cost,
                prompt_tokens=self.cost.prompt_tokens + tokens.prompt,
                answer_tokens=self.cost.answer_tokens + tokens.answer,
                estimated=self.cost.estimated + (told is None),
            )


def is_busy(error: Exception) -> bool:
    """Whether an error says that a server has too much to do, in whichever client's words."""
    code = getattr(error, "code", None)
    if code == _NO_CREDIT:
        return False
    if _TOO_MANY in (code, getattr(error, "status_code", None)):
        return True
    return any(word in type(error).__name__.lower() for word in _BUSY)
