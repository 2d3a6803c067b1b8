import json

import pytest

from emomem.evaluation import evaluate_agent
from emomem.evaluation.answers import ModelFailedError
from emomem.evaluation.suites import mememo
from emomem.evaluation.suites.mememo import ANSWERS, NO_DATA, NO_GENERATOR, NO_JUDGE, NO_MEMORY

pytest.importorskip("torch")
pytest.importorskip("scipy")


class Notes:
    def __init__(self):
        self.texts = []

    def save(self, text):
        self.texts.append(text)

    def recall(self, query):
        return self.texts[-2:]


class Agent:
    """Answers with the last thing that it was told, and fails when it was asked too often."""

    def __init__(self, most=1000):
        self.most = most
        self.asked = []

    def __call__(self, messages):
        if len(self.asked) == self.most:
            raise KeyError(messages)
        self.asked.append(messages)
        return messages[-3]["content"]


def test_an_agent_and_memories_are_measured_in_one_report(tmp_path):
    agent = Agent()
    report = evaluate_agent(agent, name="echo", beside={"notes": Notes}, stories=1)
    assert len(agent.asked) == 6  # a history and a moment of each language
    assert {one["role"] for one in agent.asked[0]} == {"user", "assistant"}
    assert [one.name for one in report.pillars] == [
        "retrieval_memories",
        "reasoning_memories",
        "reasoning_answers",
        "response_memories",
        "response_answers",
    ]
    assert report.pillar("reasoning_answers").rows["echo"]["right current state"].mean == 1
    assert "echo" not in report.pillar("reasoning_memories").rows
    assert report.skipped == [
        NO_DATA,
        NO_MEMORY.format(name="echo"),
        NO_GENERATOR.format(names="notes"),
        NO_JUDGE,
    ]
    written = report.write(tmp_path / "report")
    data = json.loads((tmp_path / "report" / "mememo.json").read_text())
    assert data["pillars"]["response_answers"]["rows"]["echo"]["emotional history shown"]["n"] == 3
    assert data["models"]["echo"]["cost"]["calls"] == 6
    assert sum(path.suffix == ".png" for path in written) == len(report.pillars)
    assert "# Emotion in memory" in written[0].read_text()


def test_a_run_that_failed_goes_on_where_it_was(tmp_path):
    agent = Agent(most=4)
    with pytest.raises(ModelFailedError, match="echo failed with KeyError") as failed:
        evaluate_agent(agent, name="echo", out=tmp_path, stories=1)
    assert "content" not in str(failed.value)
    assert len((tmp_path / ANSWERS).read_text().split()) > 4
    again = Agent()
    report = evaluate_agent(again, name="echo", out=tmp_path, stories=1)
    assert len(again.asked) == 2
    assert report.roles["echo"].kept == 4
    other = Agent()
    evaluate_agent(other, name="another", out=tmp_path, stories=1)
    assert len(other.asked) == 6


def test_an_agent_that_fails_is_found_before_the_data_are_read(monkeypatch):
    monkeypatch.setattr(mememo, "load_sets", lambda folder: [])
    monkeypatch.setattr(mememo, "load_felt", lambda folder: None)  # which nothing can read
    with pytest.raises(ModelFailedError):
        evaluate_agent(Agent(most=0), data="somewhere", stories=1)


def test_a_pillar_that_was_not_measured_is_told_of():
    report = evaluate_agent(Notes, stories=1)
    with pytest.raises(KeyError, match=r"must be one of retrieval_memories, .*got 'encoding'"):
        report.pillar("encoding")


@pytest.mark.parametrize(
    ("agent", "options", "error", "says"),
    [
        (3, {}, TypeError, "agent"),
        (Notes, {"judge": "openai:gpt"}, TypeError, "judge must be a chat model .*, got str"),
        (Notes, {"stories": 0}, ValueError, "stories must be >= 1, got 0"),
        (Notes, {"data": "nowhere"}, FileNotFoundError, "fetch it from https://github.com/"),
    ],
)
def test_what_cannot_be_measured_is_refused(agent, options, error, says):
    with pytest.raises(error, match=says):
        evaluate_agent(agent, **options)
