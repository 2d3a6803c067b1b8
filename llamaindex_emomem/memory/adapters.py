"""The store of a memory over the vector store that you have."""

from importlib import import_module
from types import MappingProxyType
from typing import Any, Final

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.settings import Settings
from llama_index.core.vector_stores.types import BasePydanticVectorStore

from emomem.memory.store import BaseMemoryStore
from emomem.protocols import MemoryStore

_HERE: Final = "llamaindex_emomem.memory"
_ADAPTERS: Final = MappingProxyType(
    {
        "SimpleVectorStore": ("simple", "SimpleUnits"),
        "ChromaVectorStore": ("chroma", "ChromaUnits"),
        "PGVectorStore": ("postgres", "PGVectorUnits"),
    }
)
"""Module and class of each adapter, by the name of the store's class."""


def memory_store(store: Any, embed_model: BaseEmbedding | None = None) -> MemoryStore:  # noqa: ANN401 - of one of four kinds
    """A store of units over a vector store, or the one that is given.

    Args:
        store: A `SimpleVectorStore`, a `ChromaVectorStore`, a `PGVectorStore`, or a
            `BaseMemoryStore`.
        embed_model: What embeds texts and queries; None is LlamaIndex's `Settings`'.

    Raises:
        TypeError: The store is none of these. LlamaIndex's interface of a vector store has no way
            to change metadata, few stores can list what they hold, and a memory needs both.
        ValueError: An `embed_model` is given with a store that has its own encoder.
    """
    if isinstance(store, BaseMemoryStore):
        if embed_model is not None:
            msg = f"embed_model goes with a vector store; {type(store).__name__} has its own"
            raise ValueError(msg)
        return store
    if isinstance(store, BasePydanticVectorStore):
        # By name, so that no engine has to be installed.
        for cls in type(store).__mro__:
            if cls.__name__ in _ADAPTERS:
                module, name = _ADAPTERS[cls.__name__]
                adapter = getattr(import_module(f"{_HERE}.{module}"), name)
                made: MemoryStore = adapter(store, embed_model or Settings.embed_model)
                return made
    msg = (
        f"a memory keeps its units in one of {', '.join(_ADAPTERS)} or in a BaseMemoryStore, "
        f"got {type(store).__name__}"
    )
    raise TypeError(msg)
