"""The phi of a text of which nothing is known: what fused vectors hold where affect is unknown.

    python -m training.mean_phi --data ../shared/data --out DIR

writes that of the shipped weights; a training run writes that of its own.
"""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from emomem.appraisal.branch import load_branch, load_calibration
from emomem.appraisal.weights import WEIGHTS
from emomem.emotions import GOEMOTIONS
from emomem.metadata import decode_emotions, encode_emotions
from training.data import goemotions
from training.fit import predict
from training.states import shared_states

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from emomem.appraisal.branch import Calibration

NAME: Final = "mean_phi.json"
_DECIMALS: Final = 6


def mean_phi(distributions: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return the mean (28,) of the square roots of distributions (n, 28), each as tags keep it."""
    roots = [decode_emotions(encode_emotions(row)) for row in distributions]
    mean: NDArray[np.float64] = np.mean(roots, axis=0, dtype=np.float64)
    return mean


def write(outputs: NDArray[np.floating], calibration: Calibration, folder: Path) -> None:
    """Write the mean phi of raw outputs (n, 44) of the branch, by label."""
    mean = np.round(mean_phi(calibration.distribution(outputs)), _DECIMALS).tolist()
    text = json.dumps(dict(zip(GOEMOTIONS, mean, strict=True)), indent=1)
    (folder / NAME).write_text(text + "\n", encoding="utf-8")


def main() -> None:
    """Read the command line and write the file for the shipped weights."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    default = os.environ.get("EMOMEM_DATA", "../shared/data")
    parser.add_argument("--data", type=Path, default=Path(default), help="the public data")
    parser.add_argument("--out", type=Path, required=True, help="where to write it")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    states = shared_states(goemotions(options.data, "dev").texts, options.out / "cache")
    write(predict(load_branch(WEIGHTS), states), load_calibration(WEIGHTS), options.out)


if __name__ == "__main__":
    main()
