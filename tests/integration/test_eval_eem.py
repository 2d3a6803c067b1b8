"""`emomem eval eem` over real parts: Chroma on the disk, MiniLM, the affect model."""

import json

import pytest
from langchain_core.messages import AIMessage
from typer.testing import CliRunner

from emomem.encoding.record import DIMENSIONS
from langchain_emomem.cli import app, eval_eem
from tests.integration.scripted import ScriptedChatModel, put_in_place

ROWS = (
    ("a", "I am furious, they stole my car and I want to scream!!!", "angry"),
    ("a", "Did you call the police?", "angry"),
    ("a", "Yes, the police just laughed at me about the car, I am so angry!!!", "angry"),
    ("b", "I found an old photo of my dog", "nostalgic"),
    ("b", "How sweet", "nostalgic"),
    ("b", "My dog loved the beach in that photo", "nostalgic"),
    ("b", "Lovely", "nostalgic"),
    ("b", "He ran along the beach for hours", "nostalgic"),
)
TOLD = dict.fromkeys(DIMENSIONS, "a stolen car")


class Scripted(ScriptedChatModel):
    """Encodes, replies and judges in fixed words."""

    def answer(self, messages, options):
        question = messages[-1].content
        if "<reply>" in question:
            answer = {"reason": "", "empathy": 3 + ("深" in question), "vividness": 2}
        elif "<memories>" in question:
            answer = {"reply": "深" if "深度记忆" in question else "plain"}
        else:
            answer = TOLD
        usage = {"input_tokens": 10, "output_tokens": 2, "total_tokens": 12}
        return AIMessage(
            json.dumps(answer), usage_metadata=usage, response_metadata={"model_name": "scripted"}
        )


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "data" / "empathetic_dialogues" / "test.csv"
    path.parent.mkdir(parents=True)
    places = {}
    lines = ["conv_id,utterance_idx,prompt,utterance,emotion"]
    for name, text, emotion in ROWS:
        places[name] = places.get(name, 0) + 1
        lines.append(f'{name},{places[name]},p,"{text}",{emotion}')
    path.write_text("\n".join(lines), encoding="utf-8")
    return tmp_path / "data"


@pytest.fixture
def models(monkeypatch):
    return put_in_place(monkeypatch, eval_eem, Scripted)


@pytest.fixture
def eem(data, models, tmp_path):
    def run(*arguments):
        fixed = ("eval", "eem", "--data", data, "--out", tmp_path / "out")
        return CliRunner().invoke(app, list(map(str, (*fixed, *arguments))))

    return run


BOTH = ("--generator", "here:a", "--judge", "there:b")


def test_one_command_encodes_replies_and_judges_and_the_next_asks_nothing_again(
    eem, models, tmp_path
):
    result = eem(*BOTH)
    assert result.exit_code == 0, result.output
    assert models["--generator", "settings"] == {"temperature": 0.3}
    assert models["--judge", "settings"] == {"temperature": 0.0}
    assert "Replies: standard encoding against deep, embed=json" in result.stdout
    assert "3.52 -> 3.66 (+4.0%)" in result.stdout
    assert "multi" in result.stdout
    data = json.loads((tmp_path / "out" / "eem.json").read_text())
    assert data["statuses"]["deep"] >= 1
    assert data["grades"]["empathy"]["baseline"] == 3
    assert data["grades"]["empathy"]["deep"] > 3
    assert data["grades"]["vividness"]["p"] == 1
    assert [one["dialogue"] for one in data["judged"]["turns"]] == ["a", "b", "b"]
    assert not data["one_vendor"]
    raw, plain = (data["recall"][arm] for arm in ("deep, embed=raw", "standard encoding"))
    assert raw == plain
    cost = data["models"]["generator"]["cost"]
    calls = len(models["--generator"].asked)
    assert (cost["calls"], cost["prompt_tokens"], cost["estimated"]) == (calls, 10 * calls, 0)
    assert (tmp_path / "out" / "eem.png").read_bytes().startswith(b"\x89PNG")

    again = json.loads(eem(*BOTH, "--json").stdout)
    assert models["--generator"].asked == models["--judge"].asked == []
    assert again["grades"] == data["grades"]
    assert again["models"]["generator"]["kept"] == calls


