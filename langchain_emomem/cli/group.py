"""How `emomem` lists its commands, and answers a call that it does not understand."""

import sys
from typing import Any, Final, cast

import typer
from typer.core import TyperGroup

from langchain_emomem.cli.errors import StoppedError

_CalledWrongly: Final = cast(
    "type[typer.BadParameter]",
    typer.BadParameter.__mro__[1],  # typer shows its UsageError under no name
)


class CommandGroup(TyperGroup):
    """Commands under headings; a wrong call is one line that says where the help is."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 - typer's own
        """Write the commands' names and what they do, under the headings they were given."""
        commands = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        width = max(map(len, commands))
        headings: dict[str, list[tuple[str, str]]] = {}
        for name, command in commands.items():
            if command is not None and not command.hidden:
                heading = getattr(command, "rich_help_panel", None) or "Commands"
                told = command.get_short_help_str(formatter.width - width - 6)
                headings.setdefault(heading, []).append((name.ljust(width), told))
        for heading, rows in headings.items():
            with formatter.section(heading):
                formatter.write_dl(rows)

    def main(self, *args: Any, **options: Any) -> Any:  # noqa: ANN401 - the same
        """Run the command that the arguments name, and exit with its code."""
        if not options.pop("standalone_mode", True):
            return super().main(*args, **options, standalone_mode=False)  # type: ignore[misc]
        try:
            code = super().main(*args, **options, standalone_mode=False)  # type: ignore[misc]
        except _CalledWrongly as error:
            code = error.exit_code
            typer.echo(_told(error), err=True)
        except typer.Abort:
            code = StoppedError.exit_code
        sys.exit(code)


def _told(error: typer.BadParameter) -> str:
    """What was wrong, in a line; the help where nothing was asked for."""
    message = error.format_message()
    if error.ctx is None:
        return message
    if message == error.ctx.get_help():
        return message
    path = error.ctx.command_path
    what = " ".join(message.split()).rstrip(".")
    return f"{path}: {what}; see {path} --help"
