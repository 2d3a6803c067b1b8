"""The state of an agent: who it is, whom it knows, what it feels, and how that moves."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Final, Self

import numpy as np
from numpy.typing import ArrayLike
from pydantic import BaseModel, ConfigDict, Field, field_validator

from emomem.affect import Affect, FloatArray
from emomem.emotions import NEUTRAL, PLUTCHIK, is_known_label, projection
from emomem.memory.unit import Name

RATE: Final = 0.1
"""How much of a gradient one step takes."""
STEEPEST: Final = 10.0
"""The largest gradient, so that no level moves by more than 1 in one step."""

Level = Annotated[float, Field(ge=0, le=10, allow_inf_nan=False)]
Weight = Annotated[float, Field(ge=-10, le=10, allow_inf_nan=False)]


def updated(levels: ArrayLike, gradients: ArrayLike, low: float, high: float) -> FloatArray:
    """(n,) levels after one step: clip(p + 0.1 g, low, high), the rule of arXiv 2608.07438.

    Args:
        levels: (n,) p, each in low..high.
        gradients: (n,) g; clipped to -10..10, and 0 where it is NaN.
        low: The lowest level.
        high: The highest.

    Example:
        >>> updated([9.5, 2.0, 2.0], [10, -99, float("nan")], 0, 10)
        array([10.,  1.,  2.])
    """
    steep = np.nan_to_num(np.asarray(gradients, dtype=float), posinf=STEEPEST, neginf=-STEEPEST)
    moved = np.asarray(levels, dtype=float) + RATE * np.clip(steep, -STEEPEST, STEEPEST)
    return np.asarray(np.clip(moved, low, high))


class State(BaseModel):
    """An agent at one moment; it cannot be changed, `after` gives the next.

    Its two memories are those of the controller. Its repr shows what it feels and no text.

    Attributes:
        persona: Who it is.
        beliefs: What it holds to be right.
        relations: What others mean to it: -10 (hated) to 10 (loved), by name.
        affect: What it feels: 0 (not at all) to 10, by the name of an emotion; any label of a
            known set may be one (`emomem.emotions.known_labels`). Plutchik's eight at 0 where
            it is not given.
        observation: What it met last.

    Raises:
        pydantic.ValidationError: A number is out of range, a name is blank, or an emotion is in no
            known set. (It is a ValueError.)

    Example:
        >>> state = State(persona="A baker", relations={"Sam": 6}, affect={"anger": 4.0})
        >>> state.after({"anger": 10.0}, {"Sam": -5.0}).affect
        {'anger': 5.0}
        >>> state.present.label
        'neutral'
    """

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    persona: str = Field(default="", repr=False)
    beliefs: tuple[str, ...] = Field(default=(), repr=False)
    relations: dict[Name, Weight] = Field(default_factory=dict, repr=False)
    affect: dict[str, Level] = Field(default_factory=lambda: dict.fromkeys(PLUTCHIK, 0.0))
    observation: str = Field(default="", repr=False)

    @field_validator("affect")
    @classmethod
    def _are_emotions(cls, value: dict[str, float]) -> dict[str, float]:
        if not value or (unknown := [name for name in value if not is_known_label(name)]):
            got = ", ".join(map(repr, unknown)) if value else "none"
            msg = f"affect names emotions of a known set (emomem.emotions.known_labels), got {got}"
            raise ValueError(msg)
        return value

    @property
    def present(self) -> Affect:
        """What it feels as an affect: each emotion by its share of 10, the rest neutral."""
        return self._present(list(self.affect), np.array(list(self.affect.values())) / 10)

    @staticmethod
    def _present(names: Sequence[str], shares: FloatArray) -> Affect:
        mixed = shares @ projection(names)
        mixed[NEUTRAL] += max(0.0, 1.0 - shares.sum())
        return Affect.from_emotions(mixed / mixed.sum(), source="state")

    def after(
        self,
        affect: Mapping[str, float] | None = None,
        relations: Mapping[str, float] | None = None,
        observation: str = "",
    ) -> Self:
        """The state one step later, every level by clip(p + 0.1 g) (`updated`).

        Args:
            affect: The gradient g of each emotion; 0 for one that is not named.
            relations: That of each relation; the same.
            observation: What was met in the step.

        Raises:
            KeyError: A name is none of the state's.
        """
        return self.model_copy(
            update={
                "affect": _moved(self.affect, affect or {}, 0.0),
                "relations": _moved(self.relations, relations or {}, -10.0),
                "observation": observation,
            }
        )

    def towards(self, felt: Affect) -> dict[str, float]:
        """The gradient that draws every emotion to how strongly an affect holds it.

        g = 10 q - p, with q the probability of the emotion; nothing where it is not known.
        """
        plutchik = felt.plutchik
        if felt.emotions is None or plutchik is None:
            return {}
        others = {name: _share(felt.emotions, name) for name in self.affect if name not in plutchik}
        shares = {**plutchik, **others}
        return {name: 10.0 * shares[name] - level for name, level in self.affect.items()}


def _share(emotions: Sequence[float], name: str) -> float:
    """How much of a distribution over the 28 is an emotion of another set, 0..1."""
    [row] = projection([name])
    row[NEUTRAL] = 0.0
    return float(np.asarray(emotions) @ row / row.max()) if row.max() > 0 else 0.0


def _moved(
    levels: Mapping[str, float], gradients: Mapping[str, float], low: float
) -> Mapping[str, float]:
    if unknown := sorted(set(gradients) - set(levels)):
        msg = f"no level {', '.join(map(repr, unknown))}; there are {', '.join(levels) or 'none'}"
        raise KeyError(msg)
    moved = updated(list(levels.values()), [gradients.get(name, 0.0) for name in levels], low, 10.0)
    return dict(zip(levels, moved.tolist(), strict=True))
