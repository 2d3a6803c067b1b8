"""Several detectors as one."""

import asyncio
import logging
from collections.abc import Iterable, Sequence

from emomem.memory.conflict import Conflict, ConflictDetector
from emomem.memory.detectors.base import BaseConflictDetector
from emomem.memory.detectors.contrast import AffectContrastDetector
from emomem.memory.detectors.facts import FactUpdateDetector
from emomem.memory.detectors.goals import GoalConflictDetector
from emomem.memory.unit import MemoryUnit

logger = logging.getLogger(__name__)


class EnsembleConflictDetector(BaseConflictDetector):
    """What any of several detectors finds.

    Where several find a conflict with one candidate, the first of the list has the word: one
    conflict of a candidate is reported once, whatever kinds others see in it. A detector that
    raises costs only what it would have found; it is logged by type. In async they run at the
    same time.

    Args:
        detectors: One or more; None is the local ones: `AffectContrastDetector`,
            `FactUpdateDetector` and `GoalConflictDetector`, which load nothing and ask nobody.

    Raises:
        TypeError: A member is no detector.
        ValueError: There are none.

    Example:
        >>> from emomem.memory.unit import MemoryUnit
        >>> common = {"user_id": "ann", "speaker": "ann", "created_at": 0}
        >>> old = [MemoryUnit(text=text, **common) for text in ("I live in Lisbon", "I love tea")]
        >>> new = MemoryUnit(text="I moved to Porto", **common)
        >>> [found.kind for found in EnsembleConflictDetector().detect(new, old)]
        ['fact_update']
    """

    def __init__(self, detectors: Iterable[ConflictDetector] | None = None) -> None:
        if detectors is None:
            detectors = (AffectContrastDetector(), FactUpdateDetector(), GoalConflictDetector())
        self._members = tuple(detectors)
        if not self._members:
            msg = "detectors must hold at least one"
            raise ValueError(msg)
        for member in self._members:
            if isinstance(member, type) or not isinstance(member, ConflictDetector):
                kind = member.__name__ if isinstance(member, type) else type(member).__name__
                msg = f"a conflict detector must have detect and adetect, got {kind}"
                raise TypeError(msg)

    def detect(self, new: MemoryUnit, candidates: Sequence[MemoryUnit]) -> list[Conflict]:
        """The conflicts of `new` with the candidates, in their order."""
        return _joined([_safely(member, new, candidates) for member in self._members], candidates)

    async def adetect(self, new: MemoryUnit, candidates: Sequence[MemoryUnit]) -> list[Conflict]:
        """`detect` without blocking the event loop."""
        found = await asyncio.gather(*(_asafely(one, new, candidates) for one in self._members))
        return _joined(found, candidates)


def _safely(
    member: ConflictDetector, new: MemoryUnit, candidates: Sequence[MemoryUnit]
) -> list[Conflict]:
    try:
        return member.detect(new, candidates)
    except Exception as error:  # noqa: BLE001 - a failure costs only what it would have found
        return _none(error)


async def _asafely(
    member: ConflictDetector, new: MemoryUnit, candidates: Sequence[MemoryUnit]
) -> list[Conflict]:
    try:
        return await member.adetect(new, candidates)
    except Exception as error:  # noqa: BLE001 - the same
        return _none(error)


def _none(error: Exception) -> list[Conflict]:
    # The error's own message may quote a memory, so only its type is logged.
    logger.warning("a conflict detector failed with %s; nothing of it counts", type(error).__name__)
    return []


def _joined(
    found: Sequence[Sequence[Conflict]], candidates: Sequence[MemoryUnit]
) -> list[Conflict]:
    """One conflict a candidate, in their order: that of the first member that sees one."""
    places = {id(unit): place for place, unit in enumerate(candidates)}
    by_place: dict[int, Conflict] = {}
    for conflict in (one for of_member in found for one in of_member):
        # What is no candidate, a member has made up.
        if (place := places.get(id(conflict.against))) is not None:
            by_place.setdefault(place, conflict)
    return [by_place[place] for place in sorted(by_place)]
