"""`emomem profile`: how arousal is spread over a file or a store, and from where to go deep."""

import json
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from langchain_core.documents import Document
from rich.box import HORIZONTALS
from rich.progress_bar import ProgressBar
from rich.table import Table

from emomem.metadata import DEFAULT_FIELDS, encode
from emomem.profile import TARGET_RATE, ArousalProfile, Recommendation
from emomem.viz import arousal_profile, require_matplotlib
from langchain_emomem.cli import appraisers
from langchain_emomem.cli.appraisers import DEFAULT_APPRAISER, AppraiserOption, read_batches
from langchain_emomem.cli.errors import CommandError, UsageError, one_line_errors
from langchain_emomem.cli.load import load
from langchain_emomem.cli.stored import stored
from langchain_emomem.cli.terminal import (
    JsonOption,
    TextColumnOption,
    open_console,
    progress_bar,
)

_PICTURE: Final = Path("arousal-profile.png")
_FORMATS: Final = (".png", ".svg", ".pdf")
_BAR_WIDTH: Final = 30


def profile(  # noqa: PLR0913, PLR0917 - a command's options
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE",
            help="JSONL, CSV or plain text, one text a line; tags in it are used.",
        ),
    ] = None,
    chroma: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="In place of a file: the folder of a Chroma store, which is only read.",
        ),
    ] = None,
    collection: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Which of its collections; not needed if it is alone."),
    ] = None,
    appraiser: AppraiserOption = DEFAULT_APPRAISER,
    text_column: TextColumnOption = None,
    target_rate: Annotated[
        float | None,
        typer.Option(
            metavar="0..1",
            help=f"Largest share of texts to encode deeply; {TARGET_RATE} if left out.",
        ),
    ] = None,
    budget: Annotated[
        int | None,
        typer.Option(metavar="N", help="Most texts to encode deeply, in place of a rate."),
    ] = None,
    picture: Annotated[
        Path, typer.Option(metavar="FILE", help="Where to draw it: PNG, SVG or PDF.")
    ] = _PICTURE,
    no_picture: Annotated[bool, typer.Option("--no-picture", help="Draw nothing.")] = False,
    as_data: JsonOption = False,
) -> None:
    """Show the arousal of a file's or a store's texts, and recommend a threshold for deep encoding.

    Texts that are tagged are not read again. A memory of several vectors counts once.

    \b
    Examples:
      emomem profile chat.jsonl
      emomem profile tagged.csv --budget 500 --no-picture
      emomem profile --chroma ./db --collection memories
    """  # noqa: D301 - \b keeps the lines of the examples
    with one_line_errors("emomem profile"):
        _check_limit(target_rate, budget)
        if not no_picture:
            _check_picture(picture)
        source, documents = _documents(file, chroma, collection, text_column)
        read_by = _tag(documents, appraiser)
        try:
            found = ArousalProfile.from_metadata([document.metadata for document in documents])
        except ValueError as error:
            msg = f"{error}; {read_by or 'what tagged them'} reads none"
            raise CommandError(msg) from None
        recommended = found.recommend(target_rate, budget=budget)
        if not no_picture:
            _draw(found, recommended, picture)
        facts = {
            "source": source,
            "appraiser": read_by,
            **found.to_dict(recommended),
            "picture": None if no_picture else str(picture),
        }
        if as_data:
            typer.echo(json.dumps(facts, indent=2))
        else:
            _show(facts)


def _documents(
    file: Path | None, chroma: Path | None, collection: str | None, text_column: str | None
) -> tuple[str, list[Document]]:
    """What is profiled, and its name.

    Raises:
        CommandError: It cannot be read.
    """
    if (file is None) == (chroma is None):
        msg = "give a FILE or --chroma, one of them"
        raise UsageError(msg)
    if chroma is None:
        if collection is not None:
            msg = "--collection needs --chroma"
            raise UsageError(msg)
        assert file is not None  # noqa: S101 - one of them is given
        return str(file), load(file, text_column)
    if text_column is not None:
        msg = "--text-column is of a FILE, and a store has one text a memory"
        raise UsageError(msg)
    return stored(chroma, collection)


def _check_limit(target_rate: float | None, budget: int | None) -> None:
    if target_rate is not None and budget is not None:
        msg = "give --target-rate or --budget, not both"
        raise UsageError(msg)
    if target_rate is not None and not 0 <= target_rate <= 1:
        msg = f"--target-rate must be in 0..1, got {target_rate}"
        raise UsageError(msg)
    if budget is not None and budget < 0:
        msg = f"--budget must be at least 0, got {budget}"
        raise UsageError(msg)


def _check_picture(picture: Path) -> None:
    """What would keep it from being drawn, before anything is read."""
    if picture.suffix.lower() not in _FORMATS:
        msg = f"--picture must end in {', '.join(_FORMATS)}, got {picture.name}"
        raise UsageError(msg)
    if not picture.parent.is_dir():
        msg = f"no such folder: {picture.parent}"
        raise UsageError(msg)
    try:
        require_matplotlib()
    except ImportError as error:
        msg = f"{error}; or give --no-picture"
        raise CommandError(msg) from None


def _tag(documents: list[Document], appraiser: str) -> str | None:
    """Tag the documents that have no tag, and return by whom; None where all of them had."""
    keys = set(DEFAULT_FIELDS.keys())
    untagged = [document for document in documents if keys.isdisjoint(document.metadata)]
    if not untagged:
        return None
    appraisers.prepare_environment(appraiser)
    reader = appraisers.open_appraiser(appraiser)
    with progress_bar() as progress:
        tagging = progress.add_task("Tagging", total=len(untagged))
        rest = iter(untagged)
        for affects in read_batches(reader, [document.page_content for document in untagged]):
            for affect in affects:
                next(rest).metadata.update(encode(affect))
            progress.advance(tagging, len(affects))
    return reader.title


def _draw(found: ArousalProfile, recommended: Recommendation, picture: Path) -> None:
    try:
        arousal_profile(found, recommended).savefig(picture)
    except OSError as error:
        msg = f"cannot write {picture}: {error.strerror}"
        raise CommandError(msg) from None


def _show(facts: dict[str, Any]) -> None:
    console = open_console()
    read_by = facts["appraiser"] or "whoever tagged them"
    console.print(
        f"{facts['n']:,} texts from {facts['source']}, arousal known for {facts['known']:,}. "
        f"Feelings read by {read_by}.\n",
        markup=False,
    )
    least, p5, p25, median, p75, p95, most = facts["quantiles"].values()
    console.print(
        f"Arousal runs from {least:.2f} to {most:.2f}: mean {facts['mean']:.2f}, standard "
        f"deviation {facts['deviation']:.2f}, median {median:.2f}. Half of the texts lie in "
        f"{p25:.2f}..{p75:.2f}, nine of ten in {p5:.2f}..{p95:.2f}.\n"
    )
    rates = Table("Threshold", "Deep-encoded", "", box=HORIZONTALS)
    for threshold, rate in facts["trigger_rates"].items():
        bar = ProgressBar(1, rate, _BAR_WIDTH, complete_style="cyan", finished_style="cyan")
        rates.add_row(threshold, f"{rate:.1%}", bar)
    console.print(rates)
    recommended = facts["recommended"]
    console.print(f"Recommended threshold: {recommended['threshold']:.2f}", style="bold")
    console.print(f"It is {recommended['reason']}.", markup=False)
    if facts["picture"]:
        console.print(f"Picture: {facts['picture']}", markup=False)
