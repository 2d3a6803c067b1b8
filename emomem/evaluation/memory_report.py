"""What was measured of a memory and of conflict detectors, as tables and as plain data."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from emomem.evaluation.numbers import Number
from emomem.evaluation.suites.conflict import ANY, Rate, Score
from emomem.evaluation.suites.memory import NONE, Measure
from emomem.evaluation.tables import Table, numbers_table
from emomem.evaluation.writing import write_report

LOCAL: Final = "local detectors"
"""The name of the detectors that must reach what is promised."""

_PRECISION: Final = 0.85
_RECALL: Final = 0.6
_NOTE: Final = "Shares with Wilson intervals of 95 % and counts"
_SPLITS: Final = (
    "half of the users were looked at while rules were tuned, the others were held out. By chance "
    "is what a draw at random would have."
)


@dataclass(frozen=True)
class MemoryReport:
    """What the memory suite found.

    Attributes:
        users: How many users there were, all in one store.
        turns: How many things they said.
        memories: What was measured of the memory, by the name of its detector.
        detectors: Precision and recall on the held-out pairs, by the name of the detector.
        skipped: What was left out, and why.
        tuned: Precision and recall of detectors on the pairs on which rules were tuned.
    """

    users: int
    turns: int
    memories: Mapping[str, Sequence[Measure]]
    detectors: Mapping[str, Sequence[Score]]
    skipped: Sequence[str] = ()
    tuned: Mapping[str, Sequence[Score]] = field(default_factory=dict)

    @property
    def failures(self) -> list[str]:
        """What was found of which there must be none."""
        return [one.name for found in self.memories.values() for one in found if one.fails]

    @property
    def numbers(self) -> list[Number]:
        """What must be reached, and what was."""
        return [
            *(
                Number(f"{one.name}, {name}", "none", _shown(one, one.rate), not one.fails)
                for name, found in self.memories.items()
                for one in found
                if one.name in NONE
            ),
            *_promised(self.detectors.get(LOCAL, ())),
        ]

    def tables(self) -> list[Table]:
        """A table of each memory, one of the detectors, and the numbers."""
        return [
            *(self._memory(name, found) for name, found in self.memories.items()),
            self._detectors(),
            numbers_table(self.numbers),
        ]

    def write(self, out: Path) -> list[Path]:
        """Write the report as Markdown and JSON.

        Args:
            out: The folder to write to; made where it is missing.

        Returns:
            The files.
        """
        return write_report(out / "memory", "Memory", self.skipped, self.tables(), self.as_data())

    def as_data(self) -> dict[str, Any]:
        """Everything that was measured, as plain data."""
        return {
            "users": self.users,
            "turns": self.turns,
            "skipped": list(self.skipped),
            "memory": {name: list(map(asdict, found)) for name, found in self.memories.items()},
            "detectors": {name: list(map(asdict, of)) for name, of in self.detectors.items()},
            "tuned": {name: list(map(asdict, of)) for name, of in self.tuned.items()},
            "numbers": list(map(vars, self.numbers)),
        }

    def _memory(self, name: str, found: Sequence[Measure]) -> Table:
        columns = ("measure", "all", "tuned on", "held out", "by chance")
        rows = [
            (
                one.name,
                *(_shown(one, of) for of in (one.rate, one.tuned, one.held_out)),
                "" if one.chance is None else f"{one.chance:.2f}",
            )
            for one in found
        ]
        title = f"Memory: {self.users} users in one store, {self.turns} turns, {name}"
        return Table(title, columns, tuple(rows), f"{_NOTE}; {_SPLITS}")

    def _detectors(self) -> Table:
        rows = [
            (f"{name}, {pairs}: {score.kind}", str(score.precision), str(score.recall))
            for pairs, of in (("held out", self.detectors), ("tuned on", self.tuned))
            for name, scores in of.items()
            for score in scores
        ]
        columns = ("kind", "precision", "recall")
        return Table("Conflict detectors on pairs", columns, tuple(rows), f"{_NOTE}.")


def _shown(measure: Measure, rate: Rate) -> str:
    return f"{rate.hits} of {rate.of}" if measure.name in NONE else str(rate)


def _promised(scores: Sequence[Score]) -> Iterator[Number]:
    for score in scores:
        if score.kind == ANY:
            for name, of, least in (
                ("precision", score.precision, _PRECISION),
                ("recall", score.recall, _RECALL),
            ):
                reached = of.value is not None and of.value >= least
                yield Number(f"pairs, {LOCAL}: {name}", f"at least {least:.2f}", str(of), reached)
