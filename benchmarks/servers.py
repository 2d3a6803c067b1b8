"""Servers of one's own, for as long as they are needed: Chroma's, and PostgreSQL with pgvector."""

import os
import socket
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_START_S = 60.0


@contextmanager
def chroma_server(folder: Path) -> Iterator[int]:
    """The port of a Chroma server that keeps its data, and its log, in a folder."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = Path(sys.executable).with_name("chroma")
    arguments = ["run", "--host", "127.0.0.1", "--port", str(port), "--path", str(folder)]
    with (folder / "log").open("w") as log:
        server = subprocess.Popen(  # noqa: S603 - our own command
            [command, *arguments], stdout=log, stderr=log, env={**os.environ, "NO_COLOR": "1"}
        )
    try:
        _wait_for(server, port, folder / "log")
        yield port
    finally:
        server.terminate()
        try:
            server.wait(5)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def _wait_for(server: subprocess.Popen[bytes], port: int, log: Path) -> None:
    deadline = time.monotonic() + _START_S
    while server.poll() is None and time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    msg = f"no Chroma server on port {port}: {log.read_text()[-2000:]}"
    raise RuntimeError(msg)


@contextmanager
def postgres() -> Iterator[str]:
    """The URL of a PostgreSQL server on a socket.

    As root `pgserver` runs it as a system user `pgserver`, which it adds, and opens the way to
    the data folder for it; pytest closes its own folders again, so the data stand beside them.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # platformdirs complains where XDG_RUNTIME_DIR is not set
        from pgserver.postgres_server import get_server  # noqa: PLC0415 - of the dev group

    server = get_server(tempfile.mkdtemp(prefix="emomem-pg-"), cleanup_mode="delete")
    try:
        yield server.get_uri().replace("postgresql://", "postgresql+psycopg://", 1)
    finally:
        server.cleanup()
