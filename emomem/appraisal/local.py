"""The embedded affect model: the default appraiser."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final, get_args

import numpy as np

from emomem.affect import Affect, Float32Array, FloatArray
from emomem.appraisal.base import BaseAppraiser
from emomem.appraisal.doubt import to_read_again, with_doubt
from emomem.appraisal.language import Language, detect_language
from emomem.appraisal.negation import named_sign, without_denials
from emomem.appraisal.ngrams import LABELS, LANGUAGES, as_distribution, load_ngrams
from emomem.appraisal.ngrams import Language as NgramLanguage
from emomem.appraisal.windows import window_weights
from emomem.emotions import GOEMOTIONS, NEUTRAL
from emomem.encoder import LocalEncoder, default_encoder
from emomem.reading import Reading

if TYPE_CHECKING:
    from emomem.appraisal.branch import Calibration

SOURCE: Final = "emomem:2"
NGRAM_SOURCES: Final = {language: f"{SOURCE}:{language}" for language in LANGUAGES}
"""The source of what is read by n-grams, by language."""

NGRAM_FLOOR: Final = 0.5
"""The least chance of the label being right from which a reading by n-grams is given.

Below it the label is wrong more often than right. On BRIGHTER's training rows, held out in five
folds, 74% of Chinese texts are answered, with a label that is right for 80% of them (of all of
them: 72%), and 56% of Portuguese texts, with one that is right for 72% (of all: 60%), as
`training/ngrams.py` logs.
"""
_JOY: Final = LABELS.index("joy")
_UNPLEASANT: Final = [LABELS.index(label) for label in ("anger", "disgust", "fear", "sadness")]

_EMOTIONS: Final = len(GOEMOTIONS)
_LOWEST: Final = (-1.0, 0.0, -1.0, 0.0)
"""Least valence, arousal, dominance and confidence; the most is 1."""


class LocalAppraiser(BaseAppraiser):
    """Affect by the model that emomem ships: a branch of MiniLM, so that one pass does both.

    It gives everything that `Affect` holds but conflict: a distribution over the 28 emotions,
    the most probable as label, valence, arousal and dominance that use their range, and a
    confidence that is the chance of the label being right. The branch reads English; Chinese and
    Portuguese are read by small models on character n-grams, and unknown where that would be a
    guess (`NGRAM_FLOOR`); any other language, and a text of which the tokenizer knows no word
    (emoji alone among them), is unknown. Irony, denials and other people's feelings are read with
    care (`emomem.appraisal.doubt`, `emomem.appraisal.negation`), as far as their wording tells
    them: a remark that is ironic by its context alone is read as it stands.

    A text longer than MiniLM's window is read in windows and the turn at its end counts
    (`emomem.appraisal.windows`). It may be shared by threads; the model is loaded on first use,
    once a process.

    Args:
        encoder: The encoder to share a pass with; None is the one that the whole process shares.

    Attributes:
        encoder: That encoder.

    Raises:
        ImportError: The model's packages are not installed; the message says how to.

    Example:
        >>> affect = LocalAppraiser().appraise(["My dog died, I am devastated."])[0]
        >>> affect.valence < -0.6
        True
    """

    def __init__(self, encoder: LocalEncoder | None = None) -> None:
        self.encoder = default_encoder() if encoder is None else encoder
        self.source = SOURCE

    def load(self) -> None:
        """Load the model now rather than on first use.

        Raises:
            FileNotFoundError: Weights are missing.
            ValueError: Weights are not those that were shipped.
        """
        self.encoder.load()
        _calibration()
        for language in LANGUAGES:
            load_ngrams(language)

    def _read(self, texts: Sequence[str]) -> list[Affect]:
        words = self.encoder.words()
        languages = [detect_language(text, words) for text in texts]
        affects = [Affect.unknown(source=SOURCE) for _ in texts]
        for language in get_args(Language):
            rows = [row for row, found in enumerate(languages) if found == language]
            chosen = [texts[row] for row in rows]
            if chosen:
                read = self._english(chosen) if language == "en" else _of_ngrams(chosen, language)
                for row, affect in zip(rows, read, strict=True):
                    affects[row] = affect
        return affects

    def _english(self, texts: Sequence[str]) -> list[Affect]:
        affects = self._by_branch(texts, embed=self.encoder.embeds)
        again = {text: rest for text in texts if (rest := to_read_again(text)) is not None}
        rests = dict(zip(again, self._by_branch(list(again.values()), embed=False), strict=True))
        return [
            with_doubt(text, affect, rests.get(text))
            for text, affect in zip(texts, affects, strict=True)
        ]

    def _by_branch(self, texts: Sequence[str], *, embed: bool) -> list[Affect]:
        return _of_branch(self.encoder.read(texts, embed=embed, affect=True)) if texts else []


def _of_branch(readings: Sequence[Reading]) -> list[Affect]:
    """The affects of readings whose outputs are known, windows merged."""
    calibration = _calibration()
    outputs = np.concatenate([_outputs(reading) for reading in readings])
    values = np.column_stack(
        [
            calibration.distribution(outputs),
            calibration.working_vad(outputs),
            calibration.certainty(outputs),
        ]
    )
    ends = np.cumsum([len(_outputs(reading)) for reading in readings])[:-1]
    merged = np.stack([_merged(windows) for windows in np.split(values, ends)])
    emotions, numbers = merged[:, :_EMOTIONS], merged[:, _EMOTIONS:]
    emotions = emotions / emotions.sum(1, keepdims=True)
    # Rounding may lead just over the end of a scale.
    numbers = np.clip(numbers, _LOWEST, 1.0)
    labels = emotions.argmax(1).tolist()
    return [
        Affect(
            valence=valence,
            arousal=arousal,
            dominance=dominance,
            emotions=tuple(chances),
            label=GOEMOTIONS[label],
            confidence=confidence,
            source=SOURCE,
        )
        if reading.tokens
        else Affect.unknown(source=SOURCE)
        for reading, chances, label, (valence, arousal, dominance, confidence) in zip(
            readings, emotions.tolist(), labels, numbers.tolist(), strict=True
        )
    ]


def _merged(windows: FloatArray) -> FloatArray:
    """The values (v,) of a text from those of its windows (w, v), the distribution first."""
    weights = [1.0] if len(windows) == 1 else window_weights(1.0 - windows[:, NEUTRAL])
    return np.asarray(weights @ windows)


def _of_ngrams(texts: Sequence[str], language: NgramLanguage) -> list[Affect]:
    """The affects of Chinese or Portuguese texts, as far as no feeling is denied in them."""
    source = NGRAM_SOURCES[language]
    rests = [without_denials(text) for text in texts]
    chances = load_ngrams(language).chances(rests)
    joy, unpleasant = chances[:, _JOY], chances[:, _UNPLEASANT].max(axis=1)
    named = np.array([named_sign(rest) for rest in rests])
    # What names unpleasant feelings alone and is read as joy is misread, and so the reverse.
    sure = (
        (chances.max(axis=1) >= NGRAM_FLOOR)
        & (named * (joy - unpleasant) >= 0)
        & [re.search(r"\w", rest) is not None for rest in rests]
    )
    return [
        Affect.from_emotions(emotions, confidence=float(chance), source=source)
        if known
        else Affect.unknown(source=source)
        for known, emotions, chance in zip(
            sure, as_distribution(chances), chances.max(axis=1), strict=True
        )
    ]


def _outputs(reading: Reading) -> Float32Array:
    assert reading.outputs is not None  # noqa: S101 - it was asked for
    return reading.outputs


@lru_cache(maxsize=1)
def _calibration() -> "Calibration":
    from emomem.appraisal.branch import load_calibration  # noqa: PLC0415 - imports torch

    return load_calibration()
