"""What the commands show on a terminal, and the options that they share."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
TextColumnOption = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="The text's column (CSV) or key (JSONL); else guessed."),
]


def open_console() -> Console:
    """A console on stdout that shows what the terminal's encoding cannot as a question mark."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")
    return Console(highlight=False)


@contextmanager
def progress_bar() -> Iterator[Progress]:
    """A progress bar on stderr, where someone is watching; it leaves no trace."""
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    hidden = not console.is_terminal
    progress = Progress(*columns, console=console, transient=True, disable=hidden)
    # Not even entered then: older versions of rich end a hidden bar with an empty line.
    with nullcontext() if hidden else progress:
        yield progress
