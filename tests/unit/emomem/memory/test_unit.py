"""A memory's record, its id, and its form in a store."""

import copy
import json
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from emomem import Affect
from emomem.memory.unit import (
    NEVER,
    RESERVED,
    ConflictContext,
    MemoryUnit,
    conflict_change,
    from_metadata,
    in_time,
    make_unit_id,
    resolved_change,
    to_metadata,
)

NAMES = st.text(min_size=1, max_size=20).filter(lambda text: text.strip() != "")
TIMES = st.floats(0, NEVER)
KEYS = st.text("abcdefgh_", min_size=1, max_size=6).filter(lambda key: key not in RESERVED)
VALUES = st.text(max_size=5) | st.integers(-9, 9) | st.booleans() | st.floats(-1, 1)


def unit(text="tea", **more):
    return MemoryUnit(**{"text": text, "user_id": "ann", "speaker": "ann", "created_at": 0, **more})


@given(
    st.builds(
        MemoryUnit,
        text=st.text(max_size=30),
        user_id=NAMES,
        speaker=NAMES,
        created_at=TIMES,
        unit_id=st.text("0123456789abcdef", max_size=8),
        kind=st.sampled_from(["fact", "affective", "dream", "goal"]),
        status=st.sampled_from(["current", "superseded", "suppressed", "expired"]),
        experiencer=st.just("") | NAMES,
        session_id=st.none() | NAMES,
        interaction_id=st.none() | NAMES,
        affect=st.sampled_from([Affect.unknown(), Affect(valence=0.1, conflict=0.5)]),
        salience=st.sampled_from([None, 0.0, 0.25, 1.0]),
        superseded_by=st.none() | NAMES,
        sources=st.lists(st.text("0123456789abcdef", min_size=1, max_size=8)).map(tuple),
        conflicts=st.lists(
            st.builds(
                ConflictContext,
                kind=NAMES,
                against=NAMES,
                parties=st.lists(st.text(max_size=5)).map(tuple),
                intensity=st.floats(0, 1),
                reason=st.text(max_size=9),
                settlement=st.none() | st.text(max_size=9),
                ask=st.booleans(),
                at=TIMES,
            ),
            max_size=2,
        ).map(tuple),
        times=st.integers(1, 9),
        last_at=TIMES,
        recalled=st.integers(0, 9),
        recalled_at=TIMES,
        suppressed_until=TIMES,
        replaced_until=TIMES,
        expires_at=TIMES,
        metadata=st.dictionaries(KEYS, VALUES, max_size=3),
    )
)
def test_a_unit_survives_a_store_of_flat_native_scalars(one):
    metadata = to_metadata(one)
    assert all(type(value) in (str, int, float, bool) for value in metadata.values())
    assert metadata["in_conflict"] == bool(one.conflicts)
    assert from_metadata(one.text, json.loads(json.dumps(metadata))) == one


@given(st.lists(st.tuples(NAMES, NAMES, st.text(max_size=9)), unique=True, min_size=2, max_size=5))
def test_ids_are_as_different_as_what_is_said(said):
    units = [unit(text, user_id=user, speaker=speaker) for user, speaker, text in said]
    assert len({make_unit_id(one, b"key") for one in units}) == len(units)


def test_an_id_is_of_what_is_said_and_of_the_key():
    same = make_unit_id(unit(created_at=5, session_id="s", times=3), b"key")
    assert make_unit_id(unit(), b"key") == same
    assert len(same) == 64
    assert make_unit_id(unit(), b"other") != same
    assert make_unit_id(unit(), b"key", after=same) != same
    assert make_unit_id(unit("run 12"), b"key") != make_unit_id(unit("run 13"), b"key")
    assert make_unit_id(unit(kind="affective"), b"key") != same


