"""What the plugins implement, and the core relies on."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from emomem.affect import Affect


@runtime_checkable
class Appraiser(Protocol):
    """Reads affect from text."""

    def appraise(self, texts: Sequence[str]) -> list[Affect]:
        """One affect a text, in order; `Affect.unknown()` where none can be read."""
        ...

    async def aappraise(self, texts: Sequence[str]) -> list[Affect]:
        """The same without blocking the event loop."""
        ...
