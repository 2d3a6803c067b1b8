"""What was measured, as tables of text and as plain data."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from emomem.evaluation.arms import OFF, PLAIN
from emomem.evaluation.numbers import Number
from emomem.evaluation.statistics import Bootstrap, Interval
from emomem.evaluation.suites.importance import LENGTH, RANDOM, Importance
from emomem.evaluation.suites.retrieval import AUTO, Measured, Scores


@dataclass(frozen=True)
class Table:
    """A table of text; the first column names the rows, the others are numbers.

    Attributes:
        title: What it shows.
        columns: The heads of its columns.
        rows: Its rows.
        note: What has to be known to read it.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""

    def markdown(self) -> str:
        """The table in Markdown."""
        rule = ("---", *["---:"] * (len(self.columns) - 1))
        rows = [[cell.replace("|", r"\|") for cell in row] for row in self.rows]
        lines = [f"| {' | '.join(cells)} |" for cells in (self.columns, rule, *rows)]
        return "\n".join([f"## {self.title}", "", *([self.note, ""] if self.note else []), *lines])


@dataclass(frozen=True)
class Group:
    """What affect did for some of the queries: Auto minus affect off.

    Attributes:
        name: Which queries.
        queries: How many they are.
        differences: By measure.
    """

    name: str
    queries: int
    differences: dict[str, Interval]


def arms_table(measured: Measured) -> Table:
    """Every arm on one data set, beside its baseline."""
    shown, main = measured.benchmark.measures, measured.benchmark.main
    rows = [
        (
            name,
            *[f"{scores.values[one].mean():.3f}" for one in shown],
            *[_against(measured, scores, one) for one in main],
            _opened(scores),
        )
        for name, scores in measured.scores.items()
    ]
    stores = " + ".join(str(len(store.texts)) for store in measured.dataset.stores)
    note = (
        f"{len(measured.queries)} queries over {stores} memories, from {measured.dataset.source}. "
        f"Differences with 95% intervals are from `{PLAIN}`, which asks with the whole context, "
        f"or (*) from `{OFF}`, which asks as the arms with affect do."
    )
    heads = (*shown, *[f"{one}, difference" for one in main], "affect counts")
    return Table(measured.dataset.name, ("arm", *heads), tuple(rows), note)


def _against(measured: Measured, scores: Scores, measure: str) -> str:
    if scores.arm.name == PLAIN:
        return ""
    found = measured.difference(scores.arm.name, scores.arm.baseline, measure)
    return f"{found}{'*' if scores.arm.baseline == OFF else ''}"


def _opened(scores: Scores) -> str:
    return f"{scores.opened:.0%}" if scores.opened else ""


def groups(measured: Measured) -> list[Group]:
    """Auto minus affect off by category, by the policy that Auto chose, and by the gate."""
    policies = measured.scores[AUTO].policies
    kinds = [
        [f"category {query.category}" if query.category else "" for query in measured.queries],
        [f"policy {policy}" if policy != PLAIN else "" for policy in policies],
        ["gate shut" if policy == PLAIN else "gate open" for policy in policies],
    ]
    return [
        _group(measured, name, np.array([one == name for one in kind]))
        for kind in kinds
        for name in sorted(set(kind) - {""})
    ]


def _group(measured: Measured, name: str, rows: np.ndarray[Any, np.dtype[np.bool_]]) -> Group:
    bootstrap = Bootstrap(int(rows.sum()))
    differences = {
        one: bootstrap.difference(measured.value(AUTO, one)[rows], measured.value(OFF, one)[rows])
        for one in measured.benchmark.main
    }
    return Group(name, int(rows.sum()), differences)


def groups_table(results: Sequence[Measured]) -> Table:
    """Where affect counts, and what it does there."""
    rows = [
        (
            f"{measured.dataset.name}: {group.name}",
            f"{group.queries} ({group.queries / len(measured.queries):.0%})",
            "; ".join(f"{name} {found}" for name, found in group.differences.items()),
        )
        for measured in results
        for group in groups(measured)
    ]
    heads = ("queries", "number", "difference")
    return Table("Auto minus affect off, by kind of query", heads, tuple(rows))


def importance_table(results: Sequence[Importance]) -> Table:
    """How well each order ranks what people called important."""
    return Table(
        "LUFY: average precision of what people called important",
        ("order", "called by", "sessions", "AP", "minus length", "minus random"),
        tuple(_importance_rows(results)),
    )


def _importance_rows(results: Sequence[Importance]) -> Iterator[tuple[str, ...]]:
    for found in results:
        for name, values in found.scores.items():
            against = [
                ""
                if name == other
                else str(found.bootstrap.difference(values, found.scores[other]))
                for other in (LENGTH, RANDOM)
            ]
            people = f"{found.votes}+ of 3"
            yield name, people, str(len(found.sessions)), f"{values.mean():.3f}", *against


def numbers_table(found: Sequence[Number]) -> Table:
    """What must be reached, and what was."""
    rows = [(one.measure, one.must, one.got, "yes" if one.reached else "NO") for one in found]
    return Table("Numbers", ("measure", "must", "got", "reached"), tuple(rows))


def as_data(
    results: Sequence[Measured], importance: Sequence[Importance], found: Sequence[Number]
) -> dict[str, Any]:
    """Everything that was measured, as plain data."""
    return {
        "datasets": [_dataset(measured) for measured in results],
        "importance": [
            {
                "votes": one.votes,
                "sessions": len(one.sessions),
                "average_precision": {name: float(x.mean()) for name, x in one.scores.items()},
            }
            for one in importance
        ],
        "numbers": [vars(one) for one in found],
    }


def _dataset(measured: Measured) -> dict[str, Any]:
    return {
        "name": measured.dataset.name,
        "source": measured.dataset.source,
        "queries": len(measured.queries),
        "memories": [len(store.texts) for store in measured.dataset.stores],
        "arms": {
            name: {
                "baseline": scores.arm.baseline,
                "affect_counts": scores.opened,
                "measures": {one: float(x.mean()) for one, x in scores.values.items()},
                "differences": {
                    one: vars(measured.difference(name, scores.arm.baseline, one))
                    for one in scores.values
                },
            }
            for name, scores in measured.scores.items()
        },
        "auto_minus_off": [
            {
                "queries": group.name,
                "number": group.queries,
                "differences": {name: vars(x) for name, x in group.differences.items()},
            }
            for group in groups(measured)
        ],
    }
