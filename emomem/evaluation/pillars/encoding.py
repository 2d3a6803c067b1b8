"""Encoding fidelity: does an appraiser read of texts what people read of them?"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from emomem.affect import Affect, AffectArray
from emomem.appraisal.base import appraise_safely
from emomem.emotions import EKMAN, TO_EKMAN
from emomem.evaluation.agreement import calibration_error, interval, macro_f1, pearson
from emomem.evaluation.datasets.labelled import (
    Labelled,
    load_brighter,
    load_emobank,
    load_goemotions,
)
from emomem.evaluation.pillars.base import Estimate, Pillar, share
from emomem.evaluation.readings import Progress, silent
from emomem.evaluation.statistics import SEED
from emomem.protocols import Appraiser

FloatArray = NDArray[np.float64]
Rows = NDArray[np.int64]

SAMPLE: Final = 600
"""Texts of each data set."""
READ: Final = "texts read"
ACCURACY: Final = "accuracy"
F1: Final = "macro-F1"
ECE: Final = "calibration error"
NUMBERS: Final = (("valence", 0), ("arousal", 1))
MEASURES: Final = (
    READ,
    ACCURACY,
    F1,
    ECE,
    *(f"{kind} of {name}" for name, _ in NUMBERS for kind in ("MSE", "r")),
)
NOTE: Final = (
    f"A seeded sample of at most {SAMPLE} texts a set, on none of which the embedded model was "
    "trained. GoEmotions: the likeliest label is right where an annotator gave it; macro-F1 over "
    "Ekman's six and neutral, one label a text. BRIGHTER: the likeliest of its emotions, of texts "
    "in which people saw one. EmoBank: working valence and arousal, which use their whole range, "
    "so that their MSE is far from that of its narrow scale. What was not read counts as wrong, "
    "and in no MSE, r or calibration."
)
_BATCH: Final = 64
_BRIGHTER: Final[tuple[str, ...]] = ("eng", "chn", "ptbr")


def load_sets(data: Path, most: int = SAMPLE) -> list[Labelled]:
    """The labelled texts, sampled.

    Raises:
        FileNotFoundError: A file is not there.
        ValueError: One is malformed.
    """
    felt = [load_brighter(data, language, "dev") for language in _BRIGHTER]
    loaded = [load_goemotions(data, "test"), load_emobank(data, "test"), *felt]
    return [one.sample(most, SEED) for one in loaded]


def measure_encoding(
    sets: Sequence[Labelled], appraiser: Appraiser, progress: Progress = silent
) -> Pillar:
    """What an appraiser reads of labelled texts against what people said.

    Args:
        sets: The texts, as `load_sets` gives them.
        appraiser: The appraiser.
        progress: Is told how far it is.
    """
    rows = {}
    for one in sets:
        affects = _read(one, appraiser, progress)
        known = np.array([not affect.is_unknown for affect in affects])
        found = {READ: share(known.tolist())}
        found |= _numbers(one, affects) if "valence" in one.columns else _labels(one, affects)
        rows[one.name] = found
    return Pillar("encoding", "Encoding fidelity", NOTE, MEASURES, rows)


def _read(one: Labelled, appraiser: Appraiser, progress: Progress) -> list[Affect]:
    affects: list[Affect] = []
    for start in range(0, len(one.texts), _BATCH):
        progress(f"Reading {one.name}", start, len(one.texts))
        affects += appraise_safely(appraiser, one.texts[start : start + _BATCH])
    return affects


def _labels(one: Labelled, affects: Sequence[Affect]) -> dict[str, Estimate | None]:
    """Accuracy, macro-F1 and calibration, over the emotions that people chose among.

    Nothing of an appraiser that reads no emotions at all.
    """
    felt = np.array([affect.emotions is not None for affect in affects])
    if not felt.any():
        return {}
    chances = np.zeros((len(affects), TO_EKMAN.shape[0]))
    chances[felt] = [affect.emotions for affect in affects if affect.emotions is not None]
    grouped = chances @ TO_EKMAN
    every = np.arange(len(affects))
    gold = one.gold > 0
    if one.gold.shape[1] == TO_EKMAN.shape[0]:
        right = felt & gold[every, chances.argmax(1)]
        gold = np.asarray(gold @ (TO_EKMAN > 0))
    else:
        grouped = grouped[:, [EKMAN.index(name) for name in one.columns]]
        right = felt & gold[every, grouped.argmax(1)]
    counted = gold.any(axis=1)
    chosen = felt[:, None] & (np.arange(grouped.shape[1]) == grouped.argmax(1)[:, None])
    gold, chosen = gold[counted], chosen[counted]
    found = {
        ACCURACY: share(right[counted].tolist()),
        F1: _estimate(lambda rows: macro_f1(gold[rows], chosen[rows]), len(gold)),
    }
    sure = np.array([np.nan if x.confidence is None else x.confidence for x in affects])
    told = counted & felt & ~np.isnan(sure)
    if told.any():
        says, is_so = sure[told], right[told]
        found[ECE] = _estimate(lambda rows: calibration_error(says[rows], is_so[rows]), len(says))
    return found


def _numbers(one: Labelled, affects: Sequence[Affect]) -> dict[str, Estimate | None]:
    read = AffectArray.from_affects(affects).vad
    found: dict[str, Estimate | None] = {}
    for name, column in NUMBERS:
        known = ~np.isnan(read[:, column])
        left, right = read[known, column, None], one.gold[known, column, None]
        if known.sum() > 1:
            found[f"MSE of {name}"] = _estimate(_mse(left, right), len(left))
            found[f"r of {name}"] = _estimate(_r(left, right), len(left))
    return found


def _mse(left: FloatArray, right: FloatArray) -> Callable[[Rows], float]:
    return lambda rows: float(np.mean((left[rows] - right[rows]) ** 2))


def _r(left: FloatArray, right: FloatArray) -> Callable[[Rows], float]:
    return lambda rows: float(pearson(left[rows], right[rows])[0])


def _estimate(measure: Callable[[Rows], float], size: int) -> Estimate:
    return Estimate(measure(np.arange(size)), *interval(measure, size), n=size)
