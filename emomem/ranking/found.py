"""What was fetched for one query, of any framework, and how two searches become one pool."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from emomem.affect import AffectArray, FloatArray
from emomem.metadata import MetadataFields
from emomem.ranking.pool import CandidatePool


@dataclass(frozen=True)
class Candidate:
    """One stored document as a search returned it.

    Attributes:
        document: The framework's own document or node.
        key: What two copies of it share.
        text: The text that was embedded.
        metadata: Its metadata.
        score: What the search gave it; None where it gave nothing.
    """

    document: Any = field(repr=False)
    key: Hashable
    text: str = field(repr=False)
    metadata: Mapping[str, Any] = field(repr=False)
    score: float | None = None


@dataclass(frozen=True, eq=False)
class Found:
    """Candidates, best first by meaning.

    Attributes:
        candidates: The candidates.
        cosine: (n,) their cosines, or None where these are not known.
        affects: Their affects, where these are not simply what the metadata holds.
        ranks: The rank that meaning alone gives each, from 1, None where it was not among the
            nearest; None where that is their order, or was not asked for.
    """

    candidates: Sequence[Candidate]
    cosine: FloatArray | None = None
    affects: AffectArray | None = None
    ranks: Sequence[int | None] | None = None

    @property
    def documents(self) -> list[Any]:
        """The framework's own documents."""
        return [candidate.document for candidate in self.candidates]

    def pool(self, fields: MetadataFields) -> CandidatePool:
        """The arrays to rank."""
        if self.affects is not None:
            return CandidatePool(affects=self.affects, cosine=self.cosine)
        metadatas = [candidate.metadata for candidate in self.candidates]
        return CandidatePool.from_metadata(metadatas, cosine=self.cosine, fields=fields)

    def best_first(self) -> Self:
        """The candidates in the order of their cosines, where these are known."""
        if self.cosine is None:
            return self
        order = np.argsort(-self.cosine, kind="stable")
        candidates = [self.candidates[row] for row in order.tolist()]
        return replace(self, candidates=candidates, cosine=self.cosine[order])

    def ranked_beside(self, near: Self) -> Self:
        """The same candidates, with their ranks among the nearest by meaning."""
        places = {one.key: place for place, one in enumerate(near.candidates, start=1)}
        return replace(self, ranks=[places.get(one.key) for one in self.candidates])

    def joined(self, more: Self) -> Self:
        """The nearest by meaning and what another search found, best first by meaning.

        Where cosines are not known, what is not among the nearest stands behind them.
        """
        seen = {one.key for one in self.candidates}
        rows = [row for row, one in enumerate(more.candidates) if one.key not in seen]
        candidates = [*self.candidates, *(more.candidates[row] for row in rows)]
        cosine = None
        if self.cosine is not None and more.cosine is not None:
            cosine = np.concatenate([self.cosine, more.cosine[rows]])
        return replace(self, candidates=candidates, cosine=cosine).best_first().ranked_beside(self)
