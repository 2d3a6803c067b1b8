import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from emomem.scores import Metric, cosines, is_unit, needs_unit_vectors
from emomem.signals import cosines as true_cosines

SCORES = {
    "cosine_similarity": true_cosines,
    "cosine_distance": lambda q, d: 1 - true_cosines(q, d),
    "squared_l2_distance": lambda q, d: np.square(d - q).sum(1),
    "l2_distance": lambda q, d: np.linalg.norm(d - q, axis=1),
    "inner_product": lambda q, d: d @ q,
    "inner_product_distance": lambda q, d: 1 - d @ q,
    "negative_inner_product": lambda q, d: -(d @ q),
}
ALL = {
    **SCORES,
    **{
        f"exp_{name}": lambda q, d, distance=SCORES[name]: np.exp(-distance(q, d))
        for name in ("cosine_distance", "squared_l2_distance", "inner_product_distance")
    },
}


def test_every_metric_is_tried():
    assert set(ALL) == set(Metric.__args__)


@pytest.mark.parametrize("metric", ALL)
@given(seed=st.integers(0, 1000), lengths=st.tuples(st.floats(0.5, 2), st.floats(0.5, 2)))
def test_scores_tell_the_cosines(metric, seed, lengths):
    rows = np.random.default_rng(seed).normal(size=(6, 5))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    query, documents = rows[0] * lengths[0], rows[1:] * lengths[1]

    found = cosines(metric, ALL[metric](query, documents).tolist(), lengths)

    assert found == pytest.approx(true_cosines(query, documents), abs=1e-6)


@pytest.mark.parametrize(
    ("metric", "scores"),
    [
        (None, [0.5]),
        ("cosine_similarity", [0.5, None]),
        ("cosine_similarity", [0.5, float("nan")]),
        ("cosine_similarity", [1.2]),
        ("cosine_distance", [-0.5]),
        ("exp_cosine_distance", [0.0, 0.9]),
        ("exp_cosine_distance", [-0.1]),
    ],
)
def test_scores_that_do_not_tell_give_none(metric, scores):
    assert cosines(metric, scores) is None


def test_no_scores_give_none_and_rounding_is_cut():
    assert cosines("cosine_similarity", []).tolist() == []
    assert cosines("cosine_similarity", [1.0005, 0.0, -0.5]).tolist() == [1.0, 0.0, -0.5]


@pytest.mark.parametrize("metric", [*ALL, None])
def test_only_a_cosine_tells_of_vectors_of_any_length(metric):
    assert needs_unit_vectors(metric) == (metric is not None and "cosine" not in metric)


def test_length_one():
    assert is_unit([0.6, 0.8])
    assert not is_unit([0.6, 0.9])
