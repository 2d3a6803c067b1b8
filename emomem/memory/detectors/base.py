"""What detectors share: which memories may stand against each other, and the async form."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Sequence

from emomem.memory.conflict import Conflict
from emomem.memory.unit import MemoryUnit


class BaseConflictDetector(ABC):
    """A detector that has only to find conflicts, in sync."""

    @abstractmethod
    def detect(self, new: MemoryUnit, candidates: Sequence[MemoryUnit]) -> list[Conflict]:
        """The conflicts of `new` with the candidates, in their order."""

    async def adetect(self, new: MemoryUnit, candidates: Sequence[MemoryUnit]) -> list[Conflict]:
        """`detect` without blocking the event loop."""
        return await asyncio.to_thread(self.detect, new, candidates)


def statements(new: MemoryUnit, candidates: Sequence[MemoryUnit]) -> list[MemoryUnit]:
    """The candidates that `new` may contradict: the same user's, said and felt by the same person.

    Goals are none of them, and neither is a unit that says the very same.
    """
    if new.kind == "goal":
        return []
    return [
        unit
        for unit in candidates
        if unit.kind != "goal"
        and unit.user_id == new.user_id
        and unit.speaker == new.speaker
        and unit.experiencer == new.experiencer
        and unit.text.strip() != new.text.strip()
    ]


def goals(new: MemoryUnit, candidates: Sequence[MemoryUnit]) -> list[MemoryUnit]:
    """The same user's goals among the candidates; none for a unit that is itself one."""
    if new.kind == "goal":
        return []
    return [unit for unit in candidates if unit.kind == "goal" and unit.user_id == new.user_id]


def parties(new: MemoryUnit, against: MemoryUnit) -> tuple[str, str]:
    """Who stands against whom: whose each of the two is, the new one's first."""
    return new.experiencer, against.experiencer
