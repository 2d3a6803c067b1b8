"""`emomem eval emotional-rag` over real parts: MiniLM and the affect model."""

import json
import signal
import subprocess
import sys
import textwrap

import pytest
from typer.testing import CliRunner

from emomem.emotions import PLUTCHIK
from emomem.evaluation.answers import Answers
from emomem.minilm import find_minilm
from langchain_emomem.cli import app, eval_emotional_rag
from tests.integration.scripted import ScriptedChatModel, put_in_place

CAST = {
    "characters": [
        {
            "id": "rosa",
            "name": "Rosa",
            "profile": "Keeps a lighthouse, alone.",
            "memories": [
                "The storm took my boat and I cried all night.",
                "I won the race and we danced until morning!",
                "I counted the lamps, as every evening.",
                "They lied to me again, and I was furious.",
            ],
            "labels": {"mbti": {"E/I": 20, "T/F": 70}, "bfi": {"Openness": 4}},
        },
        {
            "id": "li",
            "name": "李明",
            "language": "zh",
            "dialogues": ["小红：你难过吗？\n李明：我很难过。\n小红：为什么？\n李明：我的狗死了。"],
            "labels": {"mbti": {"E/I": 80, "T/F": {"score": 50, "type": "X"}}},
        },
    ]
}


class Scripted(ScriptedChatModel):
    """Plays, judges and scores in fixed words."""

    def answer(self, messages, options):
        system, question = messages[0].content, messages[-1].content
        if "<profile>" in question:
            answer = "I dance." if "danced" in question else "I stay at home."
        elif "anticipation" in system:
            answer = {name: {"reason": "", "score": 5} for name in PLUTCHIK}
        elif '"second"' in system or "“second”" in system:
            answer = {"reason": "", "first": 25, "second": 75}
        else:
            answer = {"reason": "", "score": 4.5}
        return answer if isinstance(answer, str) else json.dumps(answer)


@pytest.fixture
def data(tmp_path):
    folder = tmp_path / "data" / "incharacter"
    folder.mkdir(parents=True)
    for name, dimensions in (("16Personalities", ("E/I", "T/F")), ("BFI", ("Openness",))):
        questions = {
            f"{place}": {
                "dimension": dimensions[place % len(dimensions)],
                "rewritten_en": f"Are you happy at place {place}?",
                "rewritten_zh": f"你在第{place}个地方快乐吗？",
            }
            for place in range(6)
        }
        inventory = {
            "name": name,
            "range": [1, 5],
            "categories": [{"cat_name": one} for one in dimensions],
            "prompts": {"dim_desc": dict.fromkeys(dimensions, "what it means")},
            "questions": questions,
        }
        (folder / f"{name}.json").write_text(json.dumps(inventory), encoding="utf-8")
    (tmp_path / "cast.json").write_text(json.dumps(CAST), encoding="utf-8")
    return tmp_path / "data"


@pytest.fixture
def models(monkeypatch):
    return put_in_place(monkeypatch, eval_emotional_rag, Scripted)


@pytest.fixture
def run(data, models, tmp_path):
    def start(*arguments):
        fixed = ("--dataset", tmp_path / "cast.json", "--data", data, "--out", tmp_path / "out")
        words = map(str, ("eval", "emotional-rag", *fixed, *arguments))
        return CliRunner().invoke(app, list(words))

    return start


BOTH = ("--generator", "here:a", "--judge", "there:b", "--recalled", "2")


def test_recall_alone_needs_no_model(run, models, tmp_path):
    result = run("--retrieval-only")
    assert result.exit_code == 0, result.output
    assert not models
    assert "2 characters with 2 to 4 memories, 6 questions of 16Personalities" in result.stdout
    assert "a model for English" in result.stdout
    told = json.loads((tmp_path / "out" / "emotional-rag.json").read_text(encoding="utf-8"))
    recall = told["recall"]
    assert list(recall) == [
        "ordinary",
        "combination-add",
        "combination-multiply",
        "semantic-first",
        "emotion-first",
    ]
    for name, found in recall.items():
        plain = recall["ordinary"]
        assert found["semantic distance"]["mean"] >= plain["semantic distance"]["mean"] - 1e-9, name
    assert (tmp_path / "out" / "emotional-rag.png").read_bytes().startswith(b"\x89PNG")


def test_one_command_interviews_and_judges_and_the_next_asks_nothing_again(run, models, tmp_path):
    result = run(*BOTH)
    assert result.exit_code == 0, result.output
    assert models["--generator", "settings"] == {"temperature": 0.0, "max_tokens": 512}
    assert "Agreement on 16Personalities" in result.stdout
    told = json.loads((tmp_path / "out" / "emotional-rag.json").read_text(encoding="utf-8"))
    found = told["interviews"]["here:a"]["ordinary"]
    # E/I 25 is on Rosa's side of 20 and not on Li's of 80; T/F 25 is not on Rosa's, Li's is X.
    assert found["Acc(Dim)"]["mean"] == pytest.approx(1 / 3)
    assert found["Acc(Full)"]["mean"] == 0
    assert found["MAE"]["mean"] == pytest.approx((0.05 + 0.55 + 0.45) / 3)
    assert found["MSE"]["mean"] == pytest.approx((0.05**2 + 0.55**2 + 0.45**2) / 3)
    assert all("李明" not in one and "Rosa" not in one for one in models["--judge"].asked)
    calls = len(models["--generator"].asked)
    assert told["models"]["generator here:a"]["cost"]["calls"] == calls > 0
    again = json.loads(run(*BOTH, "--json").stdout)
    assert models["--generator"].asked == models["--judge"].asked == []
    assert again["interviews"] == told["interviews"]
    assert again["models"]["generator here:a"]["kept"] == calls


