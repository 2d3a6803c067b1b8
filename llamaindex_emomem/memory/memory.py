"""The conflict-aware memory over the vector store that you have."""

from collections.abc import Sequence
from typing import Any, Unpack

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.llms import LLM

from emomem.memory.memory import Memory
from emomem.memory.query import Asked
from emomem.memory.recombination import Recombination
from emomem.memory.unit import MemoryUnit
from llamaindex_emomem.memory.adapters import memory_store
from llamaindex_emomem.memory.recombination import recombination_of
from llamaindex_emomem.query import Conversation, spoken_turns, user_turns


class ConflictAwareMemory(Memory):
    """Long-term memory that keeps facts and feelings, and notices when they contradict.

    Args:
        store: A `SimpleVectorStore`, a `ChromaVectorStore`, a `PGVectorStore`, or a store of
            `emomem.memory`.
        embed_model: What embeds texts and queries; None is LlamaIndex's `Settings`'.
        **options: Those of `emomem.memory.memory.Memory`: `user_id`, `appraiser`, `detector`,
            `settle`, `log`, `sizes`, `decay`, `count_tokens`, `working`, `brightening`, `seed`,
            `purges`, `guard`, `clock`.

    Raises:
        TypeError: The store is none of these, or an option is unknown or of the wrong kind.
        ValueError: A number is out of range, or a user id is blank.

    Example:
        >>> from llama_index.core import MockEmbedding
        >>> from llama_index.core.vector_stores import SimpleVectorStore
        >>> from emomem import LexiconAppraiser
        >>> memory = ConflictAwareMemory(
        ...     SimpleVectorStore(), embed_model=MockEmbedding(8), appraiser=LexiconAppraiser()
        ... )
        >>> _ = memory.save("I live in Rome", user_id="ann")
        >>> [one.unit.text for one in memory.recall("my town", user_id="ann").facts]
        ['I live in Rome']
    """

    def __init__(
        self,
        store: Any,  # noqa: ANN401 - one of four kinds
        *,
        embed_model: BaseEmbedding | None = None,
        **options: Any,
    ) -> None:
        super().__init__(memory_store(store, embed_model), **options)

    def context(
        self, query: Conversation, *, user_id: str | None = None, **asked: Unpack[Asked]
    ) -> str:
        """What is recalled for the user's last message, as a block for a chat model.

        Args:
            query: A text, or messages, of which the user's last one is asked and all are
                mixed into the query (`conversation` says otherwise).
            user_id: Whose memories.
            **asked: As for `recall`.
        """
        return super().context(_last(query), user_id=user_id, **_with_turns(query, asked))

    async def acontext(
        self, query: Conversation, *, user_id: str | None = None, **asked: Unpack[Asked]
    ) -> str:
        """`context` without blocking the event loop."""
        return await super().acontext(_last(query), user_id=user_id, **_with_turns(query, asked))

    def dream(
        self, recombination: Recombination | LLM, *, user_id: str | None = None
    ) -> MemoryUnit | None:
        """Make one symbolic scene of a user's last day, which expires by itself.

        Args:
            recombination: An LLM, or a `Recombination` of one, which also says of whom.
            user_id: Whose memories.

        Returns:
            The dream; None where there was nothing to dream of, or the model made none.
        """
        return super().dream(recombination_of(recombination), user_id=user_id)

    async def adream(
        self, recombination: Recombination | LLM, *, user_id: str | None = None
    ) -> MemoryUnit | None:
        """`dream` without blocking the event loop."""
        return await super().adream(recombination_of(recombination), user_id=user_id)


def _last(query: Conversation) -> str:
    if not isinstance(query, str | Sequence):
        msg = f"a query is a text or a list of messages, got {type(query).__name__}"
        raise TypeError(msg)
    turns = user_turns(query)
    return turns[-1] if turns else ""


def _with_turns(query: Conversation, asked: Asked) -> Asked:
    return asked if isinstance(query, str) else {"conversation": spoken_turns(query), **asked}
