import numpy as np
import pytest

from emomem import Affect
from emomem.evaluation import readings
from emomem.evaluation.readings import Readings

TEXTS = ["I am glad", "x", "one \ud800 half"]


class Encoder:
    embeds = False
    asked: list[str] = []  # noqa: RUF012 - each test has its own

    def __init__(self, cache_size):
        assert cache_size == 0

    def embed(self, texts):
        self.asked.extend(texts)
        return np.array([[len(text), 1.0] for text in texts], dtype=np.float32)


class Appraiser:
    def __init__(self, encoder):
        assert encoder.embeds

    def appraise(self, texts):
        return [Affect.unknown() if text == "x" else Affect.from_label("joy") for text in texts]


@pytest.fixture
def asked(monkeypatch):
    monkeypatch.setattr(readings, "LocalEncoder", Encoder)
    monkeypatch.setattr(readings, "LocalAppraiser", Appraiser)
    monkeypatch.setattr(Encoder, "asked", [])
    return Encoder.asked


def test_a_text_is_read_once_and_kept_from_run_to_run(asked, tmp_path):
    first = Readings(tmp_path / "new" / "cache")
    first.prepare([*TEXTS, TEXTS[0]])
    assert asked == TEXTS
    second = Readings(tmp_path / "new" / "cache")
    second.prepare(TEXTS)
    assert asked == TEXTS
    assert np.array_equal(first.embed(TEXTS), second.embed(TEXTS))
    assert second.embed(TEXTS)[0].tolist() == [9.0, 1.0]
    assert first.appraise(TEXTS) == second.appraise(TEXTS)
    assert second.appraise(TEXTS)[1].is_unknown


def test_no_text_is_kept(asked, tmp_path):
    Readings(tmp_path).prepare(["a very private text"])
    [path] = tmp_path.iterdir()
    assert "private" not in str({name: value.tolist() for name, value in np.load(path).items()})


def test_another_model_does_not_answer_with_what_the_first_said(asked, tmp_path, monkeypatch):
    Readings(tmp_path).prepare(["x"])
    monkeypatch.setattr(readings, "MINILM_SHA256", "another")
    Readings(tmp_path).prepare(["x"])
    assert asked == ["x", "x"]


def test_what_was_not_prepared_is_read_when_it_is_asked_for(asked, tmp_path):
    assert Readings(tmp_path).appraise(["new"])[0].label == "joy"
    assert not list(tmp_path.iterdir())


def test_progress_is_told(asked, tmp_path, monkeypatch):
    monkeypatch.setattr(readings, "_BATCH", 2)
    told = []
    Readings(tmp_path).prepare(TEXTS, lambda *what: told.append(what[1:]))
    assert told == [(2, 3), (3, 3)]
