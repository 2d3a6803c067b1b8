"""`emomem ratings`: blinded packets for human raters, their import, and a self-check."""

import json
import math
from pathlib import Path
from typing import Annotated, Final

import typer

from emomem.prompts import Language
from langchain_emomem.cli.errors import (
    CommandError,
    UsageError,
    check_at_least_one,
    first_line,
    one_line_errors,
)
from langchain_emomem.cli.eval import show_tables
from langchain_emomem.cli.terminal import JsonOption

_FEWEST: Final = 2

app = typer.Typer(
    name="ratings",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.callback()
def ratings() -> None:
    """Human ratings: make blinded packets, read them filled in, check the statistics.

    \b
    Example:
      emomem ratings simulate
    """  # noqa: D301 - \b keeps the line of the example


@app.command(short_help="Make blinded packets for raters, and the key.")
def make(  # noqa: PLR0913, PLR0917 - a command's options
    generations: Annotated[
        Path,
        typer.Argument(
            metavar="GENERATIONS.jsonl",
            help="What `emomem eval generations` wrote, or lines with id, scenario, arm and text.",
        ),
    ],
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="A new folder for the study.")],
    raters: Annotated[int, typer.Option(metavar="N", help="How many people rate.")] = 3,
    seed: Annotated[
        int | None,
        typer.Option(metavar="N", help="Of names and orders; else drawn, and kept in the key."),
    ] = None,
    language: Annotated[
        Language | None, typer.Option(help="Of the form; else that of the outputs.")
    ] = None,
    as_data: JsonOption = False,
) -> None:
    """Make a packet for each rater: a form that works offline, and the same as CSV.

    Every rater gets all outputs, under names that tell nothing and in an order of their own. Send
    each the HTML form or the CSV, and keep key.json to yourself: it tells which arm an item is.

    \b
    Examples:
      emomem ratings make out/generations/generations.jsonl --raters 3 --out study
      emomem ratings make mine.jsonl --raters 5 --language pt --out study
    """  # noqa: D301 - \b keeps the lines of the examples
    with one_line_errors("emomem ratings make"):
        check_at_least_one("--raters", raters)
        from emomem.evaluation.ratings.outputs import read_outputs  # noqa: PLC0415 - only when run
        from emomem.evaluation.ratings.packets import make_packets  # noqa: PLC0415 - the same

        try:
            packets = make_packets(read_outputs(generations), raters, seed, language)
            written = packets.write(out)
        except (OSError, ValueError) as error:
            raise CommandError(first_line(error)) from None
        *files, scales, key = map(str, written)
        counts = {"items": len(packets.outputs), "arms": len(packets.key.arms), "raters": raters}
        if as_data:
            typer.echo(
                json.dumps({**counts, "packets": files, "scales": scales, "key": key}, indent=2)
            )
            return
        typer.echo(", ".join(f"{count} {what}" for what, count in counts.items()))
        forms, tables = ([one for one in files if one.endswith(end)] for end in (".html", ".csv"))
        typer.echo(f"Send each rater a form: {', '.join(forms)}")
        typer.echo(f"Or a table, and {scales}: {', '.join(tables)}")
        typer.echo(f"Show no rater: {key}")
        typer.echo(f"Then: emomem ratings read ANSWERS.csv… --key {key} --out {out}")


