"""Conflict read from a text: whether somebody is at odds in it with another, or with themselves."""

import asyncio
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from emomem.affect import Affect, FloatArray
from emomem.appraisal.base import (
    BaseAppraiser,
    aappraise_safely,
    appraise_safely,
    check_appraiser,
    load_appraiser,
)
from emomem.appraisal.default import default_appraiser
from emomem.appraisal.heads import LinearHead, softmax
from emomem.appraisal.language import detect_language
from emomem.appraisal.weights import WEIGHTS, checked_file
from emomem.encoder import LocalEncoder, default_encoder
from emomem.protocols import Appraiser

CLASSES: Final = ("conflict", "mild", "intense")
"""What the head tells apart: broken trust, shame, guilt, a debt or a wrong between people; what
leaves one as one was; what stirs, and sets nobody against anybody."""

NAME: Final = "conflict.safetensors"


class ConflictAppraiser(BaseAppraiser):
    """Another appraiser, and how much conflict there is in each text.

    `Affect.conflict` becomes the chance, 0..1, that the text tells of a promise broken, trust
    betrayed, credit taken, shame, guilt, a debt between people: what stays with a person because
    it isn't settled. Accidents, illness, grief and joy are intense and no conflict. With it
    salience (`emomem.signals.salience`) finds what matters in a conflict, which arousal alone
    does not. It reads English; the conflict of other texts, and one that the other appraiser
    gives itself, stay as they are.

    A linear head on MiniLM's sentence embedding, fitted on hand-written sentences
    (`training/conflict.py`); the first 256 tokens of a text are read. With `LocalAppraiser` on
    the same encoder a text takes one pass.

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
        self._encoder.embeds = True

    def load(self) -> None:
        """Load both models now rather than on first use."""
        load_appraiser(self._appraiser)
        self._encoder.load()
        load_head()

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
        chances = conflict_chances(self._encoder.embed([texts[row] for row in rows]))
        for row, chance in zip(rows, chances.tolist(), strict=True):
            read[row] = affects[row].model_copy(update={"conflict": chance})
        return read


def conflict_chances(embeddings: NDArray[np.floating]) -> FloatArray:
    """(n,) the chance 0..1 of a conflict in each text, from its (n, 384) embedding."""
    head = load_head()
    scores = head(np.asarray(embeddings, dtype=float), np.zeros((len(embeddings), len(CLASSES))))
    return softmax(scores)[:, CLASSES.index("conflict")]


@lru_cache(maxsize=1)
def load_head(folder: Path = WEIGHTS) -> LinearHead:
    """The shipped head, once a process.

    Raises:
        FileNotFoundError: The weights are missing.
        ValueError: The weights are not those that were shipped.
    """
    from safetensors.numpy import load_file  # noqa: PLC0415 - an optional dependency

    tensors = load_file(checked_file(NAME, folder))
    return LinearHead(tensors["weights"].astype(float), tensors["bias"].astype(float))
