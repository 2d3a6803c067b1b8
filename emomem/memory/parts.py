"""The parts of a memory, and the calls of them that its steps yield."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeVar

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
from emomem.memory.resolution import Settlement, Template
from emomem.memory.store import Change, Key, Request
from emomem.memory.turns import turn_of
from emomem.memory.unit import MemoryUnit
from emomem.protocols import Appraiser, MemoryStore

READ: Final = 4000
"""Characters of a memory, or of a query, of which the feeling is read: about four windows."""

logger = logging.getLogger(__name__)

T = TypeVar("T")


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
    """

    store: MemoryStore
    appraiser: Appraiser
    detector: ConflictDetector
    settle: Template
    log: OperationLog
    now: Callable[[], float]
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
        """How each text feels, of a long one its two ends; unknown where that cannot be read."""
        texts = [ends(text) for text in texts]
        affects = yield Call(
            partial(appraise_safely, self.appraiser, texts),
            partial(aappraise_safely, self.appraiser, texts),
        )
        return affects

    def conflicts(self, new: MemoryUnit, candidates: Sequence[MemoryUnit]) -> Steps:
        """The conflicts that the detector finds; none where it fails or answers rubbish."""
        if not candidates:
            return []

        def detect() -> list[Any]:
            try:
                return list(self.detector.detect(new, candidates))
            except Exception as error:  # noqa: BLE001 - it costs only this enrichment
                return _none(error)

        async def adetect() -> list[Any]:
            try:
                return list(await self.detector.adetect(new, candidates))
            except Exception as error:  # noqa: BLE001 - the same
                return _none(error)

        found = yield Call(detect, adetect)
        return _of_candidates(found, candidates)

    def settled(self, new: MemoryUnit, conflict: Conflict) -> Steps:
        """How a conflict is settled; it stays open where the template fails.

        Returns:
            A `Settlement`.
        """
        try_it = partial(_settlement, self.settle, new, conflict)
        settlement = yield Call(try_it, partial(asyncio.to_thread, try_it))
        return settlement

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
        answers = yield from self.write(*requests)
        yield from self.logged(partial(write, "done"))
        return answers

    def write(self, *requests: Request) -> Steps:
        """The answers of the store to what changes it; a cancellation waits for them."""
        answers = yield Call(
            partial(self.store.batch, requests), lambda: whole(self.store.abatch(requests))
        )
        return answers

    def in_turn(self, user_id: str, steps: Steps) -> Steps:
        """The result of steps that change a user's units; those of one user wait for each other.

        What was begun before and cut off, by a crash or by what raised, is settled first.

        Raises:
            RuntimeError: A sync call inside an event loop would have to wait for a task of it.
        """
        from emomem.memory.recovery import settle  # noqa: PLC0415 - it stands on the parts

        user = user_reference(user_id, (yield from self.key()))
        turn = turn_of(user)
        if not (yield Call(turn.take, turn.atake)):
            if turn.is_mine():
                return (yield from steps)
            msg = (
                "a sync call inside an event loop met an async one for the same user that is not "
                "done; await the method that begins with an a"
            )
            raise RuntimeError(msg)
        try:
            yield from settle(self, user_id, user)
            turn.settled = True
            return (yield from steps)
        finally:
            self.log.claims.give_back(user)
            turn.give_back()

    def logged(self, work: Callable[[], Any]) -> Steps:
        """The result of a call of the log, which may wait for a file."""
        result = yield Call(work, lambda: whole(asyncio.to_thread(work)))
        return result


def ends(text: str) -> str:
    """What is read of a text: all of it up to `READ` characters, else as much from both ends.

    The beginning says what it is about and the end how it is now; a book in between takes a
    minute.
    """
    if len(text) <= READ:
        return text
    half = READ // 2
    return f"{text[:half]}\n{text[-half:]}"


async def whole(work: Awaitable[T]) -> T:
    """Await work; a cancellation goes on only once the work is at its end, not half done."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        while not task.done():
            with suppress(asyncio.CancelledError):
                await asyncio.wait([task])
        if not task.cancelled():
            task.exception()  # told to nobody: the cancellation is what is raised
        raise


def _settlement(settle: Template, new: MemoryUnit, conflict: Conflict) -> Settlement:
    try:
        settlement: object = settle(new, conflict)
    except Exception as error:  # noqa: BLE001 - it costs only this decision
        logger.warning("a template failed with %s; the conflict is open", type(error).__name__)
        return Settlement()
    if not isinstance(settlement, Settlement):
        name = type(settlement).__name__
        logger.warning("a template gave a %s, no Settlement; the conflict is open", name)
        return Settlement()
    return settlement


def _of_candidates(found: Sequence[Any], candidates: Sequence[MemoryUnit]) -> list[Conflict]:
    """Those of a detector's answers that are a conflict with a candidate."""
    ids = {unit.unit_id for unit in candidates}
    kept = [one for one in found if isinstance(one, Conflict) and one.against.unit_id in ids]
    if len(kept) < len(found):
        logger.warning("%d answers of the detector are no conflicts", len(found) - len(kept))
    return kept


def _none(error: Exception) -> list[Conflict]:
    # The error's own message may quote a memory, so only its type is logged.
    logger.warning("the conflict detector failed with %s; no conflict found", type(error).__name__)
    return []
