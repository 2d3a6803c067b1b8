"""The appraiser that a command reads with: by name, loaded quietly, in one process or several."""

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import lru_cache, partial
from pathlib import Path
from typing import Annotated, Final, NamedTuple

import typer

from emomem.affect import Affect
from emomem.appraisal import adapter, adapter_files, lexicon, local
from emomem.appraisal.base import appraise_safely, load_appraiser
from emomem.appraisal.default import default_appraiser
from emomem.appraisal.huggingface import HuggingFaceAppraiser
from emomem.protocols import Appraiser
from langchain_emomem.cli.errors import CommandError, first_line

AppraiserOption = Annotated[
    str,
    typer.Option(
        metavar="NAME|PATH",
        help="embedded, lexicon, the folder of a DomainAdapter, or a text-classification model: "
        "a folder or a hub name.",
    ),
]
DEFAULT_APPRAISER: Final = "embedded"
BATCH_SIZE: Final = 256  # far below Chroma's 5,461, and small enough for a progress bar to move


class Reader(NamedTuple):
    """An appraiser.

    Attributes:
        name: As the user gave it.
        appraiser: Itself.
        sources: What it may mark its readings with, its own mark first.
        title: What to call it.
        unknown_sources: What else it may mark a text with that it cannot read.
    """

    name: str
    appraiser: Appraiser
    sources: tuple[str, ...]
    title: str
    unknown_sources: tuple[str, ...] = ()


_APPRAISERS: Final[dict[str, tuple[Callable[[], Appraiser], str, str]]] = {
    "embedded": (default_appraiser, local.SOURCE, "the embedded affect model"),
    "lexicon": (
        lexicon.LexiconAppraiser,
        lexicon.SOURCE,
        "lexicon:vader (valence only: no arousal, no emotions)",
    ),
}


def prepare_environment(appraiser: str, workers: int = 1) -> None:
    """No telemetry, no foreign progress bars, and no hub unless the user names a model of one.

    To be called before the heavy libraries are imported, which read this once. Worker processes
    inherit it, and share the processor's cores among them.
    """
    settings = {
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
        "HF_HUB_VERBOSITY": "error",
        "TRANSFORMERS_VERBOSITY": "error",
        # Threads that wait for one another by spinning take 3 times as long on a busy machine.
        "OMP_WAIT_POLICY": "PASSIVE",
    }
    if appraiser in _APPRAISERS or Path(appraiser).expanduser().is_dir():
        settings["HF_HUB_OFFLINE"] = "1"
    if workers > 1:
        threads = str(max(1, (os.cpu_count() or 1) // workers))
        settings |= {"OMP_NUM_THREADS": threads, "RAYON_NUM_THREADS": threads}
    for name, value in settings.items():
        os.environ.setdefault(name, value)


def open_appraiser(name: str) -> Reader:
    """The appraiser of that name, or over the model of that path or name.

    Raises:
        CommandError: It cannot be loaded.
    """
    try:
        if name in _APPRAISERS:
            make, source, title = _APPRAISERS[name]
            reader = Reader(name, make(), (source,), title)
        elif (Path(name).expanduser() / adapter_files.FACTS).is_file():
            fitted = adapter.DomainAdapter.from_folder(Path(name).expanduser())
            # What its heads do not read, the embedded model reads by n-grams or not at all.
            sources = (adapter.SOURCE, *local.NGRAM_SOURCES.values())
            title = f"{adapter.SOURCE} {name}"
            reader = Reader(name, fitted, sources, title, unknown_sources=(local.SOURCE,))
        else:
            model = HuggingFaceAppraiser(name)
            reader = Reader(name, model, (model.source,), model.source)
        load_appraiser(reader.appraiser)
    except Exception as error:  # noqa: BLE001 - a model fails to load in many ways
        msg = f"--appraiser {name}: {first_line(error)}"
        raise CommandError(msg) from None
    return reader


def read_batches(
    reader: Reader, texts: Sequence[str], batch_size: int = BATCH_SIZE, workers: int = 1
) -> Generator[list[Affect], None, None]:
    """The affects of the texts in their order, batch by batch.

    Args:
        reader: Who reads them.
        texts: The texts.
        batch_size: How many are read at once.
        workers: How many processes read, each with its own model where there are several.

    Raises:
        CommandError: A process died, or could not load its model.
    """
    batches = (texts[start : start + batch_size] for start in range(0, len(texts), batch_size))
    if workers == 1:
        yield from map(partial(appraise_safely, reader.appraiser), batches)
    else:
        yield from _read_in_processes(reader.name, batches, workers)


def _read_in_processes(
    name: str, batches: Iterable[Sequence[str]], workers: int
) -> Iterator[list[Affect]]:
    # Not forked: a copy of a process that runs threads may stand still for ever.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, context, _start_worker) as pool:
        try:
            with _interrupts_ignored():
                waiting = deque(pool.submit(_read, name, batch) for batch in batches)
            while waiting:
                yield waiting.popleft().result()
        except BrokenProcessPool:
            msg = "a worker process died, perhaps for want of memory; try fewer --workers"
            raise CommandError(msg) from None
        except BaseException:
            for process in multiprocessing.active_children():
                process.terminate()  # what they still compute is of no use
            raise


@contextmanager
def _interrupts_ignored() -> Iterator[None]:
    """A process that is started meanwhile leaves Ctrl-C to its parent."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _start_worker() -> None:
    """Do not outlive the parent, even where it was killed."""
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


_own_appraiser = lru_cache(maxsize=1)(open_appraiser)


def _read(name: str, texts: Sequence[str]) -> list[Affect]:
    return appraise_safely(_own_appraiser(name).appraiser, texts)
