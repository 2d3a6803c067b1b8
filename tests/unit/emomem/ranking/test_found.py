import numpy as np
import pytest

from emomem.metadata import DEFAULT_FIELDS
from emomem.ranking.found import Candidate, Found


def found(cosines=None, keys="abc"):
    candidates = [
        Candidate(key.upper(), key, f"text {key}", {"affect_label": "joy"}) for key in keys
    ]
    return Found(candidates, None if cosines is None else np.array(cosines))


def keys(one):
    return "".join(candidate.key for candidate in one.candidates)


def test_best_first_is_by_cosine_where_it_is_known():
    best = found([0.1, 0.9, 0.1]).best_first()

    assert keys(best) == "bac"
    assert best.cosine.tolist() == [0.9, 0.1, 0.1]
    assert keys(found().best_first()) == "abc"


def test_two_searches_become_one_pool_with_the_ranks_of_the_first():
    joined = found([0.9, 0.5, 0.4]).joined(found([0.6, 0.5], "xb"))

    assert keys(joined) == "axbc"
    assert joined.cosine.tolist() == [0.9, 0.6, 0.5, 0.4]
    assert joined.ranks == [1, None, 2, 3]
    assert joined.documents == ["A", "X", "B", "C"]


def test_without_cosines_what_else_was_found_stands_behind():
    joined = found().joined(found(keys="xb"))

    assert keys(joined) == "abcx"
    assert joined.ranks == [1, 2, 3, None]
    assert joined.cosine is None


def test_the_pool_reads_the_metadata_and_no_text_is_shown():
    pool = found([0.3, 0.2, 0.1]).pool(DEFAULT_FIELDS)

    assert len(pool) == 3
    assert pool.affects.has_emotions.all()
    assert pool.cosine == pytest.approx([0.3, 0.2, 0.1])
    assert "text" not in repr(found())
