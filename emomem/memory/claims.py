"""Locks between the processes of one machine: on a file, and on one user's turn."""

import os
import threading
from pathlib import Path
from typing import IO, Any, Final

try:
    import fcntl
except ImportError:  # not on every system
    fcntl = None  # type: ignore[assignment]

CAN_LOCK: Final = fcntl is not None

_DIGITS: Final = 15
"""Of a user's reference, as many as tell a place in a file."""
_claimed: Final[dict[Path, tuple[int, set[str]]]] = {}
"""The open files, and the users whom this process has claimed in each."""
_guard: Final = threading.Lock()


class Claims:
    """Who is changing whose memories; a process that ends, however it does, claims nothing more.

    They are locks on single bytes of an empty file beside a log. The system keeps them by process:
    within one they do not part its tasks and threads, which `emomem.memory.turns` does.

    Args:
        path: The log; None where no other process can write it, so that any claim is possible.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path.with_name(f"{path.name}.turns") if path and CAN_LOCK else None

    def take(self, user: str, *, alone: bool) -> bool:
        """Claim a user, by reference, or change a claim that is there; it never waits.

        Args:
            user: Who.
            alone: Whether no other process may have claimed the user, nor may from now on.

        Returns:
            Whether it was possible; if not, what was claimed before stays so.
        """
        if self._path is None:
            return True
        kind = fcntl.LOCK_EX if alone else fcntl.LOCK_SH
        with _guard:
            # Open once, since to close a file ends all that the process has locked in it.
            file, users = _claimed.get(self._path) or (_opened(self._path), set())
            try:
                fcntl.lockf(file, kind | fcntl.LOCK_NB, 1, _place(user))
            except OSError as error:
                if not users:
                    os.close(file)
                if isinstance(error, BlockingIOError | PermissionError):  # POSIX allows either
                    return False
                raise
            users.add(user)
            _claimed[self._path] = file, users
        return True

    def give_back(self, user: str) -> None:
        """Claim the user no more."""
        with _guard:
            if self._path is None or self._path not in _claimed:
                return
            file, users = _claimed[self._path]
            users.discard(user)
            if users:
                fcntl.lockf(file, fcntl.LOCK_UN, 1, _place(user))
            else:
                del _claimed[self._path]
                os.close(file)


def lock_file(file: IO[Any]) -> None:
    """Wait until no other process has a file locked, and lock it until it is closed."""
    if CAN_LOCK:
        fcntl.flock(file, fcntl.LOCK_EX)


def _opened(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT, 0o666)


def _place(user: str) -> int:
    return int(user[:_DIGITS], 16)
