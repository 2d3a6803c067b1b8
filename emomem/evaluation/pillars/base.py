"""What a pillar finds: estimates with intervals, by row and measure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from emomem.evaluation.statistics import Bootstrap, Interval
from emomem.evaluation.stories import Story
from emomem.evaluation.suites.conflict import rate
from emomem.evaluation.tables import Table

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Estimate(Interval):
    """An estimate, the ends of its 95% interval, and of how many.

    Attributes:
        n: How many items it is of.
    """

    n: int = 0

    def __str__(self) -> str:
        """`0.750 [0.471, 0.912] (12)`."""
        return f"{self.mean:.3f} [{self.low:.3f}, {self.high:.3f}] ({self.n})"


Columns = Mapping[str, Sequence[bool | float | None]]
"""By measure one value an item; None where it does not count."""

Row = Mapping[str, Estimate | None]
"""What one row has by measure; None where there is nothing to measure."""


@dataclass(frozen=True)
class Pillar:
    """One part of a pillar.

    Attributes:
        name: Its name in files.
        title: What it measures.
        note: What has to be known to read it.
        measures: Its measures, in order.
        rows: By what was measured.
        baseline: What rows that the others are compared with begin with; "" for none.
        pictured: The measures that a picture shows; empty for all.
    """

    name: str
    title: str
    note: str
    measures: tuple[str, ...]
    rows: Mapping[str, Row] = field(default_factory=dict)
    baseline: str = ""
    pictured: tuple[str, ...] = ()

    def table(self) -> Table:
        """It as a table."""
        rows = [
            (name, *("" if (one := row.get(x)) is None else str(one) for x in self.measures))
            for name, row in self.rows.items()
        ]
        return Table(self.title, ("", *self.measures), tuple(rows), self.note)

    def panels(self) -> dict[str, dict[str, Interval | None]]:
        """By measure, each row."""
        return {
            measure: {name: row.get(measure) for name, row in self.rows.items()}
            for measure in self.pictured or self.measures
            if any(row.get(measure) for row in self.rows.values())
        }


def share(hits: Sequence[bool | None]) -> Estimate | None:
    """The share of hits, with Wilson's interval; what is None does not count."""
    counted = [bool(hit) for hit in hits if hit is not None]
    if not counted:
        return None
    found = rate(sum(counted), len(counted))
    return Estimate(sum(counted) / len(counted), found.low, found.high, len(counted))


def mean(values: Sequence[float | None]) -> Estimate | None:
    """The mean of numbers, with its bootstrap interval; what is None does not count."""
    known = np.array([value for value in values if value is not None], dtype=float)
    if not known.size:
        return None
    found = Bootstrap(len(known)).mean(known)
    return Estimate(found.mean, found.low, found.high, len(known))


def estimates(columns: Columns, rows: Sequence[int] | None = None) -> Row:
    """Shares of what is true or false, and means of numbers, over all items or some of them."""
    found: dict[str, Estimate | None] = {}
    for name, values in columns.items():
        chosen = [values[row] for row in (range(len(values)) if rows is None else rows)]
        hits = [one for one in chosen if one is None or isinstance(one, bool)]
        found[name] = share(hits) if len(hits) == len(chosen) else mean(chosen)
    return found


def by_language(name: str, stories: Sequence[Story], columns: Columns) -> dict[str, Row]:
    """A row of all stories, and one of each language where there are several."""
    languages = list(dict.fromkeys(one.language for one in stories))
    found = {name: estimates(columns)}
    for language in languages if len(languages) > 1 else ():
        rows = [row for row, one in enumerate(stories) if one.language == language]
        found[f"{name}, {language}"] = estimates(columns, rows)
    return found
