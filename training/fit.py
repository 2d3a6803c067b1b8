"""One training run of a branch: batches by length, loss, checkpoints and resume."""

from __future__ import annotations

import json
import logging
import math
import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch.nn import functional
from torch.nn.attention import SDPBackend, sdpa_kernel

from emomem.appraisal.branch import HEADS, AffectBranch, columns
from training.states import minilm_weights

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray
    from torch import Tensor

    from training.states import States

HEAD_WEIGHTS: Final = {"emotions": 1.0, "vad": 1.0, "intensity": 1.0, "plutchik": 0.3}
"""How much a row counts by head; subtitles are labelled without context and count less."""

CHECKPOINT_STEPS: Final = 500
"""Steps between checkpoints."""

LOG_STEPS: Final = 100
"""Steps between lines of progress."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Recipe:
    """What one run depends on besides its data.

    Attributes:
        seed: order of batches and dropout. The heads start from the same numbers in every run, so
            that the weights of runs can be averaged.
        epochs: passes over the data.
        batch_size: rows a step.
        layer_rate: peak learning rate of the copied layers.
        head_rate: peak learning rate of the pooling and the heads.
        dropout: probability inside the branch.
        token_dropout: probability that a position is hidden from the whole branch.
        decay: weight decay of matrices.
        soft_weight: part of the loss that a teacher's outputs take, where there are any.
        middle: share of the run after which its weights are kept as `middle.safetensors`. They
            have overfitted less than the last ones, and the mean of both does better than either.
    """

    seed: int = 0
    epochs: int = 6
    batch_size: int = 64
    layer_rate: float = 1e-4
    head_rate: float = 1e-3
    dropout: float = 0.1
    token_dropout: float = 0.1
    decay: float = 0.01
    soft_weight: float = 0.0
    middle: float = 0.36


def batches(
    lengths: NDArray[np.int64], size: int, rng: np.random.Generator
) -> list[NDArray[np.int64]]:
    """Cut all rows into batches of nearly equal length, in random order."""
    order = np.argsort(lengths + rng.uniform(0, 1.5, len(lengths)), kind="stable")
    cut = [order[start : start + size] for start in range(0, len(order), size)]
    return [cut[i] for i in rng.permutation(len(cut))]


def column_weights() -> Tensor:
    """Return the loss weight of each output column (44,)."""
    return torch.cat([torch.full((size,), HEAD_WEIGHTS[name]) for name, size in HEADS.items()])


def loss(outputs: Tensor, targets: Tensor) -> Tensor:
    """Return the loss a row, summed over what is labelled.

    It is the cross-entropy of probabilities and the squared error of VAD.

    Args:
        outputs: (batch, 44) raw outputs.
        targets: (batch, 44) probabilities, and VAD in standard deviations; NaN is unlabelled.
    """
    known = ~targets.isnan()
    filled = targets.nan_to_num(0.0)
    vad = columns("vad")
    error = functional.binary_cross_entropy_with_logits(
        outputs, filled.clamp(0, 1), reduction="none"
    )
    squared = (outputs[:, vad] - filled[:, vad]).square()
    error = torch.cat([error[:, : vad.start], squared, error[:, vad.stop :]], dim=1)
    return (error * known * column_weights()).sum() / len(outputs)


def rate(progress: float, warm: float = 0.1) -> float:
    """Return the share of the peak learning rate: a linear rise, then half a cosine down to 0."""
    if progress < warm:
        return progress / warm
    return 0.5 * (1 + math.cos(math.pi * (progress - warm) / (1 - warm)))


def new_branch(recipe: Recipe, gold: NDArray[np.float32]) -> AffectBranch:
    """Return MiniLM's layers under heads whose biases already answer the base rates."""
    torch.manual_seed(0)
    branch = AffectBranch(recipe.dropout, gold.shape[1])
    branch.copy_from_bert(minilm_weights())
    known = np.maximum((~np.isnan(gold)).sum(0), 1)
    means = (np.nansum(gold, axis=0) / known).clip(1e-4, 1 - 1e-4)
    bias = np.log(means / (1 - means))
    bias[columns("vad")] = 0
    with torch.no_grad():
        branch.heads.weight.mul_(0.1)
        branch.heads.bias.copy_(torch.from_numpy(bias))
    return branch


def optimizer(branch: AffectBranch, recipe: Recipe) -> torch.optim.AdamW:
    """Return AdamW with a rate of its own for the layers; vectors do not decay."""
    groups = []
    for module, peak in (
        (branch.layers, recipe.layer_rate),
        (branch.pool, recipe.head_rate),
        (branch.heads, recipe.head_rate),
    ):
        for matrices in (True, False):
            parameters = [one for one in module.parameters() if (one.ndim > 1) is matrices]
            groups.append(
                {
                    "params": parameters,
                    "lr": peak,
                    "peak": peak,
                    "weight_decay": recipe.decay * matrices,
                }
            )
    return torch.optim.AdamW(groups, betas=(0.9, 0.98), fused=True)


