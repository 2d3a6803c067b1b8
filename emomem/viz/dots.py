"""Measured figures as dots, with intervals where there are some."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from emomem.viz.canvas import (
    DARK,
    FAINT,
    GREY,
    INK,
    LINE,
    SMALL,
    axes,
    bare,
    figure_of,
    fonts,
    interval,
    say_empty,
    title,
    written,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from emomem.evaluation.tables import Table

_MOST: Final = 40
_WIDTH: Final = 40
_NUMBER: Final = r"[+-]?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?"
_CELL: Final = re.compile(
    rf"({_NUMBER})\s*(?:%|ms|s|x)?(?:\s*\[({_NUMBER})%?,\s*({_NUMBER})%?\])?\s*\*?"
)
_PARTS: Final = dict.fromkeys(("mean", "low", "high")).keys()
Rows = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class _Dot:
    """A figure, and the ends of its interval where there is one."""

    mean: float
    low: float | None = None
    high: float | None = None


def benchmark(
    table: "Table | Rows | Mapping[str, Any]",
    column: str = "",
    highlight: str = "",
    ax: "Axes | None" = None,
) -> "Figure":
    """Draw one column of a table as dots, a row each, with its intervals where it has some.

    Args:
        table: A `Table` of an evaluation; the rows that a benchmark writes with `--json`, named by
            their first values; or a mapping of names to figures, each a number, an `Interval`, a
            mapping with `mean`, `low` and `high` as the evaluations' JSON has it, or None.
        column: Which column; the first with intervals, or else with numbers, where it is left out.
        highlight: The name of a row to mark.
        ax: Where to draw; a figure of its own where it is left out.

    Returns:
        The figure; `figure.savefig("benchmark.png")` keeps it.

    Raises:
        ImportError: matplotlib is not installed.
        ValueError: There is no such column, or no number in it.

    Example:
        >>> figure = benchmark({"plain": 0.21, "ours": {"mean": 0.23, "low": 0.22, "high": 0.25}})
        >>> [text.get_text() for text in figure.axes[0].get_yticklabels()]
        ['plain', 'ours']
    """
    head, name, dots = _column(table, column)
    shown = dots[:_MOST]
    ax = axes(ax, 8.5, 1.6 + 0.3 * max(2, len(shown)))
    title(ax, written(head or name, 90))
    bare(ax)
    if not shown:
        ax.set_xticks([])
        ax.set_yticks([])
        say_empty(ax, "there is no row to draw")
        return figure_of(ax)
    for row, (one, dot) in enumerate(shown):
        _draw_dot(ax, row, dot, marked=one == highlight)
    known = [dot for _, dot in shown if dot is not None]
    if any((dot.mean if dot.low is None else dot.low) < 0 for dot in known):
        ax.axvline(0, color=INK, linewidth=1, linestyle="--", zorder=0.5)
    else:
        ax.set_xlim(left=0)
    names = [written(one, _WIDTH) for one, _ in shown]
    ax.set_yticks(range(len(shown)), names, fontfamily=fonts(), fontsize=SMALL + 0.5)
    ax.set_ylim(len(shown) - 0.4, -0.6)
    ax.grid(axis="x", color=FAINT, linewidth=0.6)
    ax.set_axisbelow(True)
    words = [written(name, 60)] if head and name else []
    words += ["bars: 95% intervals"] if any(dot.low is not None for dot in known) else []
    words += [f"{len(dots) - len(shown):,} rows more"] if len(dots) > len(shown) else []
    ax.set_xlabel("; ".join(words), color=INK)
    return figure_of(ax)


def _draw_dot(ax: "Axes", row: int, dot: _Dot | None, *, marked: bool) -> None:
    if dot is None:
        at = ax.get_yaxis_transform()
        ax.text(0.01, row, "no figure", transform=at, va="center", color=GREY, fontsize=SMALL)
        return
    colour, marker = (LINE, "D") if marked else (DARK, "o")
    interval(ax, row, dot, colour, marker)


def _column(
    table: "Table | Rows | Mapping[str, Any]", column: str
) -> tuple[str, str, list[tuple[str, _Dot | None]]]:
    """A title, the name of the column, and its figures by row."""
    if isinstance(table, Mapping):
        dots = [(name, _dot(value)) for name, value in table.items()]
        if dots and not any(dot for _, dot in dots):
            msg = f"no number to draw among {', '.join(map(str, table))}"
            raise ValueError(msg)
        return column, "", dots
    if isinstance(table, Sequence):
        head, names = "", list(table[0]) if table else []
        rows = [tuple(row.get(name) for name in names) for row in table]
    else:
        head, names, rows = table.title, list(table.columns), list(table.rows)
    if not rows:
        return head, column, []
    columns = {
        name: [_dot(value) for value in values]
        for name, values in zip(names, zip(*rows, strict=True), strict=True)
    }
    chosen = column or _first(columns)
    if not any(columns.get(chosen, [])):
        drawable = [name for name, dots in columns.items() if any(dots)]
        msg = f"column must be one with numbers ({', '.join(drawable)}), got {column!r}"
        raise ValueError(msg)
    return head, chosen, list(zip(_names(rows), columns[chosen], strict=True))


def _first(columns: Mapping[str, Sequence[_Dot | None]]) -> str:
    """The first column with intervals, else with numbers; never the first of all, which names."""
    others = list(columns)[1:]
    with_intervals = [
        name for name in others if any(dot and dot.low is not None for dot in columns[name])
    ]
    with_numbers = [name for name in others if any(columns[name])]
    return next(iter([*with_intervals, *with_numbers]), "")


def _names(rows: Sequence[Sequence[Any]]) -> list[str]:
    """A name for each row: its first values, as many as tell the rows apart."""
    for count in range(1, len(rows[0]) + 1):
        names = [", ".join(str(value) for value in row[:count]) for row in rows]
        if len(set(names)) == len(names):
            return names
    return [str(row[0]) for row in rows]


def _dot(value: Any) -> _Dot | None:  # noqa: ANN401 - of JSON
    """A figure out of a number, an interval or a cell of a table; None where it is none."""
    if isinstance(value, str):
        found = _CELL.fullmatch(value.strip())
        ends = [float(one.replace(",", "")) for one in found.groups() if one] if found else []
        return _Dot(*ends) if ends else None
    if _is_figure(value):
        return _Dot(float(value))
    parts = value if isinstance(value, Mapping) else getattr(value, "__dict__", {})
    if not parts.keys() >= _PARTS or not _is_figure(parts["mean"]):
        return None
    low, high = (parts[end] if _is_figure(parts[end]) else None for end in ("low", "high"))
    return _Dot(parts["mean"], low, high)


def _is_figure(value: Any) -> bool:  # noqa: ANN401 - of JSON, where a mean of nothing is null
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
