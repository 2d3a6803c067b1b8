import hypothesis.extra.numpy as arrays
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from emomem import Affect, AffectArray, fused
from emomem.emotions import GOEMOTIONS
from emomem.fused import (
    BETA,
    EXTRA,
    LENGTH,
    document_phi,
    fuse_documents,
    fuse_query,
    fused_scores,
    looks_fused,
    mean_phi,
    meaning_of,
    nothing_known,
    with_mean,
    with_rows,
)
from emomem.metadata import decode_emotions, encode_emotions
from emomem.signals import affinity, cosines

finite = st.floats(-10, 10, allow_nan=False)
vectors = arrays.arrays(float, 6, elements=finite).filter(lambda row: np.linalg.norm(row) > 0.1)
shares = arrays.arrays(float, 28, elements=st.floats(0, 1)).filter(lambda row: row.sum() > 0.1)
weights = st.floats(0, 1)


def roots(row):
    return np.sqrt(row / row.sum())


@given(st.lists(st.tuples(vectors, shares), min_size=1, max_size=5), vectors, shares, weights)
def test_the_product_is_the_weighted_sum_of_cosine_and_match(documents, asked, wanted, weight):
    semantic = np.stack([row for row, _ in documents])
    phi = np.stack([roots(row) for _, row in documents])

    fused = fuse_documents(semantic, phi)
    query = fuse_query(asked, roots(wanted), weight)

    expected = (1 - weight) * cosines(asked, semantic) + weight * (phi @ roots(wanted))
    assert fused.shape == (len(documents), 6 + EXTRA)
    assert fused @ query == pytest.approx(expected, abs=1e-5)
    assert np.linalg.norm(fused, axis=1) == pytest.approx(LENGTH, abs=1e-6)
    assert fused_scores(cosines(query, fused), query) == pytest.approx(expected, abs=1e-5)
    assert all(looks_fused(row) for row in fused)


@given(st.lists(st.tuples(vectors, shares), min_size=1, max_size=5), vectors, shares)
def test_the_meaning_is_found_again_in_the_score(documents, asked, wanted):
    semantic = np.stack([row for row, _ in documents])
    phi = np.stack([roots(row) for _, row in documents])
    for weight in (0.0, 0.3, 0.99):
        query = fuse_query(asked, roots(wanted), weight)
        scores = fuse_documents(semantic, phi) @ query

        found = meaning_of(scores, phi @ roots(wanted), weight)

        assert found == pytest.approx(cosines(asked, semantic), abs=2e-4)


@given(st.lists(st.tuples(vectors, shares), min_size=1, max_size=5), vectors)
def test_without_a_wish_the_order_is_that_of_meaning(documents, asked):
    semantic = np.stack([row for row, _ in documents])
    fused = fuse_documents(semantic, np.stack([roots(row) for _, row in documents]))

    query = fuse_query(asked)

    assert np.linalg.norm(query) == pytest.approx(1)
    assert fused @ query == pytest.approx(cosines(asked, semantic), abs=1e-6)


def test_an_unknown_affect_is_the_mean_and_slack_fills_the_length():
    [phi] = document_phi([Affect.unknown()])
    [vector] = fuse_documents([[3.0, 4.0]], [phi])

    assert phi.tolist() == mean_phi().tolist()
    assert 0.3 < np.linalg.norm(mean_phi()) < 1
    assert mean_phi().shape == (len(GOEMOTIONS),)
    assert not mean_phi().flags.writeable
    assert vector[:2] == pytest.approx([0.6, 0.8])
    assert np.linalg.norm(vector) == pytest.approx(LENGTH)
    assert vector[-1] == pytest.approx(BETA * np.sqrt(1 - np.square(mean_phi()).sum()), abs=1e-4)


def test_phi_is_exactly_what_the_tag_keeps():
    affect = Affect.from_emotions(np.arange(1, 29))
    only_valence = Affect(valence=0.5)

    phi = document_phi([affect, only_valence])

    assert phi[0].tolist() == decode_emotions(encode_emotions(affect.emotions)).tolist()
    assert phi[1].tolist() == mean_phi().tolist()
    assert document_phi([]).shape == (0, 28)


