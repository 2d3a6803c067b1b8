"""An appraiser without a model: the VADER lexicon."""

import threading
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any, Final

import numpy as np

from emomem.affect import Affect
from emomem.appraisal.base import BaseAppraiser
from emomem.appraisal.windows import split_windows, window_shares, window_weights
from emomem.portable import Portable

SOURCE: Final = "lexicon:vader"

# VADER is made for one post or sentence: its sum saturates and its time grows with the square
# of the length on anything much longer.
_WINDOW_WORDS: Final = 64

# Where half of the confidence is reached; fitted so that, on EmoBank, confidence is 2P - 1 of
# the sign being the human one.
_HALF_EVIDENCE: Final = 0.1

# What phones type and VADER does not know: the curly apostrophe of "don't", and the selector
# that makes a heart red and would stick to its word.
_AS_VADER_WRITES: Final = {0x2019: "'", 0xFE0F: None}


class LexiconAppraiser(Portable, BaseAppraiser):
    """Valence of English text by the VADER lexicon and its rules (Hutto & Gilbert 2014).

    It gives valence and confidence and nothing else: a polarity lexicon knows no arousal, no
    dominance, no label and no distribution over emotions, so they stay unknown. A text in
    which the lexicon recognises no word is unknown, not neutral. The lexicon is English; a word
    of another language that happens to be spelt like one of its own misleads it.

    Valence is VADER's compound score, -1..1. Confidence, 0..1, comes from VADER's shares of
    positive and negative words, p and n (each word weighs 1 plus its strength):

        agreement * evidence / (evidence + 0.1),  agreement = |p - n| / (p + n),
                                                  evidence = p + n

    so a lone weak word in a long text, and praise and blame that cancel, are both doubtful. On
    the sentences of EmoBank that people did not call neutral it is about 2P - 1, where P is the
    chance that the sign is right. Text over 64 words is read in windows
    (`emomem.appraisal.windows`), and their shares of p and n are averaged by their say.

    It may be shared by threads; the lexicon is read on first use.

    Raises:
        ImportError: vaderSentiment is not installed.

    Example:
        >>> affect = LexiconAppraiser().appraise(["My dog died, I am devastated"])[0]
        >>> affect.valence < -0.6, affect.arousal
        (True, None)
        >>> LexiconAppraiser().appraise(["The bus leaves at nine"])[0].is_unknown
        True
    """

    source = SOURCE

    def __init__(self) -> None:
        if find_spec("vaderSentiment") is None:
            msg = (
                "LexiconAppraiser needs the vaderSentiment package: pip install 'emomem[langchain]'"
            )
            raise ImportError(msg)
        self._renew()

    def _renew(self) -> None:
        self._lock = threading.Lock()
        self._analyzer: Any = None

    def load(self) -> None:
        """Read the lexicon now rather than on first use."""
        with self._lock:
            if self._analyzer is None:
                from vaderSentiment.vaderSentiment import (  # noqa: PLC0415 - first use loads it
                    SentimentIntensityAnalyzer,
                )

                self._analyzer = SentimentIntensityAnalyzer()

    def _read(self, texts: Sequence[str]) -> list[Affect]:
        self.load()
        return [self._affect(text) for text in texts]

    def _affect(self, text: str) -> Affect:
        words = text.translate(_AS_VADER_WRITES).split()
        windows = split_windows(len(words), _WINDOW_WORDS)
        scores: list[Mapping[str, float]] = [
            self._analyzer.polarity_scores(" ".join(words[window])) for window in windows
        ]
        compound, positive, negative = np.array(
            [[s["compound"], s["pos"], s["neg"]] for s in scores]
        ).T
        found = positive + negative > 0
        if not found.any():
            return Affect.unknown(source=SOURCE)
        weights = window_weights(np.where(found, np.abs(compound), np.nan))
        shares = window_shares(len(windows))
        return Affect(
            valence=float(np.clip(weights @ compound, -1.0, 1.0)),
            confidence=_confidence(float(shares @ positive), float(shares @ negative)),
            source=SOURCE,
        )


def _confidence(positive: float, negative: float) -> float:
    """0..1 from the shares of positive and negative words, of which one is above 0."""
    evidence = positive + negative
    agreement = abs(positive - negative) / evidence
    return agreement * evidence / (evidence + _HALF_EVIDENCE)
