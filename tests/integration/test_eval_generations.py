"""`emomem eval generations` and `emomem ratings` over real parts: MiniLM and the affect model."""

import json
from zlib import crc32

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from typer.testing import CliRunner

from emomem.evaluation.generations import SCENARIOS, recall_by_architecture, tell
from emomem.evaluation.ratings.outputs import read_outputs
from emomem.evaluation.ratings.scales import SCALES
from emomem.evaluation.suites import crr
from emomem.scenarios import AffectiveMemory, load_scenario
from langchain_emomem.cli import app, eval_generations, kept_models

ASKED = []


class Scripted(BaseChatModel):
    """Speaks its seed and how many it was asked, or grades; fails once `stop_after` are asked."""

    seed: int | None = None
    temperature: float | None = None
    stop_after: int = 10_000

    @property
    def _llm_type(self):
        return "scripted"

    def _generate(self, messages, stop=None, run_manager=None, **options):
        question = messages[-1].content
        ASKED.append((self.seed, question))
        if len(ASKED) > self.stop_after:
            raise TimeoutError(question)
        answer = f"I am seed {self.seed}, <b>and</b> I read {crc32(question.encode())}."
        if "<reply>" in question:
            answer = json.dumps({"reason": "", **dict.fromkeys(SCALES, 3), "memory_use": 4})
        return ChatResult(generations=[ChatGeneration(message=AIMessage(answer))])


@pytest.fixture
def emomem(monkeypatch, tmp_path):
    """Runs a command with scripted models, the options of which it remembers."""
    ASKED.clear()
    made = {}

    def build(option, name, **settings):
        made[option] = settings
        return made.get("model") or Scripted(temperature=settings["temperature"])

    for module in (eval_generations, kept_models):
        monkeypatch.setattr(module, "open_chat_model", build)
    monkeypatch.setattr(eval_generations, "prepare_environment", lambda *arguments: None)
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        return CliRunner().invoke(app, list(map(str, arguments)))

    run.made = made
    return run


def test_the_arms_recall_twenty_each_and_differ_as_they_should():
    names = SCENARIOS[:2]
    told = tell([load_scenario(name) for name in names], recall_by_architecture)
    assert [one.arm for one in told[:3]] == ["full", "semantic ablation", "single store"]
    found = {(one.scenario.id, one.arm): one.memories for one in told}
    assert {len(memories) for memories in found.values()} == {20}
    for name in names:
        felt = {
            arm: {one.id for one in found[name, arm] if isinstance(one, AffectiveMemory)}
            for arm in ("full", "semantic ablation")
        }
        facts = {
            arm: {one.id for one in found[name, arm]} - felt[arm]
            for arm in ("full", "semantic ablation")
        }
        assert len(felt["full"]) == len(felt["semantic ablation"]) == 10
        assert felt["full"] != felt["semantic ablation"]
        assert facts["full"] == facts["semantic ablation"]


def test_the_arms_recall_what_those_of_eval_crr_do():
    scenario = load_scenario("household")
    [measured] = crr.measure([scenario], [])
    rates = {
        one.arm: sum(getattr(memory, "critical", False) for memory in one.memories) / 10
        for one in tell([scenario], recall_by_architecture)
    }
    arms = {"full": crr.FULL, "semantic ablation": crr.ABLATION, "single store": crr.SINGLE}
    assert rates == {arm: measured.outcomes[name].rate for arm, name in arms.items()}


def test_from_27_outputs_to_packets_to_a_summary(emomem, tmp_path):
    result = emomem("eval", "generations", "--model", "here:a", "--judge", "there:b")
    assert result.exit_code == 0, result.output
    assert emomem.made["--model"] == {"temperature": 0.7, "max_tokens": 1024}
    assert emomem.made["--judge"] == {"temperature": 0.0}
    assert "27 outputs of 27; seeds 101, 202, 303." in result.stdout
    outputs = read_outputs(tmp_path / "out/generations/generations.jsonl")
    assert [one.arm for one in outputs].count("full") == 9
    assert all(one.text.startswith(f"I am seed {one.seed}, <b>") for one in outputs)
    assert {one.judge["memory_use"] for one in outputs} == {4}
    assert len(ASKED) == 54

    ASKED.clear()
    again = emomem("eval", "generations", "--model", "here:a", "--judge", "there:b", "--json")
    data = json.loads(again.stdout)
    assert (ASKED, data["outputs"], data["seeded"]) == ([], 27, True)
    assert data["models"]["model, seed 101"]["kept"] == 9

    made = emomem(
        "ratings", "make", "out/generations/generations.jsonl", "--out", "study", "--json"
    )
    assert json.loads(made.stdout)["items"] == 27
    assert emomem("ratings", "simulate", "--key", "study/key.json", "--out", "sim").exit_code == 0
    answers = sorted((tmp_path / "sim").iterdir())
    read = emomem("ratings", "read", *answers, "--key", "study/key.json", "--out", "report")
    assert read.exit_code == 0, read.output
    for shown in ("Mean z-scores within raters", "full - single store, z", "ordinal alpha"):
        assert shown in read.stdout
    report = json.loads((tmp_path / "report/ratings.json").read_text())
    assert report["differences"]["semantic ablation"]["overall"]["grade"]["low"] > 0


