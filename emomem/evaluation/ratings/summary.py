"""What the raters found: means of each arm with intervals, differences, and agreement."""

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from pydantic import TypeAdapter, ValidationError

from emomem.evaluation.ratings.agreement import FloatArray, ordinal_alpha, z_scores
from emomem.evaluation.ratings.outputs import Output
from emomem.evaluation.ratings.reading import Ratings
from emomem.evaluation.ratings.scales import SCALES, ScaleName
from emomem.evaluation.statistics import Bootstrap, Interval
from emomem.evaluation.tables import Table
from emomem.evaluation.writing import write_report

Published = Mapping[str, Mapping[ScaleName, float]]
"""By arm and scale, the mean grade, 1..5."""

PUBLISHED_RATINGS: Final[Published] = {}
"""The human ratings of arXiv:2608.07438. They are not at hand, so none stands here: give the
paper's table as a file to `read_published`, or to `emomem ratings read --published`."""

OVERALL: Final = "overall"
"""The mean of the five scales."""


@dataclass(frozen=True)
class Cell:
    """One arm on one scale.

    Attributes:
        grade: The mean grade, 1..5, over items.
        z: The mean of the z-scores within raters.
    """

    grade: Interval
    z: Interval


@dataclass(frozen=True, eq=False)
class Summary:
    """What the raters found.

    Attributes:
        raters: Who rated.
        absent: Who of the study was not read.
        items: How many items each arm has.
        cells: By arm and scale, `OVERALL` among them.
        differences: By other arm and scale, the first arm's mean minus that arm's, over pairs of
            the same scenario and seed.
        alphas: By scale, the agreement; NaN where it is not defined.
        flat: What raters gave the same grade throughout: rater and scale.
        missing: How many grades are missing.
        published: The published means, where there are any.
    """

    raters: Sequence[str]
    absent: Sequence[str]
    items: Mapping[str, int]
    cells: Mapping[str, Mapping[str, Cell]]
    differences: Mapping[str, Mapping[str, Cell]]
    alphas: Mapping[str, float]
    flat: Sequence[tuple[str, str]]
    missing: int
    published: Published

    @property
    def notes(self) -> list[str]:
        """What has to be known to read it."""
        items = sum(self.items.values())
        who = f"{len(self.raters)} raters ({', '.join(self.raters)})"
        notes = [f"{who}, {items} items, {self.missing} grades missing."]
        if self.absent:
            notes.append(f"Not read: {', '.join(self.absent)}.")
        notes += [
            f"{rater} gave the same grade throughout on {scale}, which counts as z = 0."
            for rater, scale in self.flat
        ]
        if not self.published:
            notes.append("No published table was given, so none stands beside: --published FILE.")
        return notes

    def tables(self) -> list[Table]:
        """Means, differences and agreement."""
        columns = (*SCALES, OVERALL)
        first, *others = self.cells
        means = [
            (arm, *[_shown(row[one].grade) for one in columns]) for arm, row in self.cells.items()
        ]
        means += [
            (f"{arm}, published", *[_number(row.get(one)) for one in SCALES], "")
            for arm, row in self.published.items()
        ]
        zs = [(arm, *[str(row[one].z) for one in columns]) for arm, row in self.cells.items()]
        apart = [
            (
                f"{first} - {arm}{what}",
                *[str(getattr(self.differences[arm][one], name)) for one in columns],
            )
            for arm in others
            for name, what in (("grade", ", grade"), ("z", ", z"))
        ]
        note = "Intervals of 95% are over items; what all items of a scenario share is not in them."
        alphas = ("ordinal alpha", *[_number(self.alphas[one]) for one in SCALES])
        return [
            Table("Mean grades, 1 to 5", ("arm", *columns), tuple(means), note),
            Table("Mean z-scores within raters", ("arm", *columns), tuple(zs)),
            Table(
                "Differences, paired by scenario and seed", ("arms", *columns), tuple(apart), note
            ),
            Table("Agreement of the raters (Krippendorff)", ("", *SCALES), (alphas,)),
        ]

    def data(self) -> dict[str, Any]:
        """Everything as plain data; None is what is not defined."""
        return {
            "raters": list(self.raters),
            "absent": list(self.absent),
            "items": dict(self.items),
            "missing": self.missing,
            "flat": [list(one) for one in self.flat],
            "arms": _plain(self.cells),
            "differences": _plain(self.differences),
            "alpha": {one: None if math.isnan(a) else a for one, a in self.alphas.items()},
            "published": {arm: dict(row) for arm, row in self.published.items()},
        }

    def write(self, out: Path) -> list[Path]:
        """Write the summary as Markdown and JSON.

        Args:
            out: The folder; made where it is missing.

        Returns:
            The files.
        """
        return write_report(
            out / "ratings", "Human ratings", self.notes, self.tables(), self.data()
        )


