"""`emomem simulate`: an agent lives through the days of a scenario."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from rich.console import Console

from emomem.emotions import PLUTCHIK
from emomem.files import replace_file
from langchain_emomem.cli import appraisers
from langchain_emomem.cli.appraisers import DEFAULT_APPRAISER, AppraiserOption
from langchain_emomem.cli.chat_models import CHAT_HELP, CHAT_METAVAR, open_chat_model
from langchain_emomem.cli.errors import (
    CommandError,
    StoppedError,
    UsageError,
    check_at_least_one,
    first_line,
    one_line_errors,
)
from langchain_emomem.cli.terminal import JsonOption, open_console, progress_bar

if TYPE_CHECKING:
    from emomem.agent import Controller, Simulation, Trace
    from emomem.protocols import ChatModel
    from emomem.scenarios import Scenario

TRACE: Final = "trace.jsonl"
OPERATIONS: Final = "operations.jsonl"
PICTURE: Final = "days.png"

_BY_TENDENCY: Final = (
    "No --model: nothing is reflected on or dreamt, the first impulse alone decides, and affect "
    "follows what each event feels like."
)
_FELT: Final = 0.05
"""Below that a level is shown as none."""


def simulate(  # noqa: PLR0913, PLR0917 - a command's options
    scenario: Annotated[
        str, typer.Argument(metavar="SCENARIO", help="The id of a shipped scenario, or a file.")
    ],
    days: Annotated[int, typer.Option(metavar="N", help="How many of its days.")] = 3,
    model: Annotated[
        str | None,
        typer.Option(
            metavar=CHAT_METAVAR,
            help=f"Reflects and dreams: {CHAT_HELP}; without it, the first impulse alone decides.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Where to write; out/simulate/SCENARIO if left out.",
        ),
    ] = None,
    appraiser: AppraiserOption = DEFAULT_APPRAISER,
    as_data: JsonOption = False,
) -> None:
    """Let an agent live through the days of a scenario, and write down every variable.

    It recalls, weighs its first impulse against its persona, beliefs and relations, speaks, acts
    and remembers; each night it dreams. Writes trace.jsonl (every step, with texts),
    operations.jsonl (every change of its memory, without texts) and days.png (affect and salience
    over time). A run that is stopped leaves the days that were over; files of an earlier run stay
    until its first day is.

    \b
    Examples:
      emomem simulate household
      emomem simulate stolen_idea --days 2 --model openai:gpt-4.1-mini
      emomem simulate my_scenario.json --model http://127.0.0.1:8080/v1
    """  # noqa: D301 - \b keeps the lines of the examples
    with one_line_errors("emomem simulate"):
        check_at_least_one("--days", days)
        lived = _scenario(scenario, days)
        chat = None if model is None else _chat_model(model)
        appraisers.prepare_environment(appraiser)
        folder = Path("out/simulate") / Path(scenario).stem if out is None else out
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with TemporaryDirectory() as aside, progress_bar() as bar:
                log = Path(aside) / OPERATIONS
                task = bar.add_task("Loading the models", total=None)
                simulation = _simulation(lived, chat, appraiser, log)
                over = 0
                try:
                    for over in simulation.days(  # noqa: B007 - told where it stops
                        days,
                        lambda done, total: bar.update(
                            task, description="Living", completed=done, total=total
                        ),
                    ):
                        _replace_files(simulation.controller, log, folder)
                except KeyboardInterrupt:
                    traces = [one for one in simulation.controller.traces if one.day <= over]
                    _write_picture(traces, lived, folder)
                    left = f"{over} of {days} days are in {folder}" if over else "no day was over"
                    msg = f"stopped; {left}"
                    raise StoppedError(msg) from None
            traces = simulation.controller.traces
            skipped = _write_picture(traces, lived, folder)
        except (OSError, ValueError, ImportError) as error:
            # None of these quotes a text of the scenario.
            raise CommandError(first_line(error)) from None
        notes = [
            note for note in (None if model else _BY_TENDENCY, _failed(traces), skipped) if note
        ]
        if as_data:
            typer.echo(json.dumps(_as_data(traces, lived, model, notes, folder), indent=2))
        else:
            _show(open_console(), traces, lived, notes, folder)


def _scenario(name: str, days: int) -> "Scenario":
    """The scenario, which has so many days.

    Raises:
        CommandError: It cannot be read.
        UsageError: It has fewer.
    """
    from emomem.scenarios import load_scenario  # noqa: PLC0415 - only when run

    try:
        found = load_scenario(name)
    except (OSError, ValueError) as error:
        raise CommandError(first_line(error)) from None
    if len(found.days) < days:
        has = f"{len(found.days)} days" if found.days else 'no "days"'
        msg = f"{name} has {has}, and --days asks for {days}"
        raise UsageError(msg)
    return found


def _chat_model(name: str) -> "ChatModel":
    from langchain_emomem.chat import LangChainChatModel  # noqa: PLC0415 - only with a model

    return LangChainChatModel(open_chat_model("--model", name))


def _simulation(
    scenario: "Scenario", chat: "ChatModel | None", appraiser: str, log: Path
) -> "Simulation":
    from emomem.agent import Simulation  # noqa: PLC0415 - only when run
    from emomem.appraisal.conflict import ConflictAppraiser  # noqa: PLC0415 - the same
    from emomem.memory import JsonLinesLog  # noqa: PLC0415 - the same

    reader = ConflictAppraiser(appraisers.open_appraiser(appraiser).appraiser)
    return Simulation(scenario, chat, appraiser=reader, log=JsonLinesLog(log))


def _replace_files(controller: "Controller", log: Path, folder: Path) -> None:
    """Put the days that are over in place of what the folder holds; its picture is of others."""
    controller.dump_trace(folder / TRACE)
    replace_file(folder / OPERATIONS, log.read_bytes())
    (folder / PICTURE).unlink(missing_ok=True)


def _write_picture(traces: "list[Trace]", scenario: "Scenario", folder: Path) -> str | None:
    """Write the picture; why it could not be drawn, where it could not."""
    from emomem.agent.picture import draw_days  # noqa: PLC0415 - only when run

    if not traces:
        return None
    try:
        picture = draw_days(traces, scenario.title)
    except ImportError as error:
        return f"No picture: {error}"
    picture.savefig(folder / PICTURE)
    return None


def _failed(traces: "list[Trace]") -> str | None:
    """How often the model gave nothing usable, where it did."""
    failed = sum(one.decision.failure is not None for one in traces)
    if not failed:
        return None
    return f"In {failed} of {len(traces)} steps the model gave nothing usable: the impulse decided."


def _as_data(
    traces: "list[Trace]", scenario: "Scenario", model: str | None, notes: list[str], folder: Path
) -> dict[str, Any]:
    return {
        "scenario": scenario.id,
        "model": model,
        "notes": notes,
        "steps": [
            {
                "day": one.day,
                "step": one.step,
                "observation": one.observation,
                **one.decision.model_dump(mode="json"),
                "affect": one.after.affect,
                "relations": one.after.relations,
            }
            for one in traces
        ],
        "files": [str(folder / name) for name in _written(folder)],
    }


def _show(
    console: Console, traces: "list[Trace]", scenario: "Scenario", notes: list[str], folder: Path
) -> None:
    def line(text: str = "") -> None:
        console.print(text, markup=False)

    line(scenario.title)
    for note in notes:
        line(note)
    day = 0
    for one in traces:
        if one.day != day:
            day = one.day
            line(f"\nDay {day}")
        decision = one.decision
        line(f"\n{one.step}. {one.observation}")
        if decision.speech:
            line(f"   says: {decision.speech}")
        line(f"   does: {decision.action}")
        by = f"decided by {decision.decided_by}"
        if decision.failure:
            by += f" ({decision.failure})"
        line(f"   {by}; impulse {decision.impulse}, conflict {decision.conflict:.2f}")
        line(f"   feels: {_felt(one)}")
        if decision.relation_changes:
            relations = one.after.relations
            moved = [f"{name} {relations[name]:+.1f}" for name in decision.relation_changes]
            line(f"   towards: {', '.join(moved)}")
        if decision.operations:
            done = ", ".join(f"{done.operation} {done.unit_id}" for done in decision.operations)
            line(f"   memory: {done}")
    line(f"\nWritten to {folder}: {', '.join(_written(folder))}")


def _written(folder: Path) -> list[str]:
    return [name for name in (TRACE, OPERATIONS, PICTURE) if (folder / name).is_file()]


def _felt(trace: "Trace") -> str:
    levels = trace.after.affect
    shown = [f"{name} {levels[name]:.1f}" for name in PLUTCHIK if levels.get(name, 0) >= _FELT]
    return ", ".join(shown) or "nothing"
