import json

from emomem.scenarios import load_scenario


def written(folder, **changes):
    data = load_scenario("household").model_dump(mode="json", exclude_none=True)
    for one in data["affective"]:
        one.pop("salience")
    (folder / "mine.json").write_text(json.dumps({**data, "id": "mine", **changes}, indent=1))


def test_ones_own_scenarios_print_the_same_tables(emomem, tmp_path):
    written(tmp_path)
    out = tmp_path / "out"
    result = emomem("eval", "crr", "--scenarios", tmp_path, "--bank", "0", "--out", out)
    assert result.exit_code == 0, result.output
    for title in ("Critical recall, English", "Critical recall rate by scenario", "Numbers"):
        assert f"\n{title}" in result.stdout
    assert "0.933" not in result.stdout  # no author gave a salience
    assert "0.667" in result.stdout
    assert sorted(path.name for path in out.iterdir()) == ["crr.json", "crr.md", "crr.png"]
    [one] = json.loads((out / "crr.json").read_text())["scenarios"]
    assert (one["id"], one["bank"], one["tuned_on"]) == ("mine", None, False)


def test_a_wrong_scenario_is_one_line_with_its_place(emomem, tmp_path):
    written(tmp_path, language="de")
    result = emomem("eval", "crr", "--scenarios", tmp_path)
    assert result.exit_code == 1
    assert "mine.json, line 4: language: Input should be 'en', 'zh' or 'pt'" in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


def test_a_bank_below_zero_is_refused(emomem):
    result = emomem("eval", "crr", "--bank", "-1")
    assert result.exit_code == 2
    assert "--bank must be at least 0, got -1" in result.stderr


def test_a_report_among_the_scenarios_is_refused(emomem, tmp_path):
    written(tmp_path)
    result = emomem("eval", "crr", "--scenarios", tmp_path, "--out", tmp_path / "." / "")
    assert result.exit_code == 2
    assert "--out must be another folder than --scenarios" in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["mine.json"]
