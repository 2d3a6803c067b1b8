"""LlamaIndex's models behind the core's protocol."""

import json
import time
from typing import Any, get_args

import pytest
from llama_index.core.base.llms.types import LLMMetadata
from llama_index.core.llms import ChatMessage, ChatResponse, CompletionResponse, CustomLLM, MockLLM
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.llms.llm import ToolSelection
from llama_index.core.prompts import PromptTemplate
from pydantic import Field

from emomem.appraisal.chat import scoring_messages
from emomem.appraisal.replies import PromptKind
from emomem.prompts import Language
from emomem.protocols import ChatModel
from llamaindex_emomem import LLMAppraiser
from llamaindex_emomem.llm import LlamaIndexChatModel
from llamaindex_emomem.prompts import affect_scoring

GOOD = '{"valence": -0.8, "arousal": 0.25, "label": "grief"}'
QUESTION = [{"role": "system", "content": "Rate."}, {"role": "user", "content": "{curly} words"}]
SCHEMA = {"title": "Record", "type": "object", "properties": {"a": {"type": "number"}}}


class Plain(CustomLLM):
    """Says its lines; knows no schema and has no async form of its own."""

    says: list[Any] = Field(default_factory=list)
    asked: list[Any] = Field(default_factory=list)
    temperature: float = 0.1
    delay: float = 0.0

    @property
    def metadata(self):
        return LLMMetadata(is_chat_model=True)

    def chat(self, messages, **kwargs):
        time.sleep(self.delay)
        self.asked.append((messages, self.temperature))
        said = self.says.pop(0)
        if isinstance(said, Exception):
            raise said
        return ChatResponse(message=ChatMessage(role="assistant", content=said))

    def complete(self, prompt, **kwargs):
        return CompletionResponse(text="")

    def stream_complete(self, prompt, **kwargs):
        raise NotImplementedError


class Calling(FunctionCallingLLM):
    """Calls the function with the arguments that it says, or says a text."""

    says: list[Any] = Field(default_factory=list)
    asked: list[Any] = Field(default_factory=list)
    temperature: float = 0.1

    @property
    def metadata(self):
        return LLMMetadata(is_chat_model=True, is_function_calling_model=True, model_name="caller")

    def chat(self, messages, **kwargs):
        self.asked.append((messages, self.temperature, kwargs))
        said = self.says.pop(0)
        if isinstance(said, Exception):
            raise said
        return ChatResponse(
            message=ChatMessage(
                role="assistant",
                content=said if isinstance(said, str) else "",
                additional_kwargs={"call": said if isinstance(said, dict) else None},
            )
        )

    async def achat(self, messages, **kwargs):
        return self.chat(messages, **kwargs)

    def _prepare_chat_with_tools(self, tools, user_msg=None, chat_history=None, **kwargs):
        return {"messages": chat_history, "tools": tools}

    def get_tool_calls_from_response(self, response, **kwargs):
        arguments = response.message.additional_kwargs["call"]
        if arguments is None:
            raise ValueError
        return [ToolSelection(tool_id="1", tool_name="Record", tool_kwargs=arguments)]

    async def _never(self, *args, **kwargs):
        raise NotImplementedError

    complete = stream_complete = stream_chat = _never
    acomplete = astream_complete = astream_chat = _never


@pytest.fixture(params=["sync", "async"])
def complete(request):
    async def run(llm, schema=None):
        adapter = LlamaIndexChatModel(llm)
        if request.param == "async":
            return await adapter.acomplete(QUESTION, schema)
        return adapter.complete(QUESTION, schema)

    return run


async def test_a_model_that_knows_no_schema_answers_in_text(complete):
    llm = Plain(says=["hello"])
    assert await complete(llm, SCHEMA) == "hello"
    [(messages, temperature)] = llm.asked
    assert [(message.role.value, message.content) for message in messages] == [
        ("system", "Rate."),
        ("user", "{curly} words"),
    ]
    assert (temperature, llm.temperature) == (0, 0.1)


async def test_a_model_that_calls_functions_is_held_to_the_schema(complete):
    llm = Calling(says=[{"a": 1, "b": "x"}])
    assert json.loads(await complete(llm, SCHEMA)) == {"a": 1, "b": "x"}
    [(messages, temperature, kwargs)] = llm.asked
    assert messages[1].content == "{curly} words"
    assert temperature == 0
    [tool] = kwargs["tools"]
    assert tool.metadata.name == "Record"
    assert tool.metadata.get_parameters_dict()["properties"] == SCHEMA["properties"]


@pytest.mark.parametrize("said", ["I would rather talk", RuntimeError("no tools here")])
async def test_where_that_fails_it_is_asked_plainly_as_the_user_set_it_up(complete, said):
    llm = Calling(says=[said, "plain"])
    assert await complete(llm, SCHEMA) == "plain"
    assert [(temperature, "tools" in kwargs) for _, temperature, kwargs in llm.asked] == [
        (0, True),
        (0.1, False),
    ]


