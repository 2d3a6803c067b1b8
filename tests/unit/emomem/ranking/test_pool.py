import numpy as np
import pytest

from emomem import Affect, AffectArray, CandidatePool, RankQuery, Salience
from emomem.metadata import MetadataFields, encode

KNOWN = [Affect(valence=-0.5, arousal=0.6), Affect.unknown(), Affect(arousal=0.0)]


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -27.0, 1.01, -1.01])
def test_what_is_not_a_cosine_is_refused(make_pool, bad):
    with pytest.raises(ValueError, match=r"cosine must lie in -1\.\.1"):
        make_pool(KNOWN, [0.5, bad, 0.1])


def test_a_cosine_that_rounding_put_beyond_1_is_brought_back(make_pool):
    given = np.array([1.0000001, 0.2, -1.0000001])
    pool = CandidatePool(affects=AffectArray.from_affects(KNOWN), cosine=given)
    assert pool.semantic.tolist() == [1.0, 0.2, -1.0]
    assert given[0] > 1


@pytest.mark.parametrize("name", ["cosine", "salience", "timestamps", "ids"])
def test_a_column_of_another_length_is_refused_by_name(name):
    with pytest.raises(ValueError, match=f"{name} has 2 values for 3 candidates"):
        CandidatePool(affects=AffectArray.from_affects(KNOWN), **{name: np.array([0.5, 0.5])})


def test_without_cosines_the_order_is_the_score(make_pool):
    assert make_pool(KNOWN).semantic == pytest.approx([1, 2 / 3, 1 / 3])


def test_an_empty_pool_has_no_scores(make_pool):
    for pool in (make_pool([]), make_pool([], [])):
        assert len(pool) == 0
        assert pool.semantic.tolist() == []
        assert pool.affects.salience.tolist() == []


def test_salience_is_that_of_the_affects_unless_it_is_given():
    columns = AffectArray.from_affects(KNOWN)
    assert columns.salience == pytest.approx([0.45 / 0.8, np.nan, 0], nan_ok=True)
    given = CandidatePool(affects=columns, salience=np.array([0.1, 0.2, 0.3]))
    for pool, best in ((CandidatePool(affects=columns), 0), (given, 2)):
        assert Salience().rank(pool, RankQuery(k=1)).order.tolist() == [best]


def test_a_pool_is_read_from_what_a_store_returns():
    rows = [
        {**encode(affect), "mine": weight}
        for affect, weight in zip(KNOWN, (0.9, 0.8, None), strict=True)
    ]
    pool = CandidatePool.from_metadata(
        rows,
        cosine=np.array([0.9, 0.5, 0.1]),
        ids=["a", None, "c"],
        fields=MetadataFields(importance="mine"),
    )
    np.testing.assert_array_equal(pool.affects.valence, [-0.5, np.nan, np.nan])
    assert pool.affects.salience.tolist() == [0.9, 0.8, 0]
    assert pool.ids == ["a", None, "c"]
