"""Fit the n-gram models that read conflict in Chinese and Portuguese, on hand-written memories.

    python -m training.conflict_ngrams --data ../shared/data --out DIR    # a minute

writes `conflict_zh.safetensors` and `conflict_pt.safetensors`, as they are shipped: logistic
regression on the n-grams that the models of affect read (`training.ngrams`), from the people of
`training/people/zh` and `training/people/pt`, and from texts of BRIGHTER without any emotion, in
which no conflict is. It prints how well people are read by a model that was fitted without the file
they are in, since whoever wrote one file has ways of their own, and how much conflict that model
reads in such texts of BRIGHTER's development split.
"""

from __future__ import annotations

import argparse
import logging
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from emomem.appraisal.ngrams import LANGUAGES
from training.conflict import beside, memories_of, mild_of, told_apart
from training.data import brighter
from training.ngrams import LANGUAGES as SETTINGS
from training.ngrams import counts, rarity, write
from training.people import PEOPLE, of_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from emomem.appraisal.ngrams import Language
    from emomem.evaluation.datasets.labelled import Split
    from training.people import Person

    Array = NDArray[np.floating]

STRENGTH: Final = 0.3
"""What the fit weighs beside the size of the weights (scikit-learn's C): the chances are about
right for people who are held out; how well these are told apart hardly depends on it."""
PLAIN: Final = 0.3
"""How much a text of BRIGHTER counts beside a memory."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Reader:
    """The log-odds of a conflict, linear in the n-grams of a text.

    Attributes:
        language: What it reads.
        weights: (2**BITS,).
        intercept: The log-odds of a text of no known n-gram.
    """

    language: Language
    weights: Array
    intercept: float

    @classmethod
    def fit(cls, told: Sequence[Person], plain: Sequence[str], language: Language) -> Reader:
        """Learn from some people's memories, alone and among mild ones, and from plain texts."""
        rng = np.random.default_rng(0)
        rows = []
        for one in told:
            own = memories_of(one)
            rows += [*own, *beside(own, mild_of(one), rng)]
        weigh = [1.0] * len(rows) + [PLAIN] * len(plain)
        rows += [(False, text) for text in plain]
        ngrams = counts([text for _, text in rows], SETTINGS[language])
        rare = rarity(ngrams)
        model = LogisticRegression(C=STRENGTH, max_iter=1000)
        model.fit(ngrams.multiply(rare).tocsr(), [critical for critical, _ in rows], weigh)
        return cls(language, model.coef_[0] * rare, float(model.intercept_[0]))

    def odds(self, texts: Sequence[str]) -> Array:
        """The log-odds (n,) of a conflict in each of some texts."""
        odds: Array = counts(texts, SETTINGS[self.language]) @ self.weights + self.intercept
        return odds

    def write(self, folder: Path) -> None:
        """Write it to `conflict_LANGUAGE.safetensors` in a folder."""
        path = folder / f"conflict_{self.language}.safetensors"
        intercept, curve = np.array([self.intercept]), (np.ones(1), np.zeros(1))
        write(path, SETTINGS[self.language], self.weights[:, None], intercept, curve)


def plain_texts(data: Path, language: Language, split: Split) -> list[str]:
    """The texts of a split of BRIGHTER in which nobody finds any emotion."""
    texts, intensities, _ = brighter(data, SETTINGS[language].brighter, split)
    return [text for text, felt in zip(texts, intensities, strict=True) if not felt.any()]


def report(data: Path, files: Sequence[Sequence[Person]], language: Language) -> None:
    """Log how the people of each file are read by a reader that was fitted on the other files."""
    plain = plain_texts(data, language, "train")
    unseen_plain = plain_texts(data, language, "dev")
    found, felt = [], []
    for unseen in files:
        told = [one for file in files if file is not unseen for one in file]
        reader = Reader.fit(told, plain, language)
        found.append(
            told_apart(reader.odds([text for one in unseen for text in one.texts]), unseen)
        )
        felt.append(expit(reader.odds(unseen_plain)).mean())
    area, top = np.concatenate(found).mean(axis=0)
    _log.info(
        "%s: %d people, each read without their file: critical memories are told from the rest "
        "with an area under the curve of %.3f, and the top of each holds %.0f%% of theirs; in a "
        "plain text of BRIGHTER's there is a conflict of %.2f",
        *(language, sum(map(len, files)), area, 100 * top, np.mean(felt)),
    )


def train(data: Path, language: Language, folder: Path) -> None:
    """Measure and fit one language's reader, and write it."""
    files = [[*of_file(path)] for path in sorted((PEOPLE / language).glob("*.txt"))]
    report(data, files, language)
    told = [one for file in files for one in file]
    Reader.fit(told, plain_texts(data, language, "train"), language).write(folder)


def main() -> None:
    """Read the command line, measure and fit."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--out", type=Path, default=Path("out/conflict"), help="what is written")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    for language in LANGUAGES:
        train(options.data, language, options.out)


if __name__ == "__main__":
    main()
