"""Memories from a file: JSONL, CSV or plain text into documents."""

import codecs
import csv
import io
import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from langchain_core.documents import Document

from langchain_emomem.cli.errors import CommandError, UsageError

TEXT_NAMES: Final = (
    "text", "utterance", "content", "message", "body", "page_content", "note", "entry", "comment",
)  # fmt: skip
"""What the column or key of the memory's text may be called, in order of preference."""

_JSON: Final = (".jsonl", ".ndjson", ".json")
_CSV: Final = (".csv", ".tsv")
_SHOWN_NAMES: Final = 12
_NAME_LENGTH: Final = 40
_NAME: Final = re.compile(r"[^\W\d][\w-]*( +[^\W\d][\w-]*){0,2}")
"""Up to three words that begin with no digit: what may be shown as the name of a column."""

csv.field_size_limit(2**31 - 1)  # the default refuses a text over 128 KB


@dataclass(frozen=True)
class Row:
    """One row of a file.

    Attributes:
        record: All that it holds, by column or key.
        name: The column or key of its text, which may be missing.
    """

    record: dict[str, Any]
    name: str

    @property
    def text(self) -> str:
        """Its text, empty where it has none."""
        return self.record.get(self.name) or ""


def load(path: Path, text_column: str | None = None, *, paragraphs: bool = False) -> list[Document]:
    """The memories of a file (`load_rows`); those without text are left out.

    The other columns or keys become metadata where they hold a scalar.

    Args:
        path: As for `load_rows`.
        text_column: As for `load_rows`.
        paragraphs: Whether plain text with blank lines in it is one memory a paragraph.

    Raises:
        UsageError: As `load_rows`.
        CommandError: As `load_rows`, or the file holds no memory.
    """
    documents = [
        Document(row.text, metadata=dict(_metadata(row)))
        for row in load_rows(path, text_column, paragraphs=paragraphs)
        if row.text.strip()
    ]
    if not documents:
        msg = f"{path} holds no memory: every line is blank or has no text"
        raise CommandError(msg)
    return documents


def load_rows(path: Path, text_column: str | None = None, *, paragraphs: bool = False) -> list[Row]:
    """The rows of a file, in its order; those without text too, but no blank line.

    By its suffix a file is JSONL (an object or a string a line), CSV with a header, or plain
    text, one memory a line. NaN and infinite numbers, which JSON does not have, are read as null.

    Args:
        path: The file, UTF-8 with or without a byte order mark.
        text_column: The column or key of the text; None takes the first of `TEXT_NAMES`.
        paragraphs: Whether plain text with blank lines in it is one memory a paragraph.

    Raises:
        UsageError: The file is not there, or does not have that column.
        CommandError: The file cannot be read as what it is; the message names the line.
    """
    text = _read(path)
    suffix = path.suffix.lower()
    if suffix in _JSON:
        return list(_from_json_lines(path, text, text_column))
    if suffix in _CSV:
        return list(_from_csv(path, text, text_column))
    if text_column is None:
        memories = _from_plain(text, paragraphs=paragraphs)
        return [Row({TEXT_NAMES[0]: memory}, TEXT_NAMES[0]) for memory in memories]
    msg = f"{path} is read as plain text, which has no column {text_column!r}; --text-column "
    raise UsageError(msg + f"goes with {', '.join(_JSON + _CSV)}")


def _read(path: Path) -> str:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        msg = f"no such file: {path}"
        raise UsageError(msg) from None
    except OSError as error:
        msg = f"cannot read {path}: {error.strerror}"
        raise UsageError(msg) from None
    encoding = "UTF-16" if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        what = f"is {encoding}" if encoding else f"is not UTF-8 text (line {line})"
        msg = f"{path} {what}; save it as UTF-8"
        raise CommandError(msg) from None
    if "\0" in text:
        msg = f"{path} holds binary data; JSONL, CSV or plain text is expected"
        raise CommandError(msg)
    return text


def _from_plain(text: str, *, paragraphs: bool) -> list[str]:
    text = text.replace("\r\n", "\n").replace("\r", "\n").strip()
    parts = re.split(r"\n\s*\n", text) if paragraphs else []
    if len(parts) > 1:
        return [" ".join(part.split()) for part in parts]
    return [line.strip() for line in text.split("\n") if line.strip()]


