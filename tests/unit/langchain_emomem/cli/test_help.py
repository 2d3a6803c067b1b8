"""What holds for every command: examples, --json, a width that fits, one line on a wrong call."""

import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from langchain_emomem import __main__
from langchain_emomem.cli import app

WIDTH, HEIGHT = 80, 24


def walk(command, path=()):
    """Every command and group under a command, with the words that call it."""
    yield path, command
    for name, below in getattr(command, "commands", {}).items():
        yield from walk(below, (*path, name))


ALL = dict(walk(typer.main.get_command(app)))
COMMANDS = {path: command for path, command in ALL.items() if not hasattr(command, "commands")}
named = pytest.mark.parametrize("path", ALL, ids=" ".join)
runs = pytest.mark.parametrize("path", COMMANDS, ids=" ".join)


def helped(path):
    result = CliRunner().invoke(
        app, [*path, "--help"], terminal_width=WIDTH, prog_name="emomem", env={"COLUMNS": "80"}
    )
    assert result.exit_code == 0
    return result.stdout


@named
def test_help_has_an_example_of_the_very_command_and_fits_a_screens_width(path):
    lines = helped(path).splitlines()
    start = next(row for row, line in enumerate(lines) if line.strip().startswith("Example"))
    example = lines[start].partition(":")[2] or lines[start + 1]
    assert example.strip().startswith(" ".join(("emomem", *path)))
    assert not [line for line in lines if len(line) > WIDTH]


@pytest.mark.parametrize("path", [path for path in ALL if path not in COMMANDS], ids=" ".join)
def test_the_list_of_commands_fits_a_screen_and_cuts_nothing_off(path):
    lines = helped(path).splitlines()
    assert len(lines) < HEIGHT  # a line is the prompt's
    rows = lines[lines.index("  -h, --help  Show this message and exit.") :]
    for name in ALL[path].commands:
        (row,) = [row for row in rows if row.startswith(f"  {name} ")]
        assert row.endswith(".")
        assert not row.endswith("...")


def test_help_says_what_the_exit_codes_mean():
    assert "0 done, 1 failed, 2 called wrongly, 130 stopped" in helped(())


@runs
def test_every_command_is_in_the_guide(path):
    guide = (Path(__file__).parents[4] / "docs" / "cli.md").read_text(encoding="utf-8")
    assert re.search(rf"^\| `emomem {' '.join(path)}[ `]", guide, re.MULTILINE)


@runs
def test_every_command_can_print_json(path):
    assert any("--json" in option.opts for option in COMMANDS[path].params)


@named
def test_a_wrong_call_is_one_line_that_says_where_the_help_is_and_exits_with_2(path):
    result = CliRunner().invoke(app, [*path, "--no-such-option"], prog_name="emomem")
    called = " ".join(("emomem", *path))
    assert result.exit_code == 2
    assert not result.stdout
    assert result.stderr.startswith(f"{called}: No such option")
    assert result.stderr.endswith(f"; see {called} --help\n")
    assert result.stderr.count("\n") == 1


def test_a_mistyped_command_is_told_the_nearest():
    result = CliRunner().invoke(app, ["prfile"], prog_name="emomem")
    assert result.exit_code == 2
    assert "Did you mean 'profile'?" in result.stderr


@pytest.mark.parametrize("path", [(), ("eval",), ("ratings",)], ids=" ".join)
def test_a_group_alone_shows_its_help(path):
    result = CliRunner().invoke(app, list(path), prog_name="emomem")
    assert "Usage: " in result.stderr + result.stdout
    assert "see emomem" not in result.stderr


@pytest.mark.parametrize(
    ("raised", "code", "says"),
    [
        ("KeyboardInterrupt", 130, "emomem: stopped\n"),
        (
            "ModuleNotFoundError('', name='typer')",
            1,
            "emomem: the command needs typer: pip install 'emomem[langchain]'\n",
        ),
    ],
)
def test_what_ends_the_loading_of_the_command_is_one_line(raised, code, says, tmp_path):
    """A module in place of typer stops the import as Ctrl-C, or as a missing package, would."""
    (tmp_path / "typer.py").write_text(f"raise {raised}")
    start = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); sys.argv = ['emomem', 'demo']; "
    start += f"from {__main__.__name__} import main; main()"
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", start], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (code, "", says)


def test_the_version_is_that_of_the_package():
    result = CliRunner().invoke(app, ["--version"])
    assert (result.exit_code, result.output.strip()) == (0, version("emomem"))
