"""What the benchmarks share: medians over alternating rounds, a table, and a JSON file."""

import argparse
import json
import math
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

LEAST_ROUNDS: Final = 3


def arguments(description: str) -> argparse.ArgumentParser:
    """A parser with the options that every benchmark has."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--json", type=Path, help="write the rows here as well")
    return parser


def alternate(
    tasks: Mapping[str, Callable[[], object]], rounds: int, limit: float = math.inf
) -> dict[str, float]:
    """Median seconds of each task, timed `in_turns`."""
    seconds = in_turns(tasks, rounds, limit)
    return {name: statistics.median(values) for name, values in seconds.items()}


def in_turns(
    tasks: Mapping[str, Callable[[], object]], rounds: int, limit: float = math.inf
) -> dict[str, list[float]]:
    """Seconds of each task in each round, timed in turns so that noise falls on all of them alike.

    No round but the first three begins later than `limit` seconds after the first.
    """
    for task in tasks.values():
        task()
    seconds: dict[str, list[float]] = {name: [] for name in tasks}
    begun = time.perf_counter()
    for done in range(rounds):
        if done >= LEAST_ROUNDS and time.perf_counter() - begun > limit:
            break
        for name, task in tasks.items():
            start = time.perf_counter()
            task()
            seconds[name].append(time.perf_counter() - start)
    return seconds


def report(rows: Sequence[Mapping[str, object]], path: Path | None) -> None:
    """Print rows as a table, and write them as JSON where a path is given."""
    columns = list(rows[0])
    cells = [[_cell(row[column]) for column in columns] for row in rows]
    widths = [max(map(len, column)) for column in zip(columns, *cells, strict=True)]
    for line in (columns, *cells):
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)))
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(list(rows), indent=2) + "\n", encoding="utf-8")


def _cell(value: object) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)
