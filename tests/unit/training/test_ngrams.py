import csv

import numpy as np
import pytest

pytest.importorskip("sklearn")
pytest.importorskip("safetensors")
pytest.importorskip("torch")

from emomem.appraisal.ngrams import LABELS, hashed_ngrams, load_ngrams
from training import ngrams
from training.train import write_checksums

WORDS = {"joy": "feliz contente alegre", "anger": "raiva furioso odeio", "none": "mesa terça rua"}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "brighter").mkdir()
    (tmp_path / "xed").mkdir()
    rng = np.random.default_rng(0)
    rows = []
    for _ in range(120):
        kind = rng.choice(list(WORDS))
        text = " ".join(rng.choice(WORDS[kind].split(), 3))
        spare = {name: int(rng.random() < 0.1) for name in LABELS[:-1]}
        rows.append({"id": "1", "text": text, **spare, **({kind: 3} if kind != "none" else {})})
    held_out = [{"id": "1", "text": "outra coisa", **dict.fromkeys(LABELS[:-1], 0)}]
    for split, some in (("train", rows), ("dev", held_out)):
        with (tmp_path / "brighter" / f"ptbr_{split}.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, ["id", "text", *LABELS[:-1]])
            writer.writeheader()
            writer.writerows(some)
    for name in ("pt", "br"):
        (tmp_path / "xed" / f"{name}.tsv").write_text("Que raiva!\t1\nEstou feliz.\t5\n")
    return tmp_path


def test_ngrams_ignore_width_case_and_space():
    one, again = hashed_ngrams(" \uff28ello\n World", (2, 3)), hashed_ngrams("hello world", (2, 3))
    assert (one[0] == again[0]).all()
    assert np.linalg.norm(one[1]) == pytest.approx(1)


@pytest.mark.parametrize("text", ["", " ", "\x00", "a", "\ud800"])
def test_any_text_has_ngrams_or_none(text):
    buckets, weights = hashed_ngrams(text, (1, 2, 5))
    assert len(buckets) == len(weights) > 0


def test_what_is_trained_is_read_back(folder):
    ngrams.train(folder, "pt", folder)
    for name in ("calibration.json", "mean_phi.json"):
        (folder / name).write_text("{}")
    write_checksums(folder)
    model = load_ngrams("pt", folder)
    distribution = model.distribution(["estou feliz e contente", "que raiva, odeio", "mesa na rua"])
    assert distribution.shape == (3, 28)
    np.testing.assert_allclose(distribution.sum(1), 1)
    chances = model.chances(["feliz alegre", "raiva furioso", "mesa rua"])
    assert [LABELS[i] for i in chances.argmax(1)] == ["joy", "anger", "neutral"]


def test_other_bytes_are_refused(folder):
    ngrams.train(folder, "pt", folder)
    for name in ("calibration.json", "mean_phi.json"):
        (folder / name).write_text("{}")
    write_checksums(folder)
    path = folder / "ngrams_pt.safetensors"
    path.write_bytes(path.read_bytes()[:-1] + b"\x7e")
    with pytest.raises(ValueError, match="SHA-256"):
        load_ngrams("pt", folder)
