"""`emomem eval generations`: texts of a chat model over what each architecture recalls."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple

import typer

from langchain_emomem.cli.appraisers import DEFAULT_APPRAISER, prepare_environment
from langchain_emomem.cli.chat_models import (
    CHAT_HELP,
    CHAT_METAVAR,
    open_chat_model,
    vendor,
)
from langchain_emomem.cli.errors import (
    UsageError,
    check_at_least_one,
    one_line_errors,
)
from langchain_emomem.cli.eval import show_tables
from langchain_emomem.cli.kept_models import open_judge
from langchain_emomem.cli.measuring import measuring
from langchain_emomem.cli.terminal import JsonOption

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    from emomem.evaluation.answers import Answers, KeptChatModel
    from emomem.evaluation.generations import Generations
    from emomem.evaluation.readings import Progress
    from emomem.scenarios import Scenario

_TEMPERATURE: Final = 0.7
"""At 0 the outputs of several seeds would be one and the same."""
_LONGEST: Final = 1024
"""Tokens of an output: far more than the sentences that are asked for."""


class _Set(NamedTuple):
    """What is generated.

    Attributes:
        model: The name of the chat model.
        judge: That of the judge; None where there is none.
        scenarios: What it is about.
        seeds: One output each.
        concurrency: How many calls of a model run at a time.
        force: Whether the judge may be of the model's vendor.
    """

    model: str
    judge: str | None
    scenarios: "list[Scenario]"
    seeds: list[int]
    concurrency: int
    force: bool


def generations(  # noqa: PLR0913, PLR0917 - a command's options
    model: Annotated[
        str, typer.Option(metavar=CHAT_METAVAR, help=f"Writes the outputs: {CHAT_HELP}.")
    ],
    judge: Annotated[
        str | None,
        typer.Option(
            metavar=CHAT_METAVAR,
            help="Grades the outputs on the raters' scales; of another vendor than the model.",
        ),
    ] = None,
    scenarios: Annotated[
        str | None,
        typer.Option(
            metavar="A,B,…", help="Ids of shipped scenarios, or JSON files; else the paper's three."
        ),
    ] = None,
    seeds: Annotated[
        str | None, typer.Option(metavar="N,N,…", help="One output each; else 101,202,303.")
    ] = None,
    out: Annotated[
        Path,
        typer.Option(
            metavar="FOLDER",
            help="Where to write the outputs, and to keep the answers of the models.",
        ),
    ] = Path("out/generations"),
    concurrency: Annotated[
        int, typer.Option(metavar="N", help="How many calls of a model run at a time.")
    ] = 8,
    force: Annotated[
        bool, typer.Option("--force", help="Allow a judge of the model's vendor.")
    ] = False,
    as_data: JsonOption = False,
) -> None:
    """Let a chat model speak as the person of each scenario, over what each architecture recalls.

    The arms are those of `emomem eval crr`: full, semantic ablation and single store, each with
    as many memories. `emomem ratings make` makes packets for human raters of the outputs. Answers
    are kept in the output folder: a run that was stopped goes on where it was.

    \b
    Examples:
      emomem eval generations --model openai:gpt-4.1-mini \\
          --judge anthropic:claude-sonnet-4-5
      emomem eval generations --model http://127.0.0.1:8080/v1 --seeds 101
    """  # noqa: D301 - \b keeps the lines of the examples
    with one_line_errors("emomem eval generations"):
        check_at_least_one("--concurrency", concurrency)
        numbers = _seeds(seeds)
        from emomem.evaluation.answers import Answers  # noqa: PLC0415 - heavy

        prepare_environment(DEFAULT_APPRAISER)
        with measuring() as progress:
            chosen = _Set(model, judge, _scenarios(scenarios), numbers, concurrency, force)
            answers = Answers(out / "answers.jsonl")
            made = _generated(chosen, answers, progress)
            written = made.write(out)
        if as_data:
            typer.echo((out / "generations.json").read_text(encoding="utf-8"))
        else:
            show_tables(made.notes, made.tables(), written)


def _generated(chosen: _Set, answers: "Answers", progress: "Progress") -> "Generations":
    """Generate, and have it judged where there is a judge.

    Raises:
        CommandError: A model cannot be made, or the judge is of the model's vendor.
    """
    from emomem.evaluation import generations as core  # noqa: PLC0415 - only when run
    from emomem.evaluation.costs import Role  # noqa: PLC0415 - the same

    chat = open_chat_model("--model", chosen.model, temperature=_TEMPERATURE, max_tokens=_LONGEST)
    models = {seed: _seeded(chat, chosen.model, seed, answers) for seed in chosen.seeds}
    vendors = [vendor(chosen.model, chat)]
    judge, forced = open_judge(chosen.judge, answers, vendors, chosen.force)
    told = core.tell(chosen.scenarios, core.recall_by_architecture)
    outputs = core.generate(told, models, chosen.model, progress, chosen.concurrency)
    if judge is not None:
        outputs = core.judge(outputs, judge, progress, chosen.concurrency)
    roles = {f"model, seed {seed}": Role.of(kept) for seed, kept in models.items()}
    roles |= {} if judge is None else {"judge": Role.of(judge)}
    return core.Generations(told, chosen.seeds, outputs, roles, _takes_seed(chat), forced)


def _seeded(chat: "BaseChatModel", name: str, seed: int, answers: "Answers") -> "KeptChatModel":
    """The model with a seed, whose answers are kept by it, whether it takes one or not."""
    from emomem.evaluation.answers import KeptChatModel  # noqa: PLC0415 - only when run
    from langchain_emomem.deep_encoder import TellingChatModel  # noqa: PLC0415 - the same

    own = chat.model_copy(update={"seed": seed}) if _takes_seed(chat) else chat
    told = f"{name} at temperature {_TEMPERATURE:g}, seed {seed}"
    return KeptChatModel(TellingChatModel(own), told, answers)


def _takes_seed(chat: "BaseChatModel") -> bool:
    return "seed" in type(chat).model_fields


def _scenarios(given: str | None) -> "list[Scenario]":
    """The scenarios of the option.

    Raises:
        UsageError: One is given twice.
        OSError: There is none of a name.
        ValueError: A file is none.
    """
    from emomem.evaluation.generations import SCENARIOS  # noqa: PLC0415 - only when run
    from emomem.scenarios import load_scenario  # noqa: PLC0415 - the same

    names = SCENARIOS if given is None else _split("--scenarios", given)
    found = [load_scenario(name) for name in names]
    if len({one.id for one in found}) < len(found):
        msg = f"--scenarios must name each once, got {given}"
        raise UsageError(msg)
    return found


def _seeds(given: str | None) -> list[int]:
    from emomem.evaluation.generations import SEEDS  # noqa: PLC0415 - only when run

    if given is None:
        return list(SEEDS)
    try:
        found = [int(one) for one in _split("--seeds", given)]
    except ValueError:
        msg = f"--seeds must be whole numbers such as 101,202, got {given}"
        raise UsageError(msg) from None
    if len(set(found)) < len(found):
        msg = f"--seeds must name each once, got {given}"
        raise UsageError(msg)
    return found


def _split(option: str, given: str) -> list[str]:
    parts = [part.strip() for part in given.split(",") if part.strip()]
    if not parts:
        msg = f"{option} must name at least one, got {given!r}"
        raise UsageError(msg)
    return parts
