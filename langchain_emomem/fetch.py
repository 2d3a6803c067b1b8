"""Fetching candidates from a store or a retriever, with filters applied where they can be."""

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final
from weakref import finalize

from langchain_core.callbacks import Callbacks
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever, LangSmithRetrieverParams
from langchain_core.vectorstores import VectorStore

from emomem.affect import FloatArray
from emomem.filters import both, can_match, normalise
from emomem.steps import adrive, drive
from langchain_emomem import stores

Hits = list[tuple[Document, float | None]]
Search = dict[str, Any]
"""The keyword arguments of one search of a store."""

_WIDER: Final = 4
_PROBE: Final = "length"

_unit: Final[dict[int, bool]] = {}
"""Whether a store's encoder gives vectors of length one, as far as seen; by the store's `id`."""


def _remember(store: VectorStore, *, unit: bool) -> None:
    # A store need not be hashable, so it is no key itself; its entry goes when it does.
    _unit[id(store)] = unit
    finalize(store, _unit.pop, id(store), None)


@dataclass(frozen=True)
class Filter:
    """A filter as one store is to apply it.

    Attributes:
        native: The `filter` argument for the engine; empty where it is to have none.
        check: The test of each document that comes back; None where the engine does it all.
    """

    native: Search
    check: Callable[[Document], bool] | None = None

    def passed(self, hits: Hits) -> Hits:
        """The hits that pass the check, in their order."""
        check = self.check
        return hits if check is None else [hit for hit in hits if check(hit[0])]


def plan_filter(
    store: VectorStore | None,
    own: Any,  # noqa: ANN401 - the engine's own kind
    affect: Mapping[str, Any] | None,
) -> Filter:
    """Divide the caller's filter and the conditions on affect between an engine and us.

    What the engine surely applies is handed to it; what it cannot apply, or might ignore, is
    checked on every document that it returns.

    Args:
        store: The store; None where a retriever stands in its place.
        own: The caller's filter: a dictionary, a callable, or the engine's own kind.
        affect: Normalised conditions on affect.

    Raises:
        ValueError: The filter is no filter, or neither the engine is sure to apply it nor can it
            be checked here.
    """
    support = stores.filter_support(store)
    on_affect = None if affect is None else stores.DocumentTest(affect)
    if own is None or isinstance(own, Mapping):
        where = both(normalise(own or {}), affect)
        if where is None:
            return Filter({})
        if store is not None and support == "grammar":
            return Filter({"filter": stores.native_filter(store, where)})
        native: Search = {} if not own or support == "none" else {"filter": own}
        if can_match(where):
            return Filter(native, stores.DocumentTest(where))
    elif callable(own) and support in ("keywords", "none"):
        return Filter({}, lambda found: own(found) and (on_affect is None or on_affect(found)))
    if support in ("grammar", "named"):
        return Filter({"filter": own}, on_affect)
    holder = "a base_retriever" if store is None else type(store).__name__
    msg = f"{holder} is not sure to apply the filter {own!r}, and it cannot be checked outside it"
    raise ValueError(msg)


@dataclass(frozen=True)
class Request:
    """What to fetch for one query.

    Attributes:
        query: The query's text.
        k: How many documents are wanted in the end.
        size: How many to fetch by meaning, >= k.
        where: The filter.
        scored: Whether cosines are wanted; without, the plain call is made.
    """

    query: str
    k: int
    size: int
    where: Filter
    scored: bool


@dataclass(frozen=True)
class Found:
    """Documents, best first by meaning, and their cosines where they are known."""

    documents: list[Document]
    cosine: FloatArray | None = None


