"""The controller: perceive, weigh, decide, and move on; one algorithm for sync and async."""

import logging
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, Final, TypeVar
from uuid import uuid4

from emomem.agent.decision import SUPPRESSED_FOR, Decision, Effects, effects_of
from emomem.agent.reflection import Reflection, impulse_in_words, reflection_messages
from emomem.agent.situation import Situation, situation_of
from emomem.agent.state import State
from emomem.agent.trace import Trace, memories_of, write_trace
from emomem.asking import aask, ask, check_chat_model
from emomem.checks import check_kinds
from emomem.memory.cueing import cues
from emomem.memory.memory import Memory
from emomem.memory.parts import Call, Steps
from emomem.memory.query import turns_of
from emomem.memory.recombination import Recombination
from emomem.memory.said import storable
from emomem.memory.saving import Saved
from emomem.memory.turns import Turn
from emomem.memory.unit import MemoryUnit
from emomem.prompts import Language, prompts
from emomem.protocols import ChatModel
from emomem.steps import adrive, drive

logger = logging.getLogger(__name__)

T = TypeVar("T")

_TURNS: Final = 6
"""How many turns of a conversation the model is shown."""

_KEPT: Final = 10_000
"""How many steps are kept in the trace, the last."""


class Controller:
    """An agent with two memories that weighs what moves it against what binds it.

    A step recalls facts and feelings for an observation and takes two sides: the fast tendency
    (`emomem.agent.tendency`: present affect and salient memories) and the norms
    (`emomem.agent.norms`: persona, beliefs and the relations of those concerned). One call of the
    model sees both, weighs each by itself, and joins them into speech, action, changes of affect
    and relations, and operations on memories. Then the observation is saved. After arXiv
    2608.07438.

    What the model proposes is checked and clipped. Where it fails or answers rubbish, the tendency
    decides, which `Decision.decided_by` and `failure` say, and every gradient is 0. Without a
    model the tendency decides too, and affect is drawn towards what the observation felt like.

    Steps of one controller go one after the other, whoever takes them; its state is the agent's.

    What its memory forgets it forgets too: the traces that name it, and `state.observation`. Where
    it is forgotten while the model answers, the answer is returned, and nothing of it is kept or
    takes effect; the observation is saved.

    Args:
        memory: The agent's two memories.
        model: Reflects, and dreams; None for the fast side alone.
            (`langchain_emomem.ConflictSensitiveAgent` and `llamaindex_emomem`'s take a model of
            their framework.)
        state: The agent; one without persona and relations where it is not given.
        user_id: Whose memories, where the memory does not say.
        language: Of what the model is told: "en", "zh" or "pt".

    Attributes:
        state: The agent now.
        day: 1 for the first; `offline_recombination` begins the next.
        failures: How many times the model has failed so far.

    Raises:
        TypeError: The memory, the model or the state is none.
        ValueError: Nobody says whose memories, or there is no such language.

    Example:
        >>> from emomem import LexiconAppraiser
        >>> from emomem.memory import InMemoryStore, Memory
        >>> store = InMemoryStore(embed=lambda texts: [[len(text), 1.0] for text in texts])
        >>> memory = Memory(store, user_id="ann", appraiser=LexiconAppraiser())
        >>> agent = Controller(memory, state=State(affect={"anger": 8.0}, relations={"Sam": 7}))
        >>> decision = agent.step("Sam forgot the rent again.")
        >>> decision.decided_by, decision.impulse, round(decision.conflict, 2)
        ('tendency', 'confront', 0.55)
    """

    def __init__(
        self,
        memory: Memory,
        model: ChatModel | None = None,
        state: State | None = None,
        *,
        user_id: str | None = None,
        language: Language = "en",
    ) -> None:
        check_kinds(("state",), memory=(memory, Memory), state=(state, State))
        if model is not None:
            check_chat_model(model)
        user = memory.user_id if user_id is None else user_id
        if not isinstance(user, str) or not user.strip():
            msg = f"say whose memories the agent has, in user_id or in the memory; got {user!r}"
            raise ValueError(msg)
        prompts(language)
        self.memory = memory
        self.user_id = user
        self.state = State() if state is None else state
        self.day = 1
        self.failures = 0
        self._model = model
        self._language: Language = language
        self._traces: deque[Trace] = deque(maxlen=_KEPT)
        self._steps = 0
        self._turn = Turn(f"agent {uuid4().hex}")
        memory.keepers.add(self._forget)

    @property
    def traces(self) -> list[Trace]:
        """What went into each step and came of it, the oldest first; the last ten thousand.

        A step has none any more once something is forgotten that stood in it.
        """
        return list(self._traces)

    def step(self, observation: str, *, conversation: Sequence[str] = ()) -> Decision:
        """Meet an observation: recall, weigh, decide, save it, and move to the next state.

        Args:
            observation: What happens.
            conversation: The turns so far, oldest first, which are mixed into what is recalled; the
                last six are shown to the model. Without any, what it met last is mixed in, and the
                day's last step shown.

        Raises:
            TypeError: The observation is no str.
            ValueError: It is blank.
        """
        decision: Decision = self._run(self._step(_observed(observation), conversation))
        return decision

    async def astep(self, observation: str, *, conversation: Sequence[str] = ()) -> Decision:
        """`step` without blocking the event loop."""
        decision: Decision = await self._arun(self._step(_observed(observation), conversation))
        return decision

    def perceive(self, observation: str, *, conversation: Sequence[str] = ()) -> Situation:
        """The first half of a step: what comes to mind, and both sides; nothing is changed."""
        situation: Situation = self._run(self._perceived(_observed(observation), conversation))
        return situation

    async def aperceive(self, observation: str, *, conversation: Sequence[str] = ()) -> Situation:
        """`perceive` without blocking the event loop."""
        situation: Situation = await self._arun(
            self._perceived(_observed(observation), conversation)
        )
        return situation

    def decide(self, situation: Situation) -> Decision:
        """The second half of a step: reflect on a situation, save it, and move on."""
        decision: Decision = self._run(self._decided(situation))
        return decision

    async def adecide(self, situation: Situation) -> Decision:
        """`decide` without blocking the event loop."""
        decision: Decision = await self._arun(self._decided(situation))
        return decision

    def offline_recombination(self) -> MemoryUnit | None:
        """End the day: its moments become one dream, which counts in the next and then expires.

        Returns:
            The dream; None without a model, or where `Memory.dream` makes none.
        """
        dreamt: MemoryUnit | None = self._run(self._night())
        return dreamt

    async def aoffline_recombination(self) -> MemoryUnit | None:
        """`offline_recombination` without blocking the event loop."""
        dreamt: MemoryUnit | None = await self._arun(self._night())
        return dreamt

    def dump_trace(self, path: str | PathLike[str]) -> Path:
        """Write the traces as JSON lines; `emomem.agent.load_trace` reads them.

        They hold texts, unlike the memory's log of operations, so that only you may read the file.
        What is forgotten later stays in it.

        Returns:
            The file.

        Raises:
            OSError: It cannot be written.
        """
        return write_trace(self.traces, path)

    def _run(self, steps: Steps) -> Any:  # noqa: ANN401 - what the steps return
        with closing(self._in_turn(steps)) as whole:
            return drive(whole, lambda call: call.answer())

    async def _arun(self, steps: Steps) -> Any:  # noqa: ANN401 - the same
        with closing(self._in_turn(steps)) as whole:
            return await adrive(whole, lambda call: call.aanswer())

    def _in_turn(self, steps: Steps) -> Steps:
        taken = yield Call(self._turn.take, self._turn.atake)
        try:
            return (yield from steps)
        finally:
            if taken:
                self._turn.give_back()

    def _step(self, observation: str, conversation: Sequence[str]) -> Steps:
        situation = yield from self._perceived(observation, conversation)
        return (yield from self._decided(situation))

    def _perceived(self, observation: str, conversation: Sequence[str]) -> Steps:
        memory = self.memory
        turns = [one for one in turns_of(conversation) if one.strip()]
        if turns and turns[-1] == observation:
            turns.pop()
        state = self.state
        met = "" if turns else state.observation
        earlier = turns or ([met] if met else [])
        asked: dict[str, Any] = {"user_id": self.user_id, "conversation": earlier}
        given = cues(state.persona, state.beliefs, list(state.relations), met)
        at_stake = {"cues": given, "relations": state.relations}
        recall = yield _both(memory.recall, memory.arecall, observation, **asked, **at_stake)
        # Apart, so that it takes nobody's place; by the store's own filter, since it is rare.
        asked |= {"statuses": ("suppressed",), "where": {"status": "suppressed"}}
        suppressed = yield _both(memory.recall, memory.arecall, observation, **asked)
        dreams = yield _both(memory.dreams, memory.adreams, user_id=self.user_id)
        last = None if turns else self._last_of_today()
        return situation_of(
            observation,
            self.state,
            recall,
            suppressed=suppressed,
            dreams=dreams,
            before=turns[-_TURNS:] if last is None else last.told,
            before_of=() if last is None else last.made_of,
        )

    def _last_of_today(self) -> Trace | None:
        traces = self._traces
        return traces[-1] if traces and traces[-1].day == self.day else None

    def _decided(self, situation: Situation) -> Steps:
        given = yield from self._reflected(situation)
        settled = partial(self._settled, situation, *given)
        user, ids = self.user_id, situation.made_of
        return (yield from self.memory.keepers.in_turn(user, ids, settled))

    def _settled(
        self,
        situation: Situation,
        reflection: Reflection | None,
        failure: str | None,
        gone: frozenset[str],
    ) -> Steps:
        """Save, move on and decide; what was made of a memory that is gone is only told."""
        kept = None if gone else reflection
        effects = Effects() if kept is None else effects_of(kept, situation)
        reading = None if kept is None else kept.reading or None
        saved: Saved = yield _both(
            self.memory.save,
            self.memory.asave,
            situation.observation,
            user_id=self.user_id,
            reading=reading,
        )
        if self._model is None:
            drawn = self.state.towards(saved.affective.affect)
            effects = effects.model_copy(update={"affect": drawn})
        yield from self._operated(effects)
        after = self.state.after(effects.affect, effects.relations, situation.observation)
        decision = self._decision(situation, reflection, failure, effects, after)
        self._steps += 1
        if gone:  # perhaps by another memory over the same store, which does not know the agent
            self._keep(one for one in self._traces if gone.isdisjoint(one.made_of))
        else:
            self._traces.append(
                Trace(
                    step=self._steps,
                    day=self.day,
                    at=saved.fact.last_at,
                    observation=situation.observation,
                    before=self.state,
                    **memories_of(situation),
                    tendency=situation.tendency,
                    norms=situation.norms,
                    conflict=situation.conflict,
                    reflection=reflection,
                    affect_gradients=effects.affect,
                    relation_gradients=effects.relations,
                    dropped=effects.dropped,
                    unit_id=saved.fact.unit_id,
                    contradicts=tuple(one.against.unit_id for one in saved.conflicts),
                    decision=decision,
                    after=after,
                )
            )
        self.state = after
        return decision

    def _reflected(self, situation: Situation) -> Steps:
        """The reflection and None, or None and the kind of error; None twice without a model."""
        if self._model is None:
            return None, None
        model, language = self._model, self._language
        messages = reflection_messages(situation, language)

        def answer() -> Reflection | Exception:
            try:
                return ask(model, messages, Reflection, language)
            except Exception as error:  # noqa: BLE001 - it costs only the reflection
                return error

        async def aanswer() -> Reflection | Exception:
            try:
                return await aask(model, messages, Reflection, language)
            except Exception as error:  # noqa: BLE001 - the same
                return error

        given: Reflection | Exception = yield Call(answer, aanswer)
        if isinstance(given, Reflection):
            return given, None
        self.failures += 1
        # The error's own message may quote a memory, so only its type is told.
        failure = type(given).__name__
        logger.warning("a chat model failed with %s; the first impulse decides", failure)
        return None, failure

    def _operated(self, effects: Effects) -> Steps:
        memory, user = self.memory, self.user_id
        new = {
            one.unit_id: one.after
            for one in effects.operations
            if one.operation == "reweight" and one.after is not None
        }
        silent = [one.unit_id for one in effects.operations if one.operation == "suppress"]
        if new:
            yield _both(memory.reweight, memory.areweight, new, user_id=user)
        if silent:
            yield _both(memory.suppress, memory.asuppress, silent, SUPPRESSED_FOR, user_id=user)

    def _decision(
        self,
        situation: Situation,
        reflection: Reflection | None,
        failure: str | None,
        effects: Effects,
        after: State,
    ) -> Decision:
        impulse = situation.tendency.impulse
        fast = impulse_in_words(impulse, self._language)
        return Decision(
            speech="" if reflection is None else reflection.speech,
            action=fast if reflection is None else reflection.action,
            decided_by="tendency" if reflection is None else "reflection",
            failure=failure,
            impulse=impulse,
            conflict=situation.conflict,
            affect_changes=_differences(self.state.affect, after.affect),
            relation_changes=_differences(self.state.relations, after.relations),
            operations=effects.operations,
        )

    def _forget(self, user_id: str, everything: bool, texts: Sequence[str]) -> None:  # noqa: FBT001
        """Drop what names some texts; the memory calls it in the user's turn, before they go."""
        if user_id != self.user_id:
            return
        self._keep(one for one in self._traces if not everything and not one.names(texts))
        if everything or self.state.observation in texts:
            self.state = self.state.model_copy(update={"observation": ""})

    def _keep(self, traces: Iterable[Trace]) -> None:
        self._traces = deque(traces, maxlen=_KEPT)  # another one: who steps may be reading that

    def _night(self) -> Steps:
        dreamt: MemoryUnit | None = None
        if self._model is not None:
            told = "; ".join(f"{name}: {w:+.1f}" for name, w in self.state.relations.items())
            persona = "\n".join([self.state.persona, *self.state.beliefs])
            how = Recombination(self._model, persona, told, language=self._language)
            dreamt = yield _both(self.memory.dream, self.memory.adream, how, user_id=self.user_id)
        self.day += 1
        return dreamt


def _both(
    call: Callable[..., T], acall: Callable[..., Any], *arguments: Any, **options: Any
) -> Call:
    return Call(partial(call, *arguments, **options), partial(acall, *arguments, **options))


def _differences(before: dict[str, float], after: dict[str, float]) -> dict[str, float]:
    return {name: after[name] - level for name, level in before.items() if after[name] != level}


def _observed(observation: str) -> str:
    left = storable(observation)
    if not left.strip():
        msg = "an observation must not be blank"
        raise ValueError(msg)
    return left
