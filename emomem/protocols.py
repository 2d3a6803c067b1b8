"""What the plugins implement, and the core relies on."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypedDict, runtime_checkable

from emomem.affect import Affect

if TYPE_CHECKING:
    from emomem.memory.store import Request

JsonSchema = Mapping[str, Any]
"""A JSON schema; its root is an object with a title."""


class ChatMessage(TypedDict):
    """One turn for a chat model, in no framework's own type."""

    role: Literal["system", "user", "assistant"]
    content: str


@runtime_checkable
class Appraiser(Protocol):
    """Reads affect from text."""

    def appraise(self, texts: Sequence[str]) -> list[Affect]:
        """One affect a text, in order; `Affect.unknown()` where none can be read."""
        ...

    async def aappraise(self, texts: Sequence[str]) -> list[Affect]:
        """The same without blocking the event loop."""
        ...


@runtime_checkable
class ChatModel(Protocol):
    """A chat model of any framework; it may be shared by threads."""

    def complete(self, messages: Sequence[ChatMessage], schema: JsonSchema | None = None) -> str:
        """The text of the model's answer.

        Args:
            messages: The conversation; its last turn is the user's.
            schema: What the answer should be; a model that can be held to a schema is, and any
                other answers as it likes.
        """
        ...

    async def acomplete(
        self, messages: Sequence[ChatMessage], schema: JsonSchema | None = None
    ) -> str:
        """The same without blocking the event loop."""
        ...


@runtime_checkable
class MemoryStore(Protocol):
    """Where memories are kept; `emomem.memory.store.BaseMemoryStore` builds the rest on these two.

    It may be shared by threads.
    """

    def batch(self, requests: "Sequence[Request]") -> list[Any]:
        """The answer of each request, in order: what `list`, `search`, … of the base return."""
        ...

    async def abatch(self, requests: "Sequence[Request]") -> list[Any]:
        """The same without blocking the event loop."""
        ...
