"""Fit the head that reads conflict, on hand-written sentences.

    python -m training.conflict --out DIR

writes `conflict.safetensors`, as it is shipped, from `training/conflict.tsv`: what people might
remember, of three classes that hardly differ in length and in who speaks, so that neither gives
a class away. It logs how well sentences are told apart by heads that have not seen them.
"""

from __future__ import annotations

import argparse
import logging
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from safetensors.numpy import save_file
from sklearn.metrics import roc_auc_score

from emomem.appraisal.conflict import CLASSES, NAME
from emomem.appraisal.heads import LOGISTIC, fit_head
from emomem.encoder import LocalEncoder

if TYPE_CHECKING:
    from numpy.typing import NDArray

SENTENCES: Final = Path(__file__).with_name("conflict.tsv")

_log = logging.getLogger(__name__)


def sentences(path: Path = SENTENCES) -> tuple[list[str], NDArray[np.float64]]:
    """Return the sentences, and which class (n, 3) each is of."""
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
    return [text for _, text in rows], np.array(
        [[name == one for one in CLASSES] for name, _ in rows], dtype=float
    )


def train(folder: Path) -> float:
    """Fit the head and write it; return the area under its ROC curve on rows held out."""
    texts, targets = sentences()
    embeddings = LocalEncoder().embed(texts).astype(float)
    head, held_out = fit_head(embeddings, np.zeros_like(targets), targets, LOGISTIC)
    tensors = {"weights": head.weights, "bias": head.bias}
    save_file(
        {name: np.ascontiguousarray(x, dtype=np.float32) for name, x in tensors.items()},
        folder / NAME,
    )
    area = float(roc_auc_score(targets[:, 0], held_out[:, 0]))
    right = float((held_out.argmax(1) == targets.argmax(1)).mean())
    _log.info(
        "%d sentences: conflict told from the rest with an area under the curve of %.3f, "
        "the class of %.0f%% right",
        *(len(texts), area, 100 * right),
    )
    return area


def main() -> None:
    """Read the command line and write the head."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--out", type=Path, required=True, help="where to write it")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    train(options.out)


if __name__ == "__main__":
    main()
