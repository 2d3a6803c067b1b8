"""The memory as a block of LlamaIndex's own."""

from collections.abc import Callable
from typing import Any, Final, Literal

from llama_index.core.llms import ChatMessage, MessageRole
from llama_index.core.memory import BaseMemoryBlock
from llama_index.core.schema import BaseComponent
from llama_index.core.utils import get_tokenizer
from pydantic import ConfigDict, Field, field_validator

from emomem.memory.context import shortened
from emomem.memory.memory import Memory
from emomem.memory.said import is_storable

_SESSION: Final = "session_id"


class AffectMemoryBlock(BaseComponent, BaseMemoryBlock[str]):
    """One user's part of a conflict-aware memory, for LlamaIndex's `Memory`.

    `Memory` asks every block each time, and hands it messages only when they overflow its
    short-term queue (`token_limit` times `chat_history_token_ratio`): what is still in the queue
    is not in the block yet. What has to be remembered at once is put in directly:
    `await block.aput([message], session_id="monday")`, or `memory.save(text, user_id="ann")`.

    Of what it is given it keeps the user's own messages, without what was recalled into them, and
    dates them by the time when it gets them. What it gives back is one text: the memories, quoted
    as data, with their dates, their affect and what they contradict. Where `Memory` has too few
    tokens left, the last of them go first, and an instruction to point to human help never goes.

    Args:
        memory: The memory, of any number of users.
        user_id: Whose part.
        scope: "session" gives back what was said in the session that asks, "user" that of all
            the user's sessions. Contradictions are noticed over all sessions either way.
        token_limit: The most tokens that the block may have, >= 1.
        tokenizer_fn: Splits a text into tokens; give it what you give to `Memory`.
        name: What the block is called in the prompt.
        description: Of LlamaIndex.
        priority: Of LlamaIndex; 0 never shortens the block.
        accept_short_term_memory: Whether it takes what overflows the queue.

    The memory itself is never written as data, which may hold a key: give it again, as in
    `AffectMemoryBlock.from_dict(data, memory=memory)`.

    Raises:
        pydantic.ValidationError: An argument is wrong or unknown. (It is a ValueError.)

    Example:
        >>> import asyncio
        >>> from llama_index.core import MockEmbedding
        >>> from llama_index.core.memory import Memory
        >>> from llama_index.core.vector_stores import SimpleVectorStore
        >>> from emomem import LexiconAppraiser
        >>> from llamaindex_emomem import ConflictAwareMemory
        >>> long_term = ConflictAwareMemory(
        ...     SimpleVectorStore(), embed_model=MockEmbedding(8), appraiser=LexiconAppraiser()
        ... )
        >>> block = AffectMemoryBlock(memory=long_term, user_id="ann", scope="user")
        >>> memory = Memory.from_defaults(session_id="monday", memory_blocks=[block])
        >>> asyncio.run(block.aput([ChatMessage("I live in Rome")], session_id="monday"))
        >>> "I live in Rome" in asyncio.run(memory.aget("where do I live?"))[0].content
        True
    """

    model_config = ConfigDict(
        arbitrary_types_allowed=True, extra="forbid", hide_input_in_errors=True
    )

    memory: Memory = Field(exclude=True, repr=False)
    user_id: str
    scope: Literal["session", "user"] = "session"
    token_limit: int = Field(default=2000, ge=1)
    tokenizer_fn: Callable[[str], list[Any]] = Field(
        default_factory=get_tokenizer, exclude=True, repr=False
    )
    name: str = "AffectMemory"
    priority: int = Field(default=1, ge=0)

    @classmethod
    def class_name(cls) -> str:
        """What it is called as data."""
        return "AffectMemoryBlock"

    @field_validator("user_id")
    @classmethod
    def _named(cls, user_id: str) -> str:
        if not user_id.strip():
            msg = f"user_id must not be blank, got {user_id!r}"
            raise ValueError(msg)
        return user_id

    async def aput(
        self,
        messages: list[ChatMessage],
        from_short_term_memory: bool = False,  # noqa: FBT001, FBT002 - as LlamaIndex has it
        session_id: str | None = None,
    ) -> None:
        """Keep what the user said in some messages.

        Args:
            messages: The messages; they stay as they are.
            from_short_term_memory: Whether they overflow the queue of a `Memory`.
            session_id: Where they were said.
        """
        # LlamaIndex writes the session into the messages that it is given.
        own = [
            one.model_copy(update={"additional_kwargs": dict(one.additional_kwargs)})
            for one in messages
        ]
        await super().aput(own, from_short_term_memory, session_id)

    async def atruncate(self, content: str, tokens_to_truncate: int) -> str | None:
        """The content by at least so many tokens shorter; None where nothing is left."""
        if not content:
            return None
        return self._within(content, self._tokens(content) - tokens_to_truncate) or None

    async def _aget(
        self,
        messages: list[ChatMessage] | None = None,
        session_id: str | None = None,
        **block_kwargs: Any,
    ) -> str:
        del block_kwargs
        said = _said(messages or [])
        if not said:
            return ""
        narrowed = self.scope == "session" and session_id is not None
        where = {_SESSION: session_id} if narrowed else None
        text, _ = said[-1]
        block = await self.memory.acontext(text, user_id=self.user_id, where=where)
        return self._within(block, self.token_limit)

    async def _aput(self, messages: list[ChatMessage]) -> None:
        # One after the other, so that a later one is held against an earlier.
        for text, session_id in _said(messages):
            await self.memory.asave(text, user_id=self.user_id, session_id=session_id)

    def _tokens(self, text: str) -> int:
        return len(self.tokenizer_fn(text))

    def _within(self, block: str, tokens: int) -> str:
        return shortened(block, tokens, self._tokens)


def _said(messages: list[ChatMessage]) -> list[tuple[str, str | None]]:
    """What the user said, and in which session; nothing that was only recalled."""
    turns = [
        (one.content or "", one.additional_kwargs.get(_SESSION))
        for one in messages
        if one.role is MessageRole.USER
    ]
    return [(text, session) for text, session in turns if is_storable(text)]
