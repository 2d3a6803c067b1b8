"""Conflict read from a text: whether it holds what weighs between people, or on oneself."""

import asyncio
from collections.abc import Sequence

from emomem.affect import Affect
from emomem.appraisal.base import (
    BaseAppraiser,
    aappraise_safely,
    appraise_safely,
    check_appraiser,
    load_appraiser,
)
from emomem.appraisal.default import default_appraiser
from emomem.appraisal.language import detect_language
from emomem.encoder import LocalEncoder, default_encoder
from emomem.protocols import Appraiser


class ConflictAppraiser(BaseAppraiser):
    """Another appraiser, and how much conflict there is in each text.

    `Affect.conflict` becomes the chance, 0..1, that the text tells of what stays with a person
    because it isn't settled: a promise, a debt, a sacrifice, a wrong, trust betrayed, shame,
    guilt. Accidents, illness, grief and joy are intense and no conflict. With it salience
    (`emomem.signals.salience`) finds what matters in a conflict, which arousal alone does not. It
    reads English; the conflict of other texts, and one that the other appraiser gives itself, stay
    as they are. Of a text of several windows the one with most conflict counts.

    A linear head on the affect branch, fitted on hand-written sentences (`training/conflict.py`).
    With `LocalAppraiser` on the same encoder it comes with the same pass, and costs nothing.

    Args:
        appraiser: Who reads the rest; None is the embedded model.
        encoder: The encoder to share a pass with; None is the one that the whole process shares.

    Raises:
        ImportError: The local model's packages are not installed.
        TypeError: `appraiser` is none.

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
        self._encoder = default_encoder() if encoder is None else encoder

    def load(self) -> None:
        """Load both models now rather than on first use."""
        load_appraiser(self._appraiser)
        self._encoder.load()

    def _read(self, texts: Sequence[str]) -> list[Affect]:
        return self._with_conflict(texts, appraise_safely(self._appraiser, texts))

    async def _aread(self, texts: Sequence[str]) -> list[Affect]:
        affects = await aappraise_safely(self._appraiser, texts)
        return await asyncio.to_thread(self._with_conflict, texts, affects)

    def _with_conflict(self, texts: Sequence[str], affects: Sequence[Affect]) -> list[Affect]:
        words = self._encoder.words()
        rows = [
            row
            for row, (text, affect) in enumerate(zip(texts, affects, strict=True))
            if affect.conflict is None
            and not affect.is_unknown
            and detect_language(text, words) == "en"
        ]
        read = list(affects)
        readings = self._encoder.read([texts[row] for row in rows], embed=False, affect=True)
        for row, reading in zip(rows, readings, strict=True):
            read[row] = affects[row].model_copy(update={"conflict": reading.conflict})
        return read
