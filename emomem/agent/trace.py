"""A trace: every variable of a step, as plain data."""

import json
from collections.abc import Collection, Iterable, Sequence
from os import PathLike
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from emomem.affect import Signed, Unit
from emomem.agent.decision import Decision
from emomem.agent.norms import Norms
from emomem.agent.reflection import Reflection
from emomem.agent.situation import Situation, salience_of
from emomem.agent.state import State
from emomem.agent.tendency import Tendency
from emomem.files import replace_file
from emomem.memory.recalling import Recalled


class Seen(BaseModel):
    """A memory, as it counted in a step.

    Attributes:
        unit_id: Its id.
        text: What it says.
        cosine: Its similarity to the observation, -1..1; None where it is not known.
        salience: 0..1 at that time, after decay; None where it is not known.
        accessibility: The salience; 0 while it is suppressed.
        suppressed_until: When that ends, in seconds since 1970; None where it is not suppressed.
        label: The emotion.
        valence: -1..1.
        arousal: 0..1.
    """

    model_config = ConfigDict(frozen=True, hide_input_in_errors=True)

    unit_id: str
    text: str = Field(repr=False)
    cosine: Signed | None = None
    salience: Unit | None = None
    accessibility: Unit | None = None
    suppressed_until: float | None = None
    label: str | None = None
    valence: Signed | None = None
    arousal: Unit | None = None


class Trace(BaseModel):
    """Everything that went into a step, and what came of it. It holds texts: keep it as them.

    Attributes:
        step: 1 for the first.
        day: 1 for the first; a night is an `offline_recombination`.
        at: When, in seconds since 1970.
        observation: What happened.
        before: The state before.
        facts: The facts that came to mind.
        affective: What was felt and came to mind, the most salient first.
        suppressed: What was felt and would have come to mind, were it not suppressed.
        dreams: What the last night made.
        tendency: The fast side.
        norms: The other.
        conflict: 0..1, how far the two were apart.
        reflection: What the model answered; None where there was none.
        affect_gradients: The g that each emotion was moved by.
        relation_gradients: The g that each relation was moved by.
        dropped: What of the reflection took no effect, and why.
        unit_id: The fact that the observation became.
        contradicts: The ids of what it contradicts.
        decision: What the agent decided.
        after: The state after.
    """

    model_config = ConfigDict(frozen=True, hide_input_in_errors=True)

    step: int
    day: int
    at: float
    observation: str = Field(repr=False)
    before: State = Field(repr=False)
    facts: tuple[Seen, ...] = Field(repr=False)
    affective: tuple[Seen, ...] = Field(repr=False)
    suppressed: tuple[Seen, ...] = Field(repr=False)
    dreams: tuple[Seen, ...] = Field(repr=False)
    tendency: Tendency
    norms: Norms = Field(repr=False)
    conflict: Unit
    reflection: Reflection | None = Field(repr=False)
    affect_gradients: dict[str, float]
    relation_gradients: dict[str, float] = Field(repr=False)
    dropped: tuple[str, ...] = Field(default=(), repr=False)
    unit_id: str
    contradicts: tuple[str, ...] = ()
    decision: Decision
    after: State = Field(repr=False)

    @property
    def seen(self) -> tuple[Seen, ...]:
        """Every memory that counted in it."""
        return (*self.facts, *self.affective, *self.suppressed, *self.dreams)

    @property
    def made_of(self) -> frozenset[str]:
        """The ids of what counted in it, and of what it became."""
        return frozenset([self.unit_id, *(one.unit_id for one in self.seen)])

    @property
    def told(self) -> list[str]:
        """What was met, said and done in it."""
        said = (self.observation, self.decision.speech, self.decision.action)
        return [one for one in said if one]

    def names(self, texts: Collection[str]) -> bool:
        """Whether one of some texts was met in it or just before, or counted in it."""
        held = {self.observation, self.before.observation, *(one.text for one in self.seen)}
        if self.reflection is not None:
            held.add(self.reflection.reading)
        return not held.isdisjoint(texts)


def memories_of(situation: Situation) -> dict[str, tuple[Seen, ...]]:
    """What came to mind and what was kept from it, by the names that a trace has for it."""
    dreams = [Recalled(unit, salience=salience_of(unit)) for unit in situation.dreams]
    return {
        "facts": _seen(situation.recall.facts),
        "affective": _seen(situation.recall.affective),
        "suppressed": _seen(situation.suppressed.affective, silent=True),
        "dreams": _seen(dreams),
    }


def write_trace(traces: Iterable[Trace], path: str | PathLike[str]) -> Path:
    """Write traces as JSON lines, whole or not at all; only the user may read the file.

    Returns:
        The file.

    Raises:
        OSError: It cannot be written.
    """
    target = Path(path)
    lines = [f"{json.dumps(one.model_dump(mode='json'), ensure_ascii=False)}\n" for one in traces]
    replace_file(target, "".join(lines).encode("utf-8", "backslashreplace"), mode=0o600)
    return target


def load_trace(path: str | PathLike[str]) -> list[Trace]:
    """The traces of a file that `Controller.dump_trace` wrote.

    Raises:
        OSError: It cannot be read.
        ValueError: A line is no trace.
    """
    lines = Path(path).read_text(encoding="utf-8").split("\n")
    return [Trace.model_validate_json(line) for line in lines if line]


def _seen(recalled: Sequence[Recalled], *, silent: bool = False) -> tuple[Seen, ...]:
    return tuple(
        Seen(
            unit_id=one.unit.unit_id,
            text=one.unit.text,
            # An engine's own rounding may lead out of the scale.
            cosine=None if one.cosine is None else max(-1.0, min(1.0, one.cosine)),
            salience=one.salience,
            accessibility=0.0 if silent else one.salience,
            suppressed_until=one.unit.suppressed_until if silent else None,
            label=one.unit.affect.label,
            valence=one.unit.affect.valence,
            arousal=one.unit.affect.arousal,
        )
        for one in recalled
    )
