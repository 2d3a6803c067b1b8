import hypothesis.extra.numpy as arrays
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from emomem.mixing import CONTEXT, mixed, query_parts

vectors = arrays.arrays(float, 4, elements=st.floats(-5, 5)).filter(
    lambda row: np.linalg.norm(row) > 0.1
)


@pytest.mark.parametrize(
    ("turns", "parts"),
    [
        ([], ["now"]),
        (["now"], ["now"]),
        (["before"], ["before\nnow", "now"]),
        (["a", "b", "now"], ["a\nb\nnow", "now"]),
        (["now", "b"], ["now\nb\nnow", "now"]),
    ],
)
def test_the_whole_context_and_the_last_turn_make_the_query(turns, parts):
    assert query_parts("now", turns) == parts


def test_of_a_long_context_the_latest_turns_are_taken():
    turns = ["a" * 600, "b" * 500, "c" * 498]
    assert query_parts("c" * 498, turns) == ["b" * 500 + "\n" + "c" * 498, "c" * 498]
    assert len(query_parts("c" * 499, turns[:2])[0]) == CONTEXT
    assert query_parts("c" * 500, [*turns[:2], "c" * 500]) == ["c" * 500]
    assert query_parts("d" * 2000, turns) == ["d" * 2000]


@given(vectors, vectors)
def test_a_mixture_is_as_near_to_one_as_to_the_other_whatever_their_lengths(one, other):
    found = mixed([one, 3 * other])

    if np.linalg.norm(one / np.linalg.norm(one) + other / np.linalg.norm(other)) < 0.1:
        return  # they stand against each other
    near = [found @ row / np.linalg.norm(row) for row in (one, other)]
    assert near[0] == pytest.approx(near[1], abs=1e-6)
    assert np.linalg.norm(found) == pytest.approx(
        (np.linalg.norm(one) + 3 * np.linalg.norm(other)) / 2
    )


@given(vectors)
def test_one_vector_stays_itself(vector):
    assert mixed([vector]).tolist() == vector.tolist()


def test_nothing_comes_of_nothing():
    assert mixed([[0.0, 0.0], [0.0, 0.0]]).tolist() == [0.0, 0.0]
    assert mixed([[0.0, 0.0], [2.0, 0.0]]).tolist() == [1.0, 0.0]
