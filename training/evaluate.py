"""Measure the embedded affect model on test splits and print the table.

    python -m training.evaluate --data ../shared/data

BRIGHTER has no public test split with labels here, so its development rows, which nothing is
trained or tuned on, stand in. Speed and memory are measured by `benchmarks/appraise.py`.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from emomem.appraisal.branch import columns, load_branch, load_calibration
from emomem.appraisal.ngrams import load_ngrams
from emomem.appraisal.weights import WEIGHTS
from training import anchors
from training.data import brighter, brighter_english, emobank, goemotions
from training.fit import predict
from training.metrics import calibration_error, interval, macro_f1, pearson, to_ekman
from training.ngrams import LANGUAGES
from training.states import shared_states

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from emomem.appraisal.branch import AffectBranch, Calibration
    from emomem.appraisal.ngrams import Language

    Array = NDArray[np.floating]

SIDES: Final = (
    ("unpleasant", anchors.UNPLEASANT, 0, -1),
    ("pleasant", anchors.PLEASANT, 0, 1),
    ("aroused", anchors.AROUSED, 1, 1),
    ("calm", anchors.CALM, 1, -1),
)
"""Name, sentences, VAD column, and the side of the middle that the values must lie on."""

MIDDLES: Final = (0.0, 0.5)
_VAD: Final = (("valence", 0.73, 0.79), ("arousal", 0.50, 0.58), ("dominance", 0.43, 0.48))
_INTENSITY: Final[dict[Language, tuple[str, float, float]]] = {
    "zh": ("Chinese", 0.45, 0.55),
    "pt": ("Portuguese", 0.36, 0.45),
}


@dataclass(frozen=True)
class Measure:
    """One row of the table.

    Attributes:
        name: what is measured, and on what.
        value: the measure.
        low: lower end of its 95 % bootstrap interval.
        high: upper end.
        bound: what it must reach; None where nothing is demanded.
        aim: what it should reach.
        smaller_is_better: of errors.
    """

    name: str
    value: float
    low: float
    high: float
    bound: float | None = None
    aim: float | None = None
    smaller_is_better: bool = False

    @property
    def reached(self) -> str:
        """Say what was reached: `aim`, `yes` or `no`; nothing where nothing is demanded."""
        if self.bound is None or self.aim is None:
            return ""
        sign = -1 if self.smaller_is_better else 1
        if sign * self.value >= sign * self.aim:
            return "aim"
        return "yes" if sign * self.value >= sign * self.bound else "no"


def measure(data: Path, cache: Path, folder: Path = WEIGHTS) -> list[Measure]:
    """Measure the weights of a folder.

    Args:
        data: folder of the public data.
        cache: where states of the shared layers are kept between runs.
        folder: weights, calibration and checksums; by default the shipped ones.
    """
    branch, calibration = load_branch(folder), load_calibration(folder)

    def outputs(texts: Sequence[str]) -> Array:
        return predict(branch, shared_states(texts, cache))

    test = goemotions(data, "test")
    rows = list(_emotions(outputs(test.texts), test.targets[:, columns("emotions")], calibration))
    bank = emobank(data, "test")
    read = calibration.raw_vad(outputs(bank.texts))
    rows += _correlations(read, bank.targets[:, columns("vad")])
    english = brighter_english(data, "dev")
    scores = 1 / (1 + np.exp(-outputs(english.texts)[:, columns("intensity")]))
    gold = english.targets[:, columns("intensity")]
    rows.append(_intensity("English", scores, gold, 0.55, 0.62))
    for language, (name, bound, aim) in _INTENSITY.items():
        texts, gold, _ = brighter(data, LANGUAGES[language].brighter, "dev")
        scores = load_ngrams(language, folder).scores(texts)[:, : gold.shape[1]]
        rows.append(_intensity(name, scores, gold, bound, aim))
    return rows


def anchor_values(branch: AffectBranch, calibration: Calibration, cache: Path) -> Array:
    """Return the working VAD (41, 3) of the anchors in the order of `SIDES`, `DEVASTATED` last."""
    texts = [text for _, some, _, _ in SIDES for text in some]
    states = shared_states([*texts, anchors.DEVASTATED], cache)
    return calibration.working_vad(predict(branch, states))


def anchors_held(cache: Path, folder: Path = WEIGHTS) -> dict[str, tuple[int, int]]:
    """Return how many anchors lie on their side and how many there are, for each end."""
    values = anchor_values(load_branch(folder), load_calibration(folder), cache)
    held, start = {}, 0
    for name, texts, column, side in SIDES:
        one = values[start : start + len(texts), column]
        held[name] = (int((side * (one - MIDDLES[column]) > 0).sum()), len(texts))
        start += len(texts)
    held["devastated"] = (int(values[-1, 0] <= -0.6), 1)  # noqa: PLR2004 - the design's bound
    return held


def table(measures: Sequence[Measure]) -> str:
    """Return the measures as a Markdown table."""
    lines = [
        "| measure | value | 95 % interval | must reach | aim at | reached |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for one in measures:
        bounds = ["" if limit is None else f"{limit:g}" for limit in (one.bound, one.aim)]
        cells = [
            one.name,
            f"{one.value:.3f}",
            f"{one.low:.3f} to {one.high:.3f}",
            *bounds,
            one.reached,
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _emotions(outputs: Array, targets: Array, calibration: Calibration) -> Iterator[Measure]:
    gold = targets > 0
    chances = calibration.probabilities(outputs)
    chosen = chances >= calibration.thresholds
    size = len(gold)

    def f1(rows: NDArray[np.int64]) -> float:
        return macro_f1(gold[rows], chosen[rows])

    grouped_gold = to_ekman(gold)
    grouped = calibration.ekman(outputs) >= calibration.ekman_thresholds

    def ekman(rows: NDArray[np.int64]) -> float:
        return macro_f1(grouped_gold[rows], grouped[rows])

    certainty = calibration.certainty(outputs)
    right = gold[np.arange(size), chances.argmax(1)]

    def error(rows: NDArray[np.int64]) -> float:
        return calibration_error(certainty[rows], right[rows])

    every = np.arange(size)
    yield Measure("GoEmotions, 28 labels, macro-F1", f1(every), *interval(f1, size), 0.52, 0.55)
    name = "GoEmotions, Ekman and neutral, macro-F1"
    yield Measure(name, ekman(every), *interval(ekman, size), 0.635, 0.67)
    name = "GoEmotions, accuracy of the primary label"
    yield Measure(
        name, float(right.mean()), *interval(lambda rows: float(right[rows].mean()), size)
    )
    name = "GoEmotions, calibration error of the primary label"
    limits = interval(error, size)
    yield Measure(name, error(every), *limits, 0.08, 0.04, smaller_is_better=True)


def _correlations(read: Array, gold: Array) -> Iterator[Measure]:
    for column, (name, bound, aim) in enumerate(_VAD):

        def correlation(rows: NDArray[np.int64], column: int = column) -> float:
            return float(
                pearson(read[rows, column : column + 1], gold[rows, column : column + 1])[0]
            )

        value, limits = correlation(np.arange(len(gold))), interval(correlation, len(gold))
        yield Measure(f"EmoBank, r of {name}", value, *limits, bound, aim)


def _intensity(name: str, scores: Array, gold: Array, bound: float, aim: float) -> Measure:
    def correlation(rows: NDArray[np.int64]) -> float:
        return float(pearson(scores[rows], gold[rows]).mean())

    value, limits = correlation(np.arange(len(gold))), interval(correlation, len(gold))
    return Measure(f"BRIGHTER dev, mean r over emotions, {name}", value, *limits, bound, aim)


def main() -> None:
    """Read the command line, measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    default = os.environ.get("EMOMEM_DATA", "../shared/data")
    parser.add_argument(
        "--data", type=Path, default=Path(default), help="folder of the public data"
    )
    parser.add_argument("--cache", type=Path, help="folder that keeps states between runs")
    parser.add_argument("--weights", type=Path, default=WEIGHTS, help="folder of the weights")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        cache = options.cache or Path(temporary)
        rows = table(measure(options.data, cache, options.weights))
        held = anchors_held(cache, options.weights).items()
    print(rows)  # noqa: T201
    counts = ", ".join(f"{name} {count} of {total}" for name, (count, total) in held)
    print(f"\nAnchors on their side of the middle of working VAD: {counts}")  # noqa: T201


if __name__ == "__main__":
    main()
