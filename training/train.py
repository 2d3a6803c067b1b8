"""Rebuild the embedded affect model from public data.

The first runs learn from gold labels. The next ones go on from the mean of their weights for a
shorter time; half of their target is what the first ones answer, which also fills in what a data
set does not label, and hand-written sentences on sarcasm, negation and life's events join in. The
weights of the next runs, of all, or of all and of the first runs on their way, are averaged,
whichever does best on the development splits; then they are calibrated there and written in half
precision, beside the n-gram models of Chinese and Portuguese.

    python -m training.train --data ../shared/data --out DIR --taught FILE

A run that was stopped goes on where it was when the same command is given again. Nothing is
written into the package; copy the folder `DIR/weights` over `emomem/appraisal/weights` to ship it.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
import torch
from safetensors.torch import load_file
from scipy.special import expit
from sklearn.metrics import average_precision_score

from emomem.appraisal.branch import AffectBranch, columns
from training import card, conflict, conflict_ngrams, evaluate, mean_phi, ngrams
from training.calibrate import calibration
from training.data import emobank, english_training, goemotions, held_out_texts, unseen
from training.fit import Lessons, Recipe, average, fit, new_branch, predict, save_half
from training.metrics import pearson
from training.people import people, split
from training.states import join_states, shared_states
from training.templates import template_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from training.data import Rows
    from training.states import States

TEACHER: Final = Recipe(epochs=5)
STUDENT: Final = Recipe(epochs=1, layer_rate=5e-5, head_rate=3e-4, soft_weight=0.5)

_log = logging.getLogger(__name__)


def standardised(rows: Rows, data: Path) -> NDArray[np.float32]:
    """Return the targets with VAD in standard deviations of EmoBank's training split."""
    vad = columns("vad")
    scale = emobank(data, "train").targets[:, vad]
    targets = rows.targets.copy()
    targets[:, vad] = (targets[:, vad] - scale.mean(0)) / scale.std(0)
    return targets


def soft_targets(teachers: list[AffectBranch], states: States, path: Path) -> NDArray[np.float32]:
    """Return the teachers' mean answers (n, 44): probabilities, and standardised VAD.

    They are kept at `path` for a run that goes on.
    """
    if path.exists():
        kept: NDArray[np.float32] = np.load(path)
        return kept
    vad = columns("vad")
    answers = []
    for teacher in teachers:
        outputs = predict(teacher, states)
        answer = expit(outputs)
        answer[:, vad] = outputs[:, vad]
        answers.append(answer)
    mean: NDArray[np.float32] = np.mean(answers, axis=0, dtype=np.float32)
    np.save(path, mean)
    return mean


def harder_lessons(lessons: Lessons, soft: NDArray[np.float32], data: Path, out: Path) -> Lessons:
    """Return the lessons with the teachers' answers, and with the hand-written sentences."""
    more = unseen(template_rows(), held_out_texts(data))
    states = join_states(lessons.states, shared_states(more.texts, out / "cache"))
    own = standardised(more, data)
    return Lessons(states, np.concatenate([lessons.gold, own]), np.concatenate([soft, own]))


def middle(folder: Path) -> AffectBranch:
    """Return the branch that a run kept on its way."""
    branch = AffectBranch(dropout=0.0)
    branch.load_state_dict(load_file(folder / "middle.safetensors"))
    return branch.eval()


