"""The candidates of one recall as arrays, best first by meaning."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from emomem.affect import AffectArray, FloatArray
from emomem.metadata import DEFAULT_FIELDS, MetadataFields, decode_affects

_COSINE_TOLERANCE = 1e-3


@dataclass(frozen=True, eq=False)
class CandidatePool:
    """Candidates for one query, in the order that meaning gives them.

    Attributes:
        affects: Affect columns of the n candidates.
        cosine: (n,) cosine similarity to the query, -1..1; None where the store does not say.
        salience: (n,) 0..1, NaN where not known; None where it is that of `affects`.
        timestamps: (n,) epoch seconds, or None.
        ids: The n store ids, or None.
        plutchik: (n, 8) Plutchik's emotions on 1..10 as a prompt scored them, NaN rows where not
            known; None where they are those of `affects`. For strategies with `scale="paper"`.

    Raises:
        ValueError: Columns differ in length, or a cosine is outside -1..1 or not finite.
    """

    affects: AffectArray
    cosine: FloatArray | None = None
    salience: FloatArray | None = None
    timestamps: FloatArray | None = None
    ids: Sequence[str | None] | None = None
    plutchik: FloatArray | None = None

    def __post_init__(self) -> None:
        """Check the columns."""
        n = len(self.affects)
        for name in ("cosine", "salience", "timestamps", "ids", "plutchik"):
            column = getattr(self, name)
            if column is not None and len(column) != n:
                msg = f"{name} has {len(column)} values for {n} candidates"
                raise ValueError(msg)
        if self.cosine is not None and n:
            largest = float(np.abs(self.cosine).max())
            if not largest <= 1 + _COSINE_TOLERANCE:
                msg = f"a cosine must lie in -1..1, got magnitude {largest}"
                raise ValueError(msg)
            if largest > 1:
                object.__setattr__(self, "cosine", np.clip(self.cosine, -1.0, 1.0))

    @classmethod
    def from_metadata(
        cls,
        metadatas: Sequence[Mapping[str, Any]],
        *,
        cosine: FloatArray | None = None,
        ids: Sequence[str | None] | None = None,
        fields: MetadataFields = DEFAULT_FIELDS,
    ) -> Self:
        """Candidates from what a store returned, best first."""
        return cls(affects=decode_affects(metadatas, fields), cosine=cosine, ids=ids)

    def __len__(self) -> int:
        """How many candidates there are."""
        return len(self.affects)

    @cached_property
    def semantic(self) -> FloatArray:
        """(n,) the cosine, or where none is known a score by rank from 1 down towards 0."""
        return self.by_rank if self.cosine is None else self.cosine

    @cached_property
    def by_rank(self) -> FloatArray:
        """(n,) a score by rank, from 1 down towards 0."""
        return 1.0 - np.arange(len(self)) / max(len(self), 1)
