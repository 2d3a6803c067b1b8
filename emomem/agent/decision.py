"""What an agent decides, and what of a reflection may take effect."""

from collections.abc import Mapping, Sequence
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from emomem.affect import Unit
from emomem.agent.reflection import Change, Operation, Proposal, Reflection
from emomem.agent.situation import Situation, salience_of
from emomem.agent.state import updated
from emomem.agent.tendency import Impulse
from emomem.memory.dynamics import DAY
from emomem.memory.recalling import Recalled

DecidedBy = Literal["reflection", "tendency"]

SUPPRESSED_FOR: Final = DAY
"""Seconds for which a memory is suppressed: until the same time of the next day."""


class Applied(BaseModel):
    """One change of a memory that took effect.

    Attributes:
        unit_id: The memory.
        operation: "reweight" or "suppress".
        before: 0..1, its salience as stored.
        after: 0..1, its salience from then on.
    """

    model_config = ConfigDict(frozen=True)

    unit_id: str
    operation: Operation
    before: Unit | None = None
    after: Unit | None = None


class Decision(BaseModel):
    """What an agent says and does, and what it changed.

    Attributes:
        speech: What it says; "" for silence.
        action: What it does.
        decided_by: "reflection", or "tendency" where there was no model or it gave nothing usable.
        failure: Why a model's reflection could not be used: the kind of error; else None.
        impulse: The first impulse.
        conflict: 0..1, how far impulse and ties were apart.
        affect_changes: By how much each emotion moved, where it did.
        relation_changes: By how much each relation moved, where it did.
        operations: What became of memories.
    """

    model_config = ConfigDict(frozen=True)

    speech: str = Field(repr=False)
    action: str = Field(repr=False)
    decided_by: DecidedBy
    failure: str | None = None
    impulse: Impulse
    conflict: Unit
    affect_changes: dict[str, float] = Field(default_factory=dict)
    relation_changes: dict[str, float] = Field(default_factory=dict, repr=False)
    operations: tuple[Applied, ...] = ()


class Effects(BaseModel):
    """What of a reflection takes effect, checked against the situation.

    Attributes:
        affect: The gradient of each emotion.
        relations: That of each relation.
        operations: The changes of memories, each memory once.
        dropped: What was left out, and why.
    """

    model_config = ConfigDict(frozen=True)

    affect: dict[str, float] = Field(default_factory=dict)
    relations: dict[str, float] = Field(default_factory=dict)
    operations: tuple[Applied, ...] = ()
    dropped: tuple[str, ...] = ()


def effects_of(reflection: Reflection, situation: Situation) -> Effects:
    """What of a reflection takes effect: known names, memories that were shown, each once.

    A salience s moves as a level does, on 0..10: s' = clip(10 s + 0.1 g) / 10, so by 0.1 at most.
    """
    state, felt = situation.state, situation.recall.affective
    dropped: list[str] = []
    affect = _known(reflection.affect_changes, state.affect, "emotion", dropped)
    relations = _known(reflection.relation_changes, state.relations, "relation", dropped)
    operations: dict[int, Applied] = {}
    for one in reflection.operations:
        if not 1 <= one.number <= len(felt):
            dropped.append(f"operation on memory {one.number}: there are {len(felt)}")
        elif one.number in operations:
            dropped.append(f"operation on memory {one.number}: it has one already")
        elif (applied := _applied(one, felt)) is None:
            dropped.append(f"operation on memory {one.number}: its salience is not known")
        else:
            operations[one.number] = applied
    return Effects(
        affect=affect,
        relations=relations,
        operations=tuple(operations.values()),
        dropped=tuple(dropped),
    )


def _known(
    changes: Sequence[Change], levels: Mapping[str, float], what: str, dropped: list[str]
) -> dict[str, float]:
    """The gradients of levels that there are, in whatever case they are named; the first counts."""
    names = {name.casefold(): name for name in reversed(list(levels))}
    found: dict[str, float] = {}
    for one in changes:
        name = names.get(one.name.strip().casefold())
        if name is None:
            dropped.append(f"{what} {one.name!r}: there is none of that name")
        elif name in found:
            dropped.append(f"{what} {one.name!r}: it has a change already")
        else:
            found[name] = one.change
    return found


def _applied(proposal: Proposal, felt: Sequence[Recalled]) -> Applied | None:
    unit = felt[proposal.number - 1].unit
    before = salience_of(unit)
    if proposal.operation == "suppress":
        return Applied(unit_id=unit.unit_id, operation="suppress", before=before, after=before)
    if before is None:
        return None
    [after] = updated([10 * before], [proposal.change], 0.0, 10.0).tolist()
    return Applied(unit_id=unit.unit_id, operation="reweight", before=before, after=after / 10)
