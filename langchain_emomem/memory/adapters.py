"""The store of a memory over the store that you have."""

from importlib import import_module
from types import MappingProxyType
from typing import Any, Final

from emomem.memory.store import BaseMemoryStore
from emomem.protocols import MemoryStore

_HERE: Final = "langchain_emomem.memory"
_ADAPTERS: Final = MappingProxyType(
    {
        "Chroma": ("chroma", "ChromaUnits"),
        "PGVector": ("pgvector", "PGVectorUnits"),
        "InMemoryVectorStore": ("in_memory", "InMemoryVectorUnits"),
        "BaseStore": ("langgraph", "LangGraphUnits"),
    }
)
"""Module and class of each adapter, by the name of the engine's class."""


def memory_store(store: Any) -> MemoryStore:  # noqa: ANN401 - of one of four engines
    """A store of units over an engine, or the one that is given.

    Args:
        store: A `Chroma`, a `PGVector`, an `InMemoryVectorStore`, a `BaseStore` of LangGraph with
            an index, or a `BaseMemoryStore`.

    Raises:
        TypeError: The store is none of these. LangChain's interface of a vector store has no way
            to list what it holds or to change its metadata, and a memory needs both.
    """
    if isinstance(store, BaseMemoryStore):
        return store
    # By name, so that no engine has to be installed.
    for cls in type(store).__mro__:
        if cls.__name__ in _ADAPTERS:
            module, name = _ADAPTERS[cls.__name__]
            adapter: MemoryStore = getattr(import_module(f"{_HERE}.{module}"), name)(store)
            return adapter
    msg = (
        f"a memory keeps its units in one of {', '.join(_ADAPTERS)} or in a BaseMemoryStore, "
        f"got {type(store).__name__}"
    )
    raise TypeError(msg)
