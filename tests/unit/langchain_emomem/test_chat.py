"""LangChain's chat models behind the core's protocol."""

import threading
import time
from typing import Any

import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models import BaseChatModel, FakeListChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import RunnableLambda
from pydantic import Field

from emomem.protocols import ChatModel
from langchain_emomem import ChatModelAppraiser, EmotionTagger
from langchain_emomem.chat import LangChainChatModel

GOOD = '{"valence": -0.8, "arousal": 0.25, "label": "grief"}'
QUESTION = [{"role": "system", "content": "Rate."}, {"role": "user", "content": "{curly} words"}]
SCHEMA = {"title": "Record", "type": "object", "properties": {"a": {"type": "number"}}}


class Capable(BaseChatModel):
    """Calls tools, and remembers what it is asked and how."""

    temperature: float | None = None
    says: list[Any] = Field(default_factory=list)
    asked: list[Any] = Field(default_factory=list)

    @property
    def _llm_type(self):
        return "capable"

    def bind_tools(self, tools, **kwargs):
        return self.bind(tools=tools, **kwargs)

    def _generate(self, messages, stop=None, run_manager=None, **kwargs):
        self.asked.append((messages, self.temperature, kwargs))
        said = self.says.pop(0)
        if isinstance(said, Exception):
            raise said
        return ChatResult(generations=[ChatGeneration(message=said)])


def call(**args):
    return AIMessage("", tool_calls=[{"name": "Record", "args": args, "id": "1"}])


@pytest.fixture(params=["sync", "async"])
def complete(request):
    async def run(model, schema=None):
        adapter = LangChainChatModel(model)
        if request.param == "async":
            return await adapter.acomplete(QUESTION, schema)
        return adapter.complete(QUESTION, schema)

    return run


async def test_a_model_without_structured_output_answers_in_text(complete):
    assert await complete(FakeListChatModel(responses=["hello"]), SCHEMA) == "hello"


async def test_a_model_with_structured_output_is_held_to_the_schema(complete):
    model = Capable(says=[call(a=1)])
    assert await complete(model, SCHEMA) == '{"a": 1}'
    [(messages, temperature, kwargs)] = model.asked
    assert [message.type for message in messages] == ["system", "human"]
    assert messages[1].content == "{curly} words"
    assert temperature == 0
    assert kwargs["tools"] == [SCHEMA]
    assert model.temperature is None


async def test_what_it_says_in_place_of_the_object_is_its_answer(complete):
    model = Capable(says=[AIMessage("I would rather talk")])
    assert await complete(model, SCHEMA) == "I would rather talk"


async def test_without_a_schema_it_is_held_to_none(complete):
    model = Capable(says=[AIMessage([{"type": "text", "text": "free"}])])
    assert await complete(model) == "free"
    assert "tools" not in model.asked[0][2]


async def test_a_server_that_refuses_is_asked_for_less_each_time(complete):
    model = Capable(says=[ValueError("no temperature"), ValueError("no schema"), AIMessage("hi")])
    assert await complete(model, SCHEMA) == "hi"
    asked = [(temperature, "tools" in kwargs) for _, temperature, kwargs in model.asked]
    assert asked == [(0, True), (None, True), (None, False)]


class RefusedError(Exception):
    status_code = 400


@pytest.mark.parametrize("is_async", [False, True])
async def test_what_a_server_refused_once_it_is_not_asked_for_again(is_async):
    model = Capable(says=[RefusedError(), call(a=1), call(a=2)])
    adapter = LangChainChatModel(model)
    for number in (1, 2):
        given = adapter.complete(QUESTION, SCHEMA) if not is_async else None
        given = given or await adapter.acomplete(QUESTION, SCHEMA)
        assert given == f'{{"a": {number}}}'
    assert [temperature for _, temperature, _ in model.asked] == [0, None, None]


async def test_a_temperature_that_was_set_is_kept(complete):
    model = Capable(says=[call(a=1)], temperature=0.7)
    await complete(model, SCHEMA)
    assert model.asked[0][1] == 0.7


async def test_what_fails_at_last_raises(complete):
    with pytest.raises(ValueError, match="no model"):
        await complete(Capable(says=[ValueError("no model")] * 3), SCHEMA)


async def test_a_server_that_is_away_is_asked_once(complete):
    model = Capable(says=[TimeoutError()] * 3)
    with pytest.raises(TimeoutError):
        await complete(model, SCHEMA)
    assert len(model.asked) == 1


def test_it_is_the_cores_protocol():
    assert isinstance(LangChainChatModel(Capable()), ChatModel)


class Watch(BaseCallbackHandler):
    def __init__(self):
        self.runs = []

    def on_chat_model_start(self, serialized, messages, *, tags=None, metadata=None, **kwargs):
        self.runs.append((set(tags), metadata.get("caller"), threading.get_ident()))


async def test_callbacks_tags_and_metadata_of_the_caller_reach_every_thread():
    model = FakeListChatModel(responses=[GOOD], tags=["own"])
    appraiser = ChatModelAppraiser(model)
    for is_async in (False, True):
        watch = Watch()
        config = {"callbacks": [watch], "tags": ["outer"], "metadata": {"caller": "test"}}
        if is_async:
            await RunnableLambda(appraiser.aappraise).ainvoke(["a", "b", "c"], config)
        else:
            RunnableLambda(appraiser.appraise).invoke(["a", "b", "c"], config)
        assert len(watch.runs) == 3
        for tags, caller, _ in watch.runs:
            assert tags >= {"own", "outer", "emomem", "nostream"}
            assert caller == "test"


async def test_sync_and_async_agree_and_failures_are_counted():
    for is_async in (False, True):
        model = FakeListChatModel(responses=["no", GOOD])
        appraiser = ChatModelAppraiser(model, max_concurrency=1)
        texts = ["a", "", "b"]
        affects = await appraiser.aappraise(texts) if is_async else appraiser.appraise(texts)
        assert [affect.label for affect in affects] == ["grief", "unknown", "grief"]
        assert appraiser.failures == 0
        assert affects[0].source == "chat:FakeListChatModel"


async def test_async_does_not_block_the_loop(longest_block):
    class Slow(Capable):
        def _generate(self, messages, stop=None, run_manager=None, **kwargs):
            time.sleep(0.6)
            return ChatResult(generations=[ChatGeneration(message=AIMessage(GOOD))])

    affects, longest = await longest_block(ChatModelAppraiser(Slow()).aappraise(["a", "b"]))
    assert [affect.label for affect in affects] == ["grief", "grief"]
    assert longest < 0.5


def test_a_tagger_takes_it(tagged):
    model = FakeListChatModel(responses=[GOOD])
    tagger = EmotionTagger(appraiser=ChatModelAppraiser(model))
    [document] = tagger.transform_documents([tagged("My dog died")])
    assert document.metadata["affect_label"] == "grief"


@pytest.mark.parametrize(
    "model",
    [None, "gpt-4o", FakeListChatModel, FakeListChatModel(responses=["a"]).bind(stop=["b"])],
)
def test_only_a_chat_model_is_taken(model):
    with pytest.raises(TypeError, match="LangChain chat model"):
        ChatModelAppraiser(model)
