"""What the memory forgets, its agents forget with it, and what is thought meanwhile is not kept."""

import asyncio
import gc

import pytest

from emomem.agent import Controller, State
from emomem.memory.memory import Memory

PIN = "My PIN is 4711 and Sam knows it"


@pytest.fixture(params=["sync", "async"])
def call(request):
    """Calls a method, or the async form of it."""

    def run(owner, name, *arguments, **options):
        if request.param == "sync":
            return getattr(owner, name)(*arguments, **options)
        return asyncio.run(getattr(owner, f"a{name}")(*arguments, **options))

    return run


@pytest.fixture
def quiet(reflection):
    return {**reflection, "operations": []}


def test_what_is_forgotten_is_in_no_trace_no_prompt_and_no_file(
    build, memory, quiet, call, tmp_path
):
    agent, model = build(quiet, quiet)
    call(agent, "step", PIN)
    call(memory, "forget", "ann")
    assert (agent.traces, agent.state.observation) == ([], "")
    call(agent, "step", "Hello again")
    assert "4711" not in str(model.asked[-1])
    assert "4711" not in agent.dump_trace(tmp_path / "trace.jsonl").read_text("utf-8")
    assert agent.state.relations == {"Sam": 4.0, "Bo": -9.0}  # the agent itself stays who it is


def test_only_the_steps_that_name_it_go(build, memory, call):
    agent, _ = build(None)
    call(agent, "step", "It rains")
    call(agent, "step", PIN)
    call(agent, "step", "Sam calls")
    call(memory, "forget", ids=[agent.traces[1].unit_id])
    assert [one.observation for one in agent.traces] == ["It rains"]
    assert agent.state.observation == "Sam calls"


def test_another_users_agent_keeps_the_same_words(build, memory, call):
    agent, _ = build(None)
    other = Controller(memory, user_id="bo")
    for one in (agent, other):
        call(one, "step", "Hello")
    call(memory, "forget", "bo")
    assert (len(agent.traces), agent.state.observation) == (1, "Hello")
    assert (other.traces, other.state.observation) == ([], "")


def test_a_state_that_was_kept_forgets_what_it_met(build, memory, call):
    saved = memory.save(PIN)
    agent, _ = build(None, state=State(observation=PIN))
    call(memory, "forget", ids=[saved.fact.unit_id])
    assert agent.state.observation == ""


def test_an_answer_made_of_what_is_forgotten_meanwhile_is_told_and_not_kept(
    build, memory, quiet, call
):
    memory.save(PIN)
    agent, model = build({**quiet, "reading": "4711", "speech": "Is it 4711?"})
    before = agent.state
    answer = model.complete

    def complete(messages, schema=None):
        memory.forget("ann")
        return answer(messages, schema)

    model.complete = complete
    decision = call(agent, "step", "Sam is at the door")
    assert (decision.speech, decision.decided_by) == ("Is it 4711?", "reflection")
    assert {one.text for one in memory.timeline()} == {"Sam is at the door"}
    assert agent.traces == []
    assert agent.state == before.model_copy(update={"observation": "Sam is at the door"})


def test_what_another_memory_forgets_costs_one_step(build, memory, quiet, call):
    agent, _ = build(*[quiet] * 3)
    call(agent, "step", PIN)
    Memory(memory._parts.store, user_id="ann", appraiser=memory._parts.appraiser).forget("ann")
    call(agent, "step", "Hello again")
    assert agent.traces == []
    call(agent, "step", "Sam calls")
    assert [one.observation for one in agent.traces] == ["Sam calls"]


def test_a_situation_is_made_of_the_last_step_too(build, memory):
    agent, _ = build(None)
    agent.step(PIN)
    [last] = agent.traces
    for number in range(12):
        memory.save(f"Event {number}", created_at=number)
    memory.forget(ids=[last.unit_id])
    agent._traces.append(last)  # of a forgetting that comes only now
    assert last.unit_id in agent.perceive("Sam calls").made_of
    assert last.unit_id not in agent.perceive("Sam calls", conversation=["Hello"]).made_of


def test_agents_that_are_gone_leave_nothing_in_the_memory(memory):
    agents = [Controller(memory) for _ in range(3)]
    assert len(memory.keepers.purges("ann", everything=True)) == 3
    del agents[1:]
    gc.collect()
    assert len(memory.keepers._purges) == 1
