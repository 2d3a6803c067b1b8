"""Raters that are made up: do the packets, the import and the statistics find what is in them?"""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from emomem.checks import check_at_least_one
from emomem.evaluation.ratings.agreement import FloatArray, ordinal_alpha
from emomem.evaluation.ratings.outputs import Output
from emomem.evaluation.ratings.packets import Key, make_packets, read_key
from emomem.evaluation.ratings.reading import Ratings
from emomem.evaluation.ratings.scales import COLUMNS, SCALES
from emomem.evaluation.ratings.summary import over_raters, paired
from emomem.evaluation.statistics import SEED, Bootstrap
from emomem.evaluation.tables import Table
from emomem.files import replace_file

NOISES: Final = (2.0, 1.0, 0.5, 0.25)
"""How far raters stray from what a text is worth, in grades, from much to little."""

_MIDDLE: Final = 3.0
_BY_SCENARIO: Final = 0.3
_BY_TEXT: Final = 0.4
_STRICTNESS: Final = 0.4
_ARMS: Final = ("full", "semantic ablation", "single store")
_SCENARIOS: Final = 3
_SEEDS: Final = 3
_STUDIES: Final = 100


@dataclass(frozen=True)
class Check:
    """What simulated studies of one kind gave.

    Attributes:
        noise: How far their raters stray, in grades.
        effect: How much better the first arm's texts were made, in grades.
        recovered: How much better they were found to be, in the mean over the studies.
        held: 0..1, in how many studies the interval holds the effect.
        found: 0..1, in how many the interval lies above 0.
        alpha: The agreement, in the mean over studies and scales.
        studies: How many there were.
    """

    noise: float
    effect: float
    recovered: float
    held: float
    found: float
    alpha: float
    studies: int


def simulate(
    key: Key, effects: Mapping[str, float], noise: float, rng: np.random.Generator
) -> Ratings:
    """Grades of made-up raters.

    A text is worth 3, plus its arm's effect, plus what its scenario and the text itself give. A
    rater sees that with an error, is a little stricter or milder than others, and gives the
    nearest grade.

    Args:
        key: The study.
        effects: By arm, how much its texts are better, in grades; 0 where it is left out.
        noise: Standard deviation of a rater's error, in grades, >= 0.
        rng: What is drawn from.

    Raises:
        ValueError: The noise is negative, or an effect is that of no arm of the study.
    """
    if not noise >= 0:
        msg = f"noise must be >= 0, got {noise!r}"
        raise ValueError(msg)
    if unknown := sorted(effects.keys() - set(key.arms)):
        msg = f"an effect must be of one of {', '.join(key.arms)}, got {unknown[0]!r}"
        raise ValueError(msg)
    items = tuple(sorted(key.items))
    scenarios = sorted({one.scenario for one in key.items.values()})
    story = dict(
        zip(scenarios, rng.normal(0, _BY_SCENARIO, (len(scenarios), len(SCALES))), strict=True)
    )
    worth: FloatArray = np.stack(
        [
            _MIDDLE
            + effects.get(key.items[item].arm, 0.0)
            + story[key.items[item].scenario]
            + rng.normal(0, _BY_TEXT, len(SCALES))
            for item in items
        ]
    )
    shape = (len(key.raters), len(items), len(SCALES))
    seen = worth + rng.normal(0, _STRICTNESS, (shape[0], 1, shape[2])) + rng.normal(0, noise, shape)
    return Ratings(key, key.raters, items, np.clip(np.rint(seen), 1, 5))


def fill_in(key_file: Path, out: Path, effect: float, noise: float, seed: int = 0) -> list[Path]:
    """Write made-up answers for a study, to try the kit before people have rated.

    Args:
        key_file: The study's key.
        out: The folder of the answers; made where it is missing.
        effect: How much better the first arm's texts are, in grades.
        noise: How far raters stray, in grades, >= 0.
        seed: Of the grades.

    Returns:
        A file for each rater.

    Raises:
        OSError: The key cannot be read.
        ValueError: It is no key, or the noise is negative.
    """
    key = read_key(key_file)
    ratings = simulate(key, {key.arms[0]: effect}, noise, np.random.default_rng(seed))
    out.mkdir(parents=True, exist_ok=True)
    paths = []
    for rater, grades in zip(ratings.raters, ratings.grades.astype(int), strict=True):
        text = io.StringIO()
        rows = csv.writer(text)
        rows.writerow(COLUMNS)
        rows.writerows(
            [rater, item, *given] for item, given in zip(ratings.items, grades, strict=True)
        )
        paths.append(out / f"{rater}-simulated.csv")
        replace_file(paths[-1], text.getvalue().encode())
    return paths


def self_check(
    raters: int = 3, effect: float = 0.8, noises: Sequence[float] = NOISES, studies: int = _STUDIES
) -> list[Check]:
    """Simulated studies with a known effect and with none, at several levels of agreement.

    Each is of three arms, scenarios and seeds, as `emomem eval generations` makes them; the effect
    is that of the first arm over the others.

    Args:
        raters: How many rate, >= 2: one alone agrees with nobody.
        effect: In grades, above 0; from about 1.5 on the end of the scale cuts it off.
        noises: How far raters stray.
        studies: How many studies each figure is of.

    Raises:
        ValueError: An argument is not allowed.
        ImportError: The package `krippendorff` is not installed.
    """
    check_at_least_one(raters=raters - 1, studies=studies)
    if not effect > 0:
        msg = f"effect must be > 0, got {effect!r}"
        raise ValueError(msg)
    outputs = [
        Output(id=f"{scenario}/{arm}/{seed}", scenario=str(scenario), arm=arm, seed=seed, text="-")
        for arm in _ARMS
        for scenario in range(_SCENARIOS)
        for seed in range(_SEEDS)
    ]
    return [
        _checked(make_packets(outputs, raters, SEED).key, true, noise, studies)
        for true in (effect, 0.0)
        for noise in noises
    ]


def checks_table(checks: Sequence[Check]) -> Table:
    """What the self-check found."""
    rows = [
        (
            f"{one.noise:g}",
            f"{one.effect:g}",
            f"{one.recovered:+.2f}",
            f"{one.held:.0%}",
            f"{one.found:.0%}",
            f"{one.alpha:.2f}",
        )
        for one in checks
    ]
    columns = ("raters stray by", "effect", "recovered", "interval holds it", "found", "alpha")
    note = (
        f"In grades, over all scales: the first arm minus the second, {checks[0].studies} studies "
        "a row. Errors beyond the ends of the scale are cut off, which makes an effect smaller."
    )
    return Table("Simulated raters", columns, tuple(rows), note)


def _checked(key: Key, effect: float, noise: float, studies: int) -> Check:
    rng, bootstrap = np.random.default_rng(SEED), Bootstrap(_SCENARIOS * _SEEDS)
    found, alphas = [], []
    for _ in range(studies):
        ratings = simulate(key, {_ARMS[0]: effect}, noise, rng)
        apart = paired(ratings, over_raters(ratings.grades), *_ARMS[:2])
        found.append(bootstrap.mean(apart.mean(axis=1)))
        alphas.append(np.mean([ordinal_alpha(ratings.grades[..., n]) for n in range(len(SCALES))]))
    return Check(
        noise,
        effect,
        float(np.mean([one.mean for one in found])),
        float(np.mean([one.low <= effect <= one.high for one in found])),
        float(np.mean([one.low > 0 for one in found])),
        float(np.mean(alphas)),
        studies,
    )
