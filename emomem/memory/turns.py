"""Turns: what changes one user's memories in this process goes one after the other."""

import asyncio
import threading
from collections import deque
from concurrent.futures import Future
from contextvars import ContextVar
from typing import Final
from weakref import WeakValueDictionary

_HELD: Final[ContextVar[frozenset[str]]] = ContextVar("held", default=frozenset())


_PATIENCE: Final = 30.0
"""Seconds that a sync call inside an event loop waits for a thread; the loop stands still."""


class Turn:
    """A lock that threads and tasks may wait for alike, the first come first.

    Who holds it already goes on without it. So may a sync call inside an event loop, which can not
    wait for a task of that very loop: whoever makes it has to refuse (`is_mine`).
    """

    def __init__(self, user: str) -> None:
        self._user = user
        self._guard = threading.Lock()
        self._taken = False
        self._by_task = False
        self._tasks = 0
        """How many tasks hold it or wait for it."""
        self._waiting: deque[Future[None]] = deque()
        self.settled = False
        """Whether who has it has settled what was cut off, so that what is begun is its own."""

    def take(self) -> bool:
        """Wait for the turn; False where it is not taken, so that it must not be given back."""
        if self._user in _HELD.get():
            return False
        if (place := self._place()) is not None:
            in_loop = _in_loop()
            if in_loop and self._tasks and place.cancel():  # they may need this very loop
                return False
            try:
                place.result(_PATIENCE if in_loop else None)
            except TimeoutError:
                self._leave(place)
                return False
            except BaseException:
                self._leave(place)
                raise
        return self._hold()

    async def atake(self) -> bool:
        """`take` without blocking the event loop."""
        if self._user in _HELD.get():
            return False
        self._count(1)
        if (place := self._place()) is not None:
            try:
                await asyncio.wrap_future(place)
            except BaseException:
                self._count(-1)
                self._leave(place)
                raise
        self._by_task = True
        return self._hold()

    def is_mine(self) -> bool:
        """Whether who asks holds it."""
        return self._user in _HELD.get()

    def give_back(self) -> None:
        """Let the next one go on."""
        self.settled = False
        if self._by_task:
            self._by_task = False
            self._count(-1)
        _HELD.set(_HELD.get() - {self._user})
        self._next()

    def _count(self, step: int) -> None:
        with self._guard:
            self._tasks += step

    def _hold(self) -> bool:
        _HELD.set(_HELD.get() | {self._user})
        return True

    def _place(self) -> Future[None] | None:
        with self._guard:
            if not self._taken:
                self._taken = True
                return None
            place: Future[None] = Future()
            self._waiting.append(place)
            return place

    def _leave(self, place: Future[None]) -> None:
        if not place.cancel():  # it was given the turn meanwhile
            self._next()

    def _next(self) -> None:
        with self._guard:
            while self._waiting:
                place = self._waiting.popleft()
                if place.set_running_or_notify_cancel():
                    place.set_result(None)
                    return
            self._taken = False


_turns: Final[WeakValueDictionary[str, Turn]] = WeakValueDictionary()
_lock: Final = threading.Lock()


def turn_of(user: str) -> Turn:
    """The turn of a user, by the reference that the log has, whatever memory it is asked by."""
    with _lock:
        turn = _turns.get(user)
        if turn is None:
            turn = _turns[user] = Turn(user)
        return turn


def _in_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
