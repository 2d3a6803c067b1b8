"""The command `emomem`, an application of the LangChain plugin."""

from collections.abc import Callable
from importlib.metadata import version
from typing import Annotated

import typer

from langchain_emomem.cli import (
    demo,
    eval,  # noqa: A004 - the command's name
    eval_crr,
    eval_eem,
    eval_emotional_rag,
    eval_generations,
    eval_mememo,
    eval_memory,
    inspect,
    profile,
    ratings,
    simulate,
    tag,
)
from langchain_emomem.cli.group import CommandGroup

__all__ = ["app"]

app = typer.Typer(
    name="emomem",
    cls=CommandGroup,
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,  # a traceback with locals would show memories
    rich_markup_mode=None,  # plain help that reads well in a pipe
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 done, 1 failed, 2 called wrongly, 130 stopped.",
)


def _tell_version(asked: bool) -> None:
    if asked:
        typer.echo(version("emomem"))
        raise typer.Exit


@app.callback()
def emomem(
    _: Annotated[
        bool, typer.Option("--version", callback=_tell_version, is_eager=True, hidden=True)
    ] = False,
) -> None:
    """Emotion-aware memory: recall by meaning and by feeling.

    Example: emomem demo
    """


def _add(
    to: typer.Typer, command: Callable[..., None], told: str, heading: str | None = None
) -> None:
    """Add a command under a heading, told in what fits a line of a screen."""
    to.command(short_help=told, rich_help_panel=heading)(command)


_add(app, demo.demo, "Plain recall beside recall with affect, on a diary or your file.", "Try it")
_add(app, simulate.simulate, "Let an agent live through the days of a scenario.", "Try it")
_add(app, tag.tag, "Write a file with the affect of each of its texts.", "Your memories")
_add(app, profile.profile, "How aroused texts are, and what to encode deeply.", "Your memories")
_add(app, inspect.inspect, "Look into a memory in a browser.", "Your memories")
_add(eval.app, eval_memory.memory, "The memory: served, kept, kept apart and forgotten.")
_add(eval.app, eval_mememo.mememo, "Four pillars of emotion in memory; your own agent too.")
_add(eval.app, eval_crr.crr, "What must come to mind in a conflict, and does.")
_add(eval.app, eval_eem.eem, "Deep encoding: replies, and what is recalled.")
_add(eval.app, eval_emotional_rag.emotional_rag, "Role play: who a character turns out to be.")
_add(eval.app, eval_generations.generations, "Let a model speak as the person of each scenario.")
app.add_typer(
    eval.app,
    rich_help_panel="Measure",
    short_help="Recall, memory, role play, agents: with numbers.",
)
app.add_typer(
    ratings.app,
    rich_help_panel="Measure",
    short_help="Human ratings: packets, their import, a self-check.",
)
