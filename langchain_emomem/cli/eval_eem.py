"""`emomem eval eem`: measure whether deep encoding makes answers better, as it was published."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple
from uuid import uuid4

import typer

from emomem.affect import Affect
from emomem.encoding.encoder import DEEP_THRESHOLD, DeepEncoder
from emomem.encoding.record import EmbedMode, Encoded
from langchain_emomem.cli.appraisers import DEFAULT_APPRAISER, prepare_environment
from langchain_emomem.cli.chat_models import CHAT_HELP, CHAT_METAVAR
from langchain_emomem.cli.errors import (
    CommandError,
    UsageError,
    check_at_least_one,
    one_line_errors,
)
from langchain_emomem.cli.eval import DataOption, show_tables
from langchain_emomem.cli.kept_models import open_both
from langchain_emomem.cli.measuring import measuring
from langchain_emomem.cli.terminal import JsonOption

if TYPE_CHECKING:
    from langchain_chroma import Chroma

    from emomem.evaluation.answers import KeptChatModel
    from emomem.evaluation.eem_report import DeepReport
    from emomem.evaluation.readings import Progress

_TEMPERATURE: Final = 0.3
"""That of deep encoding as published, and that of a judge."""
_BATCH: Final = 16
_WIDEST: Final = 10_000


class _Set(NamedTuple):
    """What is measured.

    Attributes:
        data: The folder of the public data.
        dialogues: How many dialogues.
        threshold: 0..1, the arousal from which a turn is encoded deeply.
        embed: What of a deep memory is embedded.
    """

    data: Path
    dialogues: int
    threshold: float
    embed: EmbedMode


def eem(  # noqa: PLR0913, PLR0917 - a command's options
    data: DataOption = Path("../shared/data"),
    out: Annotated[
        Path,
        typer.Option(
            metavar="FOLDER",
            help="Where to write the report, and to keep the answers of the models.",
        ),
    ] = Path("out/eem"),
    generator: Annotated[
        str | None,
        typer.Option(
            metavar=CHAT_METAVAR,
            help=f"Encodes deeply, and writes replies where there is a judge: {CHAT_HELP}.",
        ),
    ] = None,
    judge: Annotated[
        str | None,
        typer.Option(
            metavar=CHAT_METAVAR, help="Judges the replies; of another vendor than the generator."
        ),
    ] = None,
    dialogues: Annotated[
        int, typer.Option(metavar="N", help="How many dialogues, from the first on.")
    ] = 50,
    threshold: Annotated[
        float, typer.Option(metavar="0..1", help="Arousal from which a turn is encoded deeply.")
    ] = DEEP_THRESHOLD,
    embed: Annotated[
        EmbedMode,
        typer.Option(help="What of a deep memory is embedded for the replies that are judged."),
    ] = "json",
    force: Annotated[
        bool, typer.Option("--force", help="Allow a judge of the generator's vendor.")
    ] = False,
    as_data: JsonOption = False,
) -> None:
    """Measure deep encoding: replies over plain and over deep memories, and what is recalled.

    EmpatheticDialogues in turn order, each turn stored after it was answered; plain top 3 of an
    embedded Chroma with all-MiniLM-L6-v2. Without --judge, only recall is measured; without
    --generator, only that of what needs none. Answers are kept in the output folder: a run
    that was stopped goes on where it was.

    \b
    Examples:
      emomem eval eem --generator openai:gpt-4.1-mini \\
          --judge anthropic:claude-sonnet-4-5
      emomem eval eem --generator http://127.0.0.1:8080/v1 --dialogues 10
    """  # noqa: D301 - \b keeps the lines of the examples
    with one_line_errors("emomem eval eem"):
        _check(generator, judge, dialogues, threshold)
        from emomem.evaluation.answers import Answers  # noqa: PLC0415 - heavy

        prepare_environment(DEFAULT_APPRAISER)
        with measuring() as progress:
            answers = Answers(out / "answers.jsonl")
            models, forced = open_both(generator, judge, answers, force, _TEMPERATURE)
            chosen = _Set(data, dialogues, threshold, embed)
            report = _report(chosen, models, forced, progress)
            written = report.write(out)
        if as_data:
            typer.echo((out / "eem.json").read_text(encoding="utf-8"))
        else:
            show_tables(report.notes, report.tables(), written)


def _check(generator: str | None, judge: str | None, dialogues: int, threshold: float) -> None:
    check_at_least_one("--dialogues", dialogues)
    if not 0 <= threshold <= 1:
        msg = f"--threshold must be in 0..1, got {threshold}"
        raise UsageError(msg)
    if judge is not None and generator is None:
        msg = "--judge needs a --generator, whose replies it judges"
        raise UsageError(msg)


def _report(
    chosen: "_Set", models: "dict[str, KeptChatModel]", forced: bool, progress: "Progress"
) -> "DeepReport":
    from emomem.evaluation.costs import Role  # noqa: PLC0415 - only when run
    from emomem.evaluation.datasets.empathetic import load_dialogues  # noqa: PLC0415 - only when run
    from emomem.evaluation.eem_report import DeepReport  # noqa: PLC0415 - the same
    from emomem.evaluation.suites import conflict  # noqa: PLC0415 - the same
    from emomem.evaluation.suites import eem as suite  # noqa: PLC0415 - the same

    conflict.require_scipy()
    dialogues = load_dialogues(chosen.data, chosen.dialogues)
    turns = suite.turns_of(dialogues)
    encoded = _encoded([turn.text for turn in turns], chosen, models.get("generator"), progress)
    with _indexes() as build:
        recalled = suite.all_modes(turns, encoded, build, progress)
    deep = suite.DEEP.format(chosen.embed)
    grades = None
    if "judge" in models:
        grades = suite.grade(
            turns, encoded, recalled[suite.BASELINE], recalled[deep], **models, progress=progress
        )
    return DeepReport(
        dialogues,
        turns,
        encoded,
        {arm: suite.measure_recall(turns, dialogues, found) for arm, found in recalled.items()},
        suite.by_chance(turns, dialogues, recalled[suite.BASELINE]),
        grades,
        chosen.embed,
        {role: Role.of(model) for role, model in models.items()},
        forced,
    )


def _encoded(
    texts: list[str], chosen: "_Set", generator: "KeptChatModel | None", progress: "Progress"
) -> list[Encoded]:
    """The memory that each text becomes; all standard where there is no generator.

    Raises:
        CommandError: None becomes deep though there is a generator.
    """
    if generator is None:
        return [Encoded(text, Affect.unknown(), "standard") for text in texts]
    encoder = DeepEncoder(generator, threshold=chosen.threshold)
    encoded: list[Encoded] = []
    for start in range(0, len(texts), _BATCH):
        progress("Encoding", start, len(texts))
        encoded += encoder.encode(texts[start : start + _BATCH])
    if not any(one.memory for one in encoded):
        failed = sum(one.status == "failed" for one in encoded)
        why = f"{generator.name} failed on all {failed} that stir"
        if not failed:
            why = f"none reaches the arousal {chosen.threshold:g}; give a lower --threshold"
        msg = f"no turn was encoded deeply: {why}"
        raise CommandError(msg)
    return encoded


@contextmanager
def _indexes() -> Iterator[Callable[[], "ChromaIndex"]]:
    """Makes empty stores in an embedded Chroma, which is gone afterwards."""
    from chromadb import PersistentClient  # noqa: PLC0415 - heavy
    from chromadb.config import Settings  # noqa: PLC0415 - heavy
    from langchain_chroma import Chroma  # noqa: PLC0415 - heavy

    from langchain_emomem.embeddings import LocalEmbeddings  # noqa: PLC0415 - only when run

    with TemporaryDirectory() as folder:
        client: Any = PersistentClient(folder, Settings(anonymized_telemetry=False))
        # The whole store is ranked, so the search must be as wide as that.
        index: Any = {"space": "cosine", "ef_search": _WIDEST}

        def build() -> ChromaIndex:
            name = f"eem-{uuid4().hex}"
            embeddings = LocalEmbeddings()
            return ChromaIndex(
                Chroma(name, embeddings, client=client, collection_configuration={"hnsw": index})
            )

        try:
            yield build
        finally:
            client.close()


class ChromaIndex:
    """Plain recall over a Chroma store.

    Args:
        store: An empty store.
    """

    def __init__(self, store: "Chroma") -> None:
        self._store = store
        self._count = 0

    def add(self, texts: Sequence[str], row: int) -> None:
        """Store the texts of one memory."""
        self._store.add_texts(list(texts), metadatas=[{"row": row} for _ in texts])
        self._count += len(texts)

    def search(self, text: str) -> list[int]:
        """The row of every text that is stored, most similar first."""
        found = self._store.similarity_search(text, k=self._count)
        return [document.metadata["row"] for document in found]
