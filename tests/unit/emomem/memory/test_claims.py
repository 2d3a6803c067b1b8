"""Who is changing whose memories, told between processes."""

import subprocess
import sys

import pytest

from emomem.memory.claims import CAN_LOCK, Claims

pytestmark = pytest.mark.skipif(not CAN_LOCK, reason="this system locks no part of a file")

USER, OTHER = "a" * 32, "b" * 32
ASKS = """
import sys
from pathlib import Path
from emomem.memory.claims import Claims
claims = Claims(Path(sys.argv[1]))
for line in sys.stdin:
    user, alone = line.split()
    print(claims.take(user, alone=alone == "True"), flush=True)
    claims.give_back(user)
"""


@pytest.fixture
def another(tmp_path):
    """Asks another process whether it can claim a user."""
    command = [sys.executable, "-c", ASKS, str(tmp_path / "log")]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:  # noqa: S603 - our own

        def ask(user, *, alone):
            process.stdin.write(f"{user} {alone}\n")
            process.stdin.flush()
            return process.stdout.readline() == "True\n"

        yield ask


def test_several_may_claim_a_user_but_none_beside_one_who_does_alone(tmp_path, another):
    claims = Claims(tmp_path / "log")
    assert claims.take(USER, alone=False)
    assert another(USER, alone=False)
    assert not another(USER, alone=True)
    assert another(OTHER, alone=True)
    assert claims.take(USER, alone=True)  # the other process has given its own back
    assert not another(USER, alone=False)
    claims.give_back(USER)
    assert another(USER, alone=True)


def test_a_claim_outlives_another_log_on_the_same_file(tmp_path, another):
    claims = Claims(tmp_path / "log")
    assert claims.take(USER, alone=True)
    Claims(tmp_path / "log").take(OTHER, alone=True)
    Claims(tmp_path / "log").give_back(OTHER)
    assert not another(USER, alone=False)
    claims.give_back(USER)


def test_where_no_other_process_is_any_claim_is_possible():
    claims = Claims(None)
    assert claims.take(USER, alone=True)
    claims.give_back(USER)
