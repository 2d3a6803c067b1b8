"""The parts of a memory, and the calls of them that its steps yield."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from emomem.appraisal.base import aappraise_safely, appraise_safely
from emomem.memory.conflict import Conflict, ConflictDetector
from emomem.memory.operations import (
    Operation,
    OperationKind,
    OperationLog,
    State,
    loggable,
    user_reference,
)
from emomem.memory.resolution import Template
from emomem.memory.store import Change, Key, Request
from emomem.memory.unit import MemoryUnit
from emomem.protocols import Appraiser, MemoryStore

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Call:
    """A call of a part, in sync and in async."""

    answer: Callable[[], Any]
    aanswer: Callable[[], Awaitable[Any]]


Steps = Generator[Call, Any, Any]
"""Yields calls and is sent their results, so that sync and async are one algorithm."""


@dataclass
class Parts:
    """What a memory is made of.

    Attributes:
        store: Where the units are.
        appraiser: Reads how a text feels.
        detector: Finds what it contradicts.
        settle: Says how a conflict is settled.
        log: Keeps every change.
        now: The clock, in seconds since 1970.
        cut_off: Who has operations that a crash cut off, by reference; None before that is known.
    """

    store: MemoryStore
    appraiser: Appraiser
    detector: ConflictDetector
    settle: Template
    log: OperationLog
    now: Callable[[], float]
    cut_off: set[str] | None = None
    _key: bytes | None = None

    def ask(self, *requests: Request) -> Steps:
        """The answers of the store."""
        answers = yield Call(
            partial(self.store.batch, requests), partial(self.store.abatch, requests)
        )
        return answers

    def key(self) -> Steps:
        """The store's key."""
        if self._key is None:
            [self._key] = yield from self.ask(Key())
        return self._key

    def read(self, texts: Sequence[str]) -> Steps:
        """How each text feels; unknown where that cannot be read."""
        affects = yield Call(
            partial(appraise_safely, self.appraiser, texts),
            partial(aappraise_safely, self.appraiser, texts),
        )
        return affects

    def conflicts(self, new: MemoryUnit, candidates: Sequence[MemoryUnit]) -> Steps:
        """The conflicts that the detector finds; none where it fails."""
        if not candidates:
            return []

        def detect() -> list[Conflict]:
            try:
                return list(self.detector.detect(new, candidates))
            except Exception as error:  # noqa: BLE001 - it costs only this enrichment
                return _none(error)

        async def adetect() -> list[Conflict]:
            try:
                return list(await self.detector.adetect(new, candidates))
            except Exception as error:  # noqa: BLE001 - the same
                return _none(error)

        found = yield Call(detect, adetect)
        return found

    def change(
        self,
        user_id: str,
        changes: Mapping[OperationKind, Mapping[str, Change]],
        *requests: Request,
    ) -> Steps:
        """Carry out requests as logged operations, one for each kind of change.

        They are written to the log before and after, so that what a crash cuts off is told.
        """
        user = user_reference(user_id, (yield from self.key()))
        now = self.now()
        operations = [
            Operation(kind=kind, user=user, at=now, changes=loggable(change))
            for kind, change in changes.items()
            if change
        ]

        def write(state: State) -> None:
            for operation in operations:
                self.log.write(operation, state)

        yield from self.logged(partial(write, "begun"))
        answers = yield self._or_cut_off(user, requests)
        yield from self.logged(partial(write, "done"))
        return answers

    def _or_cut_off(self, user: str, requests: Sequence[Request]) -> Call:
        """A call of the store; if it raises, what was begun is settled before the next."""

        def answer() -> Any:  # noqa: ANN401 - the store's answers
            try:
                return self.store.batch(requests)
            except BaseException:
                self._mark(user)
                raise

        async def aanswer() -> Any:  # noqa: ANN401 - the same
            try:
                return await self.store.abatch(requests)
            except BaseException:
                self._mark(user)
                raise

        return Call(answer, aanswer)

    def _mark(self, user: str) -> None:
        self.cut_off = {*(self.cut_off or ()), user}

    def logged(self, work: Callable[[], Any]) -> Steps:
        """The result of a call of the log, which may wait for a file."""
        result = yield Call(work, partial(asyncio.to_thread, work))
        return result


def _none(error: Exception) -> list[Conflict]:
    # The error's own message may quote a memory, so only its type is logged.
    logger.warning("the conflict detector failed with %s; no conflict found", type(error).__name__)
    return []
