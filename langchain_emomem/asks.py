"""What a recall asks of the store, its encoder and its appraiser, in sync and async alike."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import VectorStore

from emomem.affect import Affect, FloatArray
from emomem.steps import Ask
from langchain_emomem import stores
from langchain_emomem.affect_embeddings import AffectEmbeddings
from langchain_emomem.stores import Hits


@dataclass(frozen=True)
class TextSearch(Ask):
    """The nearest to a text; with scores where they are wanted and the engine has them."""

    store: VectorStore
    query: str
    kwargs: Mapping[str, Any]
    scored: bool

    def answer(self) -> Hits:
        """The hits."""
        if self.scored:
            try:
                return list(self.store.similarity_search_with_score(self.query, **self.kwargs))
            except NotImplementedError:
                pass
        return stores.unscored(self.store.similarity_search(self.query, **self.kwargs))

    async def aanswer(self) -> Hits:
        """`answer` without blocking the event loop."""
        if self.scored:
            try:
                return list(
                    await self.store.asimilarity_search_with_score(self.query, **self.kwargs)
                )
            except NotImplementedError:
                pass
        return stores.unscored(await self.store.asimilarity_search(self.query, **self.kwargs))


@dataclass(frozen=True)
class VectorSearch(Ask):
    """The nearest to a vector; None where the engine cannot search by one."""

    store: VectorStore
    vector: Sequence[float] | FloatArray
    kwargs: Mapping[str, Any]
    scored: bool

    def answer(self) -> Hits | None:
        """The hits, or None."""
        try:
            return stores.search_by_vector(self.store, self.vector, self.kwargs, scored=self.scored)
        except NotImplementedError:
            return None

    async def aanswer(self) -> Hits | None:
        """`answer` without blocking the event loop."""
        try:
            return await stores.asearch_by_vector(
                self.store, self.vector, self.kwargs, scored=self.scored
            )
        except NotImplementedError:
            return None


@dataclass(frozen=True)
class Embed(Ask):
    """The vector of a query's text."""

    embeddings: Embeddings
    text: str

    def answer(self) -> list[float]:
        """The vector."""
        return self.embeddings.embed_query(self.text)

    async def aanswer(self) -> list[float]:
        """`answer` without blocking the event loop."""
        return await self.embeddings.aembed_query(self.text)


@dataclass(frozen=True)
class Appraise(Ask):
    """What the vectors of some texts hold."""

    embeddings: AffectEmbeddings
    texts: Sequence[str]

    def answer(self) -> list[Affect]:
        """One affect a text."""
        return self.embeddings.appraise(self.texts)

    async def aanswer(self) -> list[Affect]:
        """`answer` without blocking the event loop."""
        return await self.embeddings.aappraise(self.texts)
