"""`emomem tag`: a file with the affect of every row."""

import json
import time
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from emomem.metadata import DEFAULT_FIELDS
from langchain_emomem.cli import appraisers
from langchain_emomem.cli.appraisers import (
    BATCH_SIZE,
    DEFAULT_APPRAISER,
    AppraiserOption,
    Reader,
    read_batches,
)
from langchain_emomem.cli.errors import (
    StoppedError,
    UsageError,
    check_at_least_one,
    one_line_errors,
)
from langchain_emomem.cli.load import Row, load_rows
from langchain_emomem.cli.tagged import TaggedFile
from langchain_emomem.cli.terminal import JsonOption, TextColumnOption, progress_bar


def tag(  # noqa: PLR0913, PLR0917 - a command's options
    file: Annotated[
        Path, typer.Argument(metavar="IN", help="JSONL, CSV or plain text, one text a line.")
    ],
    out: Annotated[Path, typer.Argument(metavar="OUT", help="JSONL or CSV, by its suffix.")],
    appraiser: AppraiserOption = DEFAULT_APPRAISER,
    text_column: TextColumnOption = None,
    batch_size: Annotated[
        int, typer.Option(metavar="N", help="Rows that are read and saved at once.")
    ] = BATCH_SIZE,
    workers: Annotated[
        int, typer.Option(metavar="N", help="Processes, each with a model of its own.")
    ] = 1,
    force: Annotated[
        bool, typer.Option("--force", help="Start anew where OUT is there already.")
    ] = False,
    as_data: JsonOption = False,
) -> None:
    """Write each row of IN with its affect to OUT.

    No row is lost: one whose affect cannot be read is marked unknown. A run that was stopped
    goes on where it was when it is given again, also after rows were added to IN.

    \b
    Examples:
      emomem tag diary.txt diary.jsonl
      emomem tag notes.csv tagged.csv --text-column note --workers 4
    """  # noqa: D301 - \b keeps the lines of the examples
    with one_line_errors("emomem tag"):
        check_at_least_one("--batch-size", batch_size)
        check_at_least_one("--workers", workers)
        if out.exists() and file.exists() and out.samefile(file):
            msg = f"OUT must be another file than IN, got {out} for both"
            raise UsageError(msg)
        rows = load_rows(file, text_column)
        _check_names(rows)
        output = TaggedFile(out, [row.record for row in rows])
        appraisers.prepare_environment(appraiser, workers)
        reader = appraisers.open_appraiser(appraiser)
        began = time.perf_counter()
        with output.opened():
            kept = _begin(output, reader, force=force)
            try:
                texts = [row.text for row in rows[kept:]]
                with (
                    progress_bar() as progress,
                    closing(read_batches(reader, texts, batch_size, workers)) as batches,
                ):
                    tagging = progress.add_task("Tagging", total=len(rows), completed=kept)
                    for affects in batches:
                        output.append(affects)
                        progress.advance(tagging, len(affects))
            except KeyboardInterrupt:
                msg = f"stopped; {out} holds {output.done:,} of {len(rows):,} rows"
                msg += ", and the same command goes on from there"
                raise StoppedError(msg) from None
        _print(
            {
                "source": str(file),
                "out": str(out),
                "appraiser": reader.title,
                "rows": len(rows),
                "kept": kept,
                "tagged": len(rows) - kept,
                "unknown": output.unknown,
                "seconds": round(time.perf_counter() - began, 1),
            },
            as_data=as_data,
        )


def _begin(output: TaggedFile, reader: Reader, *, force: bool) -> int:
    """Start the output anew or where it was left; how many rows are there already."""
    if force:
        output.start()
    else:
        output.resume(reader.sources, reader.unknown_sources)
    return output.done


def _check_names(rows: list[Row]) -> None:
    """Refuse a text under an affect key, which the tag would replace."""
    for row in rows:
        if row.name in DEFAULT_FIELDS.keys():  # noqa: SIM118 - not a mapping's
            msg = f"the text's column must not be one that holds affect, got {row.name!r}"
            raise UsageError(msg)


def _print(summary: dict[str, str | int | float], *, as_data: bool) -> None:
    if as_data:
        typer.echo(json.dumps(summary, indent=2))
        return
    line = "Tagged {tagged:,} of {rows:,} rows of {source} into {out} in {seconds:,.1f} s"
    line += "; {kept:,} were there already" if summary["kept"] else ""
    line += "; {unknown:,} unknown. Feelings read by {appraiser}."
    typer.echo(line.format(**summary))
