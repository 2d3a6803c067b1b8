"""A situation: what happened, what came to mind, and the two sides before they are weighed."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from emomem.agent.norms import Norms, conflict_of, norms_of
from emomem.agent.state import State
from emomem.agent.tendency import Tendency, tendency_of
from emomem.memory.recalling import Recall, Recalled, saliences
from emomem.memory.unit import MemoryUnit


@dataclass(frozen=True)
class Situation:
    """What an agent stands before.

    Attributes:
        observation: What happened.
        state: The agent before it.
        recall: What came to mind: facts by meaning, what was felt by salience.
        suppressed: What would have, were it not suppressed.
        dreams: What the last night made.
        before: What was just before, oldest first: turns of a conversation, or the last step.
        made_of: The ids of all memories that stand in it, or in the last step.
        tendency: The fast side.
        norms: The other.
        conflict: 0..1, how far the two are apart.
    """

    observation: str = field(repr=False)
    state: State = field(repr=False)
    recall: Recall = field(repr=False)
    suppressed: Recall = field(repr=False)
    dreams: tuple[MemoryUnit, ...] = field(repr=False)
    before: tuple[str, ...] = field(repr=False)
    made_of: frozenset[str] = field(repr=False)
    tendency: Tendency
    norms: Norms = field(repr=False)
    conflict: float


def situation_of(  # noqa: PLR0913 - each is part of it
    observation: str,
    state: State,
    recall: Recall,
    *,
    suppressed: Recall | None = None,
    dreams: Sequence[MemoryUnit] = (),
    before: Sequence[str] = (),
    before_of: Collection[str] = (),
) -> Situation:
    """The situation with its two sides; no model is called.

    A dream pulls at the tendency as a memory does whose salience its affect says. `before_of` are
    the ids of the memories that what was before is made of.
    """
    silent = suppressed or Recall()
    dreamt = [Recalled(unit, salience=salience_of(unit)) for unit in dreams]
    tendency = tendency_of(state.present, [*recall.affective, *dreamt])
    norms = norms_of(state, observation)
    return Situation(
        observation=observation,
        state=state,
        recall=recall,
        suppressed=silent,
        dreams=tuple(dreams),
        before=tuple(before),
        made_of=frozenset(one.unit_id for one in (*recall.units, *silent.units, *dreams)).union(
            before_of
        ),
        tendency=tendency,
        norms=norms,
        conflict=conflict_of(tendency, norms),
    )


def salience_of(unit: MemoryUnit) -> float | None:
    """0..1 as stored, before any decay; None where it is not known."""
    [stored] = saliences([unit], 0.0, None).tolist()
    return None if stored != stored else float(stored)  # noqa: PLR0124 - NaN
