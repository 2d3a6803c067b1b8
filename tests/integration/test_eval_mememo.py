"""`emomem eval mememo` over real parts: MiniLM, the affect model, stores of this stack."""

import json

import pytest
from typer.testing import CliRunner

from emomem.emotions import GOEMOTIONS
from emomem.evaluation import evaluate_agent
from langchain_emomem.chat import LangChainChatModel
from langchain_emomem.cli import app, eval_mememo
from langchain_emomem.cli.chat_models import open_chat_model
from langchain_emomem.evaluation import OURS, default_memories
from tests.integration.scripted import ScriptedChatModel, put_in_place

FELT = (
    ("I am furious, they stole my car!", "angry"),
    ("My boss shouted at me and I am so angry.", "angry"),
    ("I was terrified when the lights went out.", "terrified"),
    ("The dog barked at me and I was scared stiff.", "terrified"),
    ("We danced at the wedding, it was pure joy.", "joyful"),
    ("My baby laughed for the first time, I am so happy.", "joyful"),
    ("I cried all night after the funeral.", "sad"),
    ("I miss my sister so much, I feel so sad.", "sad"),
)
AGENT = """
class Notes:
    def __init__(self): self.texts = []
    def save(self, text): self.texts.append(text)
    def recall(self, query): return self.texts

def echo(messages): return messages[-3]["content"]

def late(messages): return {}["key"]
def silent(messages): return {"messages": []}

class Broken(Notes):
    def recall(self, query): return self.missing

number = 3
"""


class Scripted(ScriptedChatModel):
    """Answers, replies and judges in fixed words."""

    def answer(self, messages, options):
        question = messages[-1].content
        schema = str(options.get("response_format", "")) + str(messages[0].content)
        if "plausibility" in schema:
            answer = json.dumps({"reason": "", "plausibility": 3})
        elif "vividness" in schema:
            answer = json.dumps({"reason": "", "empathy": 2, "vividness": 4})
        elif "recalled_memories" in question or "<memories>" in question:
            answer = json.dumps({"reply": "Elm Road, Porto, 书店"}, ensure_ascii=False)
        else:
            answer = "?"
        return answer


@pytest.fixture
def data(tmp_path):
    folder = tmp_path / "data"
    for name in ("goemotions", "emobank", "brighter", "empathetic_dialogues"):
        (folder / name).mkdir(parents=True)
    (folder / "goemotions" / "labels.txt").write_text("\n".join(GOEMOTIONS))
    (folder / "goemotions" / "test.tsv").write_text(
        f"Thank you so much, that was kind\t{GOEMOTIONS.index('gratitude')}\ta\n"
        f"I hate this so much\t{GOEMOTIONS.index('anger')}\tb\n"
    )
    (folder / "emobank" / "emobank.csv").write_text(
        "id,split,V,A,D,text\n1,test,5,4,3,What a wonderful day\n2,test,1,4,3,This is horrible\n"
        "3,test,3,1,3,The table is brown\n"
    )
    for language in ("eng", "chn", "ptbr"):
        (folder / "brighter" / f"{language}_dev.csv").write_text(
            "id,text,anger,joy\n1,I am so angry,3,0\n2,I am so happy,0,3\n"
        )
    lines = ["conv_id,utterance_idx,prompt,utterance,emotion"]
    lines += [f'{row},1,p,"{text}",{emotion}' for row, (text, emotion) in enumerate(FELT)]
    (folder / "empathetic_dialogues" / "test.csv").write_text("\n".join(lines))
    return folder


@pytest.fixture
def models(monkeypatch):
    return put_in_place(monkeypatch, eval_mememo, Scripted)


@pytest.fixture
def mememo(data, models, tmp_path, monkeypatch):
    (tmp_path / "own_agent.py").write_text(AGENT)
    (tmp_path / "broken_agent.py").write_text("raise RuntimeError('no key')")
    monkeypatch.syspath_prepend(str(tmp_path))

    def run(*arguments):
        fixed = ("eval", "mememo", "--data", data, "--out", tmp_path / "out", "--stories", 1)
        return CliRunner().invoke(app, list(map(str, (*fixed, *arguments))))

    return run


def test_one_command_measures_four_pillars_and_asks_no_model(mememo, tmp_path):
    result = mememo()
    assert result.exit_code == 0, result.output
    for title in ("Encoding fidelity", "by state and policy", "Fusion and", "Empathic response"):
        assert title in result.stdout
    assert "give a generator" in result.stdout
    assert "give a judge" in result.stdout
    pillars = json.loads((tmp_path / "out" / "mememo.json").read_text())["pillars"]
    assert pillars["encoding"]["rows"]["GoEmotions test"]["accuracy"]["mean"] == 1
    assert pillars["encoding"]["rows"]["EmoBank test"]["r of valence"]["mean"] > 0.8
    policies = pillars["retrieval"]["rows"]
    assert {name.rpartition(": ")[2] for name in policies} >= {"congruent", "lesson", "auto"}
    assert sum(row["KL, off"]["n"] for name, row in policies.items() if name.endswith("auto")) == 8
    rows = pillars["reasoning_memories"]["rows"]
    assert {name.partition(", ")[0] for name in rows} == {
        "conflict-aware memory",
        "plain vector memory",
        "LangGraph store",
    }
    assert rows["plain vector memory"] == rows["LangGraph store"]
    assert rows["plain vector memory"]["texts told"]["mean"] == 6
    assert (tmp_path / "out" / "mememo-retrieval.png").read_bytes().startswith(b"\x89PNG")
    assert list((tmp_path / "out" / "cache").iterdir())


