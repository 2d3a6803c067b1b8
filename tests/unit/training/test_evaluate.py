import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("sklearn")

from training.card import write
from training.evaluate import Measure, table

F1 = Measure("F1", 0.53, 0.5, 0.56, 0.52, 0.55)
ERROR = Measure("error", 0.02, 0.01, 0.03, 0.08, 0.04, smaller_is_better=True)
FREE = Measure("accuracy", 0.6, 0.5, 0.7)


def test_a_measure_says_what_it_reached():
    assert F1.reached == "yes"
    assert ERROR.reached == "aim"
    assert Measure("F1", 0.51, 0.5, 0.52, 0.52, 0.55).reached == "no"
    assert FREE.reached == ""


def test_the_table_is_markdown():
    lines = table([F1, FREE]).splitlines()
    assert lines[2] == "| F1 | 0.530 | 0.500 to 0.560 | 0.52 | 0.55 | yes |"
    assert lines[3] == "| accuracy | 0.600 | 0.500 to 0.700 |  |  |  |"


def test_the_card_holds_the_table_and_the_licence(tmp_path):
    (tmp_path / "branch.safetensors").write_bytes(b"0" * 1000)
    write([F1, ERROR], {"calm": (9, 10)}, tmp_path)
    card = (tmp_path / "MODEL_CARD.md").read_text()
    assert table([F1, ERROR]) in card
    assert "calm 9 of 10" in card
    assert "cc-by-sa-4.0" in card
