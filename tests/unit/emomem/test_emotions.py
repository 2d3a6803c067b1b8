import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from emomem import emotions as em


def test_the_canonical_space_has_28_labels_and_neutral_is_one():
    assert len(set(em.GOEMOTIONS)) == 28
    assert em.GOEMOTIONS[em.NEUTRAL] == "neutral"
    assert em.UNKNOWN not in em.GOEMOTIONS


@pytest.mark.parametrize(
    ("label", "valence", "arousal", "dominance"),
    [  # Russell & Mehrabian (1977), arousal from -1..1 to 0..1
        ("joy", 0.76, 0.74, 0.35),
        ("sadness", -0.63, 0.365, -0.33),
        ("anger", -0.51, 0.795, 0.25),
        ("fear", -0.64, 0.80, -0.43),
        ("disgust", -0.60, 0.675, 0.11),
        ("relief", 0.68, 0.27, 0.06),
        ("neutral", 0.0, 0.375, 0.0),
    ],
)
def test_a_label_stands_where_its_source_puts_it(label, valence, arousal, dominance):
    row = em.LABEL_VAD[em.GOEMOTIONS.index(label)]
    assert row == pytest.approx([valence, arousal, dominance])


def test_the_label_table_is_in_range_and_cannot_be_written():
    assert em.LABEL_VAD.shape == (28, 3)
    assert (np.abs(em.LABEL_VAD[:, [0, 2]]) <= 1).all()
    assert ((em.LABEL_VAD[:, 1] >= 0) & (em.LABEL_VAD[:, 1] <= 1)).all()
    with pytest.raises(ValueError, match="read-only"):
        em.LABEL_VAD[0, 0] = 0


@pytest.mark.parametrize(
    ("matrix", "labels"),
    [
        (em.TO_PLUTCHIK, em.PLUTCHIK),
        (em.TO_EKMAN, em.EKMAN),
        (em.TO_DEEP_ENCODING, em.DEEP_ENCODING),
    ],
    ids=["plutchik", "ekman", "deep encoding"],
)
def test_a_projection_out_shares_every_label_and_keeps_the_shared_names(matrix, labels):
    assert matrix.shape == (28, len(labels))
    assert (matrix >= 0).all()
    shares = matrix.sum(axis=1)
    neutral_share = 1.0 if "neutral" in labels else 0.0
    assert shares[em.NEUTRAL] == neutral_share
    assert np.delete(shares, em.NEUTRAL) == pytest.approx(np.ones(27))
    for column, label in enumerate(labels):
        assert matrix[:, column].sum() > 0
        if label in em.GOEMOTIONS:
            assert matrix[em.GOEMOTIONS.index(label), column] == 1


@pytest.mark.parametrize(
    ("label", "ekman"),
    [
        ("annoyance", "anger"),
        ("nervousness", "fear"),
        ("embarrassment", "sadness"),
        ("curiosity", "surprise"),
        ("caring", "joy"),
        ("neutral", "neutral"),
    ],
)
def test_the_ekman_grouping_is_the_one_that_goemotions_publishes(label, ekman):
    row = em.TO_EKMAN[em.GOEMOTIONS.index(label)]
    assert em.EKMAN[int(row.argmax())] == ekman
    assert row.sum() == 1


@pytest.mark.parametrize(
    ("label", "valence"),
    [
        ("joy", 0.9),
        ("love", 0.8),
        ("surprise", 0.1),
        ("anger", -0.8),
        ("sadness", -0.7),
        ("fear", -0.6),
        ("disgust", -0.75),
        (" Joy ", 0.9),
        ("gratitude", 0.0),
        ("no such label", 0.0),
    ],
)
def test_the_published_valence_map(label, valence):
    assert em.published_valence(label) == valence


