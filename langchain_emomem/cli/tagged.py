"""The file that `emomem tag` writes: row after row, so that a run which was stopped goes on."""

import csv
import io
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final, NoReturn, Protocol

from emomem.affect import Affect
from emomem.emotions import UNKNOWN
from emomem.metadata import DEFAULT_FIELDS, encode, strip
from langchain_emomem.cli.errors import CommandError, UsageError

Record = Mapping[str, Any]


class _Format(Protocol):
    """How a row is written: what it held before, and then its tag to the end of the line."""

    header: bytes

    def own(self, record: Record) -> bytes: ...

    def tag(self, metadata: Record) -> bytes: ...

    def read_tag(self, data: bytes) -> dict[str, Any]: ...


class _JsonLines:
    """One object a line."""

    header = b""

    def own(self, record: Record) -> bytes:
        return json.dumps(record, ensure_ascii=False)[:-1].encode() + b", "

    def tag(self, metadata: Record) -> bytes:
        return json.dumps(metadata, ensure_ascii=False)[1:].encode() + b"\n"

    def read_tag(self, data: bytes) -> dict[str, Any]:
        return dict(json.loads(b"{" + data))


class _Csv:
    """The columns of all rows, and one for every affect key."""

    def __init__(self, records: Iterable[Record]) -> None:
        self._names = list(dict.fromkeys(name for record in records for name in record))
        self._keys = DEFAULT_FIELDS.keys()
        self.header = _csv_line([*self._names, *self._keys])

    def own(self, record: Record) -> bytes:
        return _csv_line([record.get(name) for name in self._names]).removesuffix(b"\n") + b","

    def tag(self, metadata: Record) -> bytes:
        return _csv_line([metadata.get(key) for key in self._keys])

    def read_tag(self, data: bytes) -> dict[str, Any]:
        [values] = csv.reader([data.decode()], strict=True)
        return dict(zip(self._keys, values, strict=True))


def _csv_line(values: Iterable[object]) -> bytes:
    line = io.StringIO()
    cells = [
        value if isinstance(value, str) else "" if value is None else json.dumps(value)
        for value in values
    ]
    # A field that holds a character of the ending is quoted, a bare carriage return too.
    csv.writer(line, lineterminator="\r\n").writerow(cells)
    return line.getvalue().removesuffix("\r\n").encode() + b"\n"


SUFFIXES: Final = (".jsonl", ".csv")


class TaggedFile:
    """Rows with their affect, in the order of the file that they come from.

    Args:
        path: JSONL or CSV by its suffix.
        records: All rows that it will hold, without their affect; affect keys are replaced.

    It is written within `opened`, by one run at a time.

    Attributes:
        done: How many rows it holds.
        unknown: Of how many of them no affect could be read.

    Raises:
        UsageError: The suffix is another, the folder is not there, or what is there is no file.
    """

    def __init__(self, path: Path, records: Sequence[Record]) -> None:
        if path.suffix.lower() not in SUFFIXES:
            msg = f"OUT must end in {' or '.join(SUFFIXES)}, got {path.name}"
            raise UsageError(msg)
        if not path.parent.is_dir():
            msg = f"no such folder: {path.parent}"
            raise UsageError(msg)
        if path.exists() and not path.is_file():
            msg = f"OUT must be a regular file, which {path} is not"
            raise UsageError(msg)
        self._path = path
        self._records = [strip(record) for record in records]
        self._format: _Format = (
            _Csv(self._records) if path.suffix.lower() == ".csv" else _JsonLines()
        )
        self.done = 0
        self.unknown = 0

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Hold the file, so that no other run writes into it meanwhile.

        A run that ends in any way lets it go. (Windows has no such lock.)

        Raises:
            CommandError: Another run holds it, or it cannot be opened.
        """
        try:
            file = self._path.open("a+b")
        except OSError as error:
            msg = f"cannot write {self._path}: {error.strerror}"
            raise CommandError(msg) from None
        with file:
            if not _is_locked_now(file):
                msg = f"another run is writing {self._path}; wait for it, or name another OUT"
                raise CommandError(msg)
            self._file = file
            yield

    def start(self) -> None:
        """Begin anew, whatever is there.

        Raises:
            CommandError: The file cannot be written.
        """
        self._write(self._format.header, keep=0)

    def resume(self, sources: Sequence[str], unknown_sources: Sequence[str] = ()) -> None:
        """Keep the rows that are there; of one that was cut off, what there is of it goes.

        Nothing is changed where the file is not the beginning of what would be written.

        Args:
            sources: What the appraiser may mark its readings with, its own mark first.
            unknown_sources: What else it may mark an unknown row with.

        Raises:
            CommandError: The file is of other rows or of another appraiser, or cannot be read.
        """
        try:
            self._file.seek(0)
            data = self._file.read()
        except OSError as error:
            msg = f"cannot read {self._path}: {error.strerror}"
            raise CommandError(msg) from None
        header = self._format.header
        if not data.startswith(header):
            if not header.startswith(data):
                self._refuse("its first line is another")
            self.start()
            return
        self._write(b"", keep=self._count(data, sources, unknown_sources))

    def append(self, affects: Sequence[Affect]) -> None:
        """Write the next rows, safely on the disk when this returns.

        Raises:
            CommandError: They cannot be written.
        """
        records = self._records[self.done : self.done + len(affects)]
        lines = [
            self._format.own(record) + self._format.tag(encode(affect))
            for record, affect in zip(records, affects, strict=True)
        ]
        self._write(b"".join(lines))
        self.done += len(affects)
        self.unknown += sum(affect.is_unknown for affect in affects)

    def _count(self, data: bytes, sources: Sequence[str], unknown_sources: Sequence[str]) -> int:
        """Count the whole rows that are there, and return where they end."""
        position = len(self._format.header)
        for record in self._records:
            own = self._format.own(record)
            tag = position + len(own)
            end = data.find(b"\n", tag) + 1
            if not data.startswith(own, position):
                if own.startswith(data[position:]):
                    return position
                self._refuse(f"its row {self.done + 1} is not that of the input")
            if not end:
                return position
            self._check(data[tag:end], sources, unknown_sources)
            position = end
        if position < len(data):
            self._refuse("it holds more rows than the input")
        return position

    def _check(self, tag: bytes, sources: Sequence[str], unknown_sources: Sequence[str]) -> None:
        row = self.done + 1
        try:
            metadata = self._format.read_tag(tag)
        except (ValueError, csv.Error):
            self._refuse(f"its row {row} has no readable tag")
        found = metadata.get(DEFAULT_FIELDS.source)
        unknown = metadata.get(DEFAULT_FIELDS.label) == UNKNOWN
        allowed = [*sources, *unknown_sources] if unknown else sources
        # Behind a colon stands the language, for example.
        if found and not any(f"{found}:".startswith(f"{source}:") for source in allowed):
            self._refuse(f"its row {row} was read by {found}, not by {sources[0]}")
        self.done = row
        self.unknown += unknown

    def _refuse(self, difference: str) -> NoReturn:
        msg = f"{self._path} was made otherwise: {difference}; name another OUT, or give --force "
        msg += "to start anew"
        raise CommandError(msg) from None

    def _write(self, data: bytes, keep: int | None = None) -> None:
        try:
            if keep is not None:
                self._file.truncate(keep)
            self._file.write(data)
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            msg = f"cannot write {self._path}: {error.strerror}"
            raise CommandError(msg) from None


def _is_locked_now(file: BinaryIO) -> bool:
    """Lock a file until it is closed; False where another open file has locked it."""
    if sys.platform != "win32":
        import fcntl  # noqa: PLC0415 - Windows has none

        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True
