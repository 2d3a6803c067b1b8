"""What a call of a language model took, as its responses tell it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

from llama_index.core.base.llms.types import ChatResponse
from llama_index.core.callbacks.token_counting import get_tokens_from_response
from llama_index.core.instrumentation.event_handlers import BaseEventHandler
from llama_index.core.instrumentation.events import BaseEvent
from llama_index.core.instrumentation.events.llm import LLMChatEndEvent
from llama_index_instrumentation import root_dispatcher

from emomem.encoding.metering import Tokens
from emomem.protocols import ChatMessage, JsonSchema
from llamaindex_emomem.llm import LlamaIndexChatModel

_told: Final[ContextVar[list[Tokens] | None]] = ContextVar("emomem_told", default=None)


class TellingChatModel(LlamaIndexChatModel):
    """A language model that tells the tokens of a call, where its responses do."""

    def complete_told(
        self, messages: Sequence[ChatMessage], schema: JsonSchema | None = None
    ) -> tuple[str, Tokens | None]:
        """The text of the answer, and what the responses say of tokens."""
        with _watched() as told:
            return self.complete(messages, schema), _sum(told)

    async def acomplete_told(
        self, messages: Sequence[ChatMessage], schema: JsonSchema | None = None
    ) -> tuple[str, Tokens | None]:
        """`complete_told` without blocking the event loop."""
        with _watched() as told:
            return await self.acomplete(messages, schema), _sum(told)


class _Watcher(BaseEventHandler):
    """Reads the responses of one's own calls; structured output keeps them to itself."""

    @classmethod
    def class_name(cls) -> str:
        return "emomem"

    def handle(self, event: BaseEvent, **kwargs: Any) -> None:  # noqa: ARG002 - its signature
        told = _told.get()
        if told is not None and isinstance(event, LLMChatEndEvent) and event.response is not None:
            told.append(_tokens(event.response))


root_dispatcher.add_event_handler(_Watcher())


@contextmanager
def _watched() -> Iterator[list[Tokens]]:
    told: list[Tokens] = []
    token = _told.set(told)
    try:
        yield told
    finally:
        _told.reset(token)


def _tokens(response: ChatResponse) -> Tokens:
    tokens = Tokens(*get_tokens_from_response(response))
    if any(tokens):
        return tokens
    # Where the raw response is not kept, or tells none. What a completion told is the message's.
    told = {**response.message.additional_kwargs, **response.additional_kwargs}
    return Tokens(told.get("prompt_tokens", 0), told.get("completion_tokens", 0))


def _sum(told: Sequence[Tokens]) -> Tokens | None:
    prompt, answer = sum(one.prompt for one in told), sum(one.answer for one in told)
    return Tokens(prompt, answer) if prompt or answer else None
