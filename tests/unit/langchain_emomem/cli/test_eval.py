import json

import pytest
from matplotlib.figure import Figure

from emomem.evaluation import metrics, reports


@pytest.fixture
def measured(public_data, word_readings, monkeypatch, tmp_path, emomem):
    """Run the command on a few lines of each set."""
    monkeypatch.setattr(reports, "Readings", word_readings)

    def run(*arguments):
        fixed = ("--data", public_data, "--out", tmp_path / "out", "--half", "all")
        return emomem("eval", "retrieval", *fixed, *arguments)

    return run


def test_one_command_gives_tables_json_and_pictures(measured, tmp_path):
    result = measured()
    assert result.exit_code == 0, result.output
    for title in ("MADial-Bench", "LoCoMo", "EmpatheticDialogues", "LUFY", "Numbers"):
        assert f"\n{title}" in result.stdout
    assert "combination, auto" in result.stdout
    assert "at least 0.60" in result.stdout
    found = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert found == [
        "empatheticdialogues.png",
        "locomo.png",
        "lufy.png",
        "madial-bench.png",
        "retrieval.json",
        "retrieval.md",
    ]
    last = result.stdout[result.stdout.rindex("\nNumbers") :]
    assert all(head in last for head in ("must", "got", "reached"))


def test_json_tells_the_same(measured, tmp_path, monkeypatch):
    for draw in ("draw_arms", "draw_importance"):  # drawn in the test before, and slow
        monkeypatch.setattr(reports, draw, lambda _: Figure())
    result = measured("--json")
    data = json.loads(result.stdout)
    assert data == json.loads((tmp_path / "out" / "retrieval.json").read_text())
    assert data["half"] == "all"
    assert [one["name"] for one in data["datasets"]] == [
        "MADial-Bench",
        "LoCoMo",
        "EmpatheticDialogues",
    ]


def test_a_missing_file_is_named_with_where_it_comes_from(measured, public_data):
    path = public_data / "lufy" / "importance.csv"
    path.unlink()
    result = measured()
    assert (result.exit_code, result.stderr.count("\n")) == (1, 1)
    assert f"no {path}: fetch it from https://github.com/ryuichi-sumida/LUFY" in result.stderr


def test_the_folder_may_stand_in_the_environment(emomem, monkeypatch, tmp_path):
    monkeypatch.setenv("EMOMEM_DATA", str(tmp_path / "elsewhere"))
    result = emomem("eval", "retrieval", "--out", tmp_path)
    assert result.exit_code == 1
    assert f"no {tmp_path}/elsewhere/madial_bench/" in result.stderr


def test_a_missing_package_names_the_extra(measured, monkeypatch):
    monkeypatch.setattr(metrics, "find_spec", lambda name: None)
    result = measured()
    assert result.exit_code == 1
    assert "pip install 'emomem[eval]'" in result.stderr


def test_a_half_is_odd_even_or_all(emomem, public_data):
    result = emomem("eval", "retrieval", "--data", public_data, "--half", "both")
    assert result.exit_code == 2
    assert "'odd', 'even', 'all'" in result.stderr


def test_help_shows_an_example(emomem):
    assert "retrieval" in emomem("eval", "--help").stdout
    stdout = emomem("eval", "retrieval", "--help").stdout
    assert "emomem eval retrieval --data ../shared/data --out out/retrieval" in stdout
