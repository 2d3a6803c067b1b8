"""Fit the head that reads conflict, on hand-written memories.

    python -m training.conflict --out DIR

writes `conflict.safetensors`, as it is shipped, from `training/conflict.tsv`, sentences of three
classes, and from `training/scenarios/*.json`, people before a conflict with what they remember,
each memory with the salience that its author gives it. Classes hardly differ in length and in who
speaks, so that neither gives one away. None of these people is measured by `emomem eval crr`. It
logs how well heads that have not seen a scenario tell its memories apart.
"""

from __future__ import annotations

import argparse
import json
import logging
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
import torch
from safetensors.numpy import save_file
from sklearn.metrics import roc_auc_score
from torch import nn

from emomem.appraisal.branch import CONFLICT, CONFLICT_WIDTH, ReadingBranch, load_branch
from emomem.appraisal.heads import FOLDS, LOGISTIC, fit_head
from emomem.appraisal.weights import WEIGHTS
from emomem.reading import WIDTH
from training.states import shared_states

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from emomem.appraisal.branch import AffectBranch

_HERE: Final = Path(__file__).parent
SENTENCES: Final = _HERE / "conflict.tsv"
SCENARIOS: Final = _HERE / "scenarios"

CLASSES: Final = ("conflict", "mild", "intense")
"""Of the sentences: what stays with somebody because it isn't settled; what leaves one as one was;
what stirs, and sets nobody against anybody."""

HEAVY: Final = 0.7
"""From this salience a memory of a scenario is one that must come to mind; ten of 36 are."""

_BATCH: Final = 128

_log = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class Memories:
    """What the head learns from.

    Attributes:
        texts: n texts.
        heavy: (n,) which of them hold a conflict.
        people: (n,) the number of the scenario that each is of; -1 for a sentence of its own.
    """

    texts: list[str]
    heavy: NDArray[np.bool_]
    people: NDArray[np.int_]


def memories() -> Memories:
    """Read the sentences and the scenarios."""
    rows = [line.split("\t") for line in SENTENCES.read_text(encoding="utf-8").splitlines()]
    texts = [text for _, text in rows]
    heavy = [name == CLASSES[0] for name, _ in rows]
    people = [-1] * len(rows)
    for number, path in enumerate(sorted(SCENARIOS.glob("*.json"))):
        told = json.loads(path.read_text(encoding="utf-8"))["affective"]
        texts += [one["text"] for one in told]
        heavy += [one["salience"] >= HEAVY for one in told]
        people += [number] * len(told)
    return Memories(texts, np.array(heavy), np.array(people))


@torch.inference_mode()
def features(branch: AffectBranch, texts: list[str], cache: Path) -> NDArray[np.float64]:
    """Return (n, 1536) what the head reads of each text."""
    reading = ReadingBranch(branch, nn.Linear(CONFLICT_WIDTH, 1)).eval()
    states = shared_states(texts, cache)
    found = np.empty((len(texts), CONFLICT_WIDTH))
    order = np.argsort(states.lengths, kind="stable")
    for start in range(0, len(order), _BATCH):
        chosen = order[start : start + _BATCH]
        found[chosen] = reading.layers(*states.batch(chosen)).numpy()
    return found


def fit(read: NDArray[np.float64], heavy: NDArray[np.bool_]) -> tuple[NDArray[np.float64], float]:
    """Return weights (1536,) and bias of the log-odds of a conflict.

    Each layer is brought to mean squared length 1, so that none counts for its size.
    """
    mean = read.mean(axis=0)
    layers = np.square(read - mean).mean(axis=0).reshape(-1, WIDTH).sum(axis=1)
    scale = np.repeat(np.sqrt(layers), WIDTH)
    targets = np.column_stack([heavy, ~heavy]).astype(float)
    head, _ = fit_head((read - mean) / scale, np.zeros_like(targets), targets, LOGISTIC)
    weights = (head.weights[:, 0] - head.weights[:, 1]) / scale
    return weights, float(head.bias[0] - head.bias[1] - mean @ weights)


def held_out(read: NDArray[np.float64], told: Memories) -> list[tuple[float, float]]:
    """Return for each scenario the area under the ROC curve and the share of the heavy in its top.

    They are of a head that has seen no memory of it; the top has as many as are heavy.
    """
    found = []
    for fold in range(FOLDS):
        unseen = (told.people >= 0) & (told.people % FOLDS == fold)
        weights, bias = fit(read[~unseen], told.heavy[~unseen])
        for number in np.unique(told.people[unseen]):
            rows = told.people == number
            odds, heavy = read[rows] @ weights + bias, told.heavy[rows]
            top = np.argsort(-odds, kind="stable")[: heavy.sum()]
            found.append((float(roc_auc_score(heavy, odds)), float(heavy[top].mean())))
    return found


def train(folder: Path, cache: Path, branch: AffectBranch) -> float:
    """Fit the head and write it.

    Args:
        folder: Where to write it.
        cache: Where to keep the states of MiniLM's shared layers.
        branch: What the head reads.

    Returns:
        The mean area under the ROC curve over scenarios held out.
    """
    told = memories()
    read = features(branch, told.texts, cache)
    areas, tops = (float(mean) for mean in np.mean(held_out(read, told), axis=0))
    weights, bias = fit(read, told.heavy)
    save_file(
        {"weight": weights[None].astype(np.float32), "bias": np.array([bias], dtype=np.float32)},
        folder / CONFLICT,
    )
    _log.info(
        "%d texts, %d scenarios: of a scenario held out what is heavy is told from the rest with "
        "an area under the curve of %.3f, and its top holds %.0f%% of it",
        *(len(told.texts), told.people.max() + 1, areas, 100 * tops),
    )
    return areas


def main() -> None:
    """Read the command line and write the head."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--out", type=Path, required=True, help="where to write it")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    train(options.out, options.out / "cache", load_branch(WEIGHTS))


if __name__ == "__main__":
    main()