def test_a_run_that_failed_goes_on_where_it_was(eem, models, tmp_path):
    models["--judge", "next"] = Scripted(asked=[], stop_after=1)
    result = eem(*BOTH)
    assert (result.exit_code, result.stderr.count("\n")) == (1, 1)
    assert "there:b at temperature 0 failed with TimeoutError; what it answered is kept" in (
        result.stderr
    )
    assert "car" not in result.stderr
    del models["--judge", "next"]
    assert eem(*BOTH).exit_code == 0
    assert models["--generator"].asked == []
    data = json.loads((tmp_path / "out" / "eem.json").read_text())
    assert data["models"]["judge"]["kept"] == 1


def test_without_a_judge_only_recall_is_measured(eem, models, tmp_path):
    data = json.loads(eem("--generator", "here:a", "--json").stdout)
    assert (data["grades"], data["judged"]) == ({}, {})
    assert len(data["recall"]) == 6
    assert not any("<memories>" in one for one in models["--generator"].asked)


def test_without_a_model_only_what_needs_none(eem):
    result = eem("--dialogues", "1")
    assert result.exit_code == 0, result.output
    assert "Nothing was encoded deeply: give --generator" in result.stdout
    assert "deep, embed" not in result.stdout
    assert "2 turns of the speakers of 1 dialogues" in result.stdout


@pytest.mark.parametrize(
    ("generator", "judge"),
    [
        ("here:a", "here:b"),
        ("openai:a", "azure_openai:b"),
        ("google_genai:a", "google_vertexai:b"),
        ("http://host:1/v1", "http://HOST:1/v2"),
        ("a", "b"),  # whose provider is told by the model
    ],
)
def test_a_judge_of_the_generators_vendor_is_refused_unless_forced(eem, models, generator, judge):
    models["--generator", "next"] = Scripted(asked=[])
    result = eem("--generator", generator, "--judge", judge)
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert "generator and judge are both of" in result.stderr
    assert not models["--generator"].asked


def test_force_lets_it_and_the_report_says_so(eem):
    result = eem("--generator", "here:a", "--judge", "here:b", "--force", "--dialogues", "1")
    assert result.exit_code == 0, result.output
    assert "a check of the machinery, not of the claim" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["--judge", "there:b"], 2, "--judge needs a --generator"),
        (["--dialogues", "0"], 2, "--dialogues must be at least 1, got 0"),
        (["--threshold", "2"], 2, "--threshold must be in 0..1, got 2.0"),
        (["--generator", "here:a", "--threshold", "1"], 1, "none reaches the arousal 1; give a"),
        (["--data", "nowhere"], 1, "fetch it from https://github.com/facebookresearch"),
    ],
)
def test_what_cannot_be_measured_is_told_in_one_line(eem, arguments, code, says):
    result = eem(*arguments)
    assert (result.exit_code, result.stderr.count("\n")) == (code, 1)
    assert says in result.stderr


def test_a_generator_that_always_fails_is_told_of(eem, models):
    models["--generator", "next"] = Scripted(asked=[], stop_after=0)
    result = eem("--generator", "here:a")
    assert (result.exit_code, result.stderr.splitlines()[-1][:73]) == (
        1,
        "emomem eval eem: no turn was encoded deeply: here:a at temperature 0.3 fa",
    )


@pytest.mark.slow
def test_the_machinery_runs_on_a_real_model(chat_url, data, tmp_path):
    both = ("--generator", chat_url, "--judge", chat_url, "--force", "--dialogues", 1)
    fixed = ("eval", "eem", "--data", data, "--out", tmp_path / "out", *both)
    result = CliRunner().invoke(app, list(map(str, fixed)))
    assert result.exit_code == 0, result.output
    assert "a check of the machinery, not of the claim" in result.stdout
    told = json.loads((tmp_path / "out" / "eem.json").read_text())
    judged = told["judged"]
    assert len(judged["turns"]) + judged["unanswered"] + judged["unjudged"] == 1
    assert told["models"]["generator"]["cost"]["answer_tokens"] > 0
