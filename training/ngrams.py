"""Fit the n-gram models of Chinese and Portuguese on BRIGHTER and XED.

Ridge regression on weighted hashed n-grams; Portuguese learns from hand-written phrases too. What
the best settings were was found by cross-validation on BRIGHTER's training rows; its development
rows only measure.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from safetensors.numpy import save_file
from scipy.sparse import csr_matrix, vstack
from scipy.special import expit
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import KFold

from emomem.appraisal.local import NGRAM_FLOOR
from emomem.appraisal.ngrams import BITS, LABELS, hashed_ngrams
from training.data import brighter, plain, xed
from training.portuguese import phrase_rows

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from emomem.appraisal.ngrams import Language

    Array = NDArray[np.floating]

_XED_COLUMNS: Final = [0, 2, 3, 4, 5, 6]
"""Where BRIGHTER's six emotions are among XED's eight."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Settings:
    """What one language's model is fitted with.

    Attributes:
        brighter: BRIGHTER's name of the language.
        xed: XED's names of it.
        lengths: n-gram lengths in characters.
        words: whether words are read too.
        penalty: of the ridge.
        xed_weight: weight of an XED row beside 1 of a BRIGHTER row.
        phrases: weight of a hand-written phrase (`training/portuguese.py`), 0 where there are none.
    """

    brighter: str
    xed: tuple[str, ...]
    lengths: tuple[int, ...]
    words: bool
    penalty: float
    xed_weight: float
    phrases: float = 0


LANGUAGES: Final[dict[Language, Settings]] = {
    "zh": Settings("chn", ("cn",), (1, 2), words=False, penalty=30, xed_weight=0.1),
    "pt": Settings(
        "ptbr", ("br", "pt"), (3, 4, 5, 6), words=True, penalty=60, xed_weight=0.02, phrases=0.3
    ),
}

_XED_INTENSITY: Final = 0.5
"""The intensity that a label of XED, which has none, stands for."""


def with_neutral(intensities: Array) -> NDArray[np.float64]:
    """Add the column of neutral (n, 7): what the strongest of the six leaves of 1."""
    return np.column_stack([intensities, 1 - intensities.max(1)]).astype(np.float64)


def counts(texts: Sequence[str], settings: Settings) -> csr_matrix:
    """Return the hashed n-grams of texts as a sparse matrix (n, 2**BITS)."""
    rows = [hashed_ngrams(text, settings.lengths, words=settings.words) for text in texts]
    starts = np.cumsum([0, *(len(buckets) for buckets, _ in rows)])
    buckets, values = (np.concatenate(parts) for parts in zip(*rows, strict=True))
    matrix = csr_matrix((values, buckets, starts), shape=(len(rows), 2**BITS))
    matrix.sum_duplicates()
    return matrix


def rarity(matrix: csr_matrix) -> NDArray[np.float64]:
    """Return the inverse document frequency of each column."""
    documents = np.asarray((matrix > 0).sum(0)).ravel()
    result: NDArray[np.float64] = np.log((1 + matrix.shape[0]) / (1 + documents)) + 1
    return result


@dataclass(frozen=True)
class Part:
    """Rows of one origin: weighted n-grams, targets (n, 7), and the weight of a row."""

    ngrams: csr_matrix
    targets: NDArray[np.float64]
    weight: float

    def take(self, keep: NDArray[np.int64]) -> Part:
        """Return the rows at the given positions."""
        return Part(self.ngrams[keep], self.targets[keep], self.weight)


@dataclass(frozen=True)
class Corpus:
    """One language's training rows: BRIGHTER (`own`), and what is learnt from beside it."""

    own: Part
    beside: tuple[Part, ...]
    rarity: NDArray[np.float64]