@pytest.mark.parametrize(
    ("vector", "fused"),
    [
        (np.ones(EXTRA), False),
        (np.ones(20), False),
        (np.eye(60)[0], False),
        (np.full(60, 60**-0.5), False),
        (-fuse_documents(np.eye(31)[:1], np.eye(28)[:1])[0], False),
        (2 * fuse_documents(np.eye(31)[:1], np.eye(28)[:1])[0], False),
        (fuse_documents(np.eye(31)[:1], np.eye(28)[:1])[0], True),
        (fuse_documents(np.eye(31)[:1], np.zeros((1, 28)))[0], True),
    ],
)
def test_a_fused_vector_is_known_by_its_form(vector, fused):
    assert looks_fused(vector) == fused


def test_wrong_shapes_and_weights_raise():
    with pytest.raises(ValueError, match=r"phi must have shape \(2, 28\), got \(1, 28\)"):
        fuse_documents(np.eye(2), np.zeros((1, 28)))
    with pytest.raises(ValueError, match=r"length of at most 1, got 2\.000"):
        fuse_documents(np.eye(2)[:1], 2 * np.eye(28)[:1])
    for weight in (-0.1, 1.1, float("nan")):
        with pytest.raises(ValueError, match=r"weight must lie in 0\.\.1"):
            fuse_query(np.eye(2)[0], np.eye(28)[0], weight)
    with pytest.raises(ValueError, match="needs a wanted distribution"):
        fuse_query(np.eye(2)[0], None, 0.1)
    with pytest.raises(ValueError, match="below 1, got 1"):
        meaning_of([0.5], [0.5], 1.0)


def test_a_text_without_a_vector_keeps_the_length():
    [vector] = fuse_documents([[0.0, 0.0]], np.eye(28)[:1])
    assert np.linalg.norm(vector) == pytest.approx(LENGTH)
    assert not fuse_query([0.0, 0.0]).any()


def test_what_is_not_known_can_be_filled():
    affects = AffectArray.from_affects(
        [Affect.unknown(), Affect(valence=0.3), Affect.from_label("joy"), Affect(conflict=0.5)]
    )
    assert nothing_known(affects).tolist() == [True, False, False, True]

    read = with_rows(affects, [0], AffectArray.from_affects([Affect.from_label("anger")]))
    filled = with_mean(read, nothing_known(read))

    assert affinity(filled, Affect.from_label("anger"))[0] == pytest.approx(1)
    assert filled.valence[1] == 0.3
    assert filled.phi[2].tolist() == affects.phi[2].tolist()
    assert filled.phi[3].tolist() == mean_phi().tolist()
    assert filled.conflict[3] == 0.5
    assert not affects.phi[0].any()
    assert with_mean(affects, np.zeros(4, dtype=bool)) is affects


def test_a_vector_of_zeros_makes_a_fused_vector_that_is_known_as_one():
    [vector] = fuse_documents([[0.0] * 8], [mean_phi()])
    assert looks_fused(vector)
    assert not looks_fused(np.zeros(8 + EXTRA))


@pytest.mark.parametrize("value", [float("nan"), float("inf"), None])
def test_a_sentence_vector_is_finite(value):
    for fuse in (lambda row: fuse_documents([row], [mean_phi()]), fuse_query):
        with pytest.raises(ValueError, match="a sentence vector must hold finite numbers"):
            fuse([value, 1.0])


def test_an_appraiser_without_distributions_is_named_once(caplog):
    fused._warn_no_distribution.cache_clear()
    document_phi([Affect.unknown(), Affect.from_label("joy"), Affect(valence=0.5)])
    assert not caplog.records
    for _ in range(2):
        document_phi([Affect(valence=0.5), Affect.unknown()])
    assert len(caplog.records) == 1
    assert "no distribution over emotions" in caplog.text
