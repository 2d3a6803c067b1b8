"""LangChain's chat models, as the core asks them."""

import json
from collections.abc import Sequence
from typing import Any, Final

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import Runnable, RunnableConfig

from emomem.appraisal.chat import ChatAppraiser
from emomem.appraisal.replies import PromptKind
from emomem.attempts import Attempts
from emomem.prompts import Language
from emomem.protocols import ChatMessage, JsonSchema

# The tag keeps LangGraph from streaming our questions to the user as if the agent spoke.
_CONFIG: Final[RunnableConfig] = {"run_name": "emomem", "tags": ["emomem", "nostream"]}


class LangChainChatModel:
    """Any LangChain chat model, as `emomem.protocols.ChatModel`.

    It is asked at temperature 0 unless its temperature was set, and held to the schema where it
    has structured output. Where its server refuses (a reasoning model has no temperature), it is
    asked as the user set it up, and at last in plain text; the way that it takes is the first
    from then on (`emomem.attempts.Attempts`).

    Args:
        model: The model; its callbacks, tags and rate limiter stay in force.
    """

    def __init__(self, model: BaseChatModel) -> None:
        calm = _at_temperature_0(model)
        self._models = [model] if calm is model else [calm, model]
        self._attempts = Attempts()

    def complete(self, messages: Sequence[ChatMessage], schema: JsonSchema | None = None) -> str:
        """The text of the answer."""
        turns = list(messages)

        def ask(way: Runnable[Any, BaseMessage]) -> str:
            return _text(way.invoke(turns, _CONFIG))

        return self._attempts.ask(self._ways(schema), ask, schema)

    async def acomplete(
        self, messages: Sequence[ChatMessage], schema: JsonSchema | None = None
    ) -> str:
        """`complete` without blocking the event loop."""
        turns = list(messages)

        async def ask(way: Runnable[Any, BaseMessage]) -> str:
            return _text(await way.ainvoke(turns, _CONFIG))

        return await self._attempts.aask(self._ways(schema), ask, schema)

    def _ways(self, schema: JsonSchema | None) -> list[Runnable[Any, BaseMessage]]:
        """The model at its most obedient, and what is tried in turn where that is refused."""
        ways = [_held_to(schema, model) for model in self._models]
        if ways[-1] is not self._models[-1]:
            ways.append(self._models[-1])
        return ways


class ChatModelAppraiser(ChatAppraiser):
    """Affect as a LangChain chat model judges it (`emomem.appraisal.chat.ChatAppraiser`).

    Args:
        model: Any chat model. It is asked at temperature 0 unless its temperature was set.
        prompt: "vad", "plutchik" or "conflict".
        language: The language of the question: "en", "zh" or "pt".
        goals: What matters to the user, for "conflict".
        max_concurrency: How many texts of one call are in the model's hands at once, >= 1.

    Raises:
        TypeError: `model` is no chat model.
        ValueError: Another argument is not one of those allowed.

    Example:
        >>> from langchain_core.language_models import FakeListChatModel
        >>> said = 'It is {"valence": -0.8, "arousal": 0.3, "label": "grief"}'
        >>> appraiser = ChatModelAppraiser(FakeListChatModel(responses=[said]))
        >>> appraiser.appraise(["My dog died."])[0].label
        'grief'
    """

    def __init__(
        self,
        model: BaseChatModel,
        *,
        prompt: PromptKind = "vad",
        language: Language = "en",
        goals: Sequence[str] = (),
        max_concurrency: int = 8,
    ) -> None:
        if not isinstance(model, BaseChatModel):
            msg = f"model must be a LangChain chat model, got {type(model).__name__}"
            raise TypeError(msg)
        params = model._get_ls_params()  # noqa: SLF001 - a hook
        super().__init__(
            LangChainChatModel(model),
            prompt=prompt,
            language=language,
            goals=goals,
            max_concurrency=max_concurrency,
            source=f"chat:{params.get('ls_model_name') or type(model).__name__}",
        )


def _at_temperature_0(model: BaseChatModel) -> BaseChatModel:
    if "temperature" not in type(model).model_fields or "temperature" in model.model_fields_set:
        return model
    return model.model_copy(update={"temperature": 0.0})


def _held_to(schema: JsonSchema | None, model: BaseChatModel) -> Runnable[Any, Any]:
    if schema is None:
        return model
    try:
        structured = model.with_structured_output(
            dict(schema), method="json_schema", include_raw=True
        )
    except (NotImplementedError, TypeError, ValueError):  # it has none, or not of this kind
        return model
    return structured.pick("raw")


def _text(message: BaseMessage) -> str:
    """What a message says; structured output may come as the arguments of a call."""
    if isinstance(message, AIMessage) and message.tool_calls:
        return json.dumps(message.tool_calls[0]["args"], ensure_ascii=False)
    return str(message.text)
