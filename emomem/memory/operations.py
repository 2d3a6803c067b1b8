"""The log of every change: ids and what changed, never a text, in memory or in a file.

An operation is written before it is carried out and once more when it is done, so that what was
cut off by a crash can be told, and finished or dropped.
"""

import hashlib
import hmac
import json
import logging
import os
import sqlite3
import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO, Final, Literal
from uuid import uuid4

from pydantic import BaseModel, ConfigDict, Field

from emomem.memory.unit import Scalar, Time

logger = logging.getLogger(__name__)

OperationKind = Literal["create", "suppress", "consolidate", "reweight", "supersede", "forget"]
State = Literal["begun", "done", "dropped"]

LOGGED: Final = frozenset(
    {
        "kind", "status", "created_at", "last_at", "times", "recalled", "recalled_at",
        "superseded_by", "suppressed_until", "expires_at", "sources", "affect_salience",
    }
)  # fmt: skip
"""The metadata keys whose values the log may hold."""

_KEPT: Final = 10_000


class Operation(BaseModel):
    """One change.

    Attributes:
        kind: What was done.
        user: Whose units it changed, as `user_reference` names them; "" once they are forgotten.
        at: When, in seconds since 1970.
        changes: The new values by unit id and metadata key; None takes a key away.
        count: How many units were forgotten, whose ids are gone.
        state: Whether it is done.
        id: Its name in the log.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    kind: OperationKind
    user: str
    at: Time
    changes: Mapping[str, Mapping[str, Scalar | None]] = Field(default_factory=dict)
    count: int = 0
    state: State = "begun"
    id: str = Field(default_factory=lambda: uuid4().hex)


def loggable(changes: Mapping[str, Mapping[str, Scalar | None]]) -> dict[str, dict[str, Scalar]]:
    """What the log may hold of some changes."""
    return {
        id_: {key: value for key, value in change.items() if key in LOGGED}  # type: ignore[misc]
        for id_, change in changes.items()
    }


def user_reference(user_id: str, key: bytes) -> str:
    """A user's name in the log: 32 hexadecimal digits, which tell nothing without the key."""
    return hmac.new(key, user_id.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()[:32]


def replay(operations: Iterable[Operation]) -> dict[str, dict[str, Scalar]]:
    """The state of every unit after some operations: its logged values, by its id.

    What was not done counts for nothing.
    """
    state: dict[str, dict[str, Scalar]] = {}
    for operation in operations:
        if operation.state != "done":
            continue
        for id_, change in operation.changes.items():
            if operation.kind == "forget":  # what is said again later begins anew
                state.pop(id_, None)
                continue
            merged = {**state.get(id_, {}), **change}
            state[id_] = {key: value for key, value in merged.items() if value is not None}
    return state


class OperationLog(ABC):
    """A log that has only to keep lines; it may be shared by threads."""

    @abstractmethod
    def _append(self, line: str) -> None:
        """Add a line at the end, whole or not at all."""

    @abstractmethod
    def _lines(self) -> Sequence[str]:
        """Every line, the oldest first."""

    @abstractmethod
    def _rewrite(self, edit: Callable[[Sequence[str]], Sequence[str]]) -> None:
        """Put other lines in place of all; nobody appends meanwhile."""

    def write(self, operation: Operation, state: State) -> Operation:
        """Write an operation in a state.

        What is done stays so: another process may find it cut off while it only takes its time.

        Returns:
            The operation in that state.
        """
        written = operation.model_copy(update={"state": state})
        # Only the first line of an operation tells what it is.
        short = {"id": operation.id, "state": state}
        self._append(written.model_dump_json() if state == "begun" else json.dumps(short))
        return written

    def record(self, operation: Operation) -> None:
        """Write an operation that is done already."""
        self._append(operation.model_copy(update={"state": "done"}).model_dump_json())

    def read(self, user: str | None = None, ids: Collection[str] | None = None) -> list[Operation]:
        """The operations, the oldest first, each in its last state.

        Args:
            user: Those of one user, as `user_reference` names them.
            ids: Those that changed one of these units.
        """
        operations = _joined(self._lines())
        return [
            one
            for one in operations
            if (user is None or one.user == user)
            and (ids is None or not one.changes.keys().isdisjoint(ids))
        ]

    def redact(self, user: str, ids: Collection[str] | None) -> int:
        """Take units out of the log as if they had never been; `ids=None` is all of the user's.

        Returns:
            How many operations were changed or dropped.
        """
        counts = [0]

        def edit(lines: Sequence[str]) -> list[str]:
            before = _joined(lines)
            after = [(one, _redacted(one, user, ids)) for one in before]
            counts.append(sum(one is not kept for one, kept in after))
            return [kept.model_dump_json() for _, kept in after if kept is not None]

        self._rewrite(edit)
        return counts[-1]


def _joined(lines: Iterable[str]) -> list[Operation]:
    operations: dict[str, Operation] = {}
    for line in lines:
        try:
            row = json.loads(line)
            if "kind" in row:
                operations[row["id"]] = Operation.model_validate(row)
            elif (known := operations.get(row["id"])) is not None and known.state != "done":
                operations[known.id] = known.model_copy(update={"state": row["state"]})
        except (ValueError, TypeError, KeyError):
            # A crash may cut the last line short; what it began is not done.
            logger.warning("a line of the operation log cannot be read; passed over")
    return list(operations.values())


def _redacted(operation: Operation, user: str, ids: Collection[str] | None) -> Operation | None:
    if operation.user != user:
        return operation
    if ids is None:
        return None
    kept = {
        id_: {key: value for key, value in change.items() if not _names(value, ids)}
        for id_, change in operation.changes.items()
        if id_ not in ids
    }
    if kept == operation.changes:
        return operation
    return operation.model_copy(update={"changes": kept}) if kept else None


def _names(value: Scalar | None, ids: Collection[str]) -> bool:
    return isinstance(value, str) and not set(value.split(",")).isdisjoint(ids)


class InMemoryLog(OperationLog):
    """A log that goes when the process ends; it keeps the last `size` lines.

    Raises:
        ValueError: `size` is below 1.
    """

    def __init__(self, size: int = _KEPT) -> None:
        if size < 1:
            msg = f"size must be >= 1, got {size!r}"
            raise ValueError(msg)
        self._kept: deque[str] = deque(maxlen=size)
        self._lock = threading.Lock()

    def _append(self, line: str) -> None:
        with self._lock:
            self._kept.append(line)

    def _lines(self) -> Sequence[str]:
        with self._lock:
            return list(self._kept)

    def _rewrite(self, edit: Callable[[Sequence[str]], Sequence[str]]) -> None:
        with self._lock:
            after = edit(list(self._kept))
            self._kept.clear()
            self._kept.extend(after)


class JsonLinesLog(OperationLog):
    """A log in a file of JSON lines, which several processes may share where the system locks.

    Args:
        path: The file; it is made where it is missing.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)
        self._lock = threading.Lock()
        self._path.touch()

    def _append(self, line: str) -> None:
        with self._locked(), self._path.open("rb+") as file:
            end = file.seek(0, os.SEEK_END)
            cut = end > 0 and file.seek(end - 1) >= 0 and file.read(1) != b"\n"
            file.write((b"\n" if cut else b"") + line.encode() + b"\n")

    def _lines(self) -> Sequence[str]:
        with self._locked():
            return self._path.read_text(encoding="utf-8").splitlines()

    def _rewrite(self, edit: Callable[[Sequence[str]], Sequence[str]]) -> None:
        with self._locked():
            after = edit(self._path.read_text(encoding="utf-8").splitlines())
            part = self._path.with_name(f"{self._path.name}.part")
            part.write_text("".join(f"{line}\n" for line in after), encoding="utf-8")
            part.replace(self._path)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        # A file of its own: the log is replaced when it is rewritten, and a lock with it.
        with self._lock, self._path.with_name(f"{self._path.name}.lock").open("w") as file:
            _lock_file(file)
            yield


class SQLiteLog(OperationLog):
    """A log in an SQLite file, which several processes may share.

    Args:
        path: The file; it is made where it is missing.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)
        with self._connected() as connection:
            connection.execute("create table if not exists operations (line text not null)")

    def _append(self, line: str) -> None:
        with self._connected() as connection:
            connection.execute("insert into operations values (?)", (line,))

    def _lines(self) -> Sequence[str]:
        with self._connected() as connection:
            rows = connection.execute("select line from operations order by rowid").fetchall()
        return [line for (line,) in rows]

    def _rewrite(self, edit: Callable[[Sequence[str]], Sequence[str]]) -> None:
        with self._connected() as connection:
            connection.execute("begin immediate")
            rows = connection.execute("select line from operations order by rowid").fetchall()
            after = edit([line for (line,) in rows])
            connection.execute("delete from operations")
            connection.executemany("insert into operations values (?)", [(x,) for x in after])

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self._path, timeout=60)) as connection, connection:
            connection.execute("pragma secure_delete = on")  # what is redacted is overwritten
            yield connection


def _lock_file(file: IO[str]) -> None:
    try:
        import fcntl  # noqa: PLC0415 - not on every system
    except ImportError:
        return
    fcntl.flock(file, fcntl.LOCK_EX)
