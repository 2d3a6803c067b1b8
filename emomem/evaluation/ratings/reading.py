"""Filled-in packets back in: every row that is wrong is named with its line."""

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from emomem.evaluation.ratings.packets import Key
from emomem.evaluation.ratings.scales import COLUMNS, GRADES, SCALES

if TYPE_CHECKING:
    import _csv

FloatArray = NDArray[np.float64]

_SEPARATORS: Final = (",", ";", "\t")
"""Spreadsheets write the one of their country."""

_LONGEST: Final = 10
"""Characters of a wrong cell that is shown; a longer one may be a text in the wrong column."""


@dataclass(frozen=True, eq=False)
class Ratings:
    """What the raters gave.

    Attributes:
        key: What stands behind the items.
        raters: The raters.
        items: The items.
        grades: (raters, items, scales) 1..5, NaN where there is none.
    """

    key: Key
    raters: tuple[str, ...]
    items: tuple[str, ...]
    grades: FloatArray


class RatingsError(ValueError):
    """Files of ratings cannot be used.

    Attributes:
        faults: What is wrong, each with its file and line, in their order.
    """

    def __init__(self, faults: Sequence[str]) -> None:
        super().__init__("\n".join(faults))
        self.faults = tuple(faults)


def read_ratings(files: Sequence[Path], key: Key, *, partial: bool = False) -> Ratings:
    """The grades of filled-in packets, one file a rater.

    Columns beyond rater, item and the scales are passed over, and so are empty rows.

    Args:
        files: CSV, as the form or a spreadsheet writes it.
        key: That of the study.
        partial: Take what is not rated as missing.

    Raises:
        RatingsError: A row is wrong, or something is missing; it tells all that is.
        OSError: A file cannot be read.
    """
    faults: list[str] = []
    found: dict[str, FloatArray] = {}
    items = tuple(sorted(key.items))
    for path in files:
        reader = _Reader(path, key)
        rater, grades = reader.read(partial=partial)
        if rater in found:
            reader.faults.append(f"{path}: rater {rater} is that of another file, too")
        faults += reader.faults
        if rater is not None:
            nothing = np.full(len(SCALES), np.nan)
            found[rater] = np.stack([grades.get(item, nothing) for item in items])
    if faults:
        raise RatingsError(faults)
    if not found:
        msg = "no file of ratings was given"
        raise RatingsError([msg])
    raters = tuple(rater for rater in key.raters if rater in found)
    return Ratings(key, raters, items, np.stack([found[rater] for rater in raters]))


class _Reader:
    """One file, and what is wrong with it."""

    def __init__(self, path: Path, key: Key) -> None:
        self.path = path
        self.key = key
        self.faults: list[str] = []

    def read(self, *, partial: bool) -> tuple[str | None, dict[str, FloatArray]]:
        """Whose file it is, None where that is not known, and the grades by item."""
        grades: dict[str, FloatArray] = {}
        lines: dict[str, int] = {}
        rater: str | None = None
        for line, row in self._rows():
            if row["rater"] not in self.key.raters:
                raters = ", ".join(self.key.raters)
                self._fault(line, f"rater must be one of {raters}, got {_shown(row['rater'])}")
            elif (rater := rater or row["rater"]) != row["rater"]:
                self._fault(line, f"rater {row['rater']} in the file of {rater}")
            item = row["item"]
            if item not in self.key.items:
                self._fault(line, f"item {_shown(item)} is none of this study")
            elif (first := lines.setdefault(item, line)) != line:
                self._fault(line, f"item {item} is rated in line {first}, too")
            else:
                grades[item] = self._grades(line, row, partial=partial)
        missing = [item for item in self.key.items if item not in lines]
        if lines and missing and not partial:
            self.faults.append(f"{self.path}: no row for {', '.join(sorted(missing))}")
        if not lines and not self.faults:
            self.faults.append(f"{self.path}: it holds no ratings")
        return rater, grades

    def _rows(self) -> Iterator[tuple[int, dict[str, str]]]:
        """The rows with the line on which each begins."""
        try:
            text = self.path.read_text(encoding="utf-8-sig")
        except UnicodeDecodeError:
            self.faults.append(f"{self.path}: it must be UTF-8; save it as “CSV UTF-8”")
            return
        # A text between quotes may hold a separator, but the names of the columns hold none.
        head = text.split("\n", 1)[0]
        separator = max(_SEPARATORS, key=head.count)
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
        try:
            yield from self._read_rows(rows)
        except csv.Error as error:  # a cell without an end, for one
            self._fault(rows.line_num, f"it is no CSV: {error}")

    def _read_rows(self, rows: "_csv.Reader") -> Iterator[tuple[int, dict[str, str]]]:
        names = [name.strip() for name in next(rows, [])]
        if absent := [name for name in COLUMNS if name not in names]:
            self._fault(1, f"no column {', '.join(absent)}")
            return
        line = rows.line_num + 1
        for cells in rows:
            if any(cell.strip() for cell in cells):
                if len(cells) != len(names):
                    self._fault(line, f"{len(cells)} cells for {len(names)} columns")
                else:
                    row = dict(zip(names, cells, strict=True))
                    yield line, {name: row[name].strip() for name in COLUMNS}
            line = rows.line_num + 1

    def _grades(self, line: int, row: dict[str, str], *, partial: bool) -> FloatArray:
        grades = np.full(len(SCALES), np.nan)
        item, blank = row["item"], [scale for scale in SCALES if not row[scale]]
        for place, scale in enumerate(SCALES):
            said = row[scale]
            if said in map(str, GRADES):
                grades[place] = int(said)
            elif said:
                got = f"got {_shown(said)} for item {item}"
                self._fault(line, f"{scale} must be a whole number from 1 to 5, {got}")
        if blank and not partial:
            self._fault(line, f"item {item} is not rated on {', '.join(blank)}")
        return grades

    def _fault(self, line: int, what: str) -> None:
        self.faults.append(f"{self.path}, line {line}: {what}")


def _shown(cell: str) -> str:
    return repr(cell) if len(cell) <= _LONGEST else f"text of {len(cell)} characters"
