"""The agent as a workflow: its two steps, its events, and that runs are one life."""

import asyncio
import json

import pytest
from llama_index.core import MockEmbedding
from llama_index.core.llms import ChatMessage, MockLLM
from llama_index.core.vector_stores import SimpleVectorStore
from llama_index.core.workflow import Workflow

from emomem import LexiconAppraiser
from emomem.agent import State
from llamaindex_emomem import ConflictAwareMemory, ConflictSensitiveAgent
from llamaindex_emomem.agent import PerceivedEvent

ANSWER = json.dumps(
    {
        "for_tendency": "He lied.",
        "for_norms": "He is my brother.",
        "tendency_weight": 0.4,
        "norms_weight": 0.6,
        "speech": "Tell me why.",
        "action": "sits down",
        "affect_changes": [{"name": "anger", "change": -5}],
    }
)


class Says(MockLLM):
    """Gives one answer to whatever it is asked."""

    def _generate_text(self, length):
        return ANSWER

    def complete(self, prompt, formatted=False, **kwargs):  # noqa: FBT002 - LlamaIndex's signature
        response = super().complete(prompt, formatted, **kwargs)
        response.text = ANSWER
        return response


@pytest.fixture
def agent():
    memory = ConflictAwareMemory(
        SimpleVectorStore(),
        embed_model=MockEmbedding(8),
        user_id="ann",
        appraiser=LexiconAppraiser(),
    )
    state = State(affect={"anger": 8.0}, relations={"Sam": 6.0})
    return ConflictSensitiveAgent(memory, Says(), state)


async def test_a_run_perceives_and_then_decides(agent):
    assert isinstance(agent, Workflow)
    handler = agent.run(observation="Sam is at the door")
    events = [event async for event in handler.stream_events()]
    decision = await handler
    assert (decision.decided_by, decision.speech) == ("reflection", "Tell me why.")
    [perceived] = [event for event in events if isinstance(event, PerceivedEvent)]
    assert perceived.situation.tendency.impulse == decision.impulse == "confront"
    assert perceived.situation.norms.pull == 0.6
    assert agent.controller.state.affect["anger"] == 7.5


async def test_of_messages_the_users_last_one_is_the_observation(agent):
    said = [
        ChatMessage("Sam sold it"),
        ChatMessage("No!", role="assistant"),
        ChatMessage("He is here"),
    ]
    await agent.run(observation=said)
    await agent.run(observation=said[-1])
    assert [one.observation for one in agent.controller.traces] == ["He is here"] * 2


async def test_runs_at_once_are_one_life(agent):
    await asyncio.gather(*(agent.run(observation=f"Event {number}") for number in range(3)))
    levels = [one.before.affect["anger"] for one in agent.controller.traces]
    assert levels == [8.0, 7.5, 7.0]
    assert [len(one.facts) for one in agent.controller.traces] == [0, 1, 2]


async def test_a_model_that_says_nothing_of_use_leaves_it_to_the_tendency(agent):
    plain = ConflictSensitiveAgent(agent.controller.memory, MockLLM(), State(affect={"fear": 9.0}))
    decision = await plain.run(observation="Sam is at the door")
    assert (decision.decided_by, decision.failure) == ("tendency", "UnusableAnswerError")
    assert decision.impulse == "withdraw"


async def test_nothing_observed_raises(agent):
    with pytest.raises(ValueError, match="blank"):
        await agent.run(observation="")


def test_only_an_llm_is_taken(agent):
    with pytest.raises(TypeError, match="LlamaIndex LLM, got str"):
        ConflictSensitiveAgent(agent.controller.memory, "gpt-4.1")
