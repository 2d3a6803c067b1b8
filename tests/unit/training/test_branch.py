from itertools import pairwise

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch
from transformers import BertConfig, BertModel

from emomem.appraisal.branch import HEADS, AffectBranch, columns, load_conflict_branch


def test_the_heads_lie_side_by_side():
    ends = [columns(name) for name in HEADS]
    assert ends[0].start == 0
    assert all(left.stop == right.start for left, right in pairwise(ends))


def test_copied_layers_answer_as_bert_does():
    config = BertConfig(hidden_size=384, intermediate_size=1536, vocab_size=50)
    config.num_hidden_layers = 6
    bert = BertModel(config, add_pooling_layer=False).eval()
    branch = AffectBranch().eval()
    branch.copy_from_bert(bert.state_dict())
    ids = torch.randint(0, 50, (2, 9))
    mask = torch.ones(2, 9, dtype=torch.bool)
    mask[1, 5:] = False
    with torch.no_grad():
        found = bert(ids, attention_mask=mask.long(), output_hidden_states=True).hidden_states
        states = found[3]
        for layer in branch.layers:
            states = layer(states, mask[:, None, None, :])
    torch.testing.assert_close(states[mask], found[6][mask], atol=1e-4, rtol=1e-4)


def test_padding_changes_nothing():
    branch = AffectBranch().eval()
    states = torch.randn(1, 6, 384)
    padded = torch.cat([states, torch.randn(1, 4, 384)], dim=1)
    mask = torch.arange(10)[None] < 6
    with torch.no_grad():
        short = branch(states, mask[:, :6])
        torch.testing.assert_close(branch(padded, mask), short, atol=1e-4, rtol=1e-4)


def test_what_is_shipped_for_conflict_gives_odds_and_counts_no_padding():
    states, mask = torch.randn(3, 6, 384), torch.ones(3, 6, dtype=torch.bool)
    mask[1, 4:] = False
    shipped = load_conflict_branch()
    odds = shipped(states, mask)
    assert odds.shape == (3, 1)
    states[1, 4:] = 7.0
    assert torch.allclose(shipped(states, mask), odds, atol=1e-5)