def test_a_run_that_failed_goes_on_where_it_was(emomem):
    options = ("eval", "generations", "--model", "here:a", "--scenarios", "household")
    emomem.made["model"] = Scripted(stop_after=4)
    stopped = emomem(*options, "--concurrency", "1")
    assert (stopped.exit_code, stopped.stderr.count("\n")) == (1, 1)
    assert "failed with TimeoutError; what it answered is kept" in stopped.stderr
    assert "Owen" not in stopped.stderr
    del emomem.made["model"]
    ASKED.clear()
    assert json.loads(emomem(*options, "--json").stdout)["outputs"] == 9
    assert len(ASKED) == 5


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["--seeds", "1,x"], 2, "--seeds must be whole numbers such as 101,202, got 1,x"),
        (["--seeds", "1,1"], 2, "--seeds must name each once"),
        (["--seeds", ","], 2, "--seeds must name at least one"),
        (["--scenarios", "nowhere"], 1, "no scenario 'nowhere'"),
        (["--scenarios", "household,household"], 2, "--scenarios must name each once"),
        (["--concurrency", "0"], 2, "--concurrency must be at least 1, got 0"),
        (["--judge", "here:b"], 2, "generator and judge are both of here"),
    ],
)
def test_what_cannot_be_generated_is_told_in_one_line(emomem, arguments, code, says):
    result = emomem("eval", "generations", "--model", "here:a", *arguments)
    assert (result.exit_code, result.stderr.count("\n")) == (code, 1)
    assert says in result.stderr
    assert not ASKED


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["make", "no.jsonl", "--out", "study"], 1, "no such file"),
        (["make", "no.jsonl", "--out", "study", "--raters", "0"], 2, "--raters must be at least 1"),
        (["read", "a.csv", "--key", "no.json"], 1, "no such file"),
        (["simulate", "--raters", "1"], 2, "--raters must be at least 2, who can agree, got 1"),
        (["simulate", "--effect", "0"], 2, "--effect must be above 0, got 0.0"),
        (["simulate", "--effect", "inf"], 2, "--effect must be a finite number, got inf"),
        (["simulate", "--key", "no.json", "--noise", "nan"], 2, "--noise must be a finite number"),
        (["simulate", "--key", "no.json"], 1, "no such file"),
    ],
)
def test_what_cannot_be_rated_is_told_in_one_line(emomem, arguments, code, says):
    result = emomem("ratings", *arguments)
    assert (result.exit_code, result.stderr.count("\n")) == (code, 1)
    assert says in result.stderr


def test_every_wrong_row_is_a_line_and_the_last_says_what_to_do(emomem, tmp_path):
    lines = [{"id": n, "scenario": "s", "arm": n, "text": "t"} for n in ("a", "b")]
    (tmp_path / "mine.jsonl").write_text("\n".join(map(json.dumps, lines)))
    assert emomem("ratings", "make", "mine.jsonl", "--raters", 1, "--out", "study").exit_code == 0
    result = emomem("ratings", "read", "study/R1.csv", "--key", "study/key.json")
    assert result.exit_code == 1
    *faults, last = result.stderr.splitlines()
    assert [fault.split(": ")[0] for fault in faults] == [
        "study/R1.csv, line 2",
        "study/R1.csv, line 3",
    ]
    assert last == ("emomem ratings read: 2 faults, named above; mend them and run the same again")


def test_the_self_check_is_data_too(emomem):
    checks = json.loads(emomem("ratings", "simulate", "--effect", "0.5", "--json").stdout)
    assert {one["effect"] for one in checks} == {0.5, 0.0}


@pytest.mark.slow
def test_the_machinery_runs_on_a_real_model(chat_url, tmp_path, monkeypatch):
    # It is so small that it would go on and on.
    monkeypatch.setattr(eval_generations, "_LONGEST", 80)
    options = ("--model", chat_url, "--scenarios", "household", "--seeds", 101, "--out", tmp_path)
    result = CliRunner().invoke(app, list(map(str, ("eval", "generations", *options))))
    assert result.exit_code == 0, result.output
    outputs = read_outputs(tmp_path / "generations.jsonl")
    assert 1 <= len(outputs) <= 3
    assert all(one.context.tokens > 100 for one in outputs)
    data = json.loads((tmp_path / "generations.json").read_text())
    assert data["seeded"]
    assert data["models"]["model, seed 101"]["cost"]["answer_tokens"] > 0
