"""Stores in memory: the diary's, and others that differ from it in one way each."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import InMemoryVectorStore, VectorStore


class ForeignStore(VectorStore):
    """A store of no known kind. Its search takes other keywords and ignores them."""

    def __init__(self, embedding: Embeddings, score: Callable[[float], Any] | None = None) -> None:
        self._inner = InMemoryVectorStore(embedding)
        self._score = score
        self.sizes: list[int] = []

    @property
    def embeddings(self) -> Embeddings:
        return self._inner.embeddings

    @classmethod
    def from_texts(cls, texts, embedding, metadatas=None, **kwargs):
        raise NotImplementedError

    def add_documents(self, documents: list[Document], **kwargs: Any) -> list[str]:
        return self._inner.add_documents(documents)

    def similarity_search(self, query: str, k: int = 4, **kwargs: Any) -> list[Document]:
        return self._search(query, k)

    def similarity_search_with_score(self, query: str, k: int = 4, **kwargs: Any) -> list[Any]:
        if self._score is None:
            raise NotImplementedError
        hits = self._inner.similarity_search_with_score(query, k)
        return [(document, self._score(cosine)) for document, cosine in hits]

    def _search(self, query: str, k: int, **kwargs: Any) -> list[Document]:
        self.sizes.append(k)
        return self._inner.similarity_search(query, k, **kwargs)


class FilterlessStore(ForeignStore):
    """A store whose search has no other keywords."""

    def similarity_search(self, query: str, k: int = 4) -> list[Document]:
        return self._search(query, k)

    def similarity_search_with_score(self, query: str, k: int = 4) -> list[Any]:
        raise NotImplementedError


@dataclass
class Equals:
    """The filter object of `OpaqueStore`."""

    key: str
    value: str


class OpaqueStore(ForeignStore):
    """A store with a filter object of its own, as Qdrant and Weaviate have."""

    Equals = Equals

    def similarity_search(
        self,
        query: str,
        k: int = 4,
        filter: Equals | None = None,  # noqa: A002
    ) -> list[Document]:
        if filter is None:
            return self._search(query, k)
        if not isinstance(filter, Equals):
            msg = f"not an Equals: {type(filter).__name__}"
            raise TypeError(msg)
        return self._search(
            query, k, filter=lambda found: found.metadata.get(filter.key) == filter.value
        )

    def similarity_search_with_score(
        self,
        query: str,
        k: int = 4,
        filter: Equals | None = None,  # noqa: A002
    ) -> list[Any]:
        raise NotImplementedError


class Family(BaseCallbackHandler):
    """Remembers whose child each run of a retriever and of a chat model is, and its tags."""

    def __init__(self) -> None:
        self.retrievers: list[Any] = []
        self.models: list[Any] = []

    def on_retriever_start(self, serialized: Any, query: str, *, run_id: Any, **run: Any) -> None:
        self.retrievers.append((run_id, run["parent_run_id"]))

    def on_chat_model_start(self, serialized: Any, messages: Any, **run: Any) -> None:
        self.models.append((run["parent_run_id"], "night" in run["tags"]))


@pytest.fixture
def family() -> Family:
    return Family()


@pytest.fixture
def store(diary: list[Document], diary_encoder: Embeddings) -> InMemoryVectorStore:
    """The diary in LangChain's own store."""
    store = InMemoryVectorStore(diary_encoder)
    store.add_documents(diary)
    return store


@pytest.fixture
def foreign() -> type[ForeignStore]:
    return ForeignStore


@pytest.fixture
def filterless() -> type[FilterlessStore]:
    return FilterlessStore


@pytest.fixture
def opaque() -> type[OpaqueStore]:
    return OpaqueStore