def corpus(data: Path, settings: Settings) -> Corpus:
    """Read and hash the training rows of a language, but for those that a held-out row repeats."""
    held_out = {plain(text) for text in brighter(data, settings.brighter, "dev")[0]}
    texts, intensities, _ = brighter(data, settings.brighter, "train")
    parts = [xed(data, name) for name in settings.xed]
    labels = np.concatenate([values[:, _XED_COLUMNS] for _, values in parts]) * _XED_INTENSITY
    sources: list[tuple[list[str], Array, float]] = [
        (texts, intensities, 1.0),
        ([text for some, _ in parts for text in some], labels, settings.xed_weight),
    ]
    if settings.phrases:
        sources.append((*phrase_rows(), settings.phrases))
    read = []
    for some, values, weight in sources:
        kept = [row for row, text in enumerate(some) if plain(text) not in held_out]
        matrix = counts([some[row] for row in kept], settings)
        read.append(Part(matrix, with_neutral(values[kept]), weight))
    weights = rarity(read[0].ngrams)
    own, *beside = [
        Part(part.ngrams.multiply(weights).tocsr(), part.targets, part.weight) for part in read
    ]
    return Corpus(own, tuple(beside), weights)


def ridge(rows: Corpus, keep: NDArray[np.int64], settings: Settings) -> tuple[Array, Array]:
    """Fit on some of BRIGHTER's rows and all others; return weights (2**BITS, 7), intercept (7,).

    Each origin is centred by itself, since they differ in how often an emotion is labelled.
    """
    parts = [rows.own.take(keep), *rows.beside]
    targets = np.concatenate([part.targets - part.targets.mean(0) for part in parts])
    weights = np.repeat([part.weight for part in parts], [len(part.targets) for part in parts])
    model = Ridge(alpha=settings.penalty, solver="sparse_cg", tol=1e-4)
    model.fit(vstack([part.ngrams for part in parts]).tocsr(), targets, sample_weight=weights)
    return model.coef_.T, model.intercept_ + parts[0].targets.mean(0)


def present(targets: Array) -> NDArray[np.bool_]:
    """Return which labels hold (n, 7): an emotion of any intensity, neutral where there is none."""
    felt = targets[:, :-1] > 0
    return np.column_stack([felt, ~felt.any(1)])


def floor_report(chance: Array, targets: Array) -> str:
    """Return how many rows the floor lets through, and how often the first label is right."""
    right = present(targets)[np.arange(len(chance)), chance.argmax(1)]
    given = chance.max(1) >= NGRAM_FLOOR
    return (
        f"{given.mean():.1%} of held-out rows are answered, {right[given].mean():.1%} of these "
        f"with a right label (of all rows {right.mean():.1%})"
    )


def chances(scores: Array, targets: Array) -> tuple[Array, Array]:
    """Return slope and offset (7,) from held-out scores to the chance that a label holds."""
    holds = present(targets)
    curves = [
        LogisticRegression(C=1e3).fit(scores[:, [label]], holds[:, label])
        for label in range(len(LABELS))
    ]
    slope = np.array([curve.coef_[0, 0] for curve in curves])
    return slope, np.array([curve.intercept_[0] for curve in curves])


def train(data: Path, language: Language, folder: Path) -> None:
    """Fit one language's model and write it to `ngrams_LANGUAGE.safetensors` in the folder."""
    settings = LANGUAGES[language]
    rows = corpus(data, settings)
    held_out = np.empty_like(rows.own.targets)
    for kept, left in KFold(5, shuffle=True, random_state=0).split(held_out):
        weights, intercept = ridge(rows, kept, settings)
        held_out[left] = rows.own.ngrams[left] @ weights + intercept
    slope, offset = chances(held_out, rows.own.targets)
    _log.info("%s: %s", language, floor_report(expit(held_out * slope + offset), rows.own.targets))
    weights, intercept = ridge(rows, np.arange(len(held_out)), settings)
    path = folder / f"ngrams_{language}.safetensors"
    write(path, settings, weights * rows.rarity[:, None], intercept, (slope, offset))
    _log.info("n-gram model of %s written", language)


def write(
    path: Path, settings: Settings, weights: Array, intercept: Array, curve: tuple[Array, Array]
) -> None:
    """Write a model.

    Args:
        path: where to.
        settings: how it reads.
        weights: (2**BITS, outputs), which are rounded to bytes.
        intercept: (outputs,).
        curve: slope and offset (outputs,) from scores to chances, as `chances` fits them.
    """
    scale = np.abs(weights).max(0) / 127
    tensors = {
        "lengths": np.array(settings.lengths),
        "words": np.array(settings.words),
        "weights": np.ascontiguousarray(np.rint(weights / scale), dtype=np.int8),
        "scale": scale,
        "intercept": intercept,
        "slope": curve[0],
        "offset": curve[1],
    }
    save_file(tensors, path)
