"""What the commands that measure share: a bar of their steps, and how they fail or are stopped."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from langchain_emomem.cli.errors import CommandError, StoppedError, first_line
from langchain_emomem.cli.terminal import progress_bar

if TYPE_CHECKING:
    from emomem.evaluation.readings import Progress

_AGAIN: Final = "so run the same again to go on"


def make_folder(out: Path) -> None:
    """Make the folder of --out before a measurement, which nothing would be left of without it.

    Raises:
        CommandError: It cannot be made.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        msg = f"--out must be a folder, and {out} cannot be made one: {error.strerror}"
        raise CommandError(msg) from None


@contextmanager
def steps() -> Iterator["Progress"]:
    """A function `progress(what, done, total)` that shows on a bar how far a measurement is."""
    with progress_bar() as bar:
        task = bar.add_task("")

        def progress(what: str, done: int, total: int) -> None:
            bar.update(task, description=what, completed=done, total=total)

        yield progress


@contextmanager
def measuring() -> Iterator["Progress"]:
    """The `steps` of a measurement that keeps what was read and answered.

    Raises:
        StoppedError: The user stopped it.
        CommandError: A model failed, data or a package is missing, or the report cannot be written.
    """
    from emomem.evaluation.answers import ModelFailedError  # noqa: PLC0415 - heavy

    try:
        with steps() as progress:
            yield progress
    except KeyboardInterrupt:
        msg = f"stopped; what was read and answered is kept, {_AGAIN}"
        raise StoppedError(msg) from None
    except ModelFailedError as error:
        msg = f"{error}; what it answered is kept, {_AGAIN}"
        raise CommandError(msg) from None
    except (OSError, ValueError, ImportError) as error:
        # None of these quotes a text of the data.
        raise CommandError(first_line(error)) from None