def summarize(ratings: Ratings, published: Published = PUBLISHED_RATINGS) -> Summary:
    """The means, differences and agreement of some ratings.

    An item's value is the mean over its raters; intervals are bootstrapped over items, those of a
    difference over the pairs of items of one scenario and seed.

    Args:
        ratings: What the raters gave.
        published: What stands beside it.

    Raises:
        ValueError: An arm has no grade on a scale, or two arms have no pair.
        ImportError: The package `krippendorff` is not installed.
    """
    key = ratings.key
    values = {
        "grade": over_raters(ratings.grades),
        "z": over_raters(z_scores(ratings.grades)),
    }
    arms = {arm: np.array([key.items[one].arm == arm for one in ratings.items]) for arm in key.arms}
    first, *others = arms
    flat = (np.nanmax(ratings.grades, 1, initial=0) == np.nanmin(ratings.grades, 1, initial=9)).T
    return Summary(
        ratings.raters,
        [rater for rater in key.raters if rater not in ratings.raters],
        {arm: int(rows.sum()) for arm, rows in arms.items()},
        {
            arm: _cells({name: value[rows] for name, value in values.items()}, arm)
            for arm, rows in arms.items()
        },
        {
            arm: _cells(
                {name: paired(ratings, value, first, arm) for name, value in values.items()},
                f"{first} - {arm}",
            )
            for arm in others
        },
        {one: ordinal_alpha(ratings.grades[..., n]) for n, one in enumerate(SCALES)},
        [
            (rater, SCALES[scale])
            for scale in range(len(SCALES))
            for rater, is_flat in zip(ratings.raters, flat[scale], strict=True)
            if is_flat
        ],
        int(np.isnan(ratings.grades).sum()),
        published,
    )


def paired(ratings: Ratings, values: FloatArray, one: str, other: str) -> FloatArray:
    """How much more an arm's items have than those of the same scenario and seed of another.

    Args:
        ratings: The ratings.
        values: (items, scales).
        one: The arm.
        other: What it is compared with.

    Returns:
        (pairs, scales).
    """
    rows: dict[str, dict[tuple[str, int], int]] = {one: {}, other: {}}
    for row, item in enumerate(ratings.items):
        known = ratings.key.items[item]
        if known.arm in rows:
            rows[known.arm][known.scenario, known.seed] = row
    shared = [pair for pair in rows[one] if pair in rows[other]]
    mine, theirs = ([rows[arm][pair] for pair in shared] for arm in (one, other))
    return np.asarray(values[mine] - values[theirs])


def over_raters(values: FloatArray) -> FloatArray:
    """(items, scales) the mean over raters; NaN where nobody rated.

    Args:
        values: (raters, items, scales).
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of nothing
        return np.asarray(np.nanmean(values, axis=0))


def judged_table(outputs: Sequence[Output]) -> Table | None:
    """What a model gave each arm, which is no human rating; None where none was asked."""
    arms = list(dict.fromkeys(one.arm for one in outputs))
    given = {arm: [one.judge for one in outputs if one.arm == arm and one.judge] for arm in arms}
    if not any(given.values()):
        return None
    rows = []
    for arm, judged in given.items():
        grades = np.array([[one[scale] for scale in SCALES] for one in judged], dtype=float)
        if len(grades):
            cells = _cells({"grade": grades, "z": grades}, arm)
            rows.append((arm, str(len(grades)), *[_shown(cell.grade) for cell in cells.values()]))
    note = "A model's grades on the raters' scales, each output judged once and by itself."
    return Table(
        "Judge: mean grades, 1 to 5", ("arm", "outputs", *SCALES, OVERALL), tuple(rows), note
    )


def read_published(path: Path) -> Published:
    """A published table from a JSON file: arm -> scale -> mean grade.

    Raises:
        OSError: The file cannot be read.
        ValueError: It is no such table.
    """
    try:
        table = TypeAdapter(dict[str, dict[ScaleName, float]]).validate_json(
            path.read_text(encoding="utf-8")
        )
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, fault["loc"])) or "the file"
        msg = f"{path}: {place}: {fault['msg']}; it must be {{arm: {{scale: mean grade}}}}"
        raise ValueError(msg) from None
    wrong = [grade for row in table.values() for grade in row.values() if not 1 <= grade <= 5]  # noqa: PLR2004 - the scale
    if wrong:
        msg = f"{path}: a mean grade must lie in 1..5, got {wrong[0]}"
        raise ValueError(msg)
    return table


def _cells(values: Mapping[str, FloatArray], what: str) -> dict[str, Cell]:
    """The means of (items, scales), and that over the scales."""
    columns = {name: [*value.T, value.mean(axis=1)] for name, value in values.items()}
    return {
        scale: Cell(*[_mean(columns[name][n], f"{what} on {scale}") for name in ("grade", "z")])
        for n, scale in enumerate((*SCALES, OVERALL))
    }


_bootstrap = cache(Bootstrap)


def _mean(values: FloatArray, what: str) -> Interval:
    known = values[~np.isnan(values)]
    if not len(known):
        msg = f"there is no grade of {what}"
        raise ValueError(msg)
    return _bootstrap(len(known)).mean(known)


def _plain(cells: Mapping[str, Mapping[str, Cell]]) -> dict[str, Any]:
    return {arm: {one: asdict(cell) for one, cell in row.items()} for arm, row in cells.items()}


def _shown(found: Interval) -> str:
    return f"{found.mean:.2f} [{found.low:.2f}, {found.high:.2f}]"


def _number(value: float | None) -> str:
    return "" if value is None or math.isnan(value) else f"{value:.2f}"
