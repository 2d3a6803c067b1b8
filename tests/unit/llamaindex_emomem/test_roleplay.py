"""`RolePlayWorkflow` over an index in memory and a model that says its lines."""

import pytest
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.llms import ChatMessage, ChatResponse, MockLLM
from llama_index.core.schema import NodeWithScore, TextNode
from pydantic import Field
from workflows.errors import WorkflowRuntimeError

from emomem import Character
from emomem.roleplay import STRATEGIES
from llamaindex_emomem import RolePlayWorkflow

ROSA = Character(name="Rosa", profile="Keeps a lighthouse.")
SAYING = "I keep to myself."


class Says(MockLLM):
    seen: list = Field(default_factory=list)

    async def achat(self, messages, **kwargs):
        self.seen.append(messages)
        return ChatResponse(message=ChatMessage(role="assistant", content=SAYING))


@pytest.fixture
def llm():
    return Says()


@pytest.fixture
def workflow(llm, index, scripted):
    appraiser = scripted({"Are you sad?": "sadness", "Are you glad?": "joy"})

    def build(**options):
        given = {"similarity_top_k": 2, "appraiser": appraiser, **options}
        return RolePlayWorkflow(llm, ROSA, index, **given)

    return build


async def test_the_answer_comes_with_what_was_recalled(workflow, llm, said):
    response = await workflow(strategy="emotion-first").run(question="Are you sad?")
    assert str(response) == SAYING
    assert said(response.source_nodes) == ["goodbye at the station", "the empty house"]
    [[system, user]] = llm.seen
    assert "Rosa" in system.content
    assert "the empty house" in user.content
    assert 'label="sadness"' in user.content
    assert "user_id" not in user.content


@pytest.mark.parametrize("strategy", STRATEGIES)
async def test_every_published_strategy_recalls(strategy, workflow, said):
    response = await workflow(strategy=strategy).run(question="Are you glad?")
    assert said(response.source_nodes)[0] == "a picnic by the river"


async def test_a_scene_is_told(workflow, llm):
    await workflow().run(question="Are you sad?", place="the pier", status="waiting")
    assert "place: the pier" in llm.seen[0][1].content


class Fixed(BaseRetriever):
    def _retrieve(self, query_bundle):
        return [NodeWithScore(node=TextNode(text=f"about {query_bundle.query_str}"))]


async def test_a_retriever_recalls_in_its_own_way(llm):
    await RolePlayWorkflow(llm, ROSA, Fixed()).run(question="storms")
    assert "<memory>about storms</memory>" in llm.seen[0][1].content


@pytest.mark.parametrize("wrong", [{"query": "Well?"}, {"question": "Well?", "place": "the pier"}])
async def test_a_call_without_a_question_or_with_half_a_scene_is_named(workflow, wrong):
    with pytest.raises((ValueError, WorkflowRuntimeError), match="give question, or question"):
        await workflow().run(**wrong)


def test_wrong_arguments_are_named(llm, index, workflow):
    with pytest.raises(TypeError, match="llm must be a LlamaIndex LLM, got str"):
        RolePlayWorkflow("gpt", ROSA, index)
    with pytest.raises(TypeError, match="memories must be an index or a retriever, got list"):
        RolePlayWorkflow(llm, ROSA, [])
    with pytest.raises(ValueError, match="a retriever has its own"):
        RolePlayWorkflow(llm, ROSA, Fixed(), similarity_top_k=3)
    with pytest.raises(ValueError, match="for role play also ordinary"):
        workflow(strategy="C-A")
