import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch
from transformers import AutoTokenizer, MPNetConfig, MPNetModel

from emomem.sentences import sentences
from training import teacher
from training.conflict import Texts
from training.states import minilm_folder


@pytest.fixture
def folder(tmp_path):
    """An MPNet of a few numbers, with MiniLM's tokenizer."""
    torch.manual_seed(0)
    config = MPNetConfig(
        vocab_size=30600,
        hidden_size=32,
        num_hidden_layers=10,
        num_attention_heads=4,
        intermediate_size=64,
    )
    MPNetModel(config).save_pretrained(tmp_path)
    AutoTokenizer.from_pretrained(minilm_folder()).save_pretrained(tmp_path)
    return tmp_path


def test_the_upper_layers_learn_and_the_lower_stay(folder, monkeypatch):
    monkeypatch.setattr(teacher, "EPOCHS", 30)
    monkeypatch.setattr(teacher, "LAYER_RATE", 1e-3)
    monkeypatch.setattr(teacher, "HEAD_RATE", 1e-2)
    reader = teacher.Reader(folder)
    assert len(reader.teacher.encoder.layer) == teacher.LAYERS
    lower = [one.clone() for one in reader.teacher.lower.parameters()]
    upper = [one.clone() for one in reader.teacher.upper.parameters()]
    texts = ["He lied to her.", "It rained all day.", "You promised me.", "Bought some tea."] * 12
    gold = np.array([1, 0, 1, 0] * 12, dtype=np.float32)[:, None]
    reader.fit(Texts(texts, gold, np.ones(len(texts), dtype=np.float32)))
    odds = reader.read(texts[:4])
    assert odds[[0, 2]].min() > odds[[1, 3]].max()
    assert all(map(torch.equal, lower, reader.teacher.lower.parameters()))
    assert not all(map(torch.equal, upper, reader.teacher.upper.parameters()))


def test_each_public_text_of_a_fair_length_is_read_once(monkeypatch):
    texts = ["short", "x" * 500, *("a text of a fair length", "another text of that length") * 2]
    assert sorted(teacher.some_public(texts)) == sorted(set(texts[2:]))
    monkeypatch.setattr(teacher, "PUBLIC", 1)
    assert len(teacher.some_public(texts)) == 1


def test_fragments_are_sentences_alone_and_among_others(monkeypatch):
    memories = [
        "The whole of one.",
        "He lied to her. She left him.",
        "It rained again. We ate.",
    ]
    monkeypatch.setattr(teacher, "AMONG", 40)
    found = teacher.some_fragments(memories)
    alone = {"He lied to her.", "She left him.", "It rained again."}
    assert set(found[:3]) == alone
    assert len(found) == len(set(found)) > 10
    for text in found[3:]:
        assert 2 <= len(sentences(text)) <= 3
        assert set(sentences(text)) <= {"The whole of one.", *alone}
    assert any("The whole" in text for text in found[3:])
