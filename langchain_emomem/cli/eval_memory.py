"""`emomem eval memory`: measure the conflict-aware memory and its detectors on sets of our own."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from emomem.memory.conflict import ConflictDetector
from langchain_emomem.cli.appraisers import DEFAULT_APPRAISER, prepare_environment
from langchain_emomem.cli.chat_models import CHAT_HELP, CHAT_METAVAR, open_chat_model
from langchain_emomem.cli.errors import CommandError, first_line, one_line_errors
from langchain_emomem.cli.eval import show_tables
from langchain_emomem.cli.measuring import make_folder, steps
from langchain_emomem.cli.terminal import JsonOption

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    from emomem.evaluation.memory_report import MemoryReport
    from emomem.evaluation.readings import Progress
    from emomem.evaluation.suites.memory import Measure
    from emomem.evaluation.users import User

CHAT: Final = "chat model {}"

_SYNC: Final = 2
"""Writes after which Chroma leaves its queue; what is deleted stays on the disk before that."""


def memory(
    out: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Where to write tables and JSON.")
    ] = Path("out/memory"),
    model: Annotated[
        str | None,
        typer.Option(
            metavar=CHAT_METAVAR, help=f"Measures a chat model as detector too: {CHAT_HELP}."
        ),
    ] = None,
    as_data: JsonOption = False,
) -> None:
    """Measure the memory: what is served, kept, kept apart and forgotten.

    Twelve users speak over some weeks into one embedded Chroma in a temporary folder, read by the
    embedded affect model, and are asked afterwards. Beside it, the conflict detectors on pairs.

    \b
    Example:
      emomem eval memory --out out/memory
    """  # noqa: D301 - \b keeps the lines of the example
    with one_line_errors("emomem eval memory"):
        chat = None if model is None else open_chat_model("--model", model)
        make_folder(out)
        prepare_environment(DEFAULT_APPRAISER)
        try:
            with steps() as progress:
                report = _report({} if chat is None else {str(model): chat}, progress)
            written = report.write(out)
        except (OSError, ImportError) as error:
            raise CommandError(first_line(error)) from None
        if as_data:
            typer.echo((out / "memory.json").read_text(encoding="utf-8"))
        else:
            show_tables(report.skipped, report.tables(), written)
        if report.failures:
            msg = f"there must be none of: {', '.join(report.failures)}"
            raise CommandError(msg)


def _report(chats: "dict[str, BaseChatModel]", progress: "Progress") -> "MemoryReport":
    from emomem.appraisal.default import default_appraiser  # noqa: PLC0415 - only when run
    from emomem.evaluation.memory_report import LOCAL, MemoryReport  # noqa: PLC0415 - the same
    from emomem.evaluation.suites import conflict  # noqa: PLC0415 - the same
    from emomem.evaluation.users import load_users  # noqa: PLC0415 - the same
    from emomem.memory.detectors.ensemble import EnsembleConflictDetector  # noqa: PLC0415 - the same
    from langchain_emomem.conflict import ChatModelConflictDetector  # noqa: PLC0415 - the same

    conflict.require_scipy()
    detectors: dict[str, ConflictDetector] = {LOCAL: EnsembleConflictDetector()}
    detectors |= {
        CHAT.format(name): ChatModelConflictDetector(chat) for name, chat in chats.items()
    }
    users, pairs = load_users(), conflict.load_pairs("test")
    beside = Path(sys.executable).parent
    chroma = shutil.which("chroma", path=str(beside)) or shutil.which("chroma")
    memories, scores = {}, {}
    for name, detector in detectors.items():
        progress(f"Pairs, {name}", 0, 1)
        scores[name] = conflict.measure(detector, pairs, default_appraiser())
        memories[name] = _in_chroma(users, detector, chroma, progress)
    turns = sum(len(user.turns) for user in users)
    unsearched = "The store's files were not searched: there is no command `chroma`."
    skipped = [] if chroma else [unsearched]
    # Only what rules were tuned for: a chat model was not, and takes its time.
    seen = conflict.measure(detectors[LOCAL], conflict.load_pairs("dev"), default_appraiser())
    return MemoryReport(len(users), turns, memories, scores, skipped, {LOCAL: seen})


def _in_chroma(
    users: "list[User]", detector: ConflictDetector, command: str | None, progress: "Progress"
) -> "list[Measure]":
    """The measures over an embedded Chroma, its files among them where `command` can clear them."""
    from chromadb import PersistentClient  # noqa: PLC0415 - heavy
    from chromadb.config import Settings  # noqa: PLC0415 - heavy
    from langchain_chroma import Chroma  # noqa: PLC0415 - heavy

    from emomem.evaluation.suites.memory import measure_memory, on_disk  # noqa: PLC0415 - as above
    from langchain_emomem.embeddings import LocalEmbeddings  # noqa: PLC0415 - as above
    from langchain_emomem.memory.memory import ConflictAwareMemory  # noqa: PLC0415 - as above

    with TemporaryDirectory() as folder:
        client: Any = PersistentClient(folder, Settings(anonymized_telemetry=False))
        index: Any = {"space": "cosine", "sync_threshold": _SYNC, "batch_size": _SYNC}
        store = Chroma(
            "users", LocalEmbeddings(), client=client, collection_configuration={"hnsw": index}
        )

        def build(clock: Callable[[], float]) -> ConflictAwareMemory:
            return ConflictAwareMemory(store, detector=detector, clock=clock)

        measures = measure_memory(build, users, progress)
        client.close()
        if command is None:
            return measures
        vacuum = [command, "vacuum", "--path", folder, "--force"]
        subprocess.run(vacuum, check=True, capture_output=True)  # noqa: S603 - the engine's own
        held = b"".join(path.read_bytes() for path in Path(folder).rglob("*") if path.is_file())
    return [*measures, on_disk(users, held)]
