"""Contradictions between memories: what a detector finds, and what a detector is."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, get_args, runtime_checkable

from emomem.memory.unit import MemoryUnit

ConflictKind = Literal["evaluative", "preference_change", "goal_instruction", "fact_update"]
"""Opposite feelings about one thing; another wish; a goal against an instruction; another fact."""


@dataclass(frozen=True)
class Conflict:
    """One contradiction between a new memory and one that was there.

    Attributes:
        kind: Which kind it is.
        against: The unit that the new one contradicts: one of the candidates, a goal among them.
        parties: Who stands against whom, the new unit's side first.
        intensity: 0..1, how strong it is.
        reason: What differs ("the date differs"). It quotes neither unit, so that it may be
            stored and logged.
        detail: The same in the units' own words, for a person or a prompt; it is neither stored
            nor logged.

    Raises:
        ValueError: The kind is none, or the intensity is out of range.
    """

    kind: ConflictKind
    against: MemoryUnit
    parties: tuple[str, ...]
    intensity: float
    reason: str
    detail: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        """Check the kind and the intensity."""
        if self.kind not in get_args(ConflictKind):
            msg = f"kind must be one of {', '.join(get_args(ConflictKind))}, got {self.kind!r}"
            raise ValueError(msg)
        if not 0 <= self.intensity <= 1:
            msg = f"intensity must be 0..1, got {self.intensity!r}"
            raise ValueError(msg)


@runtime_checkable
class ConflictDetector(Protocol):
    """Finds what a new memory contradicts.

    Goals are candidates too: units of the kind "goal", in any place among the others. A new unit
    that is an instruction may stand against them ("goal_instruction"), and nothing else does.
    """

    def detect(self, new: MemoryUnit, candidates: Sequence[MemoryUnit]) -> list[Conflict]:
        """The conflicts of `new` with the candidates, in their order; at most one of a kind each.

        Args:
            new: What was just said.
            candidates: Memories of the same user that are near it in meaning, and the user's
                goals; others of their own are passed over.
        """
        ...

    async def adetect(self, new: MemoryUnit, candidates: Sequence[MemoryUnit]) -> list[Conflict]:
        """The same without blocking the event loop."""
        ...