@pytest.mark.parametrize("labels", [em.GOEMOTIONS, em.PLUTCHIK, em.EKMAN, em.DEEP_ENCODING])
def test_every_label_of_every_set_projects_in_as_a_distribution(labels):
    matrix = em.projection(labels)
    assert matrix.shape == (len(labels), 28)
    assert (matrix >= 0).all()
    assert matrix.sum(axis=1) == pytest.approx(np.ones(len(labels)))


def test_the_canonical_labels_project_onto_themselves():
    assert em.projection(em.GOEMOTIONS).tolist() == np.eye(28).tolist()


@pytest.mark.parametrize("labels", [em.PLUTCHIK, em.EKMAN])
def test_a_label_that_goes_in_comes_out_foremost(labels):
    out = em.TO_PLUTCHIK if labels is em.PLUTCHIK else em.TO_EKMAN
    there_and_back = em.projection(labels) @ out
    assert there_and_back.argmax(axis=1).tolist() == list(range(len(labels)))


def test_case_and_outer_white_space_do_not_matter():
    assert em.is_known_label("  SaDness\n")
    assert em.projection(["  SaDness\n"]).tolist() == em.projection(["sadness"]).tolist()


@pytest.mark.parametrize("label", ["LABEL_0", "", " ", em.UNKNOWN, "s a d", "joy\x00", "悲伤"])
def test_an_unknown_label_is_refused_with_those_that_are_known(label):
    assert not em.is_known_label(label)
    with pytest.raises(ValueError, match="unknown emotion label") as error:
        em.projection([label])
    assert repr(label) in str(error.value)
    assert "sadness" in str(error.value)


def test_a_label_map_explains_an_unknown_label_by_name_or_mixture():
    matrix = em.projection(
        ["LABEL_0", "LABEL_1", "joy"],
        {"LABEL_0": "Sadness", "LABEL_1": {"anger": 3, "fear": 1}},
    )
    assert matrix[0, em.GOEMOTIONS.index("sadness")] == 1
    assert matrix[1, em.GOEMOTIONS.index("anger")] == 0.75
    assert matrix[1, em.GOEMOTIONS.index("fear")] == 0.25
    assert matrix[2, em.GOEMOTIONS.index("joy")] == 1
    assert matrix.sum() == pytest.approx(3)


@pytest.mark.parametrize("weight", [-0.1, math.nan, math.inf])
def test_a_mixture_with_a_weight_that_is_none_is_refused(weight):
    with pytest.raises(ValueError, match="finite and >= 0"):
        em.projection(["X"], {"X": {"joy": weight, "anger": 1.0}})


@pytest.mark.parametrize("mixture", [{}, {"joy": 0.0}])
def test_a_mixture_without_weight_is_refused(mixture):
    with pytest.raises(ValueError, match="no weight"):
        em.projection(["X"], {"X": mixture})


@given(st.lists(st.floats(0, 1), min_size=7, max_size=7).filter(lambda w: sum(w) > 1e-3))
def test_a_distribution_over_a_set_stays_a_distribution(weights):
    scores = np.array(weights) / sum(weights)
    carried = scores @ em.projection(em.EKMAN)
    assert carried.sum() == pytest.approx(1)
    assert (carried >= 0).all()


def test_known_labels_are_sorted_and_hold_every_set():
    labels = em.known_labels()
    assert list(labels) == sorted(labels)
    assert {*em.GOEMOTIONS, *em.PLUTCHIK, *em.EKMAN, *em.DEEP_ENCODING} <= set(labels)


def test_base_rates_are_shares_of_texts_with_neutral_the_commonest_and_grief_the_rarest():
    assert em.BASE_RATES.shape == (28,)
    assert (em.BASE_RATES > 0).all()
    assert 1 < em.BASE_RATES.sum() < 1.25  # a text may carry several
    assert em.BASE_RATES.argmax() == em.NEUTRAL
    assert em.GOEMOTIONS[em.BASE_RATES.argmin()] == "grief"
    assert not em.BASE_RATES.flags.writeable
