import math
from importlib.util import find_spec

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emomem.evaluation import metrics
from emomem.evaluation.metrics import measure

RANKINGS = [[7, 1, 2, 9, 4], [5, 6], [3]]
RELEVANT = [{1, 4, 8}, {6}, {8}]
BY_HAND = {
    "nDCG@1": [0, 0, 0],
    "nDCG@5": [
        (1 / math.log2(3) + 1 / math.log2(6)) / (1 + 1 / math.log2(3) + 1 / 2),
        1 / math.log2(3),
        0,
    ],
    "R@1": [0, 0, 0],
    "R@5": [2 / 3, 1, 0],
    "RR@1": [0, 0, 0],
    "RR@5": [1 / 2, 1 / 2, 0],
    "P@5": [2 / 5, 1 / 5, 0],
    "AP": [(1 / 2 + 2 / 5) / 3, 1 / 2, 0],
}


@pytest.mark.parametrize("name", BY_HAND)
def test_measures_are_what_a_hand_computes(name):
    assert measure(name, RANKINGS, RELEVANT).tolist() == pytest.approx(BY_HAND[name])


def test_the_ideal_is_over_all_that_is_relevant_and_not_what_came_back():
    [one_of_five] = measure("nDCG@5", [[1]], [{1, 2, 3, 4, 5}])
    assert one_of_five == pytest.approx(1 / sum(1 / math.log2(rank + 2) for rank in range(5)))


@given(st.permutations(range(6)), st.sets(st.integers(0, 5), min_size=1))
def test_everything_comes_back_in_the_end_and_a_cut_off_hides_the_rest(ranking, relevant):
    assert measure("R@6", [ranking], [relevant]).tolist() == [1.0]
    for name in ("nDCG@3", "R@3", "RR@3", "P@3"):
        assert measure(name, [ranking], [relevant]) == measure(name, [ranking[:3]], [relevant])


@pytest.mark.parametrize(
    ("rankings", "relevant", "says"),
    [
        ([[1]], [{1}, {2}], "1 rankings need as many"),
        ([[1]], [set()], "none empty"),
        ([[1, 1]], [{1}], "names a memory twice"),
    ],
)
def test_what_cannot_be_measured_is_refused(rankings, relevant, says):
    with pytest.raises(ValueError, match=says):
        measure("P@5", rankings, relevant)


@pytest.mark.parametrize("package", ["ir_measures", "bm25s", "matplotlib"])
def test_a_missing_package_names_the_extra(package, monkeypatch):
    monkeypatch.setattr(
        metrics, "find_spec", lambda name: None if name == package else find_spec(name)
    )
    with pytest.raises(ImportError, match=rf"{package}.*emomem\[eval\]"):
        measure("P@5", [[1]], [{1}])
