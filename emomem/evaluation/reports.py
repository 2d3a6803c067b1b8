"""Runs the retrieval suite and writes its report."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from emomem.evaluation.datasets import load_lufy
from emomem.evaluation.datasets.base import Half, in_half
from emomem.evaluation.metrics import require_eval
from emomem.evaluation.numbers import Number, numbers
from emomem.evaluation.pictures import draw_arms, draw_importance
from emomem.evaluation.readings import Progress, Readings, silent
from emomem.evaluation.rivals import EmotionalMemoryPackage
from emomem.evaluation.suites.importance import Importance, measure_importance
from emomem.evaluation.suites.retrieval import Measured, load_benchmarks, measure_arms
from emomem.evaluation.tables import (
    Table,
    arms_table,
    as_data,
    groups_table,
    importance_table,
    numbers_table,
)
from emomem.evaluation.writing import write_report

_VOTES: Final = (1, 2)


@dataclass(frozen=True, eq=False)
class RetrievalReport:
    """What the retrieval suite found.

    Attributes:
        half: Which queries were measured.
        results: One a data set.
        importance: By how many annotators have to agree.
        numbers: What must be reached, and what was.
        skipped: What was left out, and why.
    """

    half: Half
    results: Sequence[Measured]
    importance: Sequence[Importance]
    numbers: Sequence[Number]
    skipped: Sequence[str]

    def tables(self) -> list[Table]:
        """All tables, the numbers last."""
        return [
            *map(arms_table, self.results),
            groups_table(self.results),
            importance_table(self.importance),
            numbers_table(self.numbers),
        ]

    def write(self, out: Path) -> list[Path]:
        """Write the report as Markdown and JSON, and its pictures.

        Args:
            out: The folder to write to; made where it is missing.

        Returns:
            The files.

        Raises:
            ImportError: matplotlib is not installed.
            OSError: They cannot be written.
        """
        title = "all queries" if self.half == "all" else f"the {self.half} half of the queries"
        data = {
            "half": self.half,
            "skipped": list(self.skipped),
            **as_data(self.results, self.importance, self.numbers),
        }
        files = write_report(
            out / "retrieval", f"Retrieval, {title}", self.skipped, self.tables(), data
        )
        figures = {one.dataset.name.lower(): draw_arms(one) for one in self.results}
        figures["lufy"] = draw_importance(self.importance)
        for name, figure in figures.items():
            figure.savefig(out / f"{name}.png")
        return [*files, *(out / f"{name}.png" for name in figures)]


def retrieval_report(
    data: Path, out: Path, half: Half = "odd", progress: Progress = silent
) -> RetrievalReport:
    """Measure recall on all data sets.

    Args:
        data: The folder of the public data.
        out: Where readings of texts are kept from run to run, in `cache`.
        half: Which queries: what is tuned is tuned on the even half and reported on the odd.
        progress: Is told how far it is.

    Raises:
        FileNotFoundError: A file of the data is not there; the message says where it is from.
        ValueError: A file is malformed, or holds nothing in that half.
        ImportError: A package is not installed.
    """
    require_eval()
    loaded = load_benchmarks(data, half)
    sessions = [session for session in load_lufy(data) if in_half(session.id, half)]
    readings = Readings(out / "cache")
    results = [
        measure_arms(benchmark, dataset, readings, progress) for benchmark, dataset in loaded
    ]
    importance = [measure_importance(sessions, readings, votes, progress) for votes in _VOTES]
    rival = EmotionalMemoryPackage()
    missing = f"{rival.name} was skipped: pip install emotional-memory"
    skipped = [] if rival.installed() else [missing]
    return RetrievalReport(half, results, importance, numbers(results), skipped)