def train_branch(data: Path, out: Path, teachers: int, students: int) -> AffectBranch:
    """Train all runs and return the average that does best on the development splits."""
    rows = english_training(data)
    _log.info("%d training texts", len(rows))
    states = shared_states(rows.texts, out / "cache")
    lessons = Lessons(states, standardised(rows, data))
    taught: list[AffectBranch] = []
    for seed in range(teachers):
        _log.info("teacher %d", seed)
        recipe = replace(TEACHER, seed=seed)
        start = new_branch(recipe, lessons.gold)
        taught.append(fit(start, lessons, recipe, out / f"teacher{seed}"))
    if not students:
        return average(taught)
    lessons = harder_lessons(lessons, soft_targets(taught, states, out / "soft.npy"), data, out)
    learned: list[AffectBranch] = []
    for seed in range(students):
        _log.info("student %d", seed)
        recipe = replace(STUDENT, seed=100 + seed)
        start = average(taught, recipe.dropout)
        learned.append(fit(start, lessons, recipe, out / f"student{seed}"))
    middles = [middle(out / f"teacher{seed}") for seed in range(teachers)]
    candidates = {
        "students": learned,
        "all": taught + learned,
        "all and the teachers' middles": taught + learned + middles,
    }
    averages = {name: average(runs) for name, runs in candidates.items()}
    scores = {name: dev_score(one, data, out) for name, one in averages.items()}
    _log.info("development scores of the averages: %s", scores)
    return averages[max(scores, key=lambda name: scores[name])]


def dev_score(branch: AffectBranch, data: Path, out: Path) -> float:
    """Return mean average precision on GoEmotions plus mean r on EmoBank, development splits."""
    dev, bank = goemotions(data, "dev"), emobank(data, "dev")
    emotions, vad = columns("emotions"), columns("vad")
    logits = predict(branch, shared_states(dev.texts, out / "cache"))[:, emotions]
    precision = average_precision_score(dev.targets[:, emotions], logits)
    read = predict(branch, shared_states(bank.texts, out / "cache"))[:, vad]
    return float(precision + pearson(read, bank.targets[:, vad]).mean())


def export(branch: AffectBranch, data: Path, out: Path) -> Path:
    """Write the weights in half precision, and what is fitted to exactly those numbers."""
    folder = out / "weights"
    folder.mkdir(parents=True, exist_ok=True)
    save_half(branch, folder / "branch.safetensors")
    dev = goemotions(data, "dev")
    outputs = predict(branch, shared_states(dev.texts, out / "cache"))
    fitted = calibration(outputs, dev, data)
    (folder / "calibration.json").write_text(fitted.to_json() + "\n")
    mean_phi.write(outputs, fitted, folder)
    return folder


def write_checksums(folder: Path) -> None:
    """Write `sha256.json`, which the package checks at load."""
    fitted = [folder / "calibration.json", folder / mean_phi.NAME]
    names = sorted([*folder.glob("*.safetensors"), *fitted])
    for path in names:
        path.chmod(0o644)  # safetensors creates files for the owner alone
    sums = {path.name: sha256(path.read_bytes()).hexdigest() for path in names}
    (folder / "sha256.json").write_text(json.dumps(sums, indent=1) + "\n")


def main() -> None:
    """Read the command line and do everything."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    default = os.environ.get("EMOMEM_DATA", "../shared/data")
    parser.add_argument(
        "--data", type=Path, default=Path(default), help="folder of the public data"
    )
    parser.add_argument(
        "--out", type=Path, required=True, help="folder for everything that is written"
    )
    parser.add_argument("--teachers", type=int, default=1, help="runs on gold labels")
    parser.add_argument("--students", type=int, default=1, help="runs that also learn from them")
    parser.add_argument("--taught", type=Path, help="what training.teacher wrote, of conflict")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    options = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    torch.set_num_threads(options.threads)
    branch = train_branch(options.data, options.out, options.teachers, options.students)
    folder = export(branch, options.data, options.out)
    for language in ngrams.LANGUAGES:
        ngrams.train(options.data, language, folder)
        conflict_ngrams.train(options.data, language, folder)
    taught = None if options.taught is None else conflict.Taught.read(options.taught)
    conflict.train(folder, options.out, split(people())[0], taught=taught)
    write_checksums(folder)
    measures = evaluate.measure(options.data, options.out / "cache", folder)
    print(evaluate.table(measures))  # noqa: T201
    card.write(measures, evaluate.anchors_held(options.out / "cache", folder), folder)


if __name__ == "__main__":
    main()
