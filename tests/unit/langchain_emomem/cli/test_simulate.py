"""`emomem simulate` with parts that need no model."""

import json

import pytest
from langchain_core.language_models import FakeListChatModel

from emomem.agent import load_trace, picture, simulation
from emomem.memory.in_memory import InMemoryStore
from langchain_emomem.cli import simulate as command

ANSWER = json.dumps(
    {
        "for_tendency": "He lied.",
        "for_norms": "He is family.",
        "tendency_weight": 0.4,
        "norms_weight": 0.6,
        "speech": "Tell me why.",
        "action": "sits down",
        "relation_changes": [{"name": "Owen", "change": -10}],
        "operations": [{"number": 1, "operation": "suppress"}],
    }
)


@pytest.fixture(autouse=True)
def _without_models(monkeypatch, counted):
    def store():
        return InMemoryStore(embed=lambda texts: [[1.0, float(len(text))] for text in texts])

    monkeypatch.setattr(simulation, "InMemoryStore", store)


@pytest.fixture
def simulate(emomem, tmp_path):
    def run(*arguments):
        return emomem("simulate", *arguments, "--appraiser", "counted", "--out", tmp_path / "out")

    return run


def test_without_a_model_the_first_impulse_decides_and_it_says_so(simulate, tmp_path):
    result = simulate("household", "--days", 2)
    assert result.exit_code == 0, result.output
    assert "No --model: nothing is reflected on" in result.stdout
    assert result.stdout.count("decided by tendency") == 5
    assert "\nDay 2\n" in result.stdout
    assert "Day 3" not in result.stdout
    assert [trace.day for trace in load_trace(tmp_path / "out" / "trace.jsonl")] == [1, 1, 1, 2, 2]
    assert (tmp_path / "out" / "days.png").read_bytes().startswith(b"\x89PNG")
    log = (tmp_path / "out" / "operations.jsonl").read_text()
    assert log.count('"kind":"create"') == 5
    assert "bank statement" not in log


def test_with_a_model_it_reflects_and_shows_what_came_of_it(simulate, monkeypatch, tmp_path):
    opened = []

    def open_chat_model(option, name):
        opened.append((option, name))
        return FakeListChatModel(responses=[ANSWER])

    monkeypatch.setattr(command, "open_chat_model", open_chat_model)
    result = simulate("household", "--days", 1, "--model", "fake:model")
    assert result.exit_code == 0, result.output
    assert opened == [("--model", "fake:model")]
    assert "No --model" not in result.stdout
    assert result.stdout.count("says: Tell me why.") == 3
    assert "memory: suppress " in result.stdout
    assert "towards: Owen +3.0" in result.stdout
    result = simulate("household", "--days", 1, "--model", "fake:model", "--json")
    data = json.loads(result.stdout)
    assert (data["scenario"], data["model"], data["notes"]) == ("household", "fake:model", [])
    assert {one["decided_by"] for one in data["steps"]} == {"reflection"}
    assert len(load_trace(data["files"][0])) == 3  # the first run's are gone


def test_it_is_told_how_often_the_model_failed(simulate, monkeypatch):
    answers = ["no", "no", ANSWER, "no", "no", "no", "no"]
    monkeypatch.setattr(command, "open_chat_model", lambda *_: FakeListChatModel(responses=answers))
    result = simulate("household", "--days", 1, "--model", "fake:model")
    assert "In 2 of 3 steps the model gave nothing usable" in result.stdout
    assert result.stdout.count("decided by tendency (UnusableAnswerError)") == 2


def test_a_run_that_is_stopped_leaves_the_days_that_were_over(simulate, monkeypatch, tmp_path):
    step, stopped_at = simulation.Controller.step, {"observation": 5}
    taken = []

    def stopping(self, observation):
        taken.append(observation)
        if len(taken) == stopped_at["observation"]:
            raise KeyboardInterrupt
        return step(self, observation)

    monkeypatch.setattr(simulation.Controller, "step", stopping)
    result = simulate("household")
    assert (result.exit_code, result.stderr.count("\n")) == (130, 1)
    assert "stopped; 1 of 3 days are in " in result.stderr
    assert [trace.day for trace in load_trace(tmp_path / "out" / "trace.jsonl")] == [1, 1, 1]
    assert (tmp_path / "out" / "days.png").is_file()
    assert sorted(held(tmp_path)) == ["days.png", "operations.jsonl", "trace.jsonl"]


def held(tmp_path):
    return {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}


def test_a_run_of_which_no_day_is_over_leaves_the_files_of_the_last(
    simulate, emomem, monkeypatch, tmp_path
):
    assert simulate("household", "--days", 1).exit_code == 0
    before = held(tmp_path)

    def stopping(self, observation):
        raise KeyboardInterrupt

    monkeypatch.setattr(simulation.Controller, "step", stopping)
    assert "stopped; no day was over" in simulate("household").stderr
    assert held(tmp_path) == before
    out = tmp_path / "out"
    wrong = emomem("simulate", "household", "--appraiser", tmp_path / "none", "--out", out)
    assert wrong.exit_code == 1
    assert held(tmp_path) == before


def test_without_matplotlib_the_rest_is_written(simulate, monkeypatch, tmp_path):
    def missing():
        message = "pictures need matplotlib"
        raise ImportError(message)

    monkeypatch.setattr(picture, "require_matplotlib", missing)
    result = simulate("household", "--days", 1)
    assert result.exit_code == 0
    assert "No picture: pictures need matplotlib" in result.stdout
    assert result.stdout.rstrip().endswith("trace.jsonl, operations.jsonl")


def test_a_scenario_of_your_own_is_a_file(simulate, tmp_path):
    from emomem.scenarios import load_scenario

    own = load_scenario("household").model_dump(mode="json") | {"days": [["It rains."]]}
    path = tmp_path / "own.json"
    path.write_text(json.dumps(own))
    result = simulate(path, "--days", 1)
    assert result.exit_code == 0, result.output
    assert "1. It rains." in result.stdout
    path.write_text(json.dumps({**own, "days": []}))
    result = simulate(path)
    assert result.exit_code == 2
    assert 'has no "days", and --days asks for 3' in result.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (("nowhere",), 1, "no scenario 'nowhere'"),
        (("household", "--days", 9), 2, "household has 3 days, and --days asks for 9"),
        (("household", "--days", 0), 2, "--days must be at least 1, got 0"),
        (("household", "--model", "nobody:knows"), 1, "--model nobody:knows: "),
    ],
)
def test_what_cannot_be_is_told_in_one_line(simulate, arguments, code, told):
    result = simulate(*arguments)
    assert (result.exit_code, result.stderr.count("\n")) == (code, 1)
    assert f"emomem simulate: {told}" in result.stderr


def test_help_shows_examples(emomem):
    stdout = emomem("simulate", "--help").stdout
    assert "emomem simulate household" in stdout