class RefusedError(Exception):
    status_code = 400


@pytest.mark.parametrize("schema", [SCHEMA, None])
@pytest.mark.parametrize("is_async", [False, True])
async def test_what_a_server_refused_once_it_is_not_asked_for_again(is_async, schema):
    llm = Calling(says=[RefusedError(), "one", "two"])
    adapter = LlamaIndexChatModel(llm)
    for said in ("one", "two"):
        given = None if is_async else adapter.complete(QUESTION, schema)
        assert (given or await adapter.acomplete(QUESTION, schema)) == said
    assert [temperature for _, temperature, _ in llm.asked] == [0, 0.1, 0.1]


async def test_a_server_that_is_away_is_asked_once(complete):
    llm = Calling(says=[TimeoutError(), "plain"])
    with pytest.raises(TimeoutError):
        await complete(llm, SCHEMA)
    assert len(llm.asked) == 1


async def test_without_a_schema_it_is_held_to_none(complete):
    llm = Calling(says=["free"])
    assert await complete(llm) == "free"
    assert "tools" not in llm.asked[0][2]


async def test_a_temperature_that_was_changed_is_kept(complete):
    llm = Plain(says=["hello"], temperature=0.7)
    await complete(llm, SCHEMA)
    assert llm.asked[0][1] == 0.7


def test_it_is_the_cores_protocol():
    assert isinstance(LlamaIndexChatModel(MockLLM()), ChatModel)


async def test_sync_and_async_agree_and_failures_are_counted():
    for is_async in (False, True):
        llm = Plain(says=["no", GOOD, TimeoutError(), GOOD])
        appraiser = LLMAppraiser(llm, max_concurrency=1)
        texts = ["a", "", "b", "c"]
        affects = await appraiser.aappraise(texts) if is_async else appraiser.appraise(texts)
        assert [affect.label for affect in affects] == ["grief", "unknown", "unknown", "grief"]
        assert appraiser.failures == 1


async def test_async_does_not_block_the_loop(longest_block):
    llm = Plain(says=[GOOD, GOOD], delay=0.6)
    affects, longest = await longest_block(LLMAppraiser(llm).aappraise(["a", "b"]))
    assert [affect.label for affect in affects] == ["grief", "grief"]
    assert longest < 0.5


def test_readings_are_marked_with_the_model():
    assert LLMAppraiser(Calling()).source == "chat:caller"
    assert LLMAppraiser(MockLLM()).source == "chat:MockLLM"


@pytest.mark.parametrize("llm", [None, "gpt-4o", MockLLM])
def test_only_a_llamaindex_model_is_taken(llm):
    with pytest.raises(TypeError, match="LlamaIndex LLM"):
        LLMAppraiser(llm)


async def test_its_prompt_can_be_read_and_replaced():
    llm = Plain(says=[GOOD, GOOD, GOOD])
    appraiser = LLMAppraiser(llm)
    [(name, prompt)] = appraiser.get_prompts().items()
    assert name == "affect_scoring"
    assert prompt == affect_scoring("vad")
    text = "I said </text> {text} and {goals}"

    await appraiser.aappraise([text])
    [(turns, _)] = llm.asked
    assert [(one.role.value, one.content) for one in turns] == [
        (one["role"], one["content"]) for one in scoring_messages(text)
    ]

    appraiser.update_prompts({"affect_scoring": PromptTemplate("Rate <text>{text}</text>.")})
    assert appraiser.appraise([text])[0].label == "grief"
    [turn] = llm.asked[1][0]
    assert turn.content == "Rate <text>I said &lt;/text> {text} and {goals}</text>."

    mapped = PromptTemplate("Rate {words}.", template_var_mappings={"text": "words"})
    appraiser.update_prompts({"affect_scoring": mapped, "another": PromptTemplate("")})
    appraiser.appraise(["b"])
    assert llm.asked[2][0][0].content == "Rate b."


def test_a_prompt_that_takes_no_text_is_refused():
    appraiser = LLMAppraiser(MockLLM())
    before = appraiser.get_prompts()
    with pytest.raises(ValueError, match=r"needs the variable text, got \['query'\]"):
        appraiser.update_prompts({"affect_scoring": PromptTemplate("Rate {query}.")})
    assert appraiser.get_prompts() == before


@pytest.mark.parametrize("prompt", get_args(PromptKind))
@pytest.mark.parametrize("language", get_args(Language))
def test_every_question_is_a_template(prompt, language):
    goals = ["win"] if prompt == "conflict" else []
    template = affect_scoring(prompt, language, goals)
    turns = template.format_messages(text="we lost")

    assert template.template_vars == ["text"]
    assert [(one.role.value, one.content) for one in turns] == [
        (one["role"], one["content"])
        for one in scoring_messages("we lost", prompt, language, goals)
    ]