@app.command(short_help="Read filled-in packets: means, differences, agreement.")
def read(  # noqa: PLR0913, PLR0917 - a command's options
    files: Annotated[
        list[Path],
        typer.Argument(metavar="ANSWERS.csv…", help="Filled-in packets, one file a rater."),
    ],
    key: Annotated[Path, typer.Option(metavar="FILE", help="The study's key.json.")],
    out: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Where to write ratings.md and ratings.json.")
    ] = Path("out/ratings"),
    published: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help='A table to print beside: JSON such as {"full": {"memory_use": 4.1}}.',
        ),
    ] = None,
    partial: Annotated[
        bool, typer.Option("--partial", help="Take what is not rated as missing.")
    ] = False,
    as_data: JsonOption = False,
) -> None:
    """Read filled-in packets: means of each arm, differences, and how far the raters agree.

    Every row that is wrong is named with its line, and then nothing is computed. Grades count as
    z-scores within each rater too; agreement is Krippendorff's alpha for ordered grades.

    \b
    Examples:
      emomem ratings read R1-answers.csv R2-answers.csv --key study/key.json
      emomem ratings read study/R*.csv --key study/key.json --partial --json
    """  # noqa: D301 - \b keeps the lines of the examples
    with one_line_errors("emomem ratings read"):
        from emomem.evaluation.ratings.packets import read_key  # noqa: PLC0415 - only when run
        from emomem.evaluation.ratings.reading import (  # noqa: PLC0415 - the same
            RatingsError,
            read_ratings,
        )
        from emomem.evaluation.ratings.summary import (  # noqa: PLC0415 - the same
            PUBLISHED_RATINGS,
            read_published,
            summarize,
        )

        try:
            table = PUBLISHED_RATINGS if published is None else read_published(published)
            found = read_ratings(files, read_key(key), partial=partial)
            summary = summarize(found, table)
            written = summary.write(out)
        except RatingsError as error:
            for fault in error.faults:
                typer.echo(fault, err=True)
            msg = f"{len(error.faults)} faults, named above; mend them and run the same again"
            raise CommandError(msg) from None
        except (OSError, ValueError, ImportError) as error:
            raise CommandError(first_line(error)) from None
        if as_data:
            typer.echo((out / "ratings.json").read_text(encoding="utf-8"))
        else:
            show_tables(summary.notes, summary.tables(), written)


@app.command(short_help="Check the statistics on made-up raters.")
def simulate(  # noqa: PLR0913, PLR0917 - a command's options
    key: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Fill in the packets of this study, in place of a self-check."
        ),
    ] = None,
    out: Annotated[
        Path, typer.Option(metavar="FOLDER", help="With --key: where to write the answers.")
    ] = Path("out/simulated"),
    raters: Annotated[int, typer.Option(metavar="N", help="How many rate; not with --key.")] = 3,
    effect: Annotated[
        float, typer.Option(metavar="GRADES", help="How much better the first arm's texts are.")
    ] = 0.8,
    noise: Annotated[
        float, typer.Option(metavar="GRADES", help="With --key: how far raters stray.")
    ] = 0.5,
    seed: Annotated[int, typer.Option(metavar="N", help="With --key: of the grades.")] = 0,
    as_data: JsonOption = False,
) -> None:
    """Check the statistics on made-up raters, or fill in a study's packets to try the kit.

    The self-check makes 100 studies a row with a known effect, and with none, and shows what is
    found of it, and how alpha rises with agreement. What is made up says nothing of your texts.

    \b
    Examples:
      emomem ratings simulate
      emomem ratings simulate --raters 5 --effect 0.5 --json
      emomem ratings simulate --key study/key.json --out out/simulated
    """  # noqa: D301 - \b keeps the lines of the examples
    with one_line_errors("emomem ratings simulate"):
        _check_finite("--effect", effect)
        _check_finite("--noise", noise)
        from emomem.evaluation.ratings import simulation  # noqa: PLC0415 - only when run

        try:
            if key is not None:
                files = simulation.fill_in(key, out, effect, noise, seed)
                if as_data:
                    typer.echo(json.dumps({"answers": list(map(str, files))}, indent=2))
                else:
                    typer.echo(f"Written, made up: {', '.join(map(str, files))}")
                return
            _check_simulated(raters, effect)
            checks = simulation.self_check(raters, effect)
        except (OSError, ValueError, ImportError) as error:
            raise CommandError(first_line(error)) from None
        if as_data:
            typer.echo(json.dumps([vars(one) for one in checks], indent=2))
        else:
            show_tables([], [simulation.checks_table(checks)], [])


def _check_finite(option: str, value: float) -> None:
    if not math.isfinite(value):
        msg = f"{option} must be a finite number, got {value}"
        raise UsageError(msg)


def _check_simulated(raters: int, effect: float) -> None:
    if raters < _FEWEST:
        msg = f"--raters must be at least {_FEWEST}, who can agree, got {raters}"
        raise UsageError(msg)
    if not effect > 0:
        msg = f"--effect must be above 0, got {effect}"
        raise UsageError(msg)
