"""Fetching candidates from a store or a retriever, with filters applied where they can be."""

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

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


class Filter:
    """The caller's filter and the conditions on affect, as one store is to apply them.

    What the engine can apply is handed to it; what it cannot apply, or might ignore, is checked
    on every document that it returns.

    Attributes:
        native: The `filter` argument for the engine; empty where it is to have none.
        check: The test of each document that comes back; None where the engine did it all.

    Args:
        store: The store; None where a retriever stands in its place.
        own: The caller's filter: a dictionary, a callable, or the engine's own kind.
        affect: Normalised conditions on affect.

    Raises:
        ValueError: The filter is no filter, or nothing here or there can apply it.
    """

    def __init__(
        self,
        store: VectorStore | None,
        own: Any,  # noqa: ANN401 - the engine's own kind
        affect: Mapping[str, Any] | None,
    ) -> None:
        own = normalise(own) if isinstance(own, Mapping) else own
        taken = store is not None and stores.takes_filters(store)
        pushed = store is not None and stores.pushes_filters(store)
        self.native: Search = {}
        self.check: Callable[[Document], bool] | None = None
        if own is None or isinstance(own, Mapping):
            where = both(own, affect)
            if store is not None and pushed and where is not None:
                self.native = {"filter": stores.native_filter(store, where)}
                return
            if own is not None and taken:
                self.native = {"filter": own}
            if where is not None and can_match(where):
                self.check = stores.document_filter(where)
                return
            own = None if taken else own
        elif store is not None and taken:
            self.native = {"filter": own}
            own = own if callable(own) and not stores.names_filter(store) else None
        # What is left of `own` is nothing, or a callable that the engine may not apply.
        if own is not None and not callable(own):
            holder = "a base_retriever" if store is None else type(store).__name__
            msg = f"{holder} takes no filter, and {own!r} cannot be applied outside an engine"
            raise ValueError(msg)
        on_affect = None if affect is None else stores.document_filter(affect)
        tests = [test for test in (own, on_affect) if test is not None]
        if tests:
            self.check = lambda document: all(test(document) for test in tests)

    def passed(self, hits: Hits) -> Hits:
        """The hits that pass the check, in their order."""
        check = self.check
        return hits if check is None else [hit for hit in hits if check(hit[0])]


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
        self._unit: bool | None = None

    @cached_property
    def ls_params(self) -> LangSmithRetrieverParams:
        """What the store's own retriever tells a tracing service."""
        return self.store.as_retriever()._get_ls_params()  # noqa: SLF001 - a hook

    @cached_property
    def metric(self) -> stores.Metric | None:
        """What the store's scores are."""
        return self._metric or stores.metric_of(self.store)

    def find(
        self, query: str, k: int, where: Filter, *, scored: bool, callbacks: Callbacks
    ) -> Found:
        """The nearest k that pass the filter; with `scored`, their cosines too."""
        del callbacks  # a store takes none
        stores.check_mode(self.store, is_async=False)

        def search(kwargs: Search) -> Hits:
            if scored:
                try:
                    return list(self.store.similarity_search_with_score(query, **kwargs))
                except NotImplementedError:
                    pass
            return [(found, None) for found in self.store.similarity_search(query, **kwargs)]

        hits = drive(self._widening(k, where), search)
        if scored and hits and self._must_probe:
            encoder = stores.encoder_of(self.store)
            self._unit = encoder is not None and stores.is_unit(encoder.embed_query(_PROBE))
        return self._found(hits, scored=scored)

    async def afind(
        self, query: str, k: int, where: Filter, *, scored: bool, callbacks: Callbacks
    ) -> Found:
        """`find` without blocking the event loop."""
        del callbacks  # a store takes none
        stores.check_mode(self.store, is_async=True)

        async def search(kwargs: Search) -> Hits:
            if scored:
                try:
                    return list(await self.store.asimilarity_search_with_score(query, **kwargs))
                except NotImplementedError:
                    pass
            plain = await self.store.asimilarity_search(query, **kwargs)
            return [(found, None) for found in plain]

        hits = await adrive(self._widening(k, where), search)
        if scored and hits and self._must_probe:
            encoder = stores.encoder_of(self.store)
            self._unit = encoder is not None and stores.is_unit(await encoder.aembed_query(_PROBE))
        return self._found(hits, scored=scored)

    def _widening(self, k: int, where: Filter) -> Generator[Search, Hits, Hits]:
        """Searches until k pass the check, or the store has no more."""
        size = k
        while True:
            hits = yield {**self._search_kwargs, **where.native, "k": size}
            passed = where.passed(hits)
            if where.check is None or len(passed) >= k or len(hits) < size:
                return passed[:k]
            size *= _WIDER

    @property
    def _must_probe(self) -> bool:
        """Whether it is still to be seen that the encoder gives vectors of length one."""
        return self._unit is None and stores.needs_unit_vectors(self.metric)

    def _found(self, hits: Hits, *, scored: bool) -> Found:
        documents = [document for document, _ in hits]
        if not scored or (stores.needs_unit_vectors(self.metric) and not self._unit):
            return Found(documents)
        return Found(documents, stores.cosines(self.metric, [score for _, score in hits]))


class RetrieverSource:
    """Candidates from another retriever: as many as it returns, in its order, without cosines."""

    def __init__(self, retriever: BaseRetriever) -> None:
        self.retriever = retriever

    @cached_property
    def ls_params(self) -> LangSmithRetrieverParams:
        """What the retriever tells a tracing service."""
        return self.retriever._get_ls_params()  # noqa: SLF001 - a hook

    def find(
        self, query: str, k: int, where: Filter, *, scored: bool, callbacks: Callbacks
    ) -> Found:
        """What the retriever returns and the filter passes; k of them for the plain call."""
        found = self.retriever.invoke(query, {"callbacks": callbacks})
        return self._found(found, k, where, scored=scored)

    async def afind(
        self, query: str, k: int, where: Filter, *, scored: bool, callbacks: Callbacks
    ) -> Found:
        """`find` without blocking the event loop."""
        found = await self.retriever.ainvoke(query, {"callbacks": callbacks})
        return self._found(found, k, where, scored=scored)

    def _found(self, documents: list[Document], k: int, where: Filter, *, scored: bool) -> Found:
        passed = [document for document, _ in where.passed([(found, None) for found in documents])]
        return Found(passed if scored else passed[:k])