class StoreSource:
    """Candidates from a vector store.

    Args:
        store: The store.
        metric: What its scores are; None reads its configuration.
        search_kwargs: More arguments of its search.
    """

    def __init__(
        self, store: VectorStore, metric: stores.Metric | None, search_kwargs: Mapping[str, Any]
    ) -> None:
        self.store = store
        self._metric = metric
        self._search_kwargs = search_kwargs

    @property
    def ls_params(self) -> LangSmithRetrieverParams:
        """What the store's own retriever tells a tracing service."""
        return self.store.as_retriever()._get_ls_params()  # noqa: SLF001 - a hook

    @cached_property
    def metric(self) -> stores.Metric | None:
        """What the store's scores are."""
        return self._metric or stores.metric_of(self.store)

    def find(self, request: Request, callbacks: Callbacks) -> Found:
        """The nearest that pass the filter, as many as requested.

        Where documents are checked here, the search widens until k of them pass.
        """
        del callbacks  # a store takes none
        stores.check_mode(self.store, is_async=False)

        def search(kwargs: Search) -> Hits:
            if request.scored:
                try:
                    return list(self.store.similarity_search_with_score(request.query, **kwargs))
                except NotImplementedError:
                    pass
            plain = self.store.similarity_search(request.query, **kwargs)
            return [(found, None) for found in plain]

        hits = drive(self._widening(request), search)
        if request.scored and hits and self._must_probe:
            encoder = stores.encoder_of(self.store)
            unit = encoder is not None and stores.is_unit(encoder.embed_query(_PROBE))
            _remember(self.store, unit=unit)
        return self._found(hits, scored=request.scored)

    async def afind(self, request: Request, callbacks: Callbacks) -> Found:
        """`find` without blocking the event loop."""
        del callbacks  # a store takes none
        stores.check_mode(self.store, is_async=True)

        async def search(kwargs: Search) -> Hits:
            if request.scored:
                try:
                    return list(
                        await self.store.asimilarity_search_with_score(request.query, **kwargs)
                    )
                except NotImplementedError:
                    pass
            plain = await self.store.asimilarity_search(request.query, **kwargs)
            return [(found, None) for found in plain]

        hits = await adrive(self._widening(request), search)
        if request.scored and hits and self._must_probe:
            encoder = stores.encoder_of(self.store)
            unit = encoder is not None and stores.is_unit(await encoder.aembed_query(_PROBE))
            _remember(self.store, unit=unit)
        return self._found(hits, scored=request.scored)

    def _widening(self, request: Request) -> Generator[Search, Hits, Hits]:
        """Searches until k pass the check, or the store has no more."""
        where, size = request.where, request.size
        while True:
            hits = yield {**self._search_kwargs, **where.native, "k": size}
            passed = where.passed(hits)
            if where.check is None or len(passed) >= request.k or len(hits) < size:
                return passed[: request.size]
            size *= _WIDER

    @property
    def _must_probe(self) -> bool:
        """Whether it is still to be seen that the encoder gives vectors of length one."""
        return stores.needs_unit_vectors(self.metric) and id(self.store) not in _unit

    def _found(self, hits: Hits, *, scored: bool) -> Found:
        documents = [document for document, _ in hits]
        told = not stores.needs_unit_vectors(self.metric) or _unit.get(id(self.store), False)
        if not scored or not told:
            return Found(documents)
        return Found(documents, stores.cosines(self.metric, [score for _, score in hits]))


class RetrieverSource:
    """Candidates from another retriever: as many as it returns, in its order, without cosines."""

    def __init__(self, retriever: BaseRetriever) -> None:
        self.retriever = retriever

    @property
    def ls_params(self) -> LangSmithRetrieverParams:
        """What the retriever tells a tracing service."""
        return self.retriever._get_ls_params()  # noqa: SLF001 - a hook

    def find(self, request: Request, callbacks: Callbacks) -> Found:
        """What the retriever returns and the filter passes; k of them for the plain call."""
        found = self.retriever.invoke(request.query, {"callbacks": callbacks})
        return self._found(found, request)

    async def afind(self, request: Request, callbacks: Callbacks) -> Found:
        """`find` without blocking the event loop."""
        found = await self.retriever.ainvoke(request.query, {"callbacks": callbacks})
        return self._found(found, request)

    def _found(self, documents: list[Document], request: Request) -> Found:
        hits: Hits = [(document, None) for document in documents]
        passed = [document for document, _ in request.where.passed(hits)]
        return Found(passed if request.scored else passed[: request.k])
