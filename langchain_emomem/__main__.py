"""The command `emomem`, which can be stopped while it is still being loaded."""

import sys
from typing import Final

_STOPPED: Final = 130  # before `cli.errors`, which has it too, is there


def main() -> None:
    """Run `emomem`."""
    try:
        from langchain_emomem.cli import app  # noqa: PLC0415 - takes a second, and may be stopped

        app(prog_name="emomem")
    except KeyboardInterrupt:
        print("emomem: stopped", file=sys.stderr)  # noqa: T201 - it is a command
        sys.exit(_STOPPED)
    except ModuleNotFoundError as error:
        if error.name not in {"langchain_core", "rich", "typer"}:
            raise
        line = f"emomem: the command needs {error.name}: pip install 'emomem[langchain]'"
        print(line, file=sys.stderr)  # noqa: T201 - the same
        sys.exit(1)


if __name__ == "__main__":
    main()
