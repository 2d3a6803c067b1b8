"""`emomem eval`: measure recall on public data, and memory (`eval_memory`)."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer
from rich.box import HORIZONTALS
from rich.console import Console
from rich.table import Table as RichTable

from emomem.evaluation.datasets.base import Half
from langchain_emomem.cli.errors import one_line_errors
from langchain_emomem.cli.measuring import measuring
from langchain_emomem.cli.terminal import JsonOption, open_console

if TYPE_CHECKING:
    from emomem.evaluation.tables import Table

_WIDTH: Final = 200
"""Of a table where nobody's terminal has to hold it."""

app = typer.Typer(
    name="eval",
    no_args_is_help=True,
    rich_markup_mode=None,
)

DataOption = Annotated[
    Path,
    typer.Option(
        metavar="FOLDER",
        envvar="EMOMEM_DATA",
        help="The public data; a missing file's message says where it comes from.",
    ),
]


@app.callback()
def evaluate() -> None:
    """Measure: recall on public data, memory on sets of our own, agents with a judge.

    \b
    Example:
      emomem eval crr --out out/crr
    """  # noqa: D301 - \b keeps the line of the example


@app.command(short_help="Recall on public data: 25 ways to recall, beside each other.")
def retrieval(
    data: DataOption = Path("../shared/data"),
    out: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Where to write tables, JSON and pictures.")
    ] = Path("out/retrieval"),
    half: Annotated[
        Half,
        typer.Option(help="Which queries; tune on even, report odd, by the SHA-256 of their ids."),
    ] = "odd",
    as_data: JsonOption = False,
) -> None:
    """Measure recall: MADial-Bench, LoCoMo, EmpatheticDialogues, and salience on LUFY.

    Every arm uses the same local encoder and the affect that the local model reads. What was
    read of a text is kept in the output folder, so that a second run is fast.

    \b
    Example:
      emomem eval retrieval --data ../shared/data --out out/retrieval
    """  # noqa: D301 - \b keeps the lines of the example
    with one_line_errors("emomem eval retrieval"):
        from emomem.evaluation.reports import retrieval_report  # noqa: PLC0415 - only when run

        with measuring() as progress:
            report = retrieval_report(data, out, half, progress)
            written = report.write(out)
        if as_data:
            typer.echo((out / "retrieval.json").read_text(encoding="utf-8"))
            return
        show_tables(report.skipped, report.tables(), written)


def show_tables(skipped: Sequence[str], tables: "Sequence[Table]", written: Sequence[Path]) -> None:
    """Show what was measured.

    Args:
        skipped: What was left out, and why.
        tables: The tables.
        written: The files that hold them too; may be none.
    """
    console = open_console()
    if not console.is_terminal:
        console.width = _WIDTH
    for line in skipped:
        console.print(line, markup=False)
    for table in tables:
        _show(console, table)
    if written:
        console.print(f"Written: {', '.join(map(str, written))}", markup=False)


def _show(console: Console, table: "Table") -> None:
    console.print(f"\n{table.title}", style="bold", markup=False)
    if table.note:
        console.print(table.note, markup=False)
    shown = RichTable(box=HORIZONTALS)
    for number, head in enumerate(table.columns):
        shown.add_column(head, justify="right" if number else "left")
    for row in table.rows:
        shown.add_row(*row)
    console.print(shown, markup=False)
