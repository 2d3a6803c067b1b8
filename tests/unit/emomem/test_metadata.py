import logging
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from emomem import Affect, AffectArray, MetadataFields
from emomem.emotions import GOEMOTIONS, PLUTCHIK
from emomem.metadata import (
    _warn_once,
    decode,
    decode_affects,
    decode_emotions,
    encode,
    encode_emotions,
    strip,
)
from emomem.scales import AROUSAL_1_3, VALENCE_2

NUMBERS = ("valence", "arousal", "dominance", "conflict", "confidence")
COLUMNS = ("valence", "arousal", "dominance", "conflict", "phi", "salience")
FOREIGN = MetadataFields(
    valence="sentiment_valence",
    arousal="intensity",
    label="primary_emotion",
    importance="weight",
    scales={"valence": VALENCE_2, "arousal": AROUSAL_1_3},
)
GARBAGE = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.just(10**400),
    st.floats(),
    st.text(max_size=5),
    st.binary(max_size=5),
    st.complex_numbers(),
    st.just(Fraction(1, 3)),
    st.lists(st.floats(), max_size=2),
    st.dictionaries(st.text(max_size=1), st.integers(), max_size=1),
    st.sampled_from([np.float32(0.5), np.float64("nan"), np.True_, np.array([0.1, 0.2])]),
    st.sampled_from(["g28v1:", "g28v1:!!", "g28v1:AAAA", "g28v1:é", "g28v2:AAAA", "nan", "1e999"]),
)


@given(data=st.data())
def test_only_native_text_and_finite_floats_are_written(data, affects):
    metadata = encode(data.draw(affects))
    assert metadata
    for key, value in metadata.items():
        assert key.startswith("affect_")
        assert type(value) is str or (type(value) is float and math.isfinite(value)), key


@given(data=st.data())
def test_what_is_written_reads_back_the_same(data, affects):
    affect = data.draw(affects)
    back = decode(encode(affect))
    for name in NUMBERS:
        assert getattr(back, name) == pytest.approx(getattr(affect, name), abs=5.1e-5)
    assert back.is_unknown == affect.is_unknown
    assert back.label == ("unknown" if affect.is_unknown else affect.label)
    if affect.emotions is not None:
        roots = np.sqrt([affect.emotions, back.emotions])
        assert np.abs(roots[0] - roots[1]).max() < 0.01


def test_what_another_batch_adds_up_otherwise_is_written_alike():
    one, other = (Affect(valence=value) for value in (-0.236931894663, -0.236931678132))
    assert encode(one) == encode(other)


@given(data=st.data())
def test_no_number_has_more_digits_than_every_store_keeps(data, affects):
    # Chroma keeps 15 significant digits.
    for value in encode(data.draw(affects)).values():
        assert isinstance(value, str) or float(f"{value:.15g}") == value


@given(data=st.data())
def test_a_number_that_is_not_known_is_not_written(data, affects):
    affect = data.draw(affects)
    metadata = encode(affect)
    for name in NUMBERS:
        assert (f"affect_{name}" in metadata) == (getattr(affect, name) is not None)
    for name in ("code", *PLUTCHIK):
        assert (f"affect_{name}" in metadata) == (affect.emotions is not None)


def test_numpy_text_and_numbers_are_written_as_native_ones():
    affect = Affect(valence=np.float32(0.5), label=np.str_("wistful"), source=np.str_("model"))
    written = {key: type(value) for key, value in encode(affect).items()}
    assert written == {
        "affect_valence": float,
        "affect_salience": float,
        "affect_label": str,
        "affect_source": str,
    }


def test_a_known_label_is_the_same_affect_before_and_after_a_store():
    affect = Affect(valence=-0.3, label="anger")
    assert affect.emotions == Affect.from_label("anger").emotions
    stored = decode(encode(affect))
    assert (stored.label, stored.valence, stored.arousal) == ("anger", -0.3, None)
    assert stored.emotions == pytest.approx(affect.emotions)


def test_unknown_writes_its_label_and_no_number():
    assert encode(Affect.unknown("lexicon")) == {
        "affect_label": "unknown",
        "affect_source": "lexicon",
    }
    assert decode(encode(Affect.unknown())).is_unknown


