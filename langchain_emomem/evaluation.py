"""What `emomem eval mememo` measures beside an agent of your own: three memories of this stack."""

from collections.abc import Callable
from typing import Any, Final
from uuid import uuid4

from langchain_core.vectorstores import InMemoryVectorStore, VectorStore

from emomem.evaluation.agents import SIZES, TOLD
from emomem.protocols import Appraiser
from langchain_emomem.embeddings import LocalEmbeddings
from langchain_emomem.memory.memory import ConflictAwareMemory

OURS: Final = "conflict-aware memory"
PLAIN: Final = "plain vector memory"
LANGGRAPH: Final = "LangGraph store"

_NAMESPACE: Final = ("memories",)
_DIMENSIONS: Final = 384


class VectorMemory:
    """A plain memory of one user: what is said goes into a vector store, the nearest come back.

    Args:
        vectorstore: An empty store.
        k: How many come back.

    Example:
        >>> from langchain_core.embeddings import DeterministicFakeEmbedding
        >>> store = InMemoryVectorStore(DeterministicFakeEmbedding(size=8))
        >>> memory = VectorMemory(store)
        >>> memory.save("I live in Rome")
        >>> memory.recall("where do I live?")
        ['I live in Rome']
    """

    def __init__(self, vectorstore: VectorStore, k: int = TOLD) -> None:
        self._vectorstore = vectorstore
        self._k = k

    def save(self, text: str) -> None:
        """Store a text."""
        self._vectorstore.add_texts([text])

    def recall(self, query: str) -> list[str]:
        """The nearest texts, best first."""
        found = self._vectorstore.similarity_search(query, k=self._k)
        return [one.page_content for one in found]


class StoreMemory:
    """A plain memory of one user in LangGraph's store, as an agent's tools would use it.

    Args:
        store: An empty `BaseStore` with an index on "text".
        k: How many come back.
    """

    def __init__(self, store: Any, k: int = TOLD) -> None:  # noqa: ANN401 - LangGraph is optional
        self._store = store
        self._k = k

    def save(self, text: str) -> None:
        """Put a text."""
        self._store.put(_NAMESPACE, str(uuid4()), {"text": text})

    def recall(self, query: str) -> list[str]:
        """The nearest texts, best first."""
        found = self._store.search(_NAMESPACE, query=query, limit=self._k)
        return [one.value["text"] for one in found]


def default_memories(appraiser: Appraiser | None = None) -> dict[str, Any]:
    """The memories of the default report, by name, each with the same encoder.

    Args:
        appraiser: Reads affect for the first; None is the embedded model.

    Raises:
        ImportError: LangGraph or the local encoder is not installed.
    """
    encoder = LocalEmbeddings()
    ours = ConflictAwareMemory(InMemoryVectorStore(encoder), appraiser=appraiser, sizes=SIZES)
    return {
        OURS: ours,
        PLAIN: lambda: VectorMemory(InMemoryVectorStore(encoder)),
        LANGGRAPH: _langgraph(encoder),
    }


def _langgraph(encoder: LocalEmbeddings) -> Callable[[], StoreMemory]:
    try:
        from langgraph.store.memory import InMemoryStore  # noqa: PLC0415 - optional
    except ImportError:
        msg = "LangGraph's store needs langgraph: pip install 'emomem[agents]'"
        raise ImportError(msg) from None

    def build() -> StoreMemory:
        index: Any = {"dims": _DIMENSIONS, "embed": encoder, "fields": ["text"]}
        return StoreMemory(InMemoryStore(index=index))

    return build
