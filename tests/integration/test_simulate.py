"""An agent over a real chat model, which is too small to be any good, and real local models."""

import json
import logging

import pytest
from typer.testing import CliRunner

from emomem.agent import State, load_trace
from langchain_emomem import ConflictAwareMemory, ConflictSensitiveAgent, LocalEmbeddings
from langchain_emomem.cli import app, simulate


def chat(url, **options):
    openai = pytest.importorskip("langchain_openai")
    return openai.ChatOpenAI(
        base_url=url, model="gemma", api_key="none", temperature=0, seed=1, timeout=300,
        max_retries=0, **options,
    )  # fmt: skip


def test_one_step_over_a_real_model_stays_within_its_bounds(chat_url, caplog):
    from langchain_core.vectorstores import InMemoryVectorStore

    memory = ConflictAwareMemory(InMemoryVectorStore(LocalEmbeddings()), user_id="ann")
    memory.save("Sam sold my oven without a word, and I am furious!")
    state = State(
        persona="Ann, a baker who hates a scene",
        beliefs=("Family comes first.",),
        relations={"Sam": 6.0},
    )
    agent = ConflictSensitiveAgent(memory, chat(chat_url, max_tokens=700), state)
    with caplog.at_level(logging.WARNING, logger="emomem"):
        decision = agent.invoke("Sam stands at the door with flowers and says that he is sorry.")

    [trace] = agent.controller.traces
    assert decision.action.strip()
    assert trace.facts[0].text.startswith("Sam sold my oven")
    assert (decision.decided_by == "tendency") == (decision.failure is not None)
    assert (trace.reflection is None) == (decision.decided_by == "tendency")
    moved = {**decision.affect_changes, **decision.relation_changes}
    assert all(abs(change) <= 1 + 1e-9 for change in moved.values())
    assert all(0 <= level <= 10 for level in agent.controller.state.affect.values())
    assert "oven" not in caplog.text


@pytest.mark.slow
def test_three_days_with_a_real_model(chat_url, monkeypatch, tmp_path):
    monkeypatch.setattr(simulate, "open_chat_model", lambda *_: chat(chat_url, max_tokens=700))
    result = CliRunner().invoke(
        app, ["simulate", "household", "--model", chat_url, "--out", str(tmp_path), "--json"]
    )
    assert result.exit_code == 0, result.output
    data = json.loads(result.stdout)
    assert [one["day"] for one in data["steps"]] == [1, 1, 1, 2, 2, 3, 3, 3]
    traces = load_trace(tmp_path / "trace.jsonl")
    assert [one.decision.action for one in traces] == [one["action"] for one in data["steps"]]
    assert (tmp_path / "days.png").is_file()
