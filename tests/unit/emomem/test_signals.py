import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from emomem import Affect, AffectArray
from emomem.emotions import GOEMOTIONS, LABEL_VAD
from emomem.signals import (
    SALIENCE_WEIGHTS,
    affinity,
    mean_imputed,
    min_max,
    row_products,
    salience,
)


def expected_vad(affect: Affect) -> list[float | None]:
    """Valence, arousal, dominance; by expectation where emotions are known and it is not."""
    numbers = [affect.valence, affect.arousal, affect.dominance]
    if affect.emotions is None:
        return numbers
    return [
        sum(p * LABEL_VAD[row, axis] for row, p in enumerate(affect.emotions))
        if number is None
        else number
        for axis, number in enumerate(numbers)
    ]


def slow_affinity(memory: Affect, wanted: Affect) -> float | None:
    """The documented formula, one memory at a time, without numpy."""
    if memory.emotions is not None and wanted.emotions is not None:
        return sum(math.sqrt(p * q) for p, q in zip(memory.emotions, wanted.emotions, strict=True))
    pairs = list(zip(expected_vad(memory), expected_vad(wanted), (0.3, 0.15, 0.3), strict=True))
    shared = [((m - w) / spread) ** 2 for m, w, spread in pairs if None not in (m, w)]
    if not shared:
        return None
    wished = sum(w is not None for _, w, _ in pairs)
    return math.exp(-sum(shared) / 8 * wished / len(shared))


def match_of(memory: Affect, wanted: Affect) -> float:
    return float(affinity(AffectArray.from_affects([memory]), wanted)[0])


@given(data=st.data())
def test_affinity_is_the_documented_formula(data, affects):
    memories = data.draw(st.lists(affects, max_size=8))
    wanted = data.draw(affects)
    expected = [slow_affinity(memory, wanted) for memory in memories]
    np.testing.assert_allclose(
        affinity(AffectArray.from_affects(memories), wanted),
        np.array(expected, dtype=float),
        rtol=1e-4,
        atol=1e-6,
    )


@given(data=st.data())
def test_affinity_is_0_to_1_and_nothing_matches_better_than_itself(data, affects):
    memory, wanted = data.draw(affects), data.draw(affects)
    match = match_of(memory, wanted)
    assert math.isnan(match) or 0 <= match <= 1
    if not math.isnan(itself := match_of(wanted, wanted)):
        assert itself == pytest.approx(1)


def test_equal_memories_match_equally_wherever_they_stand():
    rng = np.random.default_rng(3)
    for n in range(1, 70):
        memory = Affect(emotions=tuple(rng.dirichlet(np.full(28, 0.3)).tolist()), arousal=0.5)
        columns = AffectArray.from_affects([memory] * n)
        for wanted in (Affect.from_emotions(rng.dirichlet(np.ones(28))), Affect(valence=0.3)):
            assert len(set(affinity(columns, wanted).tolist())) == 1


def test_affinity_of_two_mixtures_by_hand():
    half = [0.0] * 28
    half[GOEMOTIONS.index("joy")] = half[GOEMOTIONS.index("love")] = 0.5
    assert match_of(Affect.from_label("joy"), Affect(emotions=half)) == pytest.approx(0.5**0.5)
    assert match_of(Affect.from_label("anger"), Affect(emotions=half)) == 0


def test_affinity_of_two_points_by_hand():
    match = match_of(Affect(valence=0.1, arousal=0.5), Affect(valence=-0.5, arousal=0.5))
    assert match == pytest.approx(math.exp(-0.5))  # two spreads apart: exp(-4 / 8)


def test_a_missing_number_is_no_advantage():
    wanted = Affect(valence=-0.5, arousal=0.5, dominance=0.0)
    complete = match_of(Affect(valence=0.1, arousal=0.8, dominance=0.6), wanted)
    partial = match_of(Affect(valence=0.1), wanted)
    assert partial == pytest.approx(complete)


