"""Linear models on hashed character n-grams, for languages that the branches do not read.

Chinese and Portuguese have two small models each: one gives a score for each of six emotions and
for neutral, the other one for conflict. Inference is numpy alone; `training/ngrams.py` and
`training/conflict_ngrams.py` fit the weights.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
import zlib
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Literal, get_args

import numpy as np

from emomem.appraisal.weights import WEIGHTS, checked_file
from emomem.emotions import projection

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

Language = Literal["pt", "zh"]

LANGUAGES: Final[tuple[Language, ...]] = get_args(Language)

LABELS: Final = ("anger", "disgust", "fear", "joy", "sadness", "surprise", "neutral")
"""The outputs of affect: BRIGHTER's six emotions, and neutral for a text that has none of them."""

BITS: Final = 17
"""Binary logarithm of the number of hash buckets."""

_MULTIPLIER: Final = np.uint64(0x9E3779B97F4A7C15)  # 2**64 over the golden ratio, odd
_SHIFT: Final = np.uint64(29)

_STEM: Final = 5
"""How many letters stand for all forms of a word."""


def hashed_ngrams(
    text: str, lengths: Sequence[int], *, words: bool = False
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the buckets that a text's character n-grams fall into, and their weights.

    Args:
        text: any text; width, case and white space are made alike first.
        lengths: the n-gram lengths in characters; an n-gram may begin or end with a space but
            never spans two words.
        words: whether words are read too, as a second vector beside the first: words and marks,
            pairs of them, and how longer words begin. Letters then lose their accents, which
            chats often leave out.

    Returns:
        Buckets (m,) and 1 + ln(count) of each (m,), scaled to unit length; with `words`, each of
        the two vectors is.
    """
    clean = " " + " ".join(unicodedata.normalize("NFKC", text).lower().split()) + " "
    if words:
        clean = "".join(
            c for c in unicodedata.normalize("NFD", clean) if not unicodedata.combining(c)
        )
    codes = np.frombuffer(clean.encode("utf-32-le", "replace"), dtype="<u4").astype(np.uint64)
    spaces = np.cumsum(codes == ord(" "))
    hashes = []
    for length in lengths:
        count = max(len(codes) - length + 1, 0)
        mixed = np.full(count, length, dtype=np.uint64)
        for offset in range(length):
            mixed = (mixed ^ codes[offset : offset + count]) * _MULTIPLIER
            mixed ^= mixed >> _SHIFT
        if length > 2:  # noqa: PLR2004 - shorter ones have nothing between their ends
            mixed = mixed[spaces[length - 2 : length - 2 + count] == spaces[:count]]
        hashes.append((mixed * _MULTIPLIER) >> np.uint64(64 - BITS))
    buckets, weights = _unit_vector(np.concatenate(hashes).astype(np.int64))
    if not words:
        return buckets, weights
    sums = [zlib.crc32(part.encode("utf-8", "replace")) >> (32 - BITS) for part in _words(clean)]
    more, their_weights = _unit_vector(np.array(sums, dtype=np.int64))
    return np.concatenate([buckets, more]), np.concatenate([weights, their_weights])


def _words(clean: str) -> list[str]:
    """Return a text's words and marks, their pairs, and the beginnings of its longer words."""
    words = re.findall(r"\w+|[^\w\s]", clean)
    pairs = [f"{one} {other}" for one, other in itertools.pairwise(words)]
    return words + pairs + [f" {word[:_STEM]}" for word in words if len(word) >= _STEM]


def _unit_vector(hashes: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    buckets, counts = np.unique(hashes, return_counts=True)
    weights = 1 + np.log(counts)
    return buckets, weights / max(float(np.linalg.norm(weights)), 1.0)


@dataclass(frozen=True)
class NgramModel:
    """A model of one language, with as many outputs as `LABELS` has, or one for conflict.

    Attributes:
        lengths: the n-gram lengths it reads.
        words: whether it reads words too.
        weights: (2**BITS, outputs) as bytes, to be multiplied by `scale`.
        scale: (outputs,).
        intercept: (outputs,).
        slope: (outputs,) and
        offset: (outputs,) turn a score into the chance that it holds.
    """

    lengths: tuple[int, ...]
    words: bool
    weights: NDArray[np.int8]
    scale: NDArray[np.float64]
    intercept: NDArray[np.float64]
    slope: NDArray[np.float64]
    offset: NDArray[np.float64]

    def scores(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Return the scores (n, outputs), of affect the expected intensity 0..1; not clipped."""
        result = np.empty((len(texts), self.weights.shape[1]))
        for row, text in enumerate(texts):
            buckets, values = hashed_ngrams(text, self.lengths, words=self.words)
            result[row] = values @ self.weights[buckets]
        return result * self.scale + self.intercept

    def chances(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Return the chance of each output (n, outputs), each by itself."""
        logits = self.scores(texts) * self.slope + self.offset
        chances: NDArray[np.float64] = 0.5 * (1 + np.tanh(0.5 * logits))
        return chances

    def distribution(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Return distributions over the 28 canonical labels (n, 28)."""
        return as_distribution(self.chances(texts))


def as_distribution(chances: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return distributions over the 28 canonical labels (n, 28), from chances (n, 7)."""
    shares: NDArray[np.float64] = chances / chances.sum(1, keepdims=True)
    return shares @ projection(LABELS)


@lru_cache(maxsize=8)
def load_ngrams(
    language: Language, folder: Path = WEIGHTS, *, reads: Literal["ngrams", "conflict"] = "ngrams"
) -> NgramModel:
    """Load a shipped model of a language, once a process.

    Args:
        language: the language.
        folder: where the weights are.
        reads: "ngrams" is the model of affect, "conflict" that of conflict.

    Raises:
        ImportError: safetensors is not installed.
        FileNotFoundError: the weights are missing.
        ValueError: the weights are not those that were shipped.
    """
    try:
        from safetensors.numpy import load_file  # noqa: PLC0415 - an optional dependency
    except ImportError as error:
        msg = "the local model needs safetensors; install emomem[local]"
        raise ImportError(msg) from error
    tensors = load_file(checked_file(f"{reads}_{language}.safetensors", folder))
    lengths = tuple(int(length) for length in tensors.pop("lengths"))
    words, weights = bool(tensors.pop("words")), tensors.pop("weights")
    numbers = {name: tensor.astype(np.float64) for name, tensor in tensors.items()}
    return NgramModel(lengths, words, weights, **numbers)
