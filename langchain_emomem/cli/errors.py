"""How a command fails: one line on stderr that says what to do, and never a memory's text."""

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar

import typer


class CommandError(Exception):
    """What went wrong and what to do, in one line."""

    exit_code: ClassVar[int] = 1


class UsageError(CommandError):
    """The command was called wrongly."""

    exit_code: ClassVar[int] = 2


class StoppedError(CommandError):
    """The user stopped the command."""

    exit_code: ClassVar[int] = 130


def check_at_least_one(option: str, value: int) -> None:
    """Refuse a count below 1.

    Raises:
        UsageError: It is.
    """
    if value < 1:
        msg = f"{option} must be at least 1, got {value}"
        raise UsageError(msg)


def first_line(error: BaseException) -> str:
    """The first line of an error's message, or its type where it has none."""
    if isinstance(error, FileNotFoundError) and error.filename is not None:
        return f"no such file: {error.filename}"
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__


@contextmanager
def one_line_errors(command: str) -> Iterator[None]:
    """Report every failure of `command` in one line and exit.

    An unforeseen error's own message may quote a memory, so only its type and place are shown.
    """
    try:
        yield
    except CommandError as error:
        _fail(command, str(error), error.exit_code)
    except KeyboardInterrupt:
        _fail(command, "stopped", StoppedError.exit_code)
    except BrokenPipeError:
        raise  # typer ends quietly when the reader of a pipe has gone
    except Exception as error:  # noqa: BLE001 - a traceback could show memories
        place = traceback.extract_tb(error.__traceback__)[-1]
        what = f"unexpected {type(error).__name__} in {place.filename}:{place.lineno}"
        _fail(command, f"{what}; please report it", CommandError.exit_code)


def _fail(command: str, message: str, code: int) -> None:
    typer.echo(f"{command}: {message}", err=True)
    raise typer.Exit(code) from None
