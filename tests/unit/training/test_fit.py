import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from emomem.appraisal.branch import OUTPUTS, AffectBranch, columns
from training import fit
from training.states import States


def tiny_states(lengths, seed=0):
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    values = np.random.default_rng(seed).normal(size=(int(starts[-1]), 384))
    return States(values.astype(np.float16), starts)


def test_batches_hold_every_row_once_with_lengths_alike():
    lengths = np.random.default_rng(1).integers(3, 60, 500)
    cut = fit.batches(lengths, 32, np.random.default_rng(0))
    assert sorted(np.concatenate(cut)) == list(range(500))
    assert max(np.ptp(lengths[batch]) for batch in cut) < 20


def test_batches_depend_on_the_seed_alone():
    lengths = np.arange(100)
    first, again = (fit.batches(lengths, 8, np.random.default_rng(3)) for _ in range(2))
    assert all((a == b).all() for a, b in zip(first, again, strict=True))


def test_loss_counts_only_what_is_labelled():
    outputs = torch.randn(4, OUTPUTS)
    targets = torch.full((4, OUTPUTS), float("nan"))
    assert fit.loss(outputs, targets).item() == 0
    vad = columns("vad")
    targets[0, vad] = outputs[0, vad] + torch.tensor([1.0, 0.0, 2.0])
    assert fit.loss(outputs, targets).item() == pytest.approx(5 / 4, rel=1e-5)


def test_rate_rises_and_falls_to_zero():
    rates = [fit.rate(step / 100) for step in range(101)]
    assert rates[0] == 0
    assert max(rates) == rates[10] == 1
    assert rates[100] == pytest.approx(0, abs=1e-9)


def test_dropped_tokens_never_leave_a_text_empty():
    mask = torch.ones(50, 6, dtype=torch.bool)
    kept = fit.drop_tokens(mask, 1.0)
    assert kept[:, 0].all()
    assert not kept[:, 1:].any()


def test_average_of_one_branch_is_itself():
    branch = AffectBranch(dropout=0.0).eval()
    states = tiny_states([3, 5, 2])
    np.testing.assert_allclose(
        fit.predict(fit.average([branch, branch]), states), fit.predict(branch, states), atol=1e-5
    )


def test_a_stopped_run_goes_on_to_the_same_weights(tmp_path, monkeypatch):
    states = tiny_states([4] * 12)
    targets = np.full((12, OUTPUTS), np.nan, dtype=np.float32)
    targets[:, columns("emotions")] = np.eye(28)[:12]
    monkeypatch.setattr(fit, "minilm_weights", dict)
    monkeypatch.setattr(AffectBranch, "copy_from_bert", lambda self, weights: None)
    monkeypatch.setattr(fit, "CHECKPOINT_STEPS", 2)
    recipe = fit.Recipe(epochs=2, batch_size=4)
    lessons = fit.Lessons(states, targets)

    def run(name):
        return fit.fit(fit.new_branch(recipe, targets), lessons, recipe, tmp_path / name)

    whole = run("whole")
    real = fit._checkpoint

    def stop(*args):
        real(*args)
        raise KeyboardInterrupt

    monkeypatch.setattr(fit, "_checkpoint", stop)
    with pytest.raises(KeyboardInterrupt):
        run("stopped")
    monkeypatch.setattr(fit, "_checkpoint", real)
    resumed = run("stopped")
    for name, weight in whole.state_dict().items():
        torch.testing.assert_close(resumed.state_dict()[name], weight, msg=name)
