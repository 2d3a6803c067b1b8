"""Fetching candidates from a store or a retriever, with filters applied where they can be."""

import logging
from collections.abc import Callable, Hashable, Mapping, Sequence, Sized
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any, Final
from weakref import finalize

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.retrievers import LangSmithRetrieverParams, RetrieverLike
from langchain_core.vectorstores import VectorStore

from emomem.affect import FloatArray
from emomem.filters import both, can_match, normalise
from emomem.fused import Wish
from emomem.mixing import mixed
from emomem.ranking.found import Candidate, Found
from emomem.scores import Metric, cosines, is_unit, needs_unit_vectors
from emomem.steps import Ask, Steps, arun, run
from langchain_emomem import stores
from langchain_emomem.asks import Embed, TextSearch, VectorSearch
from langchain_emomem.stores import Hits

logger = logging.getLogger(__name__)

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
    checked on every document that it returns. What the caller says in the grammar of an engine that
    we do not know is the engine's alone: read in ours it could mean something else.

    Args:
        store: The store; None where a retriever stands in its place.
        own: The caller's filter: a dictionary, a callable, or the engine's own kind.
        affect: Normalised conditions on affect.

    Raises:
        ValueError: The filter is no filter, or neither the engine is sure to apply it nor can it
            be checked here.
    """
    support = stores.filter_support(store)
    _check_own(store, own)
    on_affect = None if affect is None else stores.DocumentTest(affect)
    if own is None or isinstance(own, Mapping):
        where = both(normalise(own or {}), affect)
        if where is None:
            return Filter({})
        if store is not None and support == "grammar":
            return Filter({"filter": stores.native_filter(store, where)})
        if not own:
            return Filter({}, on_affect)
        if support != "named" and can_match(where):
            native: Search = {"filter": own} if support == "keywords" else {}
            return Filter(native, stores.DocumentTest(where))
    elif callable(own) and support in ("keywords", "none"):
        return Filter({}, lambda found: own(found) and (on_affect is None or on_affect(found)))
    if support in ("grammar", "named"):
        return Filter({"filter": own}, on_affect)
    holder = "a base_retriever" if store is None else type(store).__name__
    msg = f"{holder} is not sure to apply the filter {own!r}, and it cannot be checked outside it"
    raise ValueError(msg)


def _check_own(store: VectorStore | None, own: Any) -> None:  # noqa: ANN401 - the engine's kind
    """Refuse what can be no filter: an engine takes `""` or `[]` for none, and shows everything."""
    if own is None or isinstance(own, Mapping):
        return
    support = stores.filter_support(store)
    callables = store is not None and stores.is_kind(store, "InMemoryVectorStore")
    dictionaries = support == "grammar" and not callables
    if (
        isinstance(own, int | float)
        or (isinstance(own, Sized) and not len(own))
        or dictionaries
        or (callables and not callable(own))
    ):
        kinds = "a dictionary" if dictionaries else "a dictionary, a callable or the engine's own"
        msg = f"a filter is {kinds}, got {own!r}; None or {{}} is no filter"
        raise ValueError(msg)


@dataclass(frozen=True)
class Request:
    """What to fetch for one query.

    Attributes:
        query: The query's text.
        k: How many documents are wanted in the end.
        size: How many to fetch by one search, >= k.
        where: The filter.
        scored: Whether cosines are wanted; without, the plain call is made.
        parts: Texts whose vectors, mixed, are searched for; none searches for the query's text.
        wish: What to ask of fused vectors; None where meaning alone finds candidates.
        beside: The filter of a second search, for memories that carry the wanted feeling.
        ranks: Whether it is wanted which rank meaning alone gives.
    """

    query: str
    k: int
    size: int
    where: Filter
    scored: bool
    parts: Sequence[str] = ()
    wish: Wish | None = None
    beside: Filter | None = None
    ranks: bool = False


def candidates_of(hits: Sequence[tuple[Document, float | None]]) -> list[Candidate]:
    """What a search returned, as candidates."""
    return [
        Candidate(document, _key_of(document), document.page_content, document.metadata, score)
        for document, score in hits
    ]


def _key_of(document: Document) -> Hashable:
    return document.id or (document.page_content, repr(sorted(document.metadata.items(), key=str)))


class StoreSource:
    """Candidates from a vector store.

    Args:
        store: The store.
        metric: What its scores are; None reads its configuration.
        search_kwargs: More arguments of its search.
    """

    def __init__(
        self, store: VectorStore, metric: Metric | None, search_kwargs: Mapping[str, Any]
    ) -> None:
        self.store = store
        self._metric = metric
        self._search_kwargs = search_kwargs

    @property
    def ls_params(self) -> LangSmithRetrieverParams:
        """What the store's own retriever tells a tracing service."""
        return self.store.as_retriever()._get_ls_params()  # noqa: SLF001 - a hook

    @cached_property
    def metric(self) -> Metric | None:
        """What the store's scores are."""
        return self._metric or stores.metric_of(self.store)

    @property
    def sentences(self) -> Embeddings:
        """The encoder of sentences, for a search by vector."""
        return stores.shown_encoder(self.store)

    def find(self, request: Request) -> Found:
        """The nearest that pass the filter, as many as requested.

        Where documents are checked here, the search widens until k of them pass.
        """
        stores.check_mode(self.store, is_async=False)
        return run(self._steps(request))

    async def afind(self, request: Request) -> Found:
        """`find` without blocking the event loop."""
        stores.check_mode(self.store, is_async=True)
        return await arun(self._steps(request))

    def _steps(self, request: Request) -> Steps[Found]:
        if not request.parts and request.beside is None:
            return (yield from self._nearest(request))
        semantic = yield from self._semantic(request)
        near = yield from self._nearest(request, semantic)
        if request.beside is None:
            return near
        felt = yield from self._nearest(replace(request, where=request.beside), semantic)
        return near.joined(felt)

    def _semantic(self, request: Request) -> Steps[list[float]]:
        """The sentence vector to search for."""
        texts = request.parts or [request.query]
        vectors = yield from _in_turn([Embed(self.sentences, text) for text in texts])
        vector: list[float] = mixed(vectors).tolist()
        return vector

    def _nearest(self, request: Request, semantic: Sequence[float] | None = None) -> Steps[Found]:
        """The nearest by meaning: to a sentence vector, or to the query's text."""
        scored, hits = request.scored, None
        if semantic is not None:
            hits = yield from self._by_vector(request, self._query(semantic))
            if hits is None:
                _warn_no_vectors(type(self.store).__name__)
        if hits is None:
            hits = yield from self._widening(
                request, lambda kwargs: TextSearch(self.store, request.query, kwargs, scored)
            )
        if not scored or not hits:
            return Found(candidates_of(hits or ()))
        cosine = yield from self._cosines([score for _, score in hits])
        return Found(candidates_of(hits), cosine)

    def _by_vector(
        self, request: Request, vector: Sequence[float] | FloatArray
    ) -> Steps[Hits | None]:
        """The nearest to a vector; None where the engine cannot search by one."""
        return (
            yield from self._widening(
                request,
                lambda kwargs: VectorSearch(self.store, vector, kwargs, request.scored),
            )
        )

    def _query(self, semantic: Sequence[float]) -> list[float]:
        """The vector that finds what is near to a sentence vector."""
        return list(semantic)

    def _cosines(self, scores: list[float | None]) -> Steps[FloatArray | None]:
        """The cosines of sentences that scores tell."""
        if needs_unit_vectors(self.metric):
            # An inner product or a distance tells cosines of vectors of length one alone.
            if id(self.store) not in _unit:
                encoder = stores.encoder_of(self.store)
                vector = None if encoder is None else (yield Embed(encoder, _PROBE))
                _remember(self.store, unit=vector is not None and is_unit(vector))
            if not _unit.get(id(self.store), False):
                return None
        return cosines(self.metric, scores)

    def _widening(self, request: Request, search: Callable[[Search], Ask]) -> Steps[Hits | None]:
        """Searches until k pass the check, or the store has no more; None if it cannot."""
        where, size = request.where, request.size
        while True:
            hits = yield search({**self._search_kwargs, **where.native, "k": size})
            if hits is None:
                return None
            passed = where.passed(hits)
            if where.check is None or len(passed) >= request.k or len(hits) < size:
                return passed[: request.size]
            size *= _WIDER


