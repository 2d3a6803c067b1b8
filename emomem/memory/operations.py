"""The log of every change: ids and what changed, never a text, in memory or in a file.

An operation is written before it is carried out and once more when it is done, so that what was
cut off by a crash can be told, and finished or dropped.
"""

import hashlib
import hmac
import json
import logging
import os
import shutil
import sqlite3
import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final, Literal, Self
from uuid import uuid4

from pydantic import BaseModel, ConfigDict, Field

from emomem.memory.claims import CAN_LOCK, Claims, lock_file
from emomem.memory.unit import Scalar, Time

logger = logging.getLogger(__name__)

OperationKind = Literal["create", "suppress", "consolidate", "reweight", "supersede", "forget"]
State = Literal["begun", "done", "dropped"]

LOGGED: Final = frozenset(
    {
        "kind", "status", "created_at", "last_at", "times", "recalled", "recalled_at",
        "superseded_by", "suppressed_until", "replaced_until", "expires_at", "sources",
        "affect_salience", "weighed",
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
    """A log that has only to keep lines; it may be shared by threads.

    Attributes:
        claims: Who is changing whose units, of the processes that write it too.
    """

    claims = Claims(None)
    _begun: dict[str, str]
    """The users of the operations that are begun and not done, by the operations' ids."""
    _mark: Any
    _noting: threading.Lock

    def __new__(cls, *_: object, **__: object) -> Self:
        """A log that knows of nothing begun; here, so that no log has to call `__init__`."""
        self = super().__new__(cls)
        self._begun, self._mark, self._noting = {}, None, threading.Lock()
        return self

    def __getstate__(self) -> dict[str, Any]:
        """What a copy takes along: it reads for itself what is begun."""
        noted = ("_begun", "_mark", "_noting")
        return {name: value for name, value in vars(self).items() if name not in noted}

    @abstractmethod
    def _append(self, line: str) -> None:
        """Add a line at the end, whole or not at all."""

    @abstractmethod
    def _lines(self) -> Sequence[str]:
        """Every line, the oldest first."""

    @abstractmethod
    def _rewrite(self, edit: Callable[[Sequence[str]], Sequence[str]]) -> None:
        """Put other lines in place of all; nobody appends meanwhile."""

    def _after(self, mark: Any) -> tuple[Any, Sequence[str | bytes]]:  # noqa: ANN401 - each its own
        """The mark of the end, and the lines after a mark; all of them where it tells nothing.

        A log that does not say what others have written is read once.
        """
        return True, [] if mark else self._lines()

    def begun(self, user: str) -> bool:
        """Whether something of a user's is begun and not done, by whomever."""
        with self._noting:
            # Where nobody can claim, nothing parts what another process is doing from what is cut
            # off: that is read once.
            if CAN_LOCK or self._mark is None:
                self._mark, lines = self._after(self._mark)
                for line in lines:
                    self._note(line)
            return user in self._begun.values()

    def settled(self, user: str) -> None:
        """Note that nothing of a user's is begun any more: what was may be in no line now."""
        with self._noting:
            self._begun = {id_: one for id_, one in self._begun.items() if one != user}

    def _note(self, line: str | bytes) -> None:
        try:
            row = json.loads(line)
            if row["state"] == "begun":
                self._begun[row["id"]] = row["user"]
            else:
                self._begun.pop(row["id"], None)
        except (ValueError, TypeError, KeyError):
            return  # whoever reads the log tells of it

    def write(self, operation: Operation, state: State) -> Operation:
        """Write an operation in a state.

        What is done stays so: another process may find it cut off while it only takes its time.

        Returns:
            The operation in that state.
        """
        written = operation.model_copy(update={"state": state})
        # Only the first line of an operation tells what it is.
        short = {"id": operation.id, "state": state}
        line = written.model_dump_json() if state == "begun" else json.dumps(short)
        self._append(line)
        with self._noting:
            self._note(line)
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
        edited: list[tuple[Operation, Operation | None]] = []

        def edit(lines: Sequence[str]) -> list[str]:
            edited[:] = [(one, _redacted(one, user, ids)) for one in _joined(lines)]
            return [kept.model_dump_json() for _, kept in edited if kept is not None]

        self._rewrite(edit)
        with self._noting:
            for one, kept in edited:
                if kept is None:
                    self._begun.pop(one.id, None)
        return sum(one is not kept for one, kept in edited)


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
        id_: _without(change, ids) for id_, change in operation.changes.items() if id_ not in ids
    }
    if kept == operation.changes:
        return operation
    return operation.model_copy(update={"changes": kept}) if kept else None


def _without(change: Mapping[str, Scalar | None], ids: Collection[str]) -> dict[str, Scalar | None]:
    """What a change says beside of some units."""
    dropped = {key for key, value in change.items() if _names(value, ids)}
    if "superseded_by" in dropped:  # what came of that goes with it
        dropped.add("replaced_until")
        if change.get("status") == "superseded":
            dropped |= {"status", "suppressed_until"}
    return {key: value for key, value in change.items() if key not in dropped}


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

    Beside it are two empty files, which tell the processes of each other.

    Args:
        path: The file; it is made where it is missing, also when it was moved away.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path).resolve()  # a link to it stays one
        self.claims = Claims(self._path)
        self._lock = threading.Lock()
        self._path.touch()

    def _append(self, line: str) -> None:
        with self._locked(), self._path.open("ab+") as file:
            end = file.seek(0, os.SEEK_END)
            cut = end > 0 and file.seek(end - 1) >= 0 and file.read(1) != b"\n"
            file.write((b"\n" if cut else b"") + line.encode() + b"\n")

    def _lines(self) -> Sequence[str]:
        with self._locked():
            return self._read()

    def _rewrite(self, edit: Callable[[Sequence[str]], Sequence[str]]) -> None:
        with self._locked():
            after = edit(self._read())
            part = self._path.with_name(f"{self._path.name}.part")
            part.touch(0o600)
            shutil.copymode(self._path, part)
            part.write_text("".join(f"{line}\n" for line in after), encoding="utf-8")
            part.replace(self._path)

    def _read(self) -> list[str]:
        with self._path.open("a+", encoding="utf-8") as file:
            file.seek(0)
            return file.read().splitlines()

    def _after(self, mark: tuple[int, bytes] | None) -> tuple[Any, Sequence[str | bytes]]:
        end, last = mark or (0, b"")
        with self._path.open("ab+") as file:
            file.seek(end - len(last))
            if file.read(len(last)) != last:  # it was written anew
                last, end = b"", file.seek(0)
            new = file.read()
        whole = new[: new.rfind(b"\n") + 1]  # a line may be half written
        lines = whole.splitlines(keepends=True)
        return (end + len(whole), lines[-1] if lines else last), lines

    @contextmanager
    def _locked(self) -> Iterator[None]:
        # A file of its own: the log is replaced when it is rewritten, and a lock with it.
        with self._lock, self._path.with_name(f"{self._path.name}.lock").open("w") as file:
            lock_file(file)
            yield