def test_a_run_that_failed_goes_on_where_it_was(run, models, tmp_path):
    models["--generator", "next"] = Scripted(asked=[], stop_after=3)
    result = run(*BOTH, "--concurrency", "1")
    assert (result.exit_code, result.stderr.count("\n")) == (1, 1)
    assert "here:a at temperature 0 failed with TimeoutError; what it answered is kept" in (
        result.stderr
    )
    assert "lighthouse" not in result.stderr
    del models["--generator", "next"]
    assert run(*BOTH).exit_code == 0
    told = json.loads((tmp_path / "out" / "emotional-rag.json").read_text(encoding="utf-8"))
    assert told["models"]["generator here:a"]["kept"] == 3


def test_what_was_answered_outlives_a_kill(tmp_path):
    path = tmp_path / "answers.jsonl"
    script = f"""
        from pathlib import Path
        from emomem.evaluation.answers import Answers, KeptChatModel

        class Counts:
            def complete(self, messages, schema=None):
                return messages[0]["content"]

        model = KeptChatModel(Counts(), "m", Answers(Path({str(path)!r})))
        for number in range(100_000):
            model.complete([{{"role": "user", "content": str(number)}}])
            print(number, flush=True)
    """
    command = [sys.executable, "-c", textwrap.dedent(script)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603
        told = [process.stdout.readline().strip() for _ in range(50)]
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    kept = Answers(path)
    assert set(told) <= set(kept._answers.values())


def test_few_characters_questions_and_strategies(run, models):
    options = ("--characters", 1, "--questions", 1, "--strategy", "emotion-first")
    told = json.loads(run(*BOTH, *options, "--json").stdout)
    assert list(told["characters"]) == ["rosa"]
    assert told["questions"] == 2
    assert list(told["interviews"]["here:a"]) == ["ordinary", "emotion-first"]


def test_another_encoder_embeds_in_its_place(run):
    told = json.loads(run("--encoder", find_minilm(), "--json").stdout)
    plain = json.loads(run("--json").stdout)
    assert told["embeddings_by"] == str(find_minilm())
    for name in ("ordinary", "emotion-first"):
        one, other = (found["recall"][name]["semantic distance"]["mean"] for found in (told, plain))
        assert one == pytest.approx(other, abs=1e-4)


def test_two_generators_are_judged_by_one(run, models):
    told = json.loads(run(*BOTH, "--generator", "here:c", "--characters", 1, "--json").stdout)
    assert list(told["interviews"]) == ["here:a", "here:c"]


def test_the_big_five_by_scores(run):
    told = json.loads(run(*BOTH, "--questionnaire", "bfi", "--characters", 1, "--json").stdout)
    found = told["interviews"]["here:a"]["ordinary"]
    assert found["MAE"]["mean"] == pytest.approx(0.5 / 4)
    assert found["Acc(Full)"]["mean"] == 1


def test_a_model_may_score_the_emotions(run, models):
    told = json.loads(run("--scorer", "here:s", "--json").stdout)
    assert len(models["--scorer"].asked) == 6 + 2 * 6  # memories, and questions in two languages
    assert told["emotions_by"] == "here:s at temperature 0"
    assert told["recall"]["emotion-first"]["emotion distance"]["mean"] == pytest.approx(0)


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["--generator", "here:a"], 2, "needs a --generator, who answers, and a --judge"),
        (["--judge", "here:a"], 2, "needs a --generator, who answers, and a --judge"),
        ([*BOTH, "--retrieval-only"], 2, "--retrieval-only asks nobody"),
        ([*BOTH, "--generator", "there:c"], 2, "generator and judge are both of there"),
        (["--questions", "0"], 2, "--questions must be at least 1, got 0"),
        (["--strategy", "C-A"], 2, "--strategy must be one of ordinary, combination-add"),
        (["--dataset", "nowhere.json"], 1, "incharacter or a JSON file; no file nowhere.json"),
        (["--dataset", "incharacter"], 1, "fetch it from https://github.com/Neph0s/InCharacter"),
        ([*BOTH, "--questionnaire", "bfi"], 1, "no personality of 'li' by BFI is known"),
        (["--encoder", "./nowhere"], 1, "--encoder ./nowhere:"),
    ],
)
def test_what_cannot_be_measured_is_told_in_one_line(run, arguments, code, says):
    result = run(*arguments)
    assert (result.exit_code, result.stderr.count("\n")) == (code, 1), result.output
    assert says in result.stderr


@pytest.mark.slow
def test_the_machinery_runs_on_a_real_model(chat_url, data, tmp_path):
    options = ("--characters", 1, "--questions", 1, "--recalled", 1, "--strategy", "ordinary")
    both = ("--generator", chat_url, "--judge", chat_url, "--force")
    fixed = ("--dataset", tmp_path / "cast.json", "--data", data, "--out", tmp_path / "out")
    words = list(map(str, ("eval", "emotional-rag", *fixed, *both, *options)))
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    assert "a check of the machinery, not of the claim" in result.stdout
    told = json.loads((tmp_path / "out" / "emotional-rag.json").read_text(encoding="utf-8"))
    [found] = told["interviews"].values()
    one = found["ordinary"]
    judged = len(one["scores"]["rosa"])
    assert judged + one["unanswered"] + one["unjudged"] == 2
    assert all(cost["cost"]["answer_tokens"] > 0 for cost in told["models"].values())
