"""What appraisers share: blank texts, failures, and the async form."""

import asyncio
import hashlib
import logging
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Literal

from emomem.affect import Affect
from emomem.checks import check_texts
from emomem.protocols import Appraiser

logger = logging.getLogger(__name__)

OnFailure = Literal["unknown", "neutral"]


class BaseAppraiser(ABC):
    """An appraiser that has only to read texts that are not blank, in sync.

    Attributes:
        members: The appraisers that it asks in turn.
    """

    members: tuple[Appraiser, ...] = ()

    def load(self) -> None:  # noqa: B027 - most have nothing to load
        """Load the model now rather than on first use; what is wrong with it raises here."""

    @abstractmethod
    def _read(self, texts: Sequence[str]) -> list[Affect]:
        """One affect for each text; none of them is blank."""

    def appraise(self, texts: Sequence[str]) -> list[Affect]:
        """One affect a text, in order; unknown for blank text.

        Raises:
            TypeError: `texts` is one string or has no order, or holds what is not a string.
        """
        rows = _readable_rows(texts)
        read = self._read([texts[row] for row in rows]) if rows else []
        return _in_place(read, rows, len(texts))

    async def aappraise(self, texts: Sequence[str]) -> list[Affect]:
        """`appraise` without blocking the event loop."""
        rows = _readable_rows(texts)
        read = await self._aread([texts[row] for row in rows]) if rows else []
        return _in_place(read, rows, len(texts))

    async def _aread(self, texts: Sequence[str]) -> list[Affect]:
        """`_read` in a thread; an appraiser that can await something overrides it."""
        return await asyncio.to_thread(self._read, texts)


def _readable_rows(texts: Sequence[str]) -> list[int]:
    check_texts(texts, "appraise")
    return [row for row, text in enumerate(texts) if text.strip()]


def _in_place(read: Sequence[Affect], rows: Sequence[int], count: int) -> list[Affect]:
    affects = [Affect.unknown() for _ in range(count)]
    for row, affect in zip(rows, read, strict=True):
        affects[row] = affect
    return affects


def check_appraiser(appraiser: Appraiser) -> None:
    """Make sure that a component was given an appraiser.

    Raises:
        TypeError: It is none.
    """
    if isinstance(appraiser, type) or not isinstance(appraiser, Appraiser):
        # By kind alone: what was given by mistake may be somebody's documents.
        kind = appraiser.__name__ if isinstance(appraiser, type) else type(appraiser).__name__
        msg = f"an appraiser must have appraise and aappraise, got {kind}"
        raise TypeError(msg)


def source_of(appraiser: Appraiser) -> str:
    """The name of an appraiser and its version: its `source`, else its class."""
    kind = type(appraiser)
    return str(getattr(appraiser, "source", None) or f"{kind.__module__}.{kind.__qualname__}")


def digest_of(told: object) -> str:
    """A few letters for what has to change a source, by its repr."""
    return hashlib.blake2b(repr(told).encode(), digest_size=4).hexdigest()


def load_appraiser(appraiser: Appraiser) -> None:
    """Load an appraiser's model now, if it has one; what is wrong with it raises here."""
    if isinstance(appraiser, BaseAppraiser):
        appraiser.load()


def appraise_safely(
    appraiser: Appraiser, texts: Sequence[str], on_failure: OnFailure = "unknown"
) -> list[Affect]:
    """Affects of all texts, whatever the appraiser does.

    A batch that raises is read again one by one, so that one bad text costs only its own
    affect. A failure is logged without the text. A model that cannot be loaded at all is no
    matter of one text, and raises.

    Args:
        appraiser: Any appraiser.
        texts: The texts.
        on_failure: What a text that fails becomes.
    """
    load_appraiser(appraiser)
    try:
        return _checked(appraiser.appraise(list(texts)), texts)
    except Exception as error:  # noqa: BLE001 - any appraiser's failure costs only its affect
        if len(texts) == 1:
            return [_failed(error, on_failure)]
        return [appraise_safely(appraiser, [text], on_failure)[0] for text in texts]


async def aappraise_safely(
    appraiser: Appraiser, texts: Sequence[str], on_failure: OnFailure = "unknown"
) -> list[Affect]:
    """`appraise_safely` without blocking the event loop."""
    await asyncio.to_thread(load_appraiser, appraiser)
    try:
        return _checked(await appraiser.aappraise(list(texts)), texts)
    except Exception as error:  # noqa: BLE001 - any appraiser's failure costs only its affect
        if len(texts) == 1:
            return [_failed(error, on_failure)]
        return [(await aappraise_safely(appraiser, [text], on_failure))[0] for text in texts]


def _checked(affects: Sequence[Affect], texts: Sequence[str]) -> list[Affect]:
    if len(affects) != len(texts) or not all(isinstance(affect, Affect) for affect in affects):
        msg = f"an appraiser must return one Affect a text; {len(affects)} for {len(texts)}"
        raise ValueError(msg)
    return list(affects)


def _failed(error: Exception, on_failure: OnFailure) -> Affect:
    # The error's own message may quote the text, so only its type is logged.
    logger.warning("an appraiser failed with %s; recorded as %s", type(error).__name__, on_failure)
    return Affect.neutral() if on_failure == "neutral" else Affect.unknown()
