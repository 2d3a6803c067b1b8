"""What the four pillars found, as tables, plain data and pictures."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from emomem.evaluation.costs import Role, costs_table
from emomem.evaluation.pictures import draw_intervals
from emomem.evaluation.pillars.base import Pillar
from emomem.evaluation.tables import Table
from emomem.evaluation.writing import write_report

NAME: Final = "mememo"


@dataclass(frozen=True)
class MemEmoReport:
    """What was found.

    Attributes:
        pillars: The parts of the pillars that were measured, in order.
        skipped: What was left out, and why.
        roles: The models and the agents that answered.
        histories: How many histories were told.
        moments: How many moments were told.
        forced: Whether generator and judge are of one vendor.
    """

    pillars: Sequence[Pillar]
    skipped: Sequence[str] = ()
    roles: Mapping[str, Role] = field(default_factory=dict)
    histories: int = 0
    moments: int = 0
    forced: bool = False

    @property
    def notes(self) -> list[str]:
        """What has to be known of the run."""
        notes = [
            (
                "The four pillars of emotion in memory, on texts of our own and public ones: not "
                f"MemEmo's data, and no figures of its tables. {self.histories} histories, "
                f"{self.moments} moments; intervals of 95 % and, in brackets, of how many."
            ),
            *self.skipped,
        ]
        if self.forced:
            notes.append(
                "Generator and judge are of one vendor: a check of the machinery, not of the claim."
            )
        return notes

    def pillar(self, name: str) -> Pillar:
        """The part of that name.

        Raises:
            KeyError: It was not measured; the message names those that were.
        """
        found = {one.name: one for one in self.pillars}
        if name not in found:
            msg = f"a pillar must be one of {', '.join(found)}, got {name!r}"
            raise KeyError(msg)
        return found[name]

    def tables(self) -> list[Table]:
        """A table of each part, and what the models took."""
        costs = [costs_table(self.roles)] if self.roles else []
        return [*(one.table() for one in self.pillars), *costs]

    def as_data(self) -> dict[str, Any]:
        """Everything that was measured, as plain data."""
        return {
            "histories": self.histories,
            "moments": self.moments,
            "notes": self.notes,
            "one_vendor": self.forced,
            "models": {role: asdict(told) for role, told in self.roles.items()},
            "pillars": {
                one.name: {
                    "title": one.title,
                    "note": one.note,
                    "rows": {
                        name: {measure: found and asdict(found) for measure, found in row.items()}
                        for name, row in one.rows.items()
                    },
                }
                for one in self.pillars
            },
        }

    def write(self, out: Path | str) -> list[Path]:
        """Write the report as Markdown and JSON, and a picture of each part.

        Args:
            out: The folder to write to; made where it is missing.

        Returns:
            The files.

        Raises:
            ImportError: matplotlib is not installed.
        """
        folder = Path(out)
        path = folder / NAME
        written = write_report(path, "Emotion in memory", self.notes, self.tables(), self.as_data())
        for one in self.pillars:
            if panels := one.panels():
                written.append(folder / f"{NAME}-{one.name}.png")
                draw_intervals(panels, one.baseline).savefig(written[-1])
        return written
