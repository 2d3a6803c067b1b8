"""The conflict-aware memory over the store that you have."""

from collections.abc import Sequence
from typing import Any, Unpack

from langchain_core.language_models import BaseChatModel

from emomem.memory.memory import Memory
from emomem.memory.query import Asked
from emomem.memory.recombination import Recombination
from emomem.memory.unit import MemoryUnit
from langchain_emomem.memory.adapters import memory_store
from langchain_emomem.memory.recombination import recombination_of
from langchain_emomem.messages import Conversation, spoken_turns, user_turns


class ConflictAwareMemory(Memory):
    """Long-term memory that keeps facts and feelings, and notices when they contradict.

    Args:
        store: A `Chroma`, a `PGVector`, an `InMemoryVectorStore`, a LangGraph `BaseStore` with an
            index, or a store of `emomem.memory`.
        **options: Those of `emomem.memory.memory.Memory`: `user_id`, `appraiser`, `detector`,
            `settle`, `log`, `sizes`, `decay`, `count_tokens`, `working`, `brightening`, `seed`,
            `purges`, `guard`, `clock`.

    Raises:
        TypeError: The store is none of these, or an option is unknown or of the wrong kind.
        ValueError: A number is out of range, or a user id is blank.

    Example:
        >>> from langchain_core.embeddings import DeterministicFakeEmbedding
        >>> from langchain_core.vectorstores import InMemoryVectorStore
        >>> from emomem import LexiconAppraiser
        >>> store = InMemoryVectorStore(DeterministicFakeEmbedding(size=8))
        >>> memory = ConflictAwareMemory(store, user_id="ann", appraiser=LexiconAppraiser())
        >>> _ = memory.save("I live in Rome")
        >>> [one.unit.text for one in memory.recall("where do I live?").facts]
        ['I live in Rome']
    """

    def __init__(self, store: Any, **options: Any) -> None:  # noqa: ANN401 - one of five kinds
        super().__init__(memory_store(store), **options)

    def context(
        self, query: Conversation, *, user_id: str | None = None, **asked: Unpack[Asked]
    ) -> str:
        """What is recalled for the last human message, as a block for a chat model.

        Args:
            query: A text, or messages, of which the last human one is asked and all are
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
        self, recombination: Recombination | BaseChatModel, *, user_id: str | None = None
    ) -> MemoryUnit | None:
        """Make one symbolic scene of a user's last day, which expires by itself.

        Args:
            recombination: A chat model, or a `Recombination` of one, which also says of whom.
            user_id: Whose memories.

        Returns:
            The dream; None where there was nothing to dream of, or the model made none.
        """
        return super().dream(recombination_of(recombination), user_id=user_id)

    async def adream(
        self, recombination: Recombination | BaseChatModel, *, user_id: str | None = None
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
