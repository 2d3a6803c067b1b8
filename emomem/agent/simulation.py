"""A scenario lived through, day by day, by an agent that has its memories."""

from collections.abc import Callable, Iterator
from typing import Any, Final, Self

from emomem.affect import Affect
from emomem.agent.controller import Controller
from emomem.agent.state import State
from emomem.appraisal.base import appraise_safely
from emomem.appraisal.conflict import ConflictAppraiser
from emomem.memory.dynamics import DAY, HOUR, Decay
from emomem.memory.in_memory import InMemoryStore
from emomem.memory.memory import Memory
from emomem.memory.operations import OperationLog
from emomem.memory.store import BaseMemoryStore
from emomem.memory.unit import MemoryUnit
from emomem.protocols import Appraiser, ChatModel
from emomem.scenarios import AffectiveMemory, Fact, Scenario

HALF_LIFE: Final = 30.0
"""Days until the salience of a calm memory has halved."""
_APART: Final = 3 * HOUR
_EVENING: Final = 14 * HOUR
_MOST: Final = 4
"""Observations of a day that are that far apart; more share the time between them."""

Progress = Callable[[int, int], None]
"""Is told how many observations are done, and of how many."""


class SimulatedClock:
    """A time that moves when it is told to.

    Args:
        now: Seconds since 1970.
    """

    def __init__(self, now: float) -> None:
        self.now = now

    def __call__(self) -> float:
        """The time."""
        return self.now


class Simulation:
    """An agent with the memories of a scenario, who lives its days.

    The memories stand in the store under the ids of the scenario; how they felt is read by the
    appraiser, and where the author gives a salience it counts. It fades from the first day on,
    which is the one after the last memory. The agent begins with the situation as what it met
    last, and with what that feels like. Observations are three hours apart, and each evening ends
    in a recombination.

    Args:
        scenario: Whose life.
        model: Reflects and dreams; None for the fast side alone. (`langchain_emomem.chat` has
            `LangChainChatModel` and `llamaindex_emomem.llm` `LlamaIndexChatModel`, which make one
            of a model of their framework.)
        appraiser: Reads how texts feel; None is the embedded model with `ConflictAppraiser`.
        store: An empty store; None is one in this process's memory with the embedded encoder.
        log: Keeps the changes of the memory.
        decay: How salience fades; None is a half-life of 30 days.

    Attributes:
        scenario: Whose life.
        controller: The agent.

    Raises:
        ValueError: The scenario has no days.
        ImportError: An embedded model is needed and not installed.
    """

    def __init__(  # noqa: PLR0913 - each has its default
        self,
        scenario: Scenario,
        model: ChatModel | None = None,
        *,
        appraiser: Appraiser | None = None,
        store: BaseMemoryStore | None = None,
        log: OperationLog | None = None,
        decay: Decay | None = None,
    ) -> None:
        if not scenario.days:
            msg = f"the scenario {scenario.id!r} has no days to live through; give it some in days"
            raise ValueError(msg)
        self.scenario = scenario
        reader = ConflictAppraiser() if appraiser is None else appraiser
        last = max(one.at for one in (*scenario.facts, *scenario.affective))
        self._first = last + DAY
        units = memory_units(scenario, reader, self._first)
        self._clock = SimulatedClock(self._first)
        store = InMemoryStore() if store is None else store
        store.put(units)
        memory = Memory(
            store,
            user_id=scenario.id,
            appraiser=reader,
            log=log,
            decay=Decay(HALF_LIFE) if decay is None else decay,
            clock=self._clock,
        )
        state = State(
            persona=scenario.persona,
            beliefs=scenario.beliefs,
            relations=scenario.weights,
            affect=_levels(appraise_safely(reader, [scenario.situation])[0]),
            observation=scenario.situation,
        )
        self.controller = Controller(memory, model, state, language=scenario.language)

    def days(self, count: int | None = None, progress: Progress | None = None) -> Iterator[int]:
        """Live through the days, one each time that the next is asked for.

        Args:
            count: How many, >= 1; None for all that the scenario has.
            progress: Is told how far it is.

        Yields:
            The number of each day, from 1 on, once it is over.

        Raises:
            ValueError: The scenario does not have that many.
        """
        available = self.scenario.days
        count = len(available) if count is None else count
        if not 1 <= count <= len(available):
            msg = f"the scenario {self.scenario.id!r} has {len(available)} days, got {count}"
            raise ValueError(msg)
        total, done = sum(map(len, available[:count])), 0
        for day, observations in enumerate(available[:count], start=1):
            morning = self._first + (day - 1) * DAY
            apart = _APART * min(1.0, _MOST / max(1, len(observations)))
            for place, observation in enumerate(observations):
                self._clock.now = morning + place * apart
                self.controller.step(observation)
                done += 1
                if progress is not None:
                    progress(done, total)
            self._clock.now = morning + _EVENING
            self.controller.offline_recombination()
            yield day

    def run(self, count: int | None = None) -> Self:
        """Live through the days at once; the arguments are those of `days`."""
        for _ in self.days(count):
            pass
        return self


def _levels(felt: Affect) -> dict[str, float]:
    """The levels of an affect: ten times the intensity of each of Plutchik's eight."""
    return {name: 10 * share for name, share in (felt.plutchik or State().affect).items()}


def memory_units(scenario: Scenario, appraiser: Appraiser, now: float) -> list[MemoryUnit]:
    """The facts and feelings of a scenario as units of its own user, under its own ids.

    Args:
        scenario: The scenario.
        appraiser: Reads how the affective memories felt; facts have no affect.
        now: When they are as salient as the scenario says, in seconds since 1970; no decay
            counts from before.
    """
    affects = appraise_safely(appraiser, [one.text for one in scenario.affective])
    common = {"user_id": scenario.id, "speaker": scenario.id, "recalled_at": now}
    facts = [_unit(one, **common) for one in scenario.facts]
    felt = [
        _unit(
            one,
            kind="affective",
            affect=affect,
            salience=one.salience,
            sources=() if one.fact_id is None else (one.fact_id,),
            **common,
        )
        for one, affect in zip(scenario.affective, affects, strict=True)
    ]
    return [*facts, *felt]


def _unit(one: Fact | AffectiveMemory, **more: Any) -> MemoryUnit:
    return MemoryUnit(text=one.text, unit_id=one.id, created_at=one.at, **more)