def _in_turn(asks: Sequence[Ask]) -> Steps[list[Any]]:
    """The answers of several asks."""
    answers = []
    for ask in asks:
        answer = yield ask
        answers.append(answer)
    return answers


@cache
def _warn_no_vectors(kind: str) -> None:
    logger.warning(
        "%s cannot search by vector, so that candidates are those nearest to the query's text "
        "(said once a process)",
        kind,
    )


class RetrieverSource:
    """Candidates from another retriever: as many as it returns, in its order, without cosines."""

    def __init__(self, retriever: RetrieverLike) -> None:
        self.retriever = retriever

    @property
    def ls_params(self) -> LangSmithRetrieverParams:
        """What the retriever tells a tracing service; what is made of one may tell nothing."""
        read = getattr(self.retriever, "_get_ls_params", LangSmithRetrieverParams)
        params: LangSmithRetrieverParams = read()
        return params

    def find(self, request: Request) -> Found:
        """What the retriever returns and the filter passes; k of them for the plain call."""
        return self._found(self.retriever.invoke(request.query), request)

    async def afind(self, request: Request) -> Found:
        """`find` without blocking the event loop."""
        return self._found(await self.retriever.ainvoke(request.query), request)

    def _found(self, documents: list[Document], request: Request) -> Found:
        hits: Hits = [(document, None) for document in documents]
        passed = request.where.passed(hits)
        return Found(candidates_of(passed if request.scored else passed[: request.k]))
