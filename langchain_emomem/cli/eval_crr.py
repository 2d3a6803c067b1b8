"""`emomem eval crr`: does what must come to mind in a conflict come to mind?"""

from pathlib import Path
from typing import Annotated

import typer

from emomem.scenarios.bank import BANK
from langchain_emomem.cli.appraisers import DEFAULT_APPRAISER, prepare_environment
from langchain_emomem.cli.errors import CommandError, UsageError, one_line_errors
from langchain_emomem.cli.eval import show_tables
from langchain_emomem.cli.measuring import make_folder, steps
from langchain_emomem.cli.terminal import JsonOption


def crr(
    scenarios: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Your own, one in each .json file (docs/crr.md); those shipped if left out.",
        ),
    ] = None,
    bank: Annotated[
        int,
        typer.Option(
            metavar="N", help="Affective memories of the bank that is mixed of all; 0 for no bank."
        ),
    ] = BANK,
    out: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Where to write tables, JSON and the picture.")
    ] = Path("out/crr"),
    as_data: JsonOption = False,
) -> None:
    """Measure the critical recall rate: what must come to mind in a conflict, and does.

    A person stands before a conflict. Ten of their memories are critical, many others are about
    the same things and mild, or intense and about others. Each arm recalls ten.

    \b
    Examples:
      emomem eval crr --out out/crr
      emomem eval crr --scenarios my_scenarios
    """  # noqa: D301 - \b keeps the lines of the example
    with one_line_errors("emomem eval crr"):
        if bank < 0:
            msg = f"--bank must be at least 0, got {bank}"
            raise UsageError(msg)
        if scenarios is not None and out.resolve() == scenarios.resolve():
            msg = f"--out must be another folder than --scenarios, got {out} for both"
            raise UsageError(msg)
        prepare_environment(DEFAULT_APPRAISER)
        from emomem import scenarios as shipped  # noqa: PLC0415 - only when run
        from emomem.evaluation.crr_report import CrrReport  # noqa: PLC0415 - the same
        from emomem.evaluation.metrics import require_eval  # noqa: PLC0415 - the same
        from emomem.evaluation.suites.crr import measure  # noqa: PLC0415 - the same

        try:
            require_eval()
            chosen = shipped.scenarios(scenarios)
            make_folder(out)
            with steps() as progress:
                found = measure(chosen, shipped.scenarios(), bank or None, progress=progress)
            report = CrrReport(found, shipped=scenarios is None)
            written = report.write(out)
        except (OSError, ValueError, ImportError) as error:
            # None of these quotes a memory.
            raise CommandError(str(error)) from None
        if as_data:
            typer.echo((out / "crr.json").read_text(encoding="utf-8"))
        else:
            show_tables((), report.tables(), written)
