"""What Emotional RAG's experiment found, as tables, plain data and a picture."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from emomem.evaluation.alignment import ACC_DIM, ACC_FULL, MAE, MSE, summary
from emomem.evaluation.characters import Subject
from emomem.evaluation.costs import Role, costs_table
from emomem.evaluation.datasets.incharacter import Questionnaire
from emomem.evaluation.eem_report import FORCED
from emomem.evaluation.pictures import draw_intervals
from emomem.evaluation.statistics import Interval, mean_of_known
from emomem.evaluation.suites.emotional_rag import (
    EMOTION,
    ORDINARY,
    SEMANTIC,
    SHARED,
    FloatArray,
    Interviewed,
)
from emomem.evaluation.tables import Table
from emomem.evaluation.writing import write_report

NAME: Final = "emotional-rag"
MINILM: Final = "all-MiniLM-L6-v2"
"""The local encoder."""

_MEASURES: Final = (ACC_DIM, ACC_FULL, MSE, MAE)


@dataclass(frozen=True, eq=False)
class RolePlayReport:
    """What the experiment found.

    Attributes:
        dataset: The name of the data set.
        subjects: The characters.
        questionnaire: What they were asked.
        recalled: By strategy and measure, one value a character.
        interviewed: By the generator's name and the strategy; empty where nobody was asked.
        k: How many memories were recalled.
        felt_by: Who read the emotions.
        embedded_by: The encoder.
        unread: 0..1, the shares of memories and of questions whose emotions could not be read.
        roles: The models.
        forced: Whether the judge is of a generator's vendor.
    """

    dataset: str
    subjects: Sequence[Subject]
    questionnaire: Questionnaire
    recalled: Mapping[str, Mapping[str, FloatArray]]
    interviewed: Mapping[str, Mapping[str, Interviewed]]
    k: int
    felt_by: str
    embedded_by: str
    unread: tuple[float, float]
    roles: Mapping[str, Role]
    forced: bool = False

    @property
    def notes(self) -> list[str]:
        """What has to be known of the run."""
        memories = [len(one.memories) for one in self.subjects]
        said = (
            f"{self.dataset}: {len(self.subjects)} characters with {min(memories)} to "
            f"{max(memories)} memories, {len(self.questionnaire.questions)} questions of "
            f"{self.questionnaire.name}; {self.k} memories are recalled. Emotions by "
            f"{self.felt_by}, embeddings by {self.embedded_by}."
        )
        notes = [said]
        memories_unread, questions_unread = self.unread
        if memories_unread or questions_unread:
            notes.append(
                f"The emotions of {memories_unread:.0%} of the memories and {questions_unread:.0%} "
                "of the questions could not be read: such a memory keeps the rank that meaning "
                "gives it, and such a question is asked by meaning alone."
            )
        foreign = any(one.character.language != "en" for one in self.subjects)
        if foreign and self.embedded_by == MINILM:
            notes.append(
                f"{MINILM} is a model for English: on other languages its semantic distances are "
                "rough. Give an --encoder; the publication has bge-base-zh-v1.5."
            )
        if not self.interviewed:
            notes.append("Recall alone was measured: for interviews give --generator and --judge.")
        if self.forced:
            notes.append(FORCED)
        return notes

    def tables(self) -> list[Table]:
        """The interviews, where there were some, recall, and what the models took."""
        return [
            *([self._alignment()] if self.interviewed else []),
            self._recall(),
            *([costs_table(self.roles)] if self.roles else []),
        ]

    def write(self, out: Path) -> list[Path]:
        """Write the report as Markdown and JSON, and its picture. It holds no text of the data.

        Args:
            out: The folder to write to; made where it is missing.

        Returns:
            The files.

        Raises:
            ImportError: matplotlib is not installed.
        """
        path = out / NAME
        files = write_report(path, "Emotional RAG", self.notes, self.tables(), self.as_data())
        picture = path.with_suffix(".png")
        caution = FORCED if self.forced else ""
        draw_intervals(self._panels(), ORDINARY, caution).savefig(picture)
        return [*files, picture]

    def as_data(self) -> dict[str, Any]:
        """Everything that was measured, as plain data."""
        kind = self.questionnaire.kind
        return {
            "dataset": self.dataset,
            "questionnaire": self.questionnaire.name,
            "questions": len(self.questionnaire.questions),
            "characters": {
                one.id: {
                    "memories": len(one.memories),
                    "labels": {name: asdict(x) for name, x in one.labels.get(kind, {}).items()},
                }
                for one in self.subjects
            },
            "recalled": self.k,
            "emotions_by": self.felt_by,
            "embeddings_by": self.embedded_by,
            "unread": dict(zip(("memories", "questions"), self.unread, strict=True)),
            "notes": self.notes,
            "one_vendor": self.forced,
            "models": {role: asdict(told) for role, told in self.roles.items()},
            "recall": {
                strategy: {name: found and asdict(found) for name, found in by_name.items()}
                for strategy, by_name in self._intervals().items()
            },
            "interviews": {
                model: {
                    strategy: {
                        **{name: asdict(x) for name, x in summary(found.agreements).items()},
                        "scores": found.scores,
                        "unanswered": found.unanswered,
                        "unjudged": found.unjudged,
                    }
                    for strategy, found in by_strategy.items()
                }
                for model, by_strategy in self.interviewed.items()
            },
        }

    def _intervals(self) -> dict[str, dict[str, Interval | None]]:
        return {
            strategy: {name: mean_of_known(values) for name, values in by_name.items()}
            for strategy, by_name in self.recalled.items()
        }

    def _panels(self) -> dict[str, dict[str, Interval | None]]:
        """What the picture shows: distances, and after interviews Acc(Dim) and MAE."""
        recalled = self._intervals()
        panels = {
            name: {strategy: found[name] for strategy, found in recalled.items()}
            for name in (EMOTION, SEMANTIC)
        }
        several = len(self.interviewed) > 1
        summaries = {
            f"{strategy}, {model}" if several else strategy: summary(found.agreements)
            for model, by_strategy in self.interviewed.items()
            for strategy, found in by_strategy.items()
        }
        for name in (ACC_DIM, MAE) if summaries else ():
            panels[name] = {arm: found.get(name) for arm, found in summaries.items()}
        return panels

    def _alignment(self) -> Table:
        rows = []
        for model, by_strategy in self.interviewed.items():
            for strategy, found in by_strategy.items():
                measures = summary(found.agreements)
                counted = sum(one.counted for one in found.agreements)
                missing = sum(one.missing for one in found.agreements)
                cells = [_shown(measures.get(name)) for name in _MEASURES]
                left_out = f"{found.unanswered} / {found.unjudged} / {missing}"
                rows.append((f"{strategy}, {model}", *cells, str(counted), left_out))
        note = (
            "Personality as judged from the interviews against the labels; those of type X are "
            "skipped, errors are divided by the range of the scale. Intervals of 95 % over "
            f"characters, of which there are {len(self.subjects)}; the published figures are in "
            "arXiv:2410.23041, by other models and judges. Left out: questions without an "
            "answer / groups of answers without a usable judgement / dimensions without any."
        )
        columns = ("strategy, model", *_MEASURES, "dimensions", "left out")
        title = f"Agreement on {self.questionnaire.name}"
        return Table(title, columns, tuple(rows), note)

    def _recall(self) -> Table:
        plain = self.recalled[ORDINARY]
        rows = []
        for strategy, values in self.recalled.items():
            cells = [strategy]
            for name in (EMOTION, SEMANTIC):
                cells.append(_shown(mean_of_known(values[name])))
                apart = mean_of_known(values[name] - plain[name])
                cells.append("" if strategy == ORDINARY or apart is None else str(apart))
            cells.append("" if strategy == ORDINARY else f"{values[SHARED].mean():.0%}")
            rows.append(tuple(cells))
        note = (
            "Mean distance of what is recalled to the question: of emotions 1 - cosine of the "
            "eight scores, of meaning Euclidean. Intervals of 95 % over characters."
        )
        columns = ("strategy", EMOTION, "difference", SEMANTIC, "difference", SHARED)
        return Table("Recall, which needs no model", columns, tuple(rows), note)


def _shown(found: Interval | None) -> str:
    return "none" if found is None else f"{found.mean:.3f} [{found.low:.3f}, {found.high:.3f}]"
