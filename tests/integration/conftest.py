"""What needs another process, once for all integration tests."""

from collections.abc import Iterator
from importlib.util import find_spec

import pytest

from benchmarks import servers
from examples.local_chat_server import PACKAGES, chat_server


@pytest.fixture(scope="session")
def chat_url() -> Iterator[str]:
    """The address of a real chat model that speaks the OpenAI protocol."""
    if missing := [package for package in PACKAGES if find_spec(package) is None]:
        pytest.skip(f"needs {', '.join(missing)} of the dev group")
    with chat_server() as url:
        yield url


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The URL of a PostgreSQL server of this session's own, on a socket."""
    with servers.postgres() as url:
        yield url
