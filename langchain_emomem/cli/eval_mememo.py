"""`emomem eval mememo`: the four pillars of emotion in memory, for three memories and your own."""

import hashlib
import importlib
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

import typer

from langchain_emomem.cli.appraisers import (
    DEFAULT_APPRAISER,
    AppraiserOption,
    open_appraiser,
    prepare_environment,
)
from langchain_emomem.cli.chat_models import CHAT_HELP, CHAT_METAVAR
from langchain_emomem.cli.errors import (
    CommandError,
    UsageError,
    check_at_least_one,
    first_line,
    one_line_errors,
)
from langchain_emomem.cli.eval import DataOption, show_tables
from langchain_emomem.cli.kept_models import open_both
from langchain_emomem.cli.measuring import measuring
from langchain_emomem.cli.terminal import JsonOption

if TYPE_CHECKING:
    from emomem.evaluation.answers import Answers, KeptChatModel
    from emomem.evaluation.mememo_report import MemEmoReport
    from emomem.evaluation.readings import Progress

_LONGEST: Final = 600
"""Tokens of an answer: a small model does not always stop by itself."""


class _Asked(NamedTuple):
    """What is measured, as the options say it."""

    data: Path
    out: Path
    appraiser: str
    agent: str | None
    stories: int | None
    force: bool


def mememo(  # noqa: PLR0913, PLR0917 - a command's options
    data: DataOption = Path("../shared/data"),
    out: Annotated[
        Path,
        typer.Option(
            metavar="FOLDER",
            help="Where to write the report, and to keep readings and answers.",
        ),
    ] = Path("out/mememo"),
    appraiser: AppraiserOption = DEFAULT_APPRAISER,
    agent: Annotated[
        str | None,
        typer.Option(
            metavar="MODULE:NAME",
            help="Your own beside them: agent(messages) -> str, or a memory with save and recall, "
            "or what makes an empty one. The module is imported from here.",
        ),
    ] = None,
    generator: Annotated[
        str | None,
        typer.Option(
            metavar=CHAT_METAVAR, help=f"Answers out of what a memory brings back: {CHAT_HELP}."
        ),
    ] = None,
    judge: Annotated[
        str | None,
        typer.Option(
            metavar=CHAT_METAVAR, help="Judges answers; of another vendor than the generator."
        ),
    ] = None,
    stories: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="How many histories and moments of each language; else all."
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Allow a judge of the generator's vendor.")
    ] = False,
    as_data: JsonOption = False,
) -> None:
    """Measure emotion in memory: encoding, affective retrieval, reasoning, empathic response.

    Our memory, a plain vector memory and LangGraph's store, on histories of our own and on public
    data. Without --generator nothing is answered out of what they bring back, without --judge
    nothing is graded; all else needs no model. What was read and answered is kept in the output
    folder: a run that was stopped goes on where it was.

    \b
    Examples:
      emomem eval mememo --data ../shared/data --out out/mememo
      emomem eval mememo --agent my_app:answer
      emomem eval mememo --generator openai:gpt-4.1-mini \\
          --judge anthropic:claude-sonnet-4-5
    """  # noqa: D301 - \b keeps the lines of the examples
    with one_line_errors("emomem eval mememo"):
        if stories is not None:
            check_at_least_one("--stories", stories)
        if judge is not None and generator is None and agent is None:
            msg = "--judge needs a --generator, or an --agent that answers"
            raise UsageError(msg)
        from emomem.evaluation.answers import Answers  # noqa: PLC0415 - heavy
        from emomem.evaluation.suites.mememo import ANSWERS  # noqa: PLC0415 - the same

        prepare_environment(appraiser)
        asked = _Asked(data, out, appraiser, agent, stories, force)
        with measuring() as progress:
            answers = Answers(out / ANSWERS)
            models, forced = open_both(generator, judge, answers, force, max_tokens=_LONGEST)
            report = _report(asked, models, answers, progress, forced=forced)
            written = report.write(out)
        if as_data:
            typer.echo((out / "mememo.json").read_text(encoding="utf-8"))
        else:
            show_tables(report.notes, report.tables(), written)


def _report(
    asked: _Asked,
    models: "dict[str, KeptChatModel]",
    answers: "Answers",
    progress: "Progress",
    *,
    forced: bool,
) -> "MemEmoReport":
    from emomem.evaluation.suites.mememo import Setting, measure  # noqa: PLC0415 - only when run
    from langchain_emomem.evaluation import default_memories  # noqa: PLC0415 - the same

    own = {} if asked.agent is None else {asked.agent: load_agent(asked.agent, answers)}
    embedded = asked.appraiser == DEFAULT_APPRAISER
    # What the embedded model reads is kept from run to run.
    appraiser = None if embedded else open_appraiser(asked.appraiser).appraiser
    setting = Setting(asked.data, appraiser, asked.stories, progress)
    agents = {**default_memories(appraiser), **own}
    try:
        return measure(agents, setting, models, asked.out, forced=forced)
    except Exception as error:
        if asked.agent is None or (told := _own_failure(asked.agent, error)) is None:
            raise
        msg = f"--agent {asked.agent}: {told}"
        raise CommandError(msg) from None


def _own_failure(agent: str, error: Exception) -> str | None:
    """Why the user's own agent failed; None where something else did. It quotes no text."""
    from emomem.evaluation import agents  # noqa: PLC0415 - only when it failed

    raised = error.__cause__ or error
    frames = traceback.extract_tb(raised.__traceback__)
    if frames and frames[-1].filename == agents.__file__:
        return first_line(raised)
    source = getattr(sys.modules[agent.partition(":")[0]], "__file__", None)
    lines = [frame.lineno for frame in frames if frame.filename == source]
    if source is None or not lines:
        return None
    return f"{type(raised).__name__} in {Path(source).name}, line {lines[-1]}"


def load_agent(name: str, answers: "Answers") -> Any:  # noqa: ANN401 - of any make
    """What a module of the user's has under a name, its answers kept until the module changes.

    Args:
        name: "module:name"; the module is looked for in the working folder too.
        answers: Where its answers are kept.

    Raises:
        UsageError: The option has not that form, or there is no such module or name.
        CommandError: The module cannot be imported, or what it has is no agent and no memory.
    """
    from emomem.evaluation.agents import Answering, as_subject  # noqa: PLC0415 - only when run
    from emomem.evaluation.answers import KeptChatModel  # noqa: PLC0415 - the same

    module, _, attribute = name.partition(":")
    if not module or not attribute:
        msg = f"--agent must be MODULE:NAME, as my_app:answer, got {name}"
        raise UsageError(msg)
    if "" not in sys.path and str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        found: Any = importlib.import_module(module)
    except ModuleNotFoundError as error:
        msg = f"--agent {name}: {first_line(error)}; run it where the module is"
        raise UsageError(msg) from None
    except Exception as error:  # noqa: BLE001 - a module of the user's own
        msg = f"--agent {name}: {module} fails with {type(error).__name__}: {first_line(error)}"
        raise CommandError(msg) from None
    source = getattr(found, "__file__", None)
    for part in attribute.split("."):
        if not hasattr(found, part):
            msg = f"--agent {name}: {module} has no {attribute}"
            raise UsageError(msg)
        found = getattr(found, part)
    try:
        subject = as_subject(found)
    except TypeError as error:
        msg = f"--agent {name}: {first_line(error)}"
        raise CommandError(msg) from None
    if not isinstance(subject, Answering):
        return subject
    written = Path(source).read_bytes() if source else b""
    digest = hashlib.sha256(written).hexdigest()[:8]
    return KeptChatModel(subject, f"{name}, {digest}", answers)
