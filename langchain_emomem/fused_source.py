"""Candidates from a store of fused vectors: the best of all by meaning and feeling."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import VectorStore

from emomem.affect import FloatArray
from emomem.fused import LENGTH, fused_scores
from emomem.metadata import MetadataFields
from emomem.ranking.found import Candidate, Found
from emomem.ranking.fused_search import FusedSearch, Near
from emomem.scores import Metric, cosines
from langchain_emomem.affect_embeddings import AffectEmbeddings
from langchain_emomem.asks import Appraise, Steps
from langchain_emomem.fetch import Request, StoreSource, candidates_of


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
        found = cosines(self.metric, scores, (1.0, LENGTH))
        return None if found is None else np.clip(fused_scores(found, [1.0]), -1.0, 1.0)

    def _steps(self, request: Request) -> Steps[Found]:
        if request.wish is None:
            return (yield from super()._steps(request))
        semantic = yield from self._semantic(request)
        search = FusedSearch(self._fields, self.metric, self._holds)
        steps = search.steps(semantic, request.wish, ranks=request.ranks)
        answer: Any = None
        while True:
            try:
                asked = steps.send(answer)
            except StopIteration as done:
                found: Found = done.value
                return found
            if isinstance(asked, Near):
                hits = yield from self._by_vector(request, asked.vector)
                if hits is None:
                    # `_nearest` says that the engine knows no vectors, and finds by the text.
                    return (yield from self._nearest(request, semantic))
                answer = candidates_of(hits)
            else:
                answer = yield Appraise(self._embeddings, asked.texts)

    def _holds(self, candidate: Candidate) -> bool:
        return self._embeddings.wrote(candidate.metadata.get(self._fields.source))
