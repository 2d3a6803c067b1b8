"""Candidates from a store of fused vectors: the best of all by meaning and feeling."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from emomem.affect import Affect, AffectArray, FloatArray
from emomem.fused import (
    LENGTH,
    Wish,
    document_phi,
    fuse_query,
    fused_scores,
    meaning_of,
    nothing_known,
    with_mean,
    with_rows,
)
from emomem.metadata import MetadataFields, decode_affects
from emomem.protocols import Appraiser
from emomem.ranking.found import Candidate, Found
from emomem.scores import Metric, cosines
from emomem.steps import Steps


def is_reading_of(appraiser: Appraiser, source: str | None) -> bool:
    """Whether a tag with this `affect_source` says what the appraiser reads."""
    own: str | None = getattr(appraiser, "source", None)
    if own is None or source is None:
        return False
    return source == own or source.startswith(f"{own}:")


def plain_cosines(metric: Metric | None, scores: Sequence[float | None]) -> FloatArray | None:
    """(n,) cosines of sentences from the scores of a query by meaning alone; None as `cosines`."""
    found = cosines(metric, scores, (1.0, LENGTH))
    # Of a query of length one the fused score is the cosine.
    return None if found is None else np.clip(fused_scores(found, [1.0]), -1.0, 1.0)


@dataclass(frozen=True)
class FusedSearch:
    """How a store of fused vectors is asked, and what its scores say.

    A wish is asked of the store itself. What its score says of meaning is the rest that the match
    of the stored vector leaves: where the tag is what the vector holds it gives that match,
    elsewhere (corrected by hand, written by another, missing) the text is read again. An untagged
    memory has that reading as its affect, and one that stays unknown the mean phi.

    Attributes:
        fields: Where the store keeps affect.
        metric: What the store's scores are; None where that is not known.
        near: Finds the stored vectors nearest to one.
        read: Reads what the vectors of some texts hold: one affect a text.
        holds: Whether the vector of a candidate holds what its tag says.
    """

    fields: MetadataFields
    metric: Metric | None
    near: Callable[[FloatArray], Steps[list[Candidate]]]
    read: Callable[[list[str]], Steps[list[Affect]]]
    holds: Callable[[Candidate], bool]

    def steps(self, semantic: Sequence[float], wish: Wish | None, *, ranks: bool) -> Steps[Found]:
        """Yields what `near` and `read` yield and returns what was found.

        Args:
            semantic: (d,) the query's sentence vector.
            wish: What is asked beside meaning; None finds by meaning alone.
            ranks: Whether it is wanted which rank meaning alone gives.
        """
        if wish is None:
            return (yield from self._nearest(semantic))
        query = wish.query(semantic)
        candidates = yield from self.near(query)
        readings: dict[Hashable, Affect] = {}
        yield from self._read(candidates, readings)
        cosine = self._meaning(candidates, query, wish, readings)
        found = Found(candidates, cosine).best_first()
        if ranks or cosine is None or not wish.exact:
            near = yield from self._nearest(semantic)
            alone = cosine is not None and wish.exact
            found = found.ranked_beside(near) if alone else near.joined(found)
            yield from self._read(found.candidates, readings)
        return replace(found, affects=self._affects(found.candidates, readings))

    def _nearest(self, semantic: Sequence[float]) -> Steps[Found]:
        """The nearest by meaning alone."""
        candidates = yield from self.near(fuse_query(semantic))
        return Found(candidates, plain_cosines(self.metric, [one.score for one in candidates]))

    def _meaning(
        self,
        candidates: Sequence[Candidate],
        query: FloatArray,
        wish: Wish,
        readings: Mapping[Hashable, Affect],
    ) -> FloatArray | None:
        """The cosines of sentences that are in fused scores."""
        lengths = (float(np.linalg.norm(query)), LENGTH)
        found = cosines(self.metric, [one.score for one in candidates], lengths)
        if found is None:
            return None
        phi = self._decoded(candidates).phi.copy()
        for row, one in enumerate(candidates):
            if one.key in readings:
                phi[row] = document_phi([readings[one.key]])[0]
        return meaning_of(fused_scores(found, query), wish.match(phi), wish.weight)

    def _read(
        self, candidates: Sequence[Candidate], readings: dict[Hashable, Affect]
    ) -> Steps[None]:
        """Read again what the vectors hold of those whose tags do not say so."""
        unread = {
            one.key: one.text
            for one in candidates
            if one.key not in readings and not self._is_trusted(one)
        }
        if unread:
            affects = yield from self.read(list(unread.values()))
            readings.update(zip(unread, affects, strict=True))

    def _is_trusted(self, candidate: Candidate) -> bool:
        return isinstance(candidate.metadata.get(self.fields.code), str) and self.holds(candidate)

    def _affects(
        self, candidates: Sequence[Candidate], readings: Mapping[Hashable, Affect]
    ) -> AffectArray:
        """What to rank by: tags, else readings, else the mean."""
        affects = self._decoded(candidates)
        label = self.fields.label
        untagged = [
            row
            for row in np.flatnonzero(nothing_known(affects)).tolist()
            if label not in candidates[row].metadata
        ]
        if untagged:
            read = [readings[candidates[row].key] for row in untagged]
            columns = replace(AffectArray.from_affects(read), phi=document_phi(read))
            affects = with_rows(affects, untagged, columns)
        return with_mean(affects, nothing_known(affects))

    def _decoded(self, candidates: Sequence[Candidate]) -> AffectArray:
        return decode_affects([one.metadata for one in candidates], self.fields)
