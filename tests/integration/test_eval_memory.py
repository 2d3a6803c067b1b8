"""`emomem eval memory` over real parts: Chroma on the disk, MiniLM, the affect model."""

import json

import pytest
from langchain_core.language_models import FakeListChatModel
from typer.testing import CliRunner

from emomem.evaluation import users
from emomem.evaluation.memory_report import LOCAL
from emomem.evaluation.suites import conflict, memory
from langchain_emomem.cli import app, eval_memory
from langchain_emomem.memory.memory import ConflictAwareMemory


@pytest.fixture
def few(monkeypatch):
    """Two of the users, and ten of the pairs."""
    two, ten = users.load_users()[:2], conflict.load_pairs("test")[:10]
    monkeypatch.setattr(eval_memory, "prepare_environment", lambda *arguments: None)
    monkeypatch.setattr(users, "load_users", lambda: two)
    monkeypatch.setattr(conflict, "load_pairs", lambda split: ten)


def run(*arguments):
    return CliRunner().invoke(app, ["eval", "memory", *map(str, arguments)])


def test_one_command_measures_the_memory_and_the_detectors(few, tmp_path):
    result = run("--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    assert "Memory: 2 users in one store, 35 turns, local detectors" in result.stdout
    assert "Conflict detectors on pairs" in result.stdout
    assert "local detectors, held out: fact_update" in result.stdout
    assert "local detectors, tuned on: fact_update" in result.stdout
    assert "chat model" not in result.stdout
    data = json.loads((tmp_path / "out" / "memory.json").read_text())
    found = {one["name"]: one["rate"] for one in data["memory"][LOCAL]}
    for name in (memory.LEAKED, memory.UNFORGOTTEN, memory.ON_DISK):
        assert found[name]["hits"] == 0
    assert found[memory.ON_DISK]["of"] == 2
    assert found[memory.KEPT]["hits"] == found[memory.KEPT]["of"] == 31
    assert found[memory.NOW_FOUND]["hits"] >= 9


def test_a_chat_model_is_measured_beside_them_where_one_is_given(few, tmp_path, monkeypatch):
    monkeypatch.setattr(
        eval_memory, "open_chat_model", lambda option, name: FakeListChatModel(responses=["no"])
    )
    monkeypatch.setattr(eval_memory.shutil, "which", lambda *arguments, **options: None)
    result = run("--out", tmp_path, "--model", "fake", "--json")
    assert result.exit_code == 0, result.output
    data = json.loads(result.stdout)
    assert set(data["memory"]) == set(data["detectors"]) == {"local detectors", "chat model fake"}
    [any_kind, *_] = data["detectors"]["chat model fake"]
    assert any_kind["recall"]["hits"] == 0 < any_kind["recall"]["of"]
    assert data["skipped"] == ["The store's files were not searched: there is no command `chroma`."]


def test_what_must_not_be_ends_the_command_with_an_error(few, tmp_path, monkeypatch):
    monkeypatch.setattr(ConflictAwareMemory, "forget", lambda *arguments, **options: None)
    one = users.load_users()[:1]
    monkeypatch.setattr(users, "load_users", lambda: one)
    result = run("--out", tmp_path)
    assert result.exit_code == 1
    assert memory.UNFORGOTTEN in result.stderr
    numbers = json.loads((tmp_path / "memory.json").read_text())["numbers"]
    reached = {one["measure"].split(",")[0]: one["reached"] for one in numbers}
    assert not reached[memory.UNFORGOTTEN]
    assert not reached[memory.ON_DISK]
    assert reached[memory.LEAKED]


@pytest.mark.parametrize("name", ["no such model", "nobody:knows"])
def test_a_model_that_cannot_be_made_is_told_in_one_line(name):
    result = run("--model", name)
    assert (result.exit_code, result.stderr.count("\n")) == (1, 1)
    assert f"emomem eval memory: --model {name}: " in result.stderr


def test_an_address_is_a_server_of_openais_protocol():
    model = eval_memory.open_chat_model("--model", "http://127.0.0.1:9/v1")
    assert model.openai_api_base == "http://127.0.0.1:9/v1"
