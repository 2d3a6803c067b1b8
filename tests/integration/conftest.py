"""What needs another process, once for all integration tests."""

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

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


CHROMIUM = Path("/usr/bin/chromium")
OPTIONS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip


@pytest.fixture(scope="module")  # two drivers cannot run at once
def browser() -> Iterator[Any]:
    """The browser that is installed, without a window."""
    if find_spec("playwright") is None:
        pytest.skip("needs playwright: pip install --group browser")
    if not CHROMIUM.is_file():
        pytest.skip(f"needs a browser at {CHROMIUM}, as Debian's chromium has it")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=str(CHROMIUM), args=list(OPTIONS))
        yield started
        started.close()
