"""Fetching candidates from an index or a retriever, with filters pushed down where they can be."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.indices.base import BaseIndex
from llama_index.core.indices.vector_store import VectorIndexRetriever, VectorStoreIndex
from llama_index.core.schema import MetadataMode, NodeWithScore, QueryBundle
from llama_index.core.vector_stores.types import MetadataFilters, VectorStoreQueryMode

from emomem.affect import Affect, FloatArray
from emomem.fused import EXTRA, Wish
from emomem.metadata import MetadataFields
from emomem.ranking.found import Candidate, Found
from emomem.ranking.fused_search import FusedSearch
from emomem.scores import Metric, cosines, is_unit, needs_unit_vectors
from emomem.steps import Ask, Steps, arun, run
from llamaindex_emomem.affect_embedding import AffectEmbedding
from llamaindex_emomem.component import excluded
from llamaindex_emomem.stores import is_async, is_kind, metric_of, passes, surely_filters

_WIDER: Final = 4
_BY_WORDS: Final = (VectorStoreQueryMode.TEXT_SEARCH, VectorStoreQueryMode.SPARSE)
"""The modes that need no vector of the query."""


@dataclass(frozen=True)
class Request:
    """What to fetch for one query.

    Attributes:
        query: The query.
        k: How many nodes are wanted in the end.
        size: How many to fetch by one search, >= k.
        scored: Whether cosines are wanted; without, the plain call is made.
        wish: What to ask of fused vectors; None where meaning alone finds candidates.
        ranks: Whether it is wanted which rank meaning alone gives.
    """

    query: QueryBundle
    k: int
    size: int
    scored: bool
    wish: Wish | None = None
    ranks: bool = False


class Source(ABC):
    """Where candidates come from."""

    @abstractmethod
    def _steps(self, request: Request) -> Steps[Found]:
        """Yields what has to be answered and returns what was found."""

    def find(self, request: Request) -> Found:
        """The nearest that pass the filters, as many as requested."""
        return run(self._steps(request))

    async def afind(self, request: Request) -> Found:
        """`find` without blocking the event loop."""
        return await arun(self._steps(request))


@dataclass(frozen=True)
class IndexSource(Source):
    """Candidates from an index.

    Where nodes are checked here, the search widens until k of them pass.

    Attributes:
        index: The index.
        options: More arguments of its `as_retriever`.
        filters: Metadata filters.
        metric: What its scores are; None asks its vector store.
        fields: Where it keeps affect.
    """

    index: BaseIndex[Any]
    options: Mapping[str, Any]
    filters: MetadataFilters | None
    metric: Metric | None
    fields: MetadataFields

    def retriever(self, size: int) -> BaseRetriever:
        """The index's own retriever of so many nodes."""
        return self.index.as_retriever(similarity_top_k=size, filters=self.filters, **self.options)

    def _steps(self, request: Request) -> Steps[Found]:
        encoder = self.encoder
        if not request.scored or encoder is None:
            nodes = yield from self._nearest(request, request.query)
            return Found(_candidates(nodes), self._cosines(nodes) if request.scored else None)
        if isinstance(encoder, AffectEmbedding):
            return (yield from self._fused(request, encoder))
        vector = request.query.embedding
        if vector is None and request.query.embedding_strs:
            vector = yield _Embed(encoder, request.query.embedding_strs)
        nodes = yield from self._nearest(request, _with_vector(request.query, vector))
        return Found(_candidates(nodes), self._cosines(nodes, vector))

    def _fused(self, request: Request, encoder: AffectEmbedding) -> Steps[Found]:
        """What a store of fused vectors finds by meaning and feeling."""
        given = request.query.embedding
        if given is None and not request.query.embedding_strs:
            nodes = yield from self._nearest(request, request.query)
            return Found(_candidates(nodes))
        semantic = (
            (yield _Embed(encoder.embed_model, request.query.embedding_strs))
            if given is None
            else _semantic(given, encoder)
        )

        def near(vector: FloatArray) -> Steps[list[Candidate]]:
            query = _with_vector(request.query, vector.tolist())
            nodes = yield from self._nearest(request, query)
            return _candidates(nodes, embedded=True)

        def read(texts: list[str]) -> Steps[list[Affect]]:
            affects: list[Affect] = yield _Appraise(encoder, texts)
            return affects

        def holds(candidate: Candidate) -> bool:
            # The tag is of the text alone, the vector of the text with what metadata are embedded.
            same = candidate.text == candidate.document.get_content(MetadataMode.NONE)
            return same and encoder.wrote(candidate.metadata.get(self.fields.source))

        search = FusedSearch(self.fields, self._metric(), near, read, holds)
        return (yield from search.steps(semantic, request.wish, ranks=request.ranks))

    def _nearest(self, request: Request, query: QueryBundle) -> Steps[list[NodeWithScore]]:
        store = self.store
        sure = self.filters is None or (store is not None and surely_filters(store))
        size = request.size
        while True:
            nodes = self._silent((yield _Search(self.retriever(size), query)))
            if sure and not request.scored:
                return nodes
            passed = nodes if sure else _passed(self.filters, nodes)
            if sure or len(passed) >= request.k or len(nodes) < size:
                return passed[: request.size]
            size *= _WIDER

    def _silent(self, nodes: list[NodeWithScore]) -> list[NodeWithScore]:
        """Nodes that LangChain wrote into a Chroma collection, as the tagger would have made them.

        Such a row says nothing of what stays out of the text that is embedded and prompted.
        """
        if not is_kind(self.store, "ChromaVectorStore"):
            return nodes
        return [self._silenced(one) for one in nodes]

    def _silenced(self, one: NodeWithScore) -> NodeWithScore:
        node = one.node
        keys = sorted(node.metadata.keys() & set(self.fields.keys()))
        if not keys or node.excluded_embed_metadata_keys or node.excluded_llm_metadata_keys:
            return one
        return NodeWithScore(node=node.model_copy(update=excluded(node, keys)), score=one.score)

    @property
    def store(self) -> Any:  # noqa: ANN401 - LlamaIndex's stores share no one type
        """The vector store, of an index that has one."""
        return self.index.vector_store if isinstance(self.index, VectorStoreIndex) else None

    @property
    def encoder(self) -> BaseEmbedding | None:
        """What embeds the query, where vectors are searched."""
        store = self.store
        if store is None or not store.is_embedding_query or self._mode in _BY_WORDS:
            return None
        retriever = self.retriever(1)
        if not isinstance(retriever, VectorIndexRetriever):
            return None
        return retriever._embed_model  # noqa: SLF001 - there is no public way

    @property
    def _mode(self) -> VectorStoreQueryMode:
        return VectorStoreQueryMode(
            self.options.get("vector_store_query_mode", VectorStoreQueryMode.DEFAULT)
        )

    def _metric(self) -> Metric | None:
        if self.metric is not None or self._mode != VectorStoreQueryMode.DEFAULT:
            return self.metric
        store = self.store
        return None if store is None else metric_of(store)

    def _cosines(
        self, nodes: Sequence[NodeWithScore], vector: Sequence[float] | None = None
    ) -> FloatArray | None:
        metric = self._metric()
        if needs_unit_vectors(metric) and (vector is None or not is_unit(vector)):
            return None
        return cosines(metric, [node.score for node in nodes])


