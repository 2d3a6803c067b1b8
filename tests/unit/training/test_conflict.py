import numpy as np
import pytest

pytest.importorskip("sklearn")
pytest.importorskip("torch")

from emomem.appraisal.conflict import CLASSES, NAME
from emomem.appraisal.weights import WEIGHTS
from emomem.scenarios import scenarios
from training import conflict


def test_the_shipped_head_is_what_the_sentences_give(tmp_path):
    from safetensors.numpy import load_file

    assert conflict.train(tmp_path) > 0.9
    fresh, shipped = load_file(tmp_path / NAME), load_file(WEIGHTS / NAME)
    for name in ("weights", "bias"):
        np.testing.assert_allclose(fresh[name], shipped[name], atol=1e-2)


def test_length_gives_no_class_away_and_no_sentence_is_a_scenarios():
    texts, targets = conflict.sentences()
    assert len(set(texts)) == len(texts)
    lengths = np.array([len(text) for text in texts])
    means = [lengths[targets[:, row] == 1].mean() for row in range(len(CLASSES))]
    assert max(means) < 1.25 * min(means)
    told = {memory.text for one in scenarios() for memory in one.affective}
    assert not told & set(texts)