@dataclass(frozen=True)
class Lessons:
    """What a branch learns from.

    Attributes:
        states: shared states of n texts.
        gold: (n, outputs) targets, VAD in standard deviations.
        soft: (n, outputs) teachers' answers as probabilities and standardised VAD, for
            `Recipe.soft_weight` of the loss; None where there is no teacher.
    """

    states: States
    gold: NDArray[np.float32]
    soft: NDArray[np.float32] | None = None

    def loss(self, branch: AffectBranch, rows: NDArray[np.int64], recipe: Recipe) -> Tensor:
        """Return the loss of some rows, positions hidden at random."""
        hidden, mask = self.states.batch(rows)
        mask = drop_tokens(mask, recipe.token_dropout)
        with torch.autocast("cpu", torch.bfloat16), sdpa_kernel(SDPBackend.MATH):
            outputs = branch(hidden, mask)
        outputs = outputs.float()
        value = loss(outputs, torch.from_numpy(self.gold[rows]))
        if self.soft is None:
            return value
        taught = loss(outputs, torch.from_numpy(self.soft[rows]))
        return (1 - recipe.soft_weight) * value + recipe.soft_weight * taught


def fit(branch: AffectBranch, lessons: Lessons, recipe: Recipe, folder: Path) -> AffectBranch:
    """Train a branch in place, or go on with a run that was stopped.

    Args:
        branch: where the run starts, for example `new_branch`.
        lessons: see `Lessons`.
        recipe: see `Recipe`.
        folder: where checkpoints and the finished `branch.safetensors` go.
    """
    folder.mkdir(parents=True, exist_ok=True)
    finished = folder / "branch.safetensors"
    if finished.exists():
        branch.load_state_dict(load_file(finished))
        return branch.eval()
    (folder / "recipe.json").write_text(json.dumps(asdict(recipe), indent=1))
    adam = optimizer(branch, recipe)
    done = _resume(branch, adam, folder)
    branch.train()
    total = recipe.epochs * math.ceil(len(lessons.gold) / recipe.batch_size)
    began, recent = time.monotonic(), 0.0
    for step, rows in _steps(lessons.states.lengths, recipe):
        if step < done:
            continue
        torch.manual_seed(recipe.seed * 1_000_003 + step)
        for group in adam.param_groups:
            group["lr"] = group["peak"] * rate(step / total)
        value = lessons.loss(branch, rows, recipe)
        adam.zero_grad()
        value.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(branch.parameters(), 1.0)
        adam.step()
        recent += value.item()
        if (step + 1) % LOG_STEPS == 0:
            pace = (time.monotonic() - began) / (step + 1 - done)
            mean, recent = recent / LOG_STEPS, 0.0
            _log.info("step %d of %d, loss %.4f, %.2f s a step", step + 1, total, mean, pace)
        if step + 1 == round(recipe.middle * total):
            save_file(branch.state_dict(), folder / "middle.safetensors")
        if (step + 1) % CHECKPOINT_STEPS == 0:
            _checkpoint(branch, adam, step + 1, folder)
    save_file(branch.state_dict(), finished)
    return branch.eval()


def drop_tokens(mask: Tensor, probability: float) -> Tensor:
    """Hide positions at random; the first one always stays."""
    keep = torch.rand(mask.shape) >= probability
    keep[:, 0] = True
    return mask & keep


@torch.inference_mode()
def predict(branch: AffectBranch, states: States, batch_size: int = 256) -> NDArray[np.float32]:
    """Return the raw outputs (n, outputs) of a branch for all texts."""
    branch.eval()
    outputs = np.empty((len(states.lengths), branch.heads.out_features), dtype=np.float32)
    order = np.argsort(states.lengths, kind="stable")
    for start in range(0, len(order), batch_size):
        chosen = order[start : start + batch_size]
        outputs[chosen] = branch(*states.batch(chosen)).numpy()
    return outputs


def save_half(branch: AffectBranch, path: Path) -> None:
    """Write the weights in half precision; the branch goes on with exactly those numbers."""
    half = {name: weight.half() for name, weight in branch.state_dict().items()}
    branch.load_state_dict({name: weight.float() for name, weight in half.items()})
    save_file(half, path)


def average(branches: Sequence[AffectBranch], dropout: float = 0.0) -> AffectBranch:
    """Return the branch whose weights are the mean of several runs' weights."""
    weights = [branch.state_dict() for branch in branches]
    result = AffectBranch(dropout)
    result.load_state_dict(
        {name: torch.stack([one[name] for one in weights]).mean(0) for name in weights[0]}
    )
    return result.eval()


def _steps(lengths: NDArray[np.int64], recipe: Recipe) -> Iterator[tuple[int, NDArray[np.int64]]]:
    step = 0
    for epoch in range(recipe.epochs):
        for chosen in batches(
            lengths, recipe.batch_size, np.random.default_rng([recipe.seed, epoch])
        ):
            yield step, chosen
            step += 1


def _checkpoint(branch: AffectBranch, adam: torch.optim.AdamW, step: int, folder: Path) -> None:
    part = folder / "resume.part"
    torch.save({"branch": branch.state_dict(), "adam": adam.state_dict(), "step": step}, part)
    part.replace(folder / "resume.pt")


def _resume(branch: AffectBranch, adam: torch.optim.AdamW, folder: Path) -> int:
    path = folder / "resume.pt"
    if not path.exists():
        return 0
    saved = torch.load(path, weights_only=True)
    branch.load_state_dict(saved["branch"])
    adam.load_state_dict(saved["adam"])
    step: int = saved["step"]
    _log.info("going on from step %d", step)
    return step
