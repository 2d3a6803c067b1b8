"""What a call took is what its responses tell, held to a schema or not."""

import asyncio
import json

import pytest
from llama_index.core.llms import (
    ChatMessage,
    ChatResponse,
    CompletionResponse,
    CustomLLM,
    LLMMetadata,
    MockLLM,
)
from llama_index.core.llms.callbacks import llm_chat_callback
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.llms.llm import ToolSelection
from llama_index.core.schema import TextNode
from pydantic import Field

from emomem import Affect, LexiconAppraiser
from emomem.asking import schema_of
from emomem.encoding.metering import TellsTokens, Tokens
from emomem.encoding.record import DIMENSIONS, DeepMemory
from emomem.metadata import encode
from llamaindex_emomem import DeepEncoder
from llamaindex_emomem.usage import TellingChatModel

TOLD = dict.fromkeys(DIMENSIONS, "told")
QUESTION = [{"role": "user", "content": "What?"}]
TELLING = [
    ({"usage": {"prompt_tokens": 70, "completion_tokens": 9}}, {}),
    ({"usage": {"input_tokens": 70, "output_tokens": 9}}, {}),
    ({"usage_metadata": {"prompt_token_count": 70, "candidates_token_count": 9}}, {}),
    (None, {"prompt_tokens": 70, "completion_tokens": 9}),
]
WORDS = ChatResponse(
    message=ChatMessage(role="assistant", content="in words"),
    raw={"usage": {"prompt_tokens": 50, "completion_tokens": 4}},
)
SILENT = [(None, {}), ({"usage": None}, {}), ("raw text", {}), ({"usage": {"seconds": 1}}, {})]


class Speaking(CustomLLM):
    """Answers in text, and tells what it took as it is set up to."""

    raw: object = None
    extra: dict = Field(default_factory=dict)

    @property
    def metadata(self):
        return LLMMetadata()

    def complete(self, prompt, **kwargs):
        return CompletionResponse(text=json.dumps(TOLD), raw=self.raw, additional_kwargs=self.extra)

    def stream_complete(self, prompt, **kwargs):
        raise NotImplementedError


class Calling(FunctionCallingLLM):
    """Calls the function that it is given; at first in a way that fails, where `fails`."""

    fails: bool = False

    @property
    def metadata(self):
        return LLMMetadata(is_chat_model=True, is_function_calling_model=True)

    @llm_chat_callback()
    def chat(self, messages, **kwargs):
        return WORDS

    @llm_chat_callback()
    async def achat(self, messages, **kwargs):
        return WORDS

    def _prepare_chat_with_tools(self, tools, user_msg=None, chat_history=None, **kwargs):
        return {"messages": chat_history, "tools": tools}

    def get_tool_calls_from_response(self, response, **kwargs):
        if self.fails:
            raise ValueError
        return [ToolSelection(tool_id="1", tool_name="DeepMemory", tool_kwargs=TOLD)]

    async def _never(self, *args, **kwargs):
        raise NotImplementedError

    complete = stream_complete = stream_chat = _never
    acomplete = astream_complete = astream_chat = _never


@pytest.fixture(params=["sync", "async"])
def told(request):
    async def run(llm, schema=None):
        model = TellingChatModel(llm)
        assert isinstance(model, TellsTokens)
        if request.param == "async":
            return await model.acomplete_told(QUESTION, schema)
        return model.complete_told(QUESTION, schema)

    return run


@pytest.mark.parametrize(("raw", "extra"), TELLING)
async def test_the_tokens_are_those_that_the_response_tells(told, raw, extra):
    text, tokens = await told(Speaking(raw=raw, extra=extra))
    assert (json.loads(text), tokens) == (TOLD, Tokens(70, 9))


@pytest.mark.parametrize(("raw", "extra"), SILENT)
async def test_where_it_tells_none_they_are_not_known(told, raw, extra):
    assert (await told(Speaking(raw=raw, extra=extra)))[1] is None


async def test_a_structured_answer_tells_them_too_and_a_second_try_adds_its_own(told):
    text, tokens = await told(Calling(), schema_of(DeepMemory))
    assert (json.loads(text), tokens) == (TOLD, Tokens(50, 4))
    text, tokens = await told(Calling(fails=True), schema_of(DeepMemory))
    assert (text, tokens) == ("in words", Tokens(100, 8))


async def test_calls_at_the_same_time_are_told_apart():
    models = [
        TellingChatModel(Speaking(raw={"usage": {"prompt_tokens": n, "completion_tokens": 1}}))
        for n in range(1, 9)
    ]
    answers = await asyncio.gather(*(model.acomplete_told(QUESTION) for model in models))
    assert [tokens for _, tokens in answers] == [Tokens(n, 1) for n in range(1, 9)]


@pytest.mark.parametrize(
    ("llm", "estimated"), [(Speaking(raw=TELLING[0][0]), 0), (Speaking(), 1), (MockLLM(), 2)]
)
def test_the_encoders_cost_is_what_was_told(llm, estimated):
    encoder = DeepEncoder(llm=llm, appraiser=LexiconAppraiser())
    encoder([TextNode(text="My dog died!", metadata=encode(Affect(arousal=0.9)))])
    assert encoder.cost.estimated == estimated
    assert (encoder.cost.prompt_tokens == 70) == (estimated == 0)
