"""The command `emomem`, an application of the LangChain plugin."""

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
    profile,
    ratings,
    simulate,
    tag,
)

__all__ = ["app"]

app = typer.Typer(
    name="emomem",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,  # a traceback with locals would show memories
    rich_markup_mode=None,  # plain help that reads well in a pipe
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def emomem() -> None:
    """Emotion-aware memory: recall by meaning and by feeling. Try `emomem demo`."""


for command in (demo.demo, tag.tag, profile.profile, simulate.simulate):
    app.command()(command)
eval.app.command()(eval_memory.memory)
eval.app.command()(eval_mememo.mememo)
eval.app.command()(eval_crr.crr)
eval.app.command()(eval_eem.eem)
eval.app.command()(eval_emotional_rag.emotional_rag)
eval.app.command()(eval_generations.generations)
app.add_typer(eval.app)
app.add_typer(ratings.app)
