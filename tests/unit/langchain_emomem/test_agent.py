"""The agent as a runnable: what goes in, what comes out, and that calls are one life."""

import json

import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import Runnable
from langchain_core.vectorstores import InMemoryVectorStore

from emomem import LexiconAppraiser
from emomem.agent import Decision, State
from langchain_emomem import ConflictAwareMemory, ConflictSensitiveAgent

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


@pytest.fixture
def memory():
    store = InMemoryVectorStore(DeterministicFakeEmbedding(size=8))
    return ConflictAwareMemory(store, user_id="ann", appraiser=LexiconAppraiser())


@pytest.fixture
def agent(memory):
    state = State(affect={"anger": 8.0}, relations={"Sam": 6.0})
    return ConflictSensitiveAgent(memory, FakeListChatModel(responses=[ANSWER]), state)


async def test_it_is_a_runnable_that_composes(agent):
    chain = agent | (lambda decision: decision.speech.upper())
    assert isinstance(agent, Runnable)
    assert chain.invoke("Sam is at the door") == "TELL ME WHY."
    assert await chain.ainvoke("Sam goes away") == "TELL ME WHY."
    assert agent.controller.state.affect["anger"] == 7.0
    assert agent.OutputType is Decision
    assert [one.decision for one in agent.controller.traces] == [
        one.decision for one in agent.controller.traces if one.decision.decided_by == "reflection"
    ]


async def test_of_messages_the_last_human_one_is_the_observation(agent):
    said = [HumanMessage("Sam sold it"), AIMessage("No!"), ("human", "He is here"), AIMessage("Oh")]
    agent.invoke(said)
    await agent.ainvoke([{"role": "user", "content": "He left"}])
    assert [one.observation for one in agent.controller.traces] == ["He is here", "He left"]


@pytest.mark.parametrize(
    "given",
    [
        HumanMessage("He is here"),
        {"messages": [("human", "Sam sold it"), ("human", "He is here")]},
        ChatPromptTemplate([("human", "{who} is here")]).invoke({"who": "He"}),
    ],
)
async def test_what_other_runnables_give_is_taken(agent, given):
    agent.invoke(given)
    await agent.ainvoke(given)
    assert {one.observation for one in agent.controller.traces} == {"He is here"}


@pytest.mark.parametrize("given", [{"input": "He is here"}, {}, None, 3])
def test_what_is_no_observation_is_named(agent, given):
    with pytest.raises(TypeError, match=r"key messages, got (input|none)|got one (NoneType|int)"):
        agent.invoke(given)


@pytest.mark.parametrize("nothing", ["", [], [AIMessage("Hello")], {"messages": []}])
def test_nothing_observed_raises(agent, nothing):
    with pytest.raises(ValueError, match="blank"):
        agent.invoke(nothing)


async def test_a_batch_is_one_life_in_order(agent):
    events = ["Sam calls", "Sam writes", "Sam comes"]
    agent.batch(events, {"max_concurrency": 3})
    await agent.abatch(events[:2])
    traces = agent.controller.traces
    assert [one.observation for one in traces] == [*events, *events[:2]]
    assert [one.after.affect["anger"] for one in traces] == [7.5, 7.0, 6.5, 6.0, 5.5]
    good, bad = agent.batch(["Sam waits", ""], return_exceptions=True)
    assert good.action == "sits down"
    assert isinstance(bad, ValueError)
    with pytest.raises(ValueError, match="blank"):
        await agent.abatch([""])
    assert isinstance((await agent.abatch([""], return_exceptions=True))[0], ValueError)


class Watch(BaseCallbackHandler):
    def __init__(self):
        self.runs = []

    def on_chain_start(self, serialized, inputs, **kwargs):
        self.runs.append(("chain", kwargs["name"]))

    def on_chat_model_start(self, serialized, messages, *, parent_run_id=None, **kwargs):
        self.runs.append(("model", parent_run_id is not None))


async def test_callbacks_see_the_agent_and_the_model_within(agent):
    for is_async in (False, True):
        watch = Watch()
        if is_async:
            await agent.ainvoke("Sam is at the door", {"callbacks": [watch]})
        else:
            agent.invoke("Sam is at the door", {"callbacks": [watch]})
        assert watch.runs[0] == ("chain", "ConflictSensitiveAgent")
        assert ("model", True) in watch.runs


def test_without_a_model_the_tendency_decides(memory):
    agent = ConflictSensitiveAgent(memory, state=State(affect={"fear": 9.0}), language="pt")
    decision = agent.invoke("O Sam chegou")
    assert (decision.decided_by, decision.impulse) == ("tendency", "withdraw")


def test_only_a_chat_model_is_taken(memory):
    with pytest.raises(TypeError, match="LangChain chat model, got str"):
        ConflictSensitiveAgent(memory, "gpt-4.1")
