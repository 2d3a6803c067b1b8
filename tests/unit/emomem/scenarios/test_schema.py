import json
from pathlib import Path

import pytest

from emomem.scenarios import Scenario, load_scenario, scenarios
from emomem.scenarios.lines import line_of

SMALL = {
    "id": "garden",
    "title": "The garden",
    "language": "en",
    "persona": "Ida grows beans.",
    "relations": [{"name": "Tom", "weight": -3}],
    "situation": "Tom stands at the fence.",
    "queries": {"factual": "What is known of the fence?", "affective": "How does Tom feel to me?"},
    "facts": [{"id": "f1", "text": "The fence is mine.", "timestamp": "2026-03-01T10:00:00"}],
    "affective": [
        {
            "id": "a1",
            "text": "He tore it down and laughed.",
            "timestamp": "2026-03-02T10:00:00+01:00",
            "critical": True,
            "salience": 0.9,
            "fact_id": "f1",
        },
        {"id": "a2", "text": "Calm.", "timestamp": "2026-03-03T10:00:00", "critical": False},
    ],
}


def written(folder: Path, data: object, name: str = "garden.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(data, indent=1), encoding="utf-8")
    return path


def test_a_file_becomes_a_scenario(tmp_path):
    found = load_scenario(written(tmp_path, SMALL))
    assert found == scenarios(tmp_path)[0] == Scenario.model_validate(SMALL)
    assert found.critical == {0}
    assert found.facts[0].at == 1772359200.0
    assert found.affective[0].at == found.facts[0].at + 23 * 3600
    assert found.affective[1].salience is None
    assert "tore" not in repr(found)


def changed(place: tuple, value: object) -> object:
    data = json.loads(json.dumps(SMALL))
    inner = data
    for step in place[:-1]:
        inner = inner[step]
    if value is None:
        del inner[place[-1]]
    else:
        inner[place[-1]] = value
    return data


@pytest.mark.parametrize(
    ("place", "value", "beside", "said"),
    [
        (("language",), "de", '"language"', "language: Input should be 'en', 'zh' or 'pt'"),
        (("relations", 0, "weight"), 11, '"weight"', "less than or equal to 10"),
        (("facts", 0, "timestamp"), "soon", '"soon"', "ISO 8601 such as 2026-03-01T18:30:00Z"),
        (("affective", 1, "salience"), 1.5, "1.5", "less than or equal to 1"),
        (("affective", 0, "critical"), "yes", '"yes"', "valid boolean"),
        (("affective", 0, "fact_id"), "f9", '"f9"', "the id of one of the facts, got 'f9'"),
        (("affective", 1, "id"), "a1", '"salience"', "must be given once"),
        (("affective", 0, "mood"), 1, '"mood"', "there are id, text, timestamp, critical"),
        (("days",), [["ok", " "]], '" "', "days.0.1: must not be blank"),
        (("queries", "factual"), None, '"queries"', "queries.factual: Field required"),
        (("affective", 0, "critical"), False, '"affective"', 'one memory must be "critical": true'),
    ],
)
def test_an_error_names_file_line_and_what_is_allowed(tmp_path, place, value, beside, said):
    path = written(tmp_path, changed(place, value))
    with pytest.raises(ValueError, match="line") as caught:
        load_scenario(path)
    lines = path.read_text(encoding="utf-8").splitlines()
    line = int(str(caught.value).split("line ")[1].split(":")[0])
    assert str(caught.value).startswith(f"{path}, line {line}: ")
    assert said in str(caught.value)
    # The second a1 stands after the first, whose last lines these are.
    near = lines[line - 1 : line + 1] if place[-1] != "id" else lines[line - 6 : line]
    assert any(beside in one for one in near)


def test_broken_json_names_its_line(tmp_path):
    path = tmp_path / "broken.json"
    path.write_text('{\n"id": "x",,\n}', encoding="utf-8")
    with pytest.raises(ValueError, match=r"broken\.json, line 2: it must be JSON"):
        load_scenario(path)


def test_what_is_not_there_is_said(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no scenario 'nobody': give .* household"):
        load_scenario("nobody")
    with pytest.raises(FileNotFoundError, match="no file"):
        load_scenario(tmp_path / "none.json")
    with pytest.raises(FileNotFoundError, match=r"a folder of \.json files"):
        scenarios(tmp_path)
    for name in ("one.json", "two.json"):
        written(tmp_path, SMALL, name)
    with pytest.raises(ValueError, match="'garden' twice"):
        scenarios(tmp_path)


def test_lines_are_found_past_strings_that_look_like_structure():
    text = '{"a": "}{[\\"",\n"b": {},\n"c": [[], 1,\n{"d":\n 2}]}'
    assert line_of(text, ["c", 2, "d"]) == 5
    assert line_of(text, ["c", 9]) == 3
    assert line_of(text, ["b", "z"]) == 2
    assert line_of(text, []) == 1
