"""LlamaIndex's language models, as the core asks them."""

import asyncio
import copy
import inspect
from collections.abc import Sequence
from typing import Any, Final, cast

from llama_index.core.constants import DEFAULT_TEMPERATURE
from llama_index.core.llms import LLM, ChatMessage, ChatResponse, CustomLLM
from llama_index.core.prompts import BasePromptTemplate
from llama_index.core.prompts.mixin import PromptDictType, PromptMixin, PromptMixinType
from pydantic import BaseModel, ConfigDict

from emomem.appraisal.chat import ChatAppraiser
from emomem.appraisal.replies import PromptKind
from emomem.attempts import Attempts
from emomem.prompts import Language, escaped
from emomem.protocols import ChatMessage as Turn
from emomem.protocols import JsonSchema
from llamaindex_emomem.prompts import affect_scoring

_PROMPT: Final = "affect_scoring"


class LlamaIndexChatModel:
    """Any LlamaIndex language model, as `emomem.protocols.ChatModel`.

    Where the model has structured output or calls functions it is held to the schema. It is asked
    at temperature 0 unless its temperature was changed. Where that fails it is asked in plain text
    as the user set it up; if its server refused the other, so from then on
    (`emomem.attempts.Attempts`).

    Args:
        llm: The model.
    """

    def __init__(self, llm: LLM) -> None:
        self._own = llm
        self._calm = _at_temperature_0(llm)
        self._attempts = Attempts()
        self._has_schemas = llm.metadata.is_function_calling_model or bool(
            getattr(llm, "should_use_structured_outputs", False)
        )
        # The async form that LlamaIndex gives to a model without one blocks the event loop.
        self._blocks = inspect.unwrap(type(llm).achat) is inspect.unwrap(CustomLLM.achat)

    def complete(self, messages: Sequence[Turn], schema: JsonSchema | None = None) -> str:
        """The text of the answer."""
        turns = _turns(messages)
        return self._attempts.ask(self._ways(schema), lambda way: _text(way.chat(turns)), schema)

    async def acomplete(self, messages: Sequence[Turn], schema: JsonSchema | None = None) -> str:
        """`complete` without blocking the event loop."""
        if self._blocks:
            return await asyncio.to_thread(self.complete, messages, schema)
        turns = _turns(messages)

        async def ask(way: LLM) -> str:
            return _text(await way.achat(turns))

        return await self._attempts.aask(self._ways(schema), ask, schema)

    def _ways(self, schema: JsonSchema | None) -> list[LLM]:
        """The model at its most obedient, and what is tried where that is refused."""
        if schema is not None and self._has_schemas:
            return [self._calm.as_structured_llm(_anything(schema)), self._own]
        return [self._own] if self._calm is self._own else [self._calm, self._own]


class LLMAppraiser(ChatAppraiser, PromptMixin):
    """Affect as a LlamaIndex model judges it (`emomem.appraisal.chat.ChatAppraiser`).

    What it asks is the prompt "affect_scoring" of `get_prompts`. One that `update_prompts` puts
    in its place takes the `{text}`, which cannot close a tag `<text>` around it, and asks for the
    same keys.

    Args:
        llm: Any LLM. It is asked at temperature 0 unless its temperature was changed.
        prompt: "vad", "plutchik" or "conflict".
        language: The language of the question: "en", "zh" or "pt".
        goals: What matters to the user, for "conflict".
        max_concurrency: How many texts of one call are in the model's hands at once, >= 1.

    Raises:
        TypeError: `llm` is no LLM.
        ValueError: Another argument is not one of those allowed.

    Example:
        >>> from llama_index.core.llms import MockLLM
        >>> LLMAppraiser(MockLLM()).appraise(["My dog died."])[0].is_unknown
        True
    """

    def __init__(
        self,
        llm: LLM,
        *,
        prompt: PromptKind = "vad",
        language: Language = "en",
        goals: Sequence[str] = (),
        max_concurrency: int = 8,
    ) -> None:
        if not isinstance(llm, LLM):
            msg = f"llm must be a LlamaIndex LLM, got {type(llm).__name__}"
            raise TypeError(msg)
        self._prompt: BasePromptTemplate = affect_scoring(prompt, language, goals)
        super().__init__(
            LlamaIndexChatModel(llm),
            prompt=prompt,
            language=language,
            goals=goals,
            max_concurrency=max_concurrency,
            source=f"chat:{model_name(llm)}",
        )

    def _messages(self, text: str) -> list[Turn]:
        messages = self._prompt.format_messages(text=escaped(text, "text"))
        turns = [{"role": one.role.value, "content": one.content or ""} for one in messages]
        return cast("list[Turn]", turns)

    def _get_prompts(self) -> PromptDictType:
        return {_PROMPT: self._prompt}

    def _get_prompt_modules(self) -> PromptMixinType:
        return {}

    def _update_prompts(self, prompts: PromptDictType) -> None:
        prompt = prompts.get(_PROMPT, self._prompt)
        if (prompt.template_var_mappings or {}).get("text", "text") not in prompt.template_vars:
            msg = f"the prompt {_PROMPT!r} needs the variable text, got {prompt.template_vars}"
            raise ValueError(msg)
        self._prompt = prompt


def model_name(llm: LLM) -> str:
    """The name of a model; that of its class where it tells none."""
    name = llm.metadata.model_name
    return llm.class_name() if name == "unknown" else name


def _at_temperature_0(llm: LLM) -> LLM:
    # What was not set cannot be told from LlamaIndex's default.
    if getattr(llm, "temperature", None) != DEFAULT_TEMPERATURE:
        return llm
    return llm.model_copy(update={"temperature": 0.0})


def _turns(messages: Sequence[Turn]) -> list[ChatMessage]:
    return [ChatMessage(role=turn["role"], content=turn["content"]) for turn in messages]


def _text(response: ChatResponse) -> str:
    return response.message.content or ""


def _anything(schema: JsonSchema) -> type[BaseModel]:
    """A class that shows the schema as its own and takes any object: the core validates."""

    class Answer(BaseModel):
        model_config = ConfigDict(extra="allow")

        @classmethod
        def model_json_schema(cls, *_: Any, **__: Any) -> dict[str, Any]:
            return copy.deepcopy(dict(schema))

    return Answer
