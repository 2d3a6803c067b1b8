"""The swap-in for `index.as_retriever()`."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, get_args

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.callbacks import CallbackManager
from llama_index.core.constants import DEFAULT_SIMILARITY_TOP_K
from llama_index.core.indices.base import BaseIndex
from llama_index.core.indices.vector_store import VectorStoreIndex
from llama_index.core.prompts.mixin import PromptMixin, PromptMixinType
from llama_index.core.schema import NodeWithScore, QueryBundle, QueryType
from llama_index.core.vector_stores.types import BasePydanticVectorStore, MetadataFilters

from emomem.checks import check_at_least_one
from emomem.metadata import DEFAULT_FIELDS, MetadataFields
from emomem.protocols import Appraiser
from emomem.ranking import (
    Auto,
    Combination,
    Explanation,
    Plan,
    Policy,
    PresentAffect,
    Ranking,
    Strategy,
    make_ranker,
)
from emomem.ranking.found import Found
from emomem.scores import Metric
from llamaindex_emomem.compatibility import check_vectors
from llamaindex_emomem.fetch import IndexSource, Request, RetrieverSource, Source
from llamaindex_emomem.query import overrides_of
from llamaindex_emomem.ranked import ranked
from llamaindex_emomem.stores import check_filters

_LEAST: Final = math.ulp(0.0)
_OWNED: Final = ("similarity_top_k", "filters", "node_ids")


@dataclass(frozen=True)
class _Recall:
    """What was fetched and what became of it; no ranking means the plain call."""

    plan: Plan
    found: Found
    ranking: Ranking | None

    def best(self) -> list[NodeWithScore]:
        nodes = self.found.documents
        return nodes if self.ranking is None else ranked(nodes, self.ranking)

    def explain(self) -> list[Explanation]:
        return self.plan.explain(self.found.documents, self.ranking, self.found.ranks)


class AffectModulatedRetriever(BaseRetriever):
    """Recalls by meaning and by feeling from the index or the vector store that you have.

    Where feeling has nothing to say (`policy="off"`, a factual question, a neutral moment, an
    affect that cannot be read) it makes the very call that `index.as_retriever()` makes, and nodes
    have the scores that the index gives them. Elsewhere a node's score is that of the ranking,
    which falls with the order, so that what sorts by score behind it keeps to that order;
    `explain` tells the cosine and the rest that it is made of.

    Where the index embeds with `AffectEmbedding`, combination and emotion-first sequences ask the
    store itself for the best of all nodes; elsewhere they rank those nearest by meaning. That is
    exact for congruence; comfort and lesson, whose match is finer than a vector can ask for, rank
    what such a search finds together with the nearest by meaning.

    Args:
        index: Any LlamaIndex index.
        vector_store: A vector store that keeps its nodes' text, in place of an index.
        embed_model: What embeds the query for `vector_store`; None is LlamaIndex's `Settings`'.
        base_retriever: Any retriever whose results to rank, in place of an index.
        strategy: How meaning and affect are put together: a name or an instance.
        policy: Which affect is wanted for the user's present one: a name or an instance.
        similarity_top_k: How many nodes to return, >= 1; in the plain call what the index makes
            of it.
        fetch_k: How many to fetch by meaning before ranking, >= 1; None asks the strategy.
        filters: Metadata filters, applied to every query whatever the strategy: by the store
            where it surely does, else to every node that comes back too. For PGVectorStore a key
            or value with a quote is refused.
        retriever_kwargs: More arguments of `index.as_retriever`.
        appraiser: Reads the present affect from the conversation or the query.
        affect: The present affect of every query: an `Affect`, a label, or a callable that
            returns one (a mood).
        fields: Where the store keeps affect.
        metric: What the store's scores are, where its kind or configuration does not tell.
        callback_manager: Of LlamaIndex; None is that of the index or of `base_retriever`.
        verbose: Of LlamaIndex.

    One query's affect, policy or conversation stand in an `AffectQueryBundle`. A query transform
    such as HyDE drops them, and an engine that condenses the chat asks in the model's words: there
    give the mood as `affect`.

    Raises:
        ValueError: An argument is wrong, or the stored vectors are not those of the index's
            model, as far as LlamaIndex's own store and Chroma let us see.
        TypeError: An argument is of a wrong type.
        ImportError: Neither an appraiser nor an affect is given, and the embedded model is not
            installed.

    Example:
        >>> from llama_index.core import MockEmbedding, VectorStoreIndex
        >>> from emomem import LexiconAppraiser
        >>> index = VectorStoreIndex([], embed_model=MockEmbedding(8))
        >>> retriever = AffectModulatedRetriever(
        ...     index, similarity_top_k=5, appraiser=LexiconAppraiser()
        ... )
        >>> retriever.retrieve("I feel alone since the move")
        []
    """

    def __init__(  # noqa: PLR0913 - each is an option of the user's own
        self,
        index: BaseIndex[Any] | None = None,
        *,
        vector_store: BasePydanticVectorStore | None = None,
        embed_model: BaseEmbedding | None = None,
        base_retriever: BaseRetriever | None = None,
        strategy: str | Strategy = Combination(),  # noqa: B008 - it is frozen
        policy: str | Policy = Auto(profile="companion"),  # noqa: B008 - it is frozen
        similarity_top_k: int = DEFAULT_SIMILARITY_TOP_K,
        fetch_k: int | None = None,
        filters: MetadataFilters | None = None,
        retriever_kwargs: Mapping[str, Any] | None = None,
        appraiser: Appraiser | None = None,
        affect: PresentAffect | None = None,
        fields: MetadataFields = DEFAULT_FIELDS,
        metric: Metric | None = None,
        callback_manager: CallbackManager | None = None,
        verbose: bool = False,
    ) -> None:
        sources = {"index": index, "vector_store": vector_store, "base_retriever": base_retriever}
        given = [name for name, source in sources.items() if source is not None]
        if len(given) != 1:
            msg = f"give exactly one of {', '.join(sources)}, got {', '.join(given) or 'none'}"
            raise ValueError(msg)
        if embed_model is not None and vector_store is None:
            msg = "embed_model goes with vector_store; an index or a retriever has its own"
            raise ValueError(msg)
        if base_retriever is not None and (fetch_k or metric or retriever_kwargs):
            msg = "fetch_k, metric and retriever_kwargs go with an index or a vector_store"
            raise ValueError(msg)
        _check_kinds(index, retriever_kwargs, fields, metric)
        check_at_least_one(similarity_top_k=similarity_top_k, fetch_k=fetch_k)
        if similarity_top_k is None:
            msg = "similarity_top_k must be >= 1, got None"
            raise ValueError(msg)
        self._appraiser = appraiser
        self._ranker = make_ranker(strategy, policy, appraiser, affect)
        self._k = similarity_top_k
        self._fetch_k = fetch_k
        self._fields = fields
        self._source: Source
        self._base = plain = base_retriever
        object_map: dict[str, Any] = {}
        if base_retriever is not None:
            check_filters(filters)
            self._source = RetrieverSource(base_retriever, filters)
        else:
            if vector_store is not None:
                index = VectorStoreIndex.from_vector_store(vector_store, embed_model)
            assert index is not None  # noqa: S101 - it is the one that was given
            more = dict(retriever_kwargs or {})
            source = self._source = IndexSource(index, more, filters, metric, fields)
            check_filters(filters, source.store)
            check_vectors(index, source.encoder)
            plain = source.retriever(self._k)
            object_map = getattr(plain, "object_map", {})
        super().__init__(
            callback_manager=callback_manager or getattr(plain, "callback_manager", None),
            object_map=object_map,
            verbose=verbose,
        )

    def explain(self, query: QueryType) -> list[Explanation]:
        """Why each node came back, and where plain retrieval would have put it.

        Args:
            query: The query's text, or a bundle.

        Returns:
            One explanation a node, in the order of `retrieve`; its `document` is the node with
            the score that the index gave it. Where a node refers to another (`IndexNode`), the
            reference is explained and not what `retrieve` puts in its place.
        """
        return self._recall(_bundle(query), ranks=True).explain()

    async def aexplain(self, query: QueryType) -> list[Explanation]:
        """`explain` without blocking the event loop."""
        return (await self._arecall(_bundle(query), ranks=True)).explain()

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return self._recall(query_bundle).best()

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return (await self._arecall(query_bundle)).best()

    def _get_prompt_modules(self) -> PromptMixinType:
        parts = {"appraiser": self._appraiser, "base_retriever": self._base}
        return {name: part for name, part in parts.items() if isinstance(part, PromptMixin)}

    def _recall(self, query: QueryBundle, *, ranks: bool = False) -> _Recall:
        plan = self._ranker.plan(query.query_str, self._k, **overrides_of(query))
        return self._ranked(plan, self._source.find(self._request(query, plan, ranks=ranks)))

    async def _arecall(self, query: QueryBundle, *, ranks: bool = False) -> _Recall:
        plan = await self._ranker.aplan(query.query_str, self._k, **overrides_of(query))
        return self._ranked(plan, await self._source.afind(self._request(query, plan, ranks=ranks)))

    def _request(self, query: QueryBundle, plan: Plan, *, ranks: bool) -> Request:
        k = self._k
        size = k if plan.plain else max(k, self._fetch_k or plan.strategy.pool_size(k))
        return Request(query, k, size, scored=not plan.plain, wish=plan.wish, ranks=ranks)

    def _ranked(self, plan: Plan, found: Found) -> _Recall:
        plain = plan.plain or not found.candidates
        return _Recall(plan, found, None if plain else plan.rank(found.pool(self._fields)))

    # What follows keeps LlamaIndex from taking a score of 0.0 for none, and making it 1.0, where
    # a node refers to another.

    def _handle_recursive_retrieval(
        self, query_bundle: QueryBundle, nodes: list[NodeWithScore]
    ) -> list[NodeWithScore]:
        found = super()._handle_recursive_retrieval(query_bundle, _rescored(nodes, 0.0, _LEAST))
        return _rescored(found, _LEAST, 0.0)

    async def _ahandle_recursive_retrieval(
        self, query_bundle: QueryBundle, nodes: list[NodeWithScore]
    ) -> list[NodeWithScore]:
        guarded = _rescored(nodes, 0.0, _LEAST)
        found = await super()._ahandle_recursive_retrieval(query_bundle, guarded)
        return _rescored(found, _LEAST, 0.0)


def _rescored(nodes: Sequence[NodeWithScore], old: float, new: float) -> list[NodeWithScore]:
    return [NodeWithScore(node=one.node, score=new) if one.score == old else one for one in nodes]


def _check_kinds(index: object, retriever_kwargs: object, fields: object, metric: object) -> None:
    """Refuse now what would fail, or be ignored, at the first query."""
    if index is not None and not isinstance(index, BaseIndex):
        msg = f"index must be a LlamaIndex index, got {type(index).__name__}"
        raise TypeError(msg)
    if not isinstance(fields, MetadataFields):
        msg = f"fields must be MetadataFields, got {type(fields).__name__}"
        raise TypeError(msg)
    if metric is not None and metric not in get_args(Metric):
        msg = f"metric must be None or one of {', '.join(get_args(Metric))}, got {metric!r}"
        raise ValueError(msg)
    if retriever_kwargs is None:
        return
    if not isinstance(retriever_kwargs, Mapping):
        msg = f"retriever_kwargs must be a dictionary, got {type(retriever_kwargs).__name__}"
        raise TypeError(msg)
    if owned := [name for name in _OWNED if name in retriever_kwargs]:
        names = ", ".join(owned)
        msg = f"{names} cannot stand in retriever_kwargs; similarity_top_k and filters stand beside"
        raise ValueError(msg)


def _bundle(query: QueryType) -> QueryBundle:
    return QueryBundle(query) if isinstance(query, str) else query