BOTH = ("--generator", "here:a", "--judge", "there:b")


def test_answers_are_judged_and_a_run_that_failed_goes_on(mememo, models, tmp_path):
    models["--judge", "next"] = Scripted(asked=[], stop_after=2)
    result = mememo(*BOTH)
    assert (result.exit_code, result.stderr.count("\n")) == (1, 1)
    assert "there:b at temperature 0 failed with TimeoutError; what it answered is kept" in (
        result.stderr
    )
    asked = len(models["--generator"].asked)
    del models["--judge", "next"]
    assert mememo(*BOTH).exit_code == 0
    data = json.loads((tmp_path / "out" / "mememo.json").read_text())
    assert data["models"]["generator"]["kept"] >= asked
    assert data["models"]["judge"]["kept"] >= 2
    assert len(models["--judge"].asked) + data["models"]["judge"]["kept"] == 18
    row = data["pillars"]["reasoning_answers"]["rows"]["conflict-aware memory"]
    assert row["right current state"]["mean"] == pytest.approx(2 / 3)  # it names no Curitiba
    assert row["plausibility, 1 to 5"]["mean"] == 3
    row = data["pillars"]["response_answers"]["rows"]["LangGraph store"]
    assert (row["empathy, 1 to 5"]["mean"], row["vividness, 1 to 5"]["mean"]) == (2, 4)

    again = json.loads(mememo(*BOTH, "--json").stdout)
    assert models["--generator"].asked == models["--judge"].asked == []
    assert again["pillars"] == data["pillars"]


def test_a_run_that_is_stopped_says_how_to_go_on(mememo, monkeypatch):
    def stop(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(eval_mememo, "_report", stop)
    result = mememo()
    assert (result.exit_code, result.stderr.count("\n")) == (130, 1)
    assert "stopped; what was read and answered is kept, so run the same again" in result.stderr


@pytest.mark.parametrize("name", ["echo", "Notes"])
def test_an_agent_of_ones_own_stands_beside_them(mememo, tmp_path, name):
    assert mememo("--agent", f"own_agent:{name}").exit_code == 0
    pillars = json.loads((tmp_path / "out" / "mememo.json").read_text())["pillars"]
    part = "reasoning_answers" if name == "echo" else "reasoning_memories"
    assert f"own_agent:{name}" in pillars[part]["rows"]
    assert ("reasoning_answers" in pillars) == (name == "echo")


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["--agent", "own_agent"], 2, "--agent must be MODULE:NAME, as my_app:answer, got own_ag"),
        (["--agent", "no_such:x"], 2, "No module named 'no_such'; run it where the module is"),
        (["--agent", "own_agent:nobody"], 2, "own_agent has no nobody"),
        (["--agent", "own_agent:number"], 1, "agent(messages) -> str, or a memory with save and"),
        (["--agent", "broken_agent:x"], 1, "broken_agent fails with RuntimeError: no key"),
        (["--agent", "own_agent:late"], 1, "late: KeyError in own_agent.py, line 9"),
        (["--agent", "own_agent:silent"], 1, "silent: a text, or a list of texts, was expected"),
        (["--agent", "own_agent:Broken"], 1, "Broken: AttributeError in own_agent.py, line 13"),
        (["--judge", "there:b"], 2, "--judge needs a --generator, or an --agent that answers"),
        (["--stories", "0"], 2, "--stories must be at least 1, got 0"),
        (["--data", "nowhere"], 1, "fetch it from https://github.com/"),
        (["--generator", "here:a", "--judge", "here:b"], 2, "are both of here"),
    ],
)
def test_what_cannot_be_measured_is_told_in_one_line(mememo, arguments, code, says):
    result = mememo(*arguments)
    assert (result.exit_code, result.stderr.count("\n")) == (code, 1), result.stderr
    assert says in result.stderr


def test_another_appraiser_is_measured_as_it_is(mememo, tmp_path):
    result = mememo("--appraiser", "lexicon")
    assert result.exit_code == 0, result.output
    rows = json.loads((tmp_path / "out" / "mememo.json").read_text())["pillars"]["encoding"]["rows"]
    assert "accuracy" not in rows["GoEmotions test"]  # it reads valence alone
    assert rows["EmoBank test"]["r of valence"]["mean"] > 0
    assert "r of arousal" not in rows["EmoBank test"]


@pytest.mark.slow
def test_the_machinery_runs_on_a_real_model(chat_url, tmp_path):
    # Few tokens: it does not stop by itself.
    chat = open_chat_model("--model", chat_url, temperature=0.0, max_tokens=100)
    model = LangChainChatModel(chat)
    ours = default_memories()[OURS]
    report = evaluate_agent(ours, name=OURS, out=tmp_path, generator=model, judge=model, stories=1)
    row = report.pillar("reasoning_answers").rows[OURS]
    assert row["right current state"].n == row["similarity to the expert"].n == 3
    assert row["similarity to the expert"].mean > 0
    assert report.roles["generator"].cost.calls >= 6
    again = evaluate_agent(
        default_memories()[OURS], name=OURS, out=tmp_path, generator=model, judge=model, stories=1
    )
    assert again.pillars == report.pillars
    assert again.roles["generator"].cost.calls == again.roles["judge"].cost.calls == 0
