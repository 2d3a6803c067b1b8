"""An appraiser that would rather say unknown than guess."""

from collections.abc import Sequence
from typing import get_args

from emomem.affect import Affect
from emomem.appraisal.base import (
    BaseAppraiser,
    OnFailure,
    aappraise_safely,
    appraise_safely,
    check_appraiser,
    load_appraiser,
    source_of,
)
from emomem.appraisal.review import ReviewQueue
from emomem.protocols import Appraiser


class ConfidentAppraiser(BaseAppraiser):
    """An appraiser that says unknown, or neutral, rather than what it is not sure of.

    A reading whose confidence is below the threshold is put into the queue, and what is handed
    on is unknown or neutral. One that gives no confidence counts as certain. A text that the
    appraiser could not read, or failed on, is unknown and put into the queue too; blank text is
    not.

    Args:
        appraiser: Who reads.
        threshold: 0..1; the least confidence that is enough.
        on_doubt: What a doubtful reading becomes, "unknown" or "neutral".
        queue: Where doubtful readings wait for a person; None keeps none of them.

    Raises:
        TypeError: `appraiser` is none, or the threshold is no number.
        ValueError: A value is out of range.

    Example:
        >>> from emomem import LexiconAppraiser
        >>> queue = ReviewQueue()
        >>> appraiser = ConfidentAppraiser(LexiconAppraiser(), threshold=0.3, queue=queue)
        >>> [affect.is_unknown for affect in appraiser.appraise(["I love it!", "good bad"])]
        [False, True]
        >>> len(queue)
        1
    """

    def __init__(
        self,
        appraiser: Appraiser,
        threshold: float,
        on_doubt: OnFailure = "unknown",
        queue: ReviewQueue | None = None,
    ) -> None:
        check_appraiser(appraiser)
        if isinstance(threshold, bool) or not isinstance(threshold, int | float):
            msg = f"threshold must be a number in 0..1, got {threshold!r}"
            raise TypeError(msg)
        if not 0 <= threshold <= 1:
            msg = f"threshold must be in 0..1, got {threshold!r}"
            raise ValueError(msg)
        if on_doubt not in get_args(OnFailure):
            msg = f"on_doubt must be 'unknown' or 'neutral', got {on_doubt!r}"
            raise ValueError(msg)
        self._appraiser = appraiser
        self.members = (appraiser,)
        self._threshold = threshold
        self._on_doubt = on_doubt
        self._queue = queue

    @property
    def source(self) -> str:
        """What is enough, what a doubtful reading becomes, and who reads."""
        return f"confident:{self._threshold}:{self._on_doubt}+{source_of(self._appraiser)}"

    def load(self) -> None:
        """Load the appraiser's model now rather than on first use."""
        load_appraiser(self._appraiser)

    def _read(self, texts: Sequence[str]) -> list[Affect]:
        affects = appraise_safely(self._appraiser, texts)
        return [self._sure(*pair) for pair in zip(texts, affects, strict=True)]

    async def _aread(self, texts: Sequence[str]) -> list[Affect]:
        affects = await aappraise_safely(self._appraiser, texts)
        return [self._sure(*pair) for pair in zip(texts, affects, strict=True)]

    def _sure(self, text: str, affect: Affect) -> Affect:
        sure = affect.confidence is None or affect.confidence >= self._threshold
        if sure and not affect.is_unknown:
            return affect
        if self._queue is not None:
            self._queue.add(text, affect)
        if affect.is_unknown:
            return affect
        if self._on_doubt == "neutral":
            return Affect.neutral(source=affect.source)
        return Affect.unknown(source=affect.source)
