import numpy as np
import pytest

pytest.importorskip("sklearn")
pytest.importorskip("torch")
pytest.importorskip("transformers")

from safetensors.numpy import load_file

from emomem.appraisal.branch import CONFLICT, load_branch
from emomem.appraisal.weights import WEIGHTS
from emomem.scenarios import scenarios
from training import conflict


@pytest.fixture(scope="module")
def told():
    return conflict.memories()


@pytest.mark.slow
def test_the_shipped_head_is_what_the_memories_give(tmp_path):
    assert conflict.train(tmp_path, tmp_path / "cache", load_branch()) > 0.8
    fresh, shipped = load_file(tmp_path / CONFLICT), load_file(WEIGHTS / CONFLICT)
    for name in ("weight", "bias"):
        np.testing.assert_allclose(fresh[name], shipped[name], atol=1e-2)


def test_a_head_finds_what_its_features_tell():
    rng = np.random.default_rng(0)
    read = rng.normal(size=(200, 1536)) * np.repeat([0.1, 1.0, 10.0, 1.0], 384)
    heavy = read[:, 0] > 0
    read[:, 0] += np.where(heavy, 1.0, -1.0)
    weights, bias = conflict.fit(read, heavy)
    assert ((read @ weights + bias > 0) == heavy).mean() > 0.95


def test_length_gives_no_class_away(told):
    lengths = np.array([len(text) for text in told.texts])
    for own in (told.people < 0, told.people >= 0):
        means = [lengths[own & (told.heavy == heavy)].mean() for heavy in (True, False)]
        assert max(means) < 1.25 * min(means)


def test_nothing_is_learned_from_what_is_measured(told):
    assert len(set(told.texts)) == len(told.texts)
    measured = {memory.text for one in scenarios() for memory in one.affective}
    assert not measured & set(told.texts)
