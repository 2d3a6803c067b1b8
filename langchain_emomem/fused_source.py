"""Candidates from a store of fused vectors: the best of all by meaning and feeling."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import VectorStore

from emomem.affect import Affect, FloatArray
from emomem.metadata import MetadataFields
from emomem.ranking.found import Candidate, Found
from emomem.ranking.fused_search import FusedSearch, plain_cosines
from emomem.scores import Metric
from emomem.steps import Steps
from langchain_emomem.affect_embeddings import AffectEmbeddings
from langchain_emomem.asks import Appraise
from langchain_emomem.fetch import Request, StoreSource, candidates_of


class _NoVectorsError(Exception):
    """The engine cannot search by vector."""


class FusedSource(StoreSource):
    """Candidates from a store whose encoder is `AffectEmbeddings` (`FusedSearch`).

    Args:
        store: The store.
        metric: What its scores are; None reads its configuration.
        search_kwargs: More arguments of its search.
        embeddings: What the store's vectors were made with.
        fields: Where the store keeps affect.
    """

    def __init__(
        self,
        store: VectorStore,
        metric: Metric | None,
        search_kwargs: Mapping[str, Any],
        embeddings: AffectEmbeddings,
        fields: MetadataFields,
    ) -> None:
        super().__init__(store, metric, search_kwargs)
        self._embeddings = embeddings
        self._fields = fields

    @property
    def sentences(self) -> Embeddings:
        """The encoder within."""
        return self._embeddings.embeddings

    def _query(self, semantic: Sequence[float]) -> list[float]:
        return self._embeddings.plain(semantic)

    def _cosines(self, scores: list[float | None]) -> Steps[FloatArray | None]:
        yield from ()
        return plain_cosines(self.metric, scores)

    def _steps(self, request: Request) -> Steps[Found]:
        if request.wish is None:
            return (yield from super()._steps(request))
        semantic = yield from self._semantic(request)
        near = partial(self._near, request)
        search = FusedSearch(self._fields, self.metric, near, self._read, self._holds)
        try:
            return (yield from search.steps(semantic, request.wish, ranks=request.ranks))
        except _NoVectorsError:
            # `_nearest` says that the engine knows no vectors, and finds by the text.
            return (yield from self._nearest(request, semantic))

    def _near(self, request: Request, vector: FloatArray) -> Steps[list[Candidate]]:
        hits = yield from self._by_vector(request, vector)
        if hits is None:
            raise _NoVectorsError
        return candidates_of(hits)

    def _read(self, texts: list[str]) -> Steps[list[Affect]]:
        affects: list[Affect] = yield Appraise(self._embeddings, texts)
        return affects

    def _holds(self, candidate: Candidate) -> bool:
        return self._embeddings.wrote(candidate.metadata.get(self._fields.source))
