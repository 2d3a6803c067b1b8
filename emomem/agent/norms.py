"""The other side: what persona, beliefs and relations speak for, and how far off it is."""

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from emomem.affect import Signed
from emomem.agent.state import State, Weight
from emomem.agent.tendency import Tendency
from emomem.relations import is_named


class Tie(BaseModel):
    """A relation, as it counts in a moment.

    Attributes:
        name: Who.
        weight: -10 (hated) to 10 (loved).
        named: Whether what happened names them.
    """

    model_config = ConfigDict(frozen=True)

    name: str
    weight: Weight
    named: bool


class Norms(BaseModel):
    """What an agent is bound by.

    Attributes:
        persona: Who it is.
        beliefs: What it holds to be right.
        ties: Its relations: those who are named first, and then the strongest.
        pull: -1 (against) to 1 (towards): a tenth of the mean weight of those who are named; 0
            where nobody is.
    """

    model_config = ConfigDict(frozen=True)

    persona: str = Field(repr=False)
    beliefs: tuple[str, ...] = Field(repr=False)
    ties: tuple[Tie, ...] = Field(repr=False)
    pull: Signed


def norms_of(state: State, observation: str) -> Norms:
    """The norms of a moment.

    Example:
        >>> norms_of(State(relations={"Sam": 6, "Bo": -9}), "Sam asks for money").pull
        0.6
    """
    ties = [
        Tie(name=name, weight=weight, named=is_named(name, observation))
        for name, weight in state.relations.items()
    ]
    ties.sort(key=lambda tie: (not tie.named, -abs(tie.weight)))
    named = [tie.weight for tie in ties if tie.named]
    return Norms(
        persona=state.persona,
        beliefs=state.beliefs,
        ties=tuple(ties),
        pull=float(np.mean(named)) / 10 if named else 0.0,
    )


def conflict_of(tendency: Tendency, norms: Norms) -> float:
    """0..1, how far a tendency and the ties are apart: |v - r| / 2 where they point apart, else 0.

    v is the tendency's valence, r the pull of the ties; what persona and beliefs have against it
    no formula says, and is left to the reflection.
    """
    v, r = tendency.valence, norms.pull
    return abs(v - r) / 2 if v * r < 0 else 0.0
