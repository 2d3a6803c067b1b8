"""The two halves of MiniLM are MiniLM."""

import numpy as np
import pytest
import torch
from transformers import BertModel

from emomem.appraisal.branch import SHARED_LAYERS
from emomem.appraisal.trunk import load_lower, load_upper
from emomem.minilm import find_minilm

IDS = torch.tensor([[101, 2026, 3899, 2351, 1012, 102], [101, 7632, 102, 0, 0, 0]])
MASK = IDS != 0


@pytest.fixture(scope="module")
def states():
    """The states after every layer of transformers' own model."""
    bert = BertModel.from_pretrained(find_minilm(), local_files_only=True).eval()
    with torch.inference_mode():
        return bert(IDS, attention_mask=MASK.long(), output_hidden_states=True).hidden_states


def test_the_lower_half_ends_where_the_third_layer_of_transformers_ends(states):
    found = load_lower(find_minilm())(IDS, MASK)
    expected = states[SHARED_LAYERS]
    assert torch.allclose(found[MASK], expected[MASK], atol=1e-5)
    assert not torch.allclose(found[MASK], states[SHARED_LAYERS - 1][MASK], atol=1e-2)


def test_the_upper_half_pools_the_last_layer_over_the_tokens_alone(states):
    found = load_upper(find_minilm())(states[SHARED_LAYERS], MASK)
    means = np.stack([last[mask].mean(0) for last, mask in zip(states[-1], MASK, strict=True)])
    expected = means / np.linalg.norm(means, axis=1, keepdims=True)
    assert np.allclose(found.numpy(), expected, atol=1e-5)


@pytest.mark.parametrize("load", [load_lower, load_upper])
def test_both_are_ready_for_inference(load):
    half = load(find_minilm())
    assert not half.training
    assert not any(parameter.requires_grad for parameter in half.parameters())


@pytest.mark.parametrize("load", [load_lower, load_upper])
def test_spoilt_weights_are_refused(load, tmp_path):
    spoilt = bytearray((find_minilm() / "model.safetensors").read_bytes())
    spoilt[-1] ^= 1
    (tmp_path / "model.safetensors").write_bytes(spoilt)
    with pytest.raises(ValueError, match="not the expected MiniLM"):
        load(tmp_path)