def test_wanted_emotions_meet_memories_that_have_numbers_alone():
    emotions = [0.0] * 28
    emotions[GOEMOTIONS.index("sadness")] = 1.0
    wanted = Affect(emotions=emotions)
    assert wanted.valence is None
    assert match_of(Affect(valence=-0.63), wanted) == pytest.approx(1)
    assert match_of(Affect(valence=0.9), wanted) < 0.1


@pytest.mark.parametrize(
    ("memory", "wanted"),
    [
        (Affect.unknown(), Affect.from_label("joy")),
        (Affect.from_label("joy"), Affect.unknown()),
        (Affect(arousal=0.5), Affect(valence=0.5)),
        (Affect(conflict=0.9), Affect(conflict=0.9)),
    ],
)
def test_where_nothing_is_shared_the_match_is_not_known(memory, wanted):
    assert math.isnan(match_of(memory, wanted))


@pytest.mark.parametrize(
    ("valence", "arousal", "conflict", "expected"),
    [
        (-1.0, 1.0, 1.0, 1.0),
        (-0.5, 0.6, 0.2, 0.25 * 0.6 + 0.15 * 0.5 + 0.6 * 0.2),
        (0.9, 0.6, 0.0, 0.15),  # pleasantness adds nothing
        (-0.5, 0.6, None, (0.5 * 0.6 + 0.3 * 0.5) / 0.8),
        (None, 0.6, 0.2, (0.25 * 0.6 + 0.6 * 0.2) / 0.85),
        (-0.5, None, 0.2, (0.15 * 0.5 + 0.6 * 0.2) / 0.75),
        (-0.5, None, None, 0.5),
        (None, 0.6, None, 0.6),
        (None, None, 0.2, 0.2),
        (0.0, 0.0, 0.0, 0.0),
        (None, None, None, math.nan),
    ],
)
def test_salience_is_the_documented_formula_over_the_known_terms(
    valence, arousal, conflict, expected
):
    columns = [np.array([x], dtype=float) for x in (valence, arousal, conflict)]
    assert salience(*columns)[0] == pytest.approx(expected, nan_ok=True)


@given(data=st.data())
def test_salience_is_0_to_1_wherever_anything_is_known(data, affects):
    columns = AffectArray.from_affects(data.draw(st.lists(affects, max_size=5)))
    result = salience(columns.valence, columns.arousal, columns.conflict)
    none_known = np.isnan(columns.valence) & np.isnan(columns.arousal) & np.isnan(columns.conflict)
    assert np.isnan(result).tolist() == none_known.tolist()
    assert ((result[~none_known] >= 0) & (result[~none_known] <= 1)).all()


def test_what_is_missing_gets_the_mean_of_the_known():
    values = np.array([0.2, np.nan, 0.6])
    assert mean_imputed(values) == pytest.approx([0.2, 0.4, 0.6])
    assert np.isnan(values[1])
    assert mean_imputed(np.array([np.nan, np.nan])).tolist() == [0, 0]
    assert mean_imputed(np.empty(0)).tolist() == []


def test_min_max_stretches_to_0_and_1_and_keeps_equals_equal():
    assert min_max(np.array([-27.0, 3.0, -12.0])).tolist() == [0, 1, 0.5]
    assert min_max(np.array([5.0, 5.0])).tolist() == [0, 0]
    assert min_max(np.empty(0)).tolist() == []


def test_row_products_are_matrix_products():
    rng = np.random.default_rng(0)
    rows, matrix = rng.random((9, 28)), rng.random((28, 8))
    np.testing.assert_allclose(row_products(rows, matrix), rows @ matrix)
    np.testing.assert_allclose(row_products(rows, matrix[:, 0]), rows @ matrix[:, 0])


def test_the_guide_tells_the_weights_of_salience():
    guide = (Path(__file__).parents[3] / "docs" / "concepts.md").read_text(encoding="utf-8")
    weights = SALIENCE_WEIGHTS
    told = (
        f"{weights['arousal']:g}·arousal + {weights['negativity']:g}·max(0, \N{MINUS SIGN}valence)"
        f" + {weights['conflict']:g}·conflict"
    )
    assert told in guide