def test_the_text_and_private_parts_are_not_in_the_repr_or_in_errors():
    shown = repr(unit("secret", metadata={"note": "hidden"}))
    assert "secret" not in shown
    assert "hidden" not in shown
    with pytest.raises(ValidationError) as caught:
        unit("secret", created_at="secret")
    assert "secret" not in str(caught.value)
    with pytest.raises(ValueError, match=r"no unit: .*created_at") as told:
        from_metadata("secret", {**to_metadata(unit()), "created_at": "hidden"})
    assert "hidden" not in str(told.value)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("user_id", " "),
        ("speaker", ""),
        ("created_at", float("nan")),
        ("created_at", NEVER + 1),
        ("created_at", "123"),
        ("kind", "opinion"),
        ("status", "gone"),
        ("salience", 1.5),
        ("times", 0),
        ("sources", ("a,b",)),
        ("metadata", {"user_id": "bob"}),
        ("metadata", {"affect_joy": 1.0}),
        ("metadata", {"list": []}),
        ("unknown", 1),
    ],
)
def test_wrong_values_raise(field, value):
    with pytest.raises(ValidationError):
        unit(**{field: value})


def test_a_status_ends_by_itself():
    assert unit().status_at(1e9) == "current"
    assert unit(expires_at=5).status_at(5) == "expired"
    suppressed = unit(status="suppressed", suppressed_until=5)
    assert (suppressed.status_at(4), suppressed.status_at(5)) == ("suppressed", "current")
    assert unit(status="superseded").status_at(9) == "superseded"


def test_what_was_superseded_for_a_time_counts_again():
    for_a_time = unit(status="superseded", superseded_by="x", suppressed_until=5)
    assert (for_a_time.status_at(4), for_a_time.status_at(5)) == ("superseded", "current")
    silent = unit(status="suppressed", superseded_by="x", suppressed_until=5)
    assert (silent.status_at(4), silent.status_at(5)) == ("suppressed", "superseded")
    felt = silent.model_copy(update={"kind": "affective"})
    assert felt.status_at(5) == "current"


@pytest.mark.parametrize(("replaced_until", "true_from"), [(0, None), (4, 4), (9, 9)])
def test_what_is_silent_and_superseded_for_a_time_counts_again(replaced_until, true_from):
    silent = unit(
        status="suppressed",
        superseded_by="x",
        suppressed_until=6,
        replaced_until=replaced_until,
    )
    for now in (3, 4, 6, 9):
        true = true_from is not None and now >= true_from
        assert silent.is_true_at(now) == true
        expected = "suppressed" if now < 6 else "current" if true else "superseded"
        assert silent.status_at(now) == expected


def test_a_unit_goes_through_a_queue():
    one = unit(metadata={"order": 5}, conflicts=(ConflictContext(kind="k", against="z"),))
    assert pickle.loads(pickle.dumps(one)) == copy.deepcopy(one) == one  # noqa: S301 - our own
    assert MemoryUnit.model_validate_json(one.model_dump_json()) == one
    assert len({one, one.model_copy(), unit(text="other")}) == 2
    with pytest.raises(TypeError):
        pickle.loads(pickle.dumps(one)).metadata["order"] = 6  # noqa: S301 - the same


def test_conflicts_are_added_once_and_taken_away():
    first = ConflictContext(kind="fact_update", against="x")
    second = ConflictContext(kind="evaluative", against="y")
    one = unit(conflicts=(first,))
    assert from_metadata("tea", {**to_metadata(one), **conflict_change(one, [first, second])}) == (
        one.model_copy(update={"conflicts": (first, second)})
    )
    assert resolved_change(one, {"x"}) == {"conflicts": None, "in_conflict": False}


def test_of_two_units_the_earlier_is_first():
    early, late = unit(created_at=1, unit_id="a"), unit(created_at=2, unit_id="b")
    assert in_time(late, early) == in_time(early, late) == (early, late)
    gone, stays = unit(unit_id="a", superseded_by="b"), unit(unit_id="b")
    assert in_time(stays, gone) == in_time(gone, stays) == (gone, stays)
