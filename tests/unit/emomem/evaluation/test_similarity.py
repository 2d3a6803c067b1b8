import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from emomem.evaluation.similarity import token_f1, token_similarity

pytest.importorskip("torch")

NUMBERS = st.floats(-1, 1, allow_nan=False).map(lambda x: round(x, 3))


def unit_rows(rows):
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


tokens = (
    st.integers(1, 5)
    .flatmap(lambda n: arrays(float, (n, 3), elements=NUMBERS))
    .filter(lambda rows: (np.linalg.norm(rows, axis=1) > 0.1).all())
    .map(unit_rows)
)


@given(tokens, tokens)
def test_it_is_a_share_and_does_not_mind_which_is_the_reference(left, right):
    found = token_f1(left, right)
    assert 0 <= found <= 1
    assert found == pytest.approx(token_f1(right, left))


@given(tokens)
def test_what_is_equal_is_one_whatever_the_order(rows):
    assert token_f1(rows, rows[::-1]) == pytest.approx(1)


def test_it_is_the_harmonic_mean_of_the_best_matches():
    axes = np.eye(3)
    # Every token of the first is in the second, and half of the second in the first.
    assert token_f1(axes[:1], axes[:2]) == pytest.approx(2 * 1 * 0.5 / 1.5)
    assert token_f1(axes[:1], axes[1:2]) == 0
    assert token_f1(axes[:0], axes) == 0


def test_what_means_the_same_is_more_alike(encoder):
    said = ["I know that nobody came, and I am sorry.", "The moon is made of rock.", ""]
    same, other, nothing = token_similarity(encoder, said, ["I am sorry that no one came."] * 3)
    assert same > 0.6 > other > nothing == 0


@pytest.fixture(scope="module")
def encoder():
    from emomem import LocalEncoder

    return LocalEncoder()
