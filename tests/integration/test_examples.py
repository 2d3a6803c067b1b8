"""The examples run as they stand, here on a small conversation of our own."""

import importlib.util
import json
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
SAID = [
    "That trip to the lake was pure joy, I could not stop laughing.",
    "On that trip the car slid off the road, I was terrified for the children.",
    "We packed for the trip on Friday.",
    "The lease for the flat runs until March.",
]


@pytest.fixture
def data(tmp_path):
    turns = [
        {"speaker": "Ann", "dia_id": f"D1:{row}", "text": text} for row, text in enumerate(SAID)
    ]
    conversation = {
        "speaker_a": "Ann",
        "speaker_b": "Bo",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": turns,
    }
    (tmp_path / "locomo").mkdir()
    content = json.dumps([{"conversation": conversation, "qa": []}])
    (tmp_path / "locomo" / "locomo_first5.json").write_text(content)
    return tmp_path


def load(name):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_llamaindex_locomo(data, capsys):
    example = load("llamaindex_locomo")

    assert example.main(["--data", str(data), "--top", "1"]) == 0

    shown = [line.strip() for line in capsys.readouterr().out.splitlines() if line.strip()]
    blocks = [shown[start : start + 5] for start in range(0, len(shown), 5)]
    assert [block[0] for block in blocks] == list(example.MESSAGES)
    assert all(block[1] == "without affect" for block in blocks)
    assert "pure joy" in blocks[0][4]
    assert "terrified" in blocks[1][4]
    assert blocks[2][2] == blocks[2][4]


def test_a_folder_without_the_data_is_named(tmp_path, capsys):
    with pytest.raises(SystemExit):
        load("llamaindex_locomo").main(["--data", str(tmp_path)])
    assert "locomo_first5.json does not exist" in capsys.readouterr().err


def test_customer_care(capsys):
    assert load("customer_care").main([]) == 0
    first, second = capsys.readouterr().out.split("== day 2")
    assert "furious" in first
    assert "fact_update with 'The delivery of order 204 is on Monday.'" in second
    assert 'felt_by="Pia"' in second
    prompt, answer = second.split("\nshop: ")
    assert 'affect="anger"' in prompt
    assert "mood: anger" in prompt
    assert "Hint(opening='empathise'" in prompt
    assert "say first and in a few words of your own that you know what happened" in prompt
    assert "nobody came" in answer
    assert "on Thursday" in answer
    assert "on Monday" not in answer


def test_the_local_chat_server_serves_while_a_command_runs(monkeypatch, capfd):
    pytest.importorskip("xllamacpp")
    example = load("local_chat_server")
    monkeypatch.setattr(example, "PORT", 0)  # any that is free
    asked = "import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1]).status)"
    assert example.main([sys.executable, "-c", asked, "{url}/models"]) == 0
    assert capfd.readouterr().out.strip() == "200"
    assert example.main([sys.executable, "-c", "raise SystemExit(3)"]) == 3


def test_the_local_chat_server_says_what_it_needs(monkeypatch, capsys):
    example = load("local_chat_server")
    monkeypatch.setattr(example, "PACKAGES", ("no_such_package",))
    assert example.main(["true"]) == 1
    assert "pip install no-such-package" in capsys.readouterr().err
