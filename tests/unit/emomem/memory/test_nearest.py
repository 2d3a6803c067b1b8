"""When the nearest of all are looked at before a filter is asked."""

import pytest

from emomem.memory.nearest import REACH, Worthwhile, hnsw_like, hnsw_reach, is_broad
from emomem.memory.store import Search
from emomem.steps import drive


@pytest.mark.parametrize(
    ("where", "broad"),
    [
        ({"kind": "fact"}, True),
        ({"kind": "affective"}, True),
        ({"kind": "goal"}, False),
        ({"kind": "fact", "session_id": "s"}, False),
        (None, False),
    ],
)
def test_only_what_each_interaction_writes_is_broad(where, broad):
    assert is_broad(Search("ann", where, "x")) == broad


def test_it_is_asked_at_times_until_it_is_so():
    asked, worthwhile = [], Worthwhile()

    def answer(call):
        asked.append(call)
        return len(asked) - 1

    told = [drive(worthwhile.steps("count", lambda count: count > 1), answer) for _ in range(120)]
    assert asked == ["count"] * 3
    assert told == [False] * 100 + [True] * 20


def test_an_index_finds_as_many_as_are_looked_at():
    assert hnsw_reach(30) == f"SET LOCAL hnsw.ef_search = {REACH * 30}"
    assert hnsw_reach(1) == "SET LOCAL hnsw.ef_search = 100"
    assert hnsw_reach(10**6) == "SET LOCAL hnsw.ef_search = 1000"
    assert hnsw_like("vector_ip_ops") == "%USING hnsw (embedding vector_ip_ops)%"