def test_a_missing_arousal_stays_missing():
    metadata = encode(Affect(valence=-0.4))
    assert "affect_arousal" not in metadata
    assert decode(metadata).arousal is None
    assert np.isnan(decode_affects([metadata]).arousal[0])


def test_salience_is_written_as_computed():
    metadata = encode(Affect(valence=-0.5, arousal=0.6, conflict=0.2))
    assert metadata["affect_salience"] == pytest.approx(0.345)
    assert "affect_salience" not in encode(Affect(dominance=0.1))


@given(data=st.data())
def test_a_new_tag_leaves_no_stale_key_and_no_user_key_is_lost(data, affects):
    first, second = data.draw(affects), data.draw(affects)
    user = {"score": 0.9, "label": "invoice", "valence": "x", "joy": 1, "affected": True, "n": {}}
    tagged = {**user, **encode(first)}
    before = dict(tagged)
    assert strip(tagged) == user
    assert {**strip(tagged), **encode(second)} == {**user, **encode(second)}
    assert tagged == before


@given(data=st.data())
def test_rubbish_in_a_store_never_raises_and_never_leaves_a_range(data):
    keys = [*(f"affect_{name}" for name in NUMBERS), "affect_label", "affect_source", "affect_code"]
    row = data.draw(st.fixed_dictionaries({}, optional=dict.fromkeys(keys, GARBAGE)))
    row["affect_salience"] = data.draw(GARBAGE)
    affect = decode(row)
    columns = decode_affects([row])
    for name in NUMBERS:
        value = getattr(affect, name)
        assert value is None or -1 <= value <= 1
    assert np.isnan(columns.salience[0]) or 0 <= columns.salience[0] <= 1
    assert np.isnan(columns.arousal[0]) or 0 <= columns.arousal[0] <= 1


@pytest.mark.parametrize(
    "value", [True, np.True_, float("nan"), float("inf"), 1.5, "high", 10**400, [0.5]]
)
def test_what_is_not_a_number_in_range_is_not_known(value):
    assert decode({"affect_valence": value}).valence is None


@pytest.mark.parametrize("value", [0.5, "0.5", np.float32(0.5), Fraction(1, 2)])
def test_a_number_in_another_guise_is_read(value):
    assert decode({"affect_valence": value}).valence == 0.5


def test_a_warning_names_the_key_and_never_the_value(caplog):
    _warn_once.cache_clear()
    private = "my dog died"
    names = (*NUMBERS, "code", "label", "source", "salience")
    with caplog.at_level(logging.DEBUG):
        row = {f"affect_{name}": private for name in names}
        decode(row)
        columns = decode_affects([row])
        for column in COLUMNS:
            getattr(columns, column)
    assert "affect_valence" in caplog.text
    assert "affect_code" in caplog.text
    assert private not in caplog.text


@given(data=st.data())
def test_columns_agree_with_reading_one_by_one(data, affects):
    metadatas = [encode(affect) for affect in data.draw(st.lists(affects, max_size=5))]
    columns = decode_affects(metadatas)
    assert len(columns) == len(metadatas)
    expected = AffectArray.from_affects([decode(metadata) for metadata in metadatas])
    for name in COLUMNS[:-1]:
        np.testing.assert_allclose(getattr(columns, name), getattr(expected, name), atol=1e-6)
    written = [metadata.get("affect_salience", np.nan) for metadata in metadatas]
    np.testing.assert_array_equal(columns.salience, written)


@pytest.mark.parametrize("label", ["sadness", "SADNESS", " Sadness "])
def test_a_known_label_without_a_code_gives_its_distribution(label):
    affect = decode({"affect_label": label})
    assert affect.emotions[GOEMOTIONS.index("sadness")] == pytest.approx(1)
    assert decode_affects([{"affect_label": label}]).has_emotions.tolist() == [True]


@pytest.mark.parametrize("label", ["nostalgia", "unknown", "   ", 7, None, b"joy"])
def test_any_other_label_gives_none(label):
    assert decode({"affect_label": label}).is_unknown


def test_a_broken_code_falls_back_to_the_label():
    affect = decode({"affect_code": "g28v1:AAAA", "affect_label": "joy"})
    assert affect.emotions[GOEMOTIONS.index("joy")] == 1


