"""Looking among the nearest of all before a filter is asked, where a filter takes long.

An engine that looks up all that pass a filter before it searches, or measures the distance of all
of them, takes longer the more units a user has. So its index on vectors is asked for some more of
the nearest units of all than are wanted, and those are held against the filter; only where fewer
pass than are wanted, the slow way is taken, so that nothing of a user with few units is missed.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from emomem.memory.engine import Steps
from emomem.memory.store import Search

REACH: Final = 8
"""How many times k of the nearest of all are looked at."""

_ASKED_EVERY: Final = 50
_LEAST_EF, _MOST_EF = 100, 1000  # pgvector takes no more

HNSW_INDEXES: Final = """
    SELECT 1 FROM pg_indexes
    WHERE tablename = :name AND indexdef LIKE :like AND indexdef NOT LIKE '% WHERE %'
"""
"""Finds an index of pgvector over the whole of a table; `hnsw_like` is what it is like."""


def hnsw_like(operators: str) -> str:
    """What the definition of an HNSW index is like whose vectors are compared by `operators`."""
    return f"%USING hnsw (embedding {operators})%"


def hnsw_reach(k: int) -> str:
    """The statement by which an HNSW index finds enough, in one transaction only."""
    return f"SET LOCAL hnsw.ef_search = {min(max(REACH * k, _LEAST_EF), _MOST_EF)}"


def is_broad(request: Search) -> bool:
    """Whether a search is for what each interaction writes, so that half of a user's units pass."""
    return request.where in ({"kind": "fact"}, {"kind": "affective"})


@dataclass
class Worthwhile:
    """Whether to look among the nearest of all; while it is not, that is asked again at times.

    Attributes:
        is_so: Whether it was so when it was last asked.
        searches: How many searches there were.
    """

    is_so: bool = False
    searches: int = 0

    def steps(self, call: object, found: Callable[[Any], bool] = bool) -> Steps:
        """Steps that yield a call of an engine where it is to be asked; what they tell."""
        if not self.is_so and self.searches % _ASKED_EVERY == 0:
            self.is_so = found((yield call))
        self.searches += 1
        return self.is_so
