"""What a retrieval data set is made of, and how its files are read."""

import csv
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path
from typing import Any, Literal, Self, get_args

import numpy as np
from numpy.typing import NDArray

Half = Literal["odd", "even", "all"]


def in_half(query_id: str, half: Half) -> bool:
    """Whether a query belongs to a half: what is tuned is tuned on the even, reported on the odd.

    The halves are told apart by the SHA-256 of the query's id, read as one big-endian number.

    Raises:
        ValueError: No half has that name.
    """
    if half not in get_args(Half):
        msg = f"half must be one of {', '.join(get_args(Half))}, got {half!r}"
        raise ValueError(msg)
    odd = hashlib.sha256(query_id.encode()).digest()[-1] % 2
    return half == "all" or odd == (half == "odd")


@dataclass(frozen=True)
class Query:
    """One question to a store.

    Attributes:
        id: Its name, by which it falls into a half.
        turns: The whole context, oldest first; the last turn is what is asked.
        own: Which of the turns are the user's own.
        relevant: Places in the store of the memories that should come back.
        category: What kind of question it is; empty where the data names none.
        left_out: Places in the store that are no candidates.
    """

    id: str
    turns: tuple[str, ...]
    own: tuple[bool, ...]
    relevant: frozenset[int]
    category: str = ""
    left_out: frozenset[int] = frozenset()

    @property
    def last(self) -> str:
        """What is asked."""
        return self.turns[-1]

    @property
    def conversation(self) -> tuple[str, ...]:
        """The user's own turns before it."""
        pairs = zip(self.turns[:-1], self.own[:-1], strict=True)
        return tuple(turn for turn, own in pairs if own)

    @property
    def context(self) -> str:
        """All turns as one text."""
        return "\n".join(self.turns)


@dataclass(frozen=True, eq=False)
class Store:
    """Memories that are searched together, and the questions to them.

    Attributes:
        texts: The memories.
        queries: The questions.
        times: (n,) when each memory was made, in any unit; None where the data does not say.
    """

    texts: tuple[str, ...]
    queries: tuple[Query, ...]
    times: NDArray[np.float64] | None = None


@dataclass(frozen=True, eq=False)
class Dataset:
    """A retrieval data set.

    Attributes:
        name: Its name in reports.
        source: The public repository that its files come from.
        stores: Its stores.
    """

    name: str
    source: str
    stores: tuple[Store, ...]

    @property
    def queries(self) -> list[Query]:
        """The questions of all stores, in order."""
        return [query for store in self.stores for query in store.queries]

    def half(self, half: Half) -> Self:
        """The same stores with the questions of one half."""
        stores = (
            replace(
                store, queries=tuple(query for query in store.queries if in_half(query.id, half))
            )
            for store in self.stores
        )
        return replace(self, stores=tuple(stores))


def open_text(path: Path, source: str) -> str:
    """The text of a data file.

    Raises:
        FileNotFoundError: It is not there; the message names its public repository.
        ValueError: It is not UTF-8.
    """
    if not path.is_file():
        msg = f"no {path}: fetch it from {source}, or point --data (EMOMEM_DATA) at its folder"
        raise FileNotFoundError(msg)
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise malformed(path, source, "it is not UTF-8") from error


def read_csv(path: Path, source: str, columns: Sequence[str]) -> list[dict[str, str]]:
    """The rows of a CSV file.

    Raises:
        FileNotFoundError: It is not there.
        ValueError: It lacks a column, or a row is cut short.
    """
    reader = csv.DictReader(StringIO(open_text(path, source), newline=""))
    missing = [name for name in columns if name not in (reader.fieldnames or ())]
    if missing:
        raise malformed(path, source, f"it has no column {', '.join(missing)}")
    rows = list(reader)
    if any(row[name] is None for row in rows for name in columns):
        raise malformed(path, source, "a row is cut short")
    return rows


def read_jsonl(path: Path, source: str) -> list[dict[str, Any]]:
    """The objects of a JSONL file.

    Raises:
        FileNotFoundError: It is not there.
        ValueError: A line is no JSON object.
    """
    lines = open_text(path, source).split("\n")
    rows = [parse_json(line, path, source) for line in lines if line.strip()]
    if not all(isinstance(row, Mapping) for row in rows):
        raise malformed(path, source, "a line is no JSON object")
    return rows


def parse_json(text: str, path: Path, source: str) -> Any:  # noqa: ANN401 - as JSON is
    """What a file's text says.

    Raises:
        ValueError: It is not JSON.
    """
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise malformed(path, source, f"it is not JSON ({error.msg})") from error


def malformed(path: Path, source: str, what: str) -> ValueError:
    """The error for a file that is not as its repository has it."""
    return ValueError(f"{path} is not as {source} has it: {what}")