@dataclass(frozen=True)
class RetrieverSource(Source):
    """Candidates from another retriever: as many as it returns, in its order, without cosines.

    Attributes:
        base: The retriever.
        filters: Metadata filters, checked on what it returns.
    """

    base: BaseRetriever
    filters: MetadataFilters | None

    def _steps(self, request: Request) -> Steps[Found]:
        nodes = yield _Retrieve(self.base, request.query)
        passed = _passed(self.filters, nodes)
        return Found(_candidates(passed if request.scored else passed[: request.k]))


@dataclass(frozen=True)
class _Search(Ask):
    """The nodes that an index's own retriever finds, references not followed."""

    retriever: BaseRetriever
    query: QueryBundle

    def answer(self) -> list[NodeWithScore]:
        # It may write the vector into the query that it is given.
        return self.retriever._retrieve(_copy(self.query))  # noqa: SLF001 - as its own `retrieve`

    async def aanswer(self) -> list[NodeWithScore]:
        if not is_async(self.retriever):
            found: list[NodeWithScore] = await super().aanswer()
            return found
        return await self.retriever._aretrieve(_copy(self.query))  # noqa: SLF001 - the same


@dataclass(frozen=True)
class _Retrieve(Ask):
    """The nodes that somebody's retriever finds."""

    retriever: BaseRetriever
    query: QueryBundle

    def answer(self) -> list[NodeWithScore]:
        return self.retriever.retrieve(self.query)

    async def aanswer(self) -> list[NodeWithScore]:
        if not is_async(self.retriever):
            found: list[NodeWithScore] = await super().aanswer()
            return found
        return await self.retriever.aretrieve(self.query)


@dataclass(frozen=True)
class _Embed(Ask):
    """The vector of a query's texts."""

    encoder: BaseEmbedding
    texts: list[str]

    def answer(self) -> list[float]:
        return self.encoder.get_agg_embedding_from_queries(self.texts)

    async def aanswer(self) -> list[float]:
        return await self.encoder.aget_agg_embedding_from_queries(self.texts)


@dataclass(frozen=True)
class _Appraise(Ask):
    """What the vectors of some texts hold."""

    encoder: AffectEmbedding
    texts: Sequence[str]

    def answer(self) -> list[Affect]:
        return self.encoder.appraise(self.texts)

    async def aanswer(self) -> list[Affect]:
        return await self.encoder.aappraise(self.texts)


def _semantic(given: list[float], encoder: AffectEmbedding) -> list[float]:
    """The sentence vector in the fused one that a query brings."""
    if any(given[-EXTRA:]):
        msg = (
            f"the query's embedding must end in {EXTRA} zeros, as the index's model "
            f"{type(encoder).__name__} makes it; it seems to be of the model within"
        )
        raise ValueError(msg)
    return given[:-EXTRA]


def _copy(query: QueryBundle) -> QueryBundle:
    return _with_vector(query, query.embedding)


def _with_vector(query: QueryBundle, vector: list[float] | None) -> QueryBundle:
    return QueryBundle(query.query_str, query.image_path, query.custom_embedding_strs, vector)


def _passed(filters: MetadataFilters | None, nodes: list[NodeWithScore]) -> list[NodeWithScore]:
    return [node for node in nodes if passes(filters, node.node.metadata)]


def _candidates(nodes: Sequence[NodeWithScore], *, embedded: bool = False) -> list[Candidate]:
    mode = MetadataMode.EMBED if embedded else MetadataMode.NONE
    return [
        Candidate(
            document=one,
            key=one.node.node_id,
            text=one.node.get_content(metadata_mode=mode),
            metadata=one.node.metadata,
            score=one.score,
        )
        for one in nodes
    ]