def test_a_code_is_short_and_exact_to_a_byte_a_root():
    rng = np.random.default_rng(1)
    for _ in range(50):
        emotions = rng.dirichlet(np.full(28, 0.3))
        code = encode_emotions(emotions)
        assert code.startswith("g28v1:")
        assert len(code) == 46
        roots = decode_emotions(code)
        assert np.linalg.norm(roots) == pytest.approx(1, abs=1e-6)
        assert np.abs(roots - np.sqrt(emotions)).max() < 0.01


@pytest.mark.parametrize(
    "code", ["", "g28v2:AAAA", "g28v1:", "g28v1:AAAA", "g28v1:*", "g28v1:é", "g28v1:" + "A" * 38]
)
def test_what_is_not_a_code_is_refused(code):
    with pytest.raises(ValueError, match=r"affect code|base64|ASCII|padding"):
        decode_emotions(code)


def test_a_store_that_something_else_tagged_is_read_by_its_own_keys():
    row = {
        "sentiment_valence": -1,
        "intensity": 2.5,
        "primary_emotion": "Fear",
        "weight": 0.9,
        "affect_valence": 0.1,
    }
    affect = decode(row, FOREIGN)
    assert (affect.valence, affect.arousal, affect.label) == (-0.5, 0.75, "fear")
    assert affect.emotions[GOEMOTIONS.index("fear")] == 1
    columns = decode_affects([row, {"sentiment_valence": 7}], FOREIGN)
    assert (columns.valence[0], columns.arousal[0]) == (-0.5, 0.75)
    assert np.isnan(columns.valence[1])
    assert columns.salience[0] == 0.9


def test_importance_replaces_salience_only_where_a_memory_has_it():
    fields = MetadataFields(importance="weight")
    rows = [{"affect_salience": 0.2, "weight": 0.8}, {"affect_salience": 0.2}, {"weight": 3}]
    rows.append({"affect_arousal": 0.4})
    np.testing.assert_array_equal(decode_affects(rows, fields).salience, [0.8, 0.2, np.nan, 0.4])
    assert "weight" not in encode(Affect.from_label("joy"), fields)
    assert strip({"weight": 0.8}, fields) == {"weight": 0.8}


def test_a_scale_that_fails_costs_only_its_number():
    fields = MetadataFields(scales={"valence": lambda value: 1 / value})
    affect = decode({"affect_valence": 0.0, "affect_arousal": 0.5}, fields)
    assert (affect.valence, affect.arousal) == (None, 0.5)


def test_another_prefix_carries_every_key():
    metadata = encode(Affect.from_label("joy"), MetadataFields(prefix="mood."))
    assert metadata["mood.joy"] == 1
    assert all(key.startswith("mood.") for key in metadata)


@pytest.mark.parametrize(
    "arguments",
    [
        {"valence": "x", "arousal": "x"},
        {"valence": "affect_joy"},
        {"label": "affect_code"},
        {"importance": "affect_salience"},
        {"importance": ""},
        {"scales": {"mood": float}},
        {"valense": "x"},
    ],
)
def test_fields_that_clash_or_do_not_exist_are_refused(arguments):
    with pytest.raises(ValidationError):
        MetadataFields(**arguments)


def test_columns_are_decoded_when_they_are_first_asked_for():
    asked = []

    class Watched(dict):
        def __getitem__(self, key):
            asked.append(key)
            return super().__getitem__(key)

    tag = encode(Affect.from_label("joy"))
    affects, other = (decode_affects([Watched(tag)] * 2) for _ in range(2))
    assert len(affects) == 2
    assert not asked

    assert affects.has_emotions.all()
    assert set(asked) == {"affect_code"}
    assert affects.phi is affects.phi
    asked.clear()
    assert other.valence.tolist() == [tag["affect_valence"]] * 2
    assert set(asked) == {"affect_valence"}


@given(data=st.data(), place=st.integers(0, 5))
def test_one_code_that_is_none_changes_no_other_row(data, affects, place):
    known = data.draw(st.lists(affects, min_size=1, max_size=6))
    metadatas = [encode(affect) for affect in known]
    alone = np.concatenate([decode_affects([one]).phi for one in metadatas])
    broken = [*metadatas[:place], {"affect_code": "g28v1:no"}, *metadatas[place:]]

    assert (decode_affects(metadatas).phi == alone).all()
    assert (np.delete(decode_affects(broken).phi, min(place, len(known)), axis=0) == alone).all()