def _from_json_lines(path: Path, text: str, column: str | None) -> Iterator[Row]:
    expected = "expected one JSON object or string a line"
    # Not splitlines: a JSON string may hold U+2028.
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        where = f"{path}, line {number}"
        try:
            value = json.loads(line, parse_float=_finite, parse_constant=lambda _: None)
            json.dumps(value, ensure_ascii=False).encode()  # half a surrogate pair raises here
        except (ValueError, RecursionError):
            msg = f"{where}: not JSON; {expected}"
            raise CommandError(msg) from None
        if isinstance(value, str) and column is None:
            value = {TEXT_NAMES[0]: value}
        if not isinstance(value, dict):
            msg = f"{where}: {expected}, got a {type(value).__name__}"
            raise CommandError(msg)
        yield _row(value, _text_name(value, column, where, "key"), where)


def _finite(number: str) -> float | None:
    value = float(number)
    return value if math.isfinite(value) else None


def _from_csv(path: Path, text: str, column: str | None) -> Iterator[Row]:
    lines = io.StringIO(text, newline="")
    header_line = next((line for line in lines if line.strip()), "")
    delimiter = max(",;\t", key=header_line.count)
    # Strict: an unclosed quote would otherwise swallow the rest of the file.
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        # A line of delimiters alone is blank too.
        header = next((names for row in rows if any(names := [one.strip() for one in row])), [])
        if not header:
            return
        name = _text_name(header, column, str(path), "column")
        twice = [one for one, count in Counter(header).items() if one and count > 1]
        if twice:
            called = repr(twice[0]) if _are_names(header) else "the same"
            msg = f"{path}: two columns are called {called}; rename one"
            raise CommandError(msg)
        for row in filter(None, rows):
            where = f"{path}, line {rows.line_num}"
            if len(row) > len(header):
                msg = (
                    f"{where}: {len(row)} fields under a header of {len(header)}; quote a field "
                    f"that contains {delimiter!r}"
                )
                raise CommandError(msg)
            record = {key: value for key, value in zip(header, row, strict=False) if key}
            yield _row(record, name, where)
    except csv.Error as error:
        msg = f"{path}, line {rows.line_num}: not CSV: {error}"
        raise CommandError(msg) from None


def _text_name(names: Iterable[str], wanted: str | None, where: str, kind: str) -> str:
    """The name of the text's column or key, whatever its case."""
    names = list(names)
    by_folded = {name.casefold(): name for name in reversed(names)}
    for candidate in TEXT_NAMES if wanted is None else (wanted,):
        if candidate in names:
            return candidate
        if candidate.casefold() in by_folded:
            return by_folded[candidate.casefold()]
    missing = f"no text {kind}" if wanted is None else f"no {kind} {wanted!r}"
    if _are_names(names):
        shown = ", ".join(map(repr, names[:_SHOWN_NAMES]))
        shown += ", …" if len(names) > _SHOWN_NAMES else ""
        among = f"among {shown or 'no names'}"
    elif kind == "column":
        among = f"in its first line, which looks like no header (fields: {len(names)})"
    else:
        among = f"(keys: {len(names)})"
    msg = f"{where}: {missing} {among}; name one with --text-column"
    raise UsageError(msg)


def _are_names(header: Iterable[str]) -> bool:
    """Whether they may be shown: without a header the first line holds memories."""
    return all(not one or (len(one) <= _NAME_LENGTH and _NAME.fullmatch(one)) for one in header)


def _row(record: dict[str, Any], name: str, where: str) -> Row:
    text = record.get(name)
    if text is not None and not isinstance(text, str):
        msg = f"{where}: {name!r} must be a string, got a {type(text).__name__}"
        raise CommandError(msg)
    return Row(record, name)


def _metadata(row: Row) -> Iterator[tuple[str, Any]]:
    for key, value in row.record.items():
        if key and key != row.name and _storable(value):
            yield key, value


def _storable(value: object) -> bool:
    """Whether a store takes it: a string that is not blank, a finite number or a truth value."""
    if isinstance(value, str):
        return bool(value.strip())
    if isinstance(value, int):
        return -(2**63) <= value < 2**63
    return isinstance(value, float) and math.isfinite(value)