class SQLiteLog(OperationLog):
    """A log in an SQLite file, which several processes may share.

    Beside it is an empty file, which tells the processes of each other.

    Args:
        path: The file; it is made where it is missing.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path).resolve()
        self.claims = Claims(self._path)
        with self._connected() as connection:
            connection.execute("create table if not exists operations (line text not null)")

    def _append(self, line: str) -> None:
        with self._connected() as connection:
            connection.execute("insert into operations values (?)", (line,))

    def _lines(self) -> Sequence[str]:
        with self._connected() as connection:
            return [line for _, line in _rows(connection)]

    def _rewrite(self, edit: Callable[[Sequence[str]], Sequence[str]]) -> None:
        with self._connected() as connection:
            connection.execute("begin immediate")
            after = edit([line for _, line in _rows(connection)])
            connection.execute("delete from operations")
            connection.executemany("insert into operations values (?)", [(x,) for x in after])

    def _after(self, mark: tuple[int, str] | None) -> tuple[Any, Sequence[str | bytes]]:
        with self._connected() as connection:
            rows = _rows(connection, mark[0] if mark else 0)
            if mark and rows[:1] != [mark]:  # it was written anew
                mark, rows = None, _rows(connection)
        return (rows[-1] if rows else (0, "")), [line for _, line in rows[1 if mark else 0 :]]

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self._path, timeout=60)) as connection, connection:
            connection.execute("pragma secure_delete = on")  # what is redacted is overwritten
            yield connection


def _rows(connection: sqlite3.Connection, start: int = 0) -> list[tuple[int, str]]:
    query = "select rowid, line from operations where rowid >= ? order by rowid"
    return connection.execute(query, (start,)).fetchall()
