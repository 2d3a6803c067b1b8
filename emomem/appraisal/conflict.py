"""Conflict read from a text: whether it holds what weighs between people, or on oneself."""

import asyncio
from collections.abc import Sequence
from typing import Final

from emomem.affect import Affect
from emomem.appraisal.base import (
    BaseAppraiser,
    aappraise_safely,
    appraise_safely,
    check_appraiser,
    load_appraiser,
    source_of,
)
from emomem.appraisal.default import default_appraiser
from emomem.appraisal.language import detect_language
from emomem.appraisal.local import NGRAM_SOURCES, SOURCE, LocalAppraiser
from emomem.appraisal.ngrams import LANGUAGES, Language, load_ngrams
from emomem.encoder import LocalEncoder, default_encoder
from emomem.protocols import Appraiser
from emomem.sentences import sentences

WINDOW: Final = 4
"""Sentences of a window in Chinese and Portuguese, as many as the models were fitted on at most."""


class ConflictAppraiser(BaseAppraiser):
    """Another appraiser, and how much conflict there is in each text.

    `Affect.conflict` becomes the chance, 0..1, that the text tells of what stays with a person
    because it isn't settled: a promise, a debt, a sacrifice, a wrong, trust betrayed, shame,
    guilt. Accidents, illness, grief and joy are intense and no conflict. With it salience
    (`emomem.signals.salience`) finds what matters in a conflict, which arousal alone does not. It
    reads English, Chinese and Portuguese; the conflict of other texts and of those without a letter
    stays as it is, and so does one that the other appraiser gives. Of a text of several windows the
    one with most conflict counts.

    English is read by a branch of MiniLM of its own, fitted on hand-written memories
    (`training/conflict.py`). With `LocalAppraiser` on the same encoder one pass does both, and runs
    three layers more. Chinese and Portuguese are read by small models on character n-grams
    (`training/conflict_ngrams.py`), also where `LocalAppraiser` finds their feeling too doubtful.

    Args:
        appraiser: Who reads the rest; None is the embedded model.
        encoder: The encoder to share a pass with; None is the one that the whole process shares.

    Attributes:
        encoder: The encoder.

    Raises:
        ImportError: The local model's packages are not installed.
        TypeError: `appraiser` or `encoder` is none.

    Example:
        >>> texts = ["He swore it on our son, and he lied.", "We had soup and watched a film."]
        >>> [affect.conflict > 0.5 for affect in ConflictAppraiser().appraise(texts)]
        [True, False]
    """

    def __init__(
        self, appraiser: Appraiser | None = None, encoder: LocalEncoder | None = None
    ) -> None:
        if appraiser is not None:
            check_appraiser(appraiser)
        self._appraiser = default_appraiser() if appraiser is None else appraiser
        self.members = (self._appraiser,)
        if encoder is not None and not isinstance(encoder, LocalEncoder):
            msg = f"encoder must be a LocalEncoder, got {encoder!r}"
            raise TypeError(msg)
        self.encoder = default_encoder() if encoder is None else encoder
        other = self._appraiser
        self._shares_pass = isinstance(other, LocalAppraiser) and other.encoder is self.encoder

    @property
    def source(self) -> str:
        """The version of what reads conflict, and who reads the rest."""
        return f"conflict:{SOURCE}+{source_of(self._appraiser)}"

    def load(self) -> None:
        """Load all models now rather than on first use."""
        load_appraiser(self._appraiser)
        self.encoder.load(conflict=True)
        for language in LANGUAGES:
            load_ngrams(language, reads="conflict")

    def _read(self, texts: Sequence[str]) -> list[Affect]:
        chances = self._chances(texts)
        return _with_conflict(appraise_safely(self._appraiser, texts), chances)

    async def _aread(self, texts: Sequence[str]) -> list[Affect]:
        chances = await asyncio.to_thread(self._chances, texts)
        return _with_conflict(await aappraise_safely(self._appraiser, texts), chances)

    def _chances(self, texts: Sequence[str]) -> list[float | None]:
        """How much conflict there is in each text; None where it is not read.

        The other appraiser's pass is taken along where it is one of this encoder: then its
        readings are kept.
        """
        words = self.encoder.words()
        by_language: dict[str | None, list[str]] = {}
        for text in texts:
            if any(letter.isalpha() for letter in text):
                by_language.setdefault(detect_language(text, words), []).append(text)
        english = by_language.get("en", [])
        readings = self.encoder.read(
            english, embed=self.encoder.embeds, affect=self._shares_pass, conflict=True
        )
        known = {text: one.conflict for text, one in zip(english, readings, strict=True)}
        for language in LANGUAGES:
            known |= {text: _by_ngrams(text, language) for text in by_language.get(language, ())}
        return [known.get(text) for text in texts]


def _by_ngrams(text: str, language: Language) -> float:
    """The conflict of a text in Chinese or Portuguese: that of the window with most."""
    parts = sentences(text)
    windows = [" ".join(parts[start : start + WINDOW]) for start in range(0, len(parts), WINDOW)]
    chances = load_ngrams(language, reads="conflict").chances(windows)
    return float(chances.max())


def _with_conflict(affects: Sequence[Affect], chances: Sequence[float | None]) -> list[Affect]:
    """The affects with what was read of conflict, where it is known and they do not say it.

    An affect that is unknown stays so, for whoever failed may be asked again; but not one that
    `LocalAppraiser` found too doubtful by its n-grams.
    """
    return [
        affect
        if chance is None
        or affect.conflict is not None
        or (affect.is_unknown and affect.source not in NGRAM_SOURCES.values())
        else affect.model_copy(update={"conflict": chance})
        for affect, chance in zip(affects, chances, strict=True)
    ]
