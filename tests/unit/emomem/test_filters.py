import copy

import pytest

from emomem import MetadataFields
from emomem.filters import affect_conditions, both, can_match, matches, normalise

FIELDS = MetadataFields()


@pytest.mark.parametrize(
    ("where", "normal"),
    [
        ({}, None),
        ({"a": 1}, {"a": 1}),
        ({"a": False}, {"a": False}),
        ({"a": 0}, {"a": 0}),
        ({"a": ""}, {"a": ""}),
        ({"a": {"$gt": 1}}, {"a": {"$gt": 1}}),
        ({"a": 1, "b": 2}, {"$and": [{"a": 1}, {"b": 2}]}),
        ({"a": {"$gt": 1, "$lt": 5}}, {"$and": [{"a": {"$gt": 1}}, {"a": {"$lt": 5}}]}),
        ({"$and": [{"a": 1}]}, {"a": 1}),
        ({"$or": [{"a": 1}]}, {"a": 1}),
        ({"$and": ({"a": 1}, {"b": 2})}, {"$and": [{"a": 1}, {"b": 2}]}),
        (
            {"$or": [{"a": 1, "b": 2}, {"c": 3}]},
            {"$or": [{"$and": [{"a": 1}, {"b": 2}]}, {"c": 3}]},
        ),
        (
            {"$and": [{"$and": [{"a": 1}, {"b": 2}]}, {"c": 3}]},
            {"$and": [{"a": 1}, {"b": 2}, {"c": 3}]},
        ),
        (
            {"$or": [{"a": 1}, {"b": 2}], "c": 3},
            {"$and": [{"$or": [{"a": 1}, {"b": 2}]}, {"c": 3}]},
        ),
        ({"$not": {"a": 1, "b": 2}}, {"$not": {"$and": [{"a": 1}, {"b": 2}]}}),
        ({"a": {"$between": [1, 5]}}, {"$and": [{"a": {"$gte": 1}}, {"a": {"$lte": 5}}]}),
        ({"a": {"$in": ("x", "y")}}, {"a": {"$in": ["x", "y"]}}),
        ({"a": {"$nin": {"x"}}}, {"a": {"$nin": ["x"]}}),
        ({"a": {"$like": "x%"}}, {"a": {"$like": "x%"}}),
    ],
)
def test_a_filter_comes_to_its_narrowest_form(where, normal):
    before = copy.deepcopy(where)

    assert normalise(where) == normal
    assert where == before
    if normal is not None:
        assert normalise(normal) == normal


@pytest.mark.parametrize(
    ("where", "says"),
    [
        ({"user_id": None}, "'user_id' has the value None"),
        ({"user_id": {"$eq": None}}, "'user_id' has the value None"),
        ({"user_id": {"$in": ["ann", None]}}, "'user_id' has the value None"),
        ({"$or": [{"a": 1}, {"user_id": None}]}, "'user_id' has the value None"),
        ({"$not": {"user_id": None}}, "'user_id' has the value None"),
        ({"user_id": {}}, "'user_id' is empty"),
        ({"user_id": {"$in": "ann,bob"}}, "needs a list of values, got 'ann,bob'"),
        ({"user_id": {"$nin": 3}}, "needs a list of values, got 3"),
        ({"day": {"$between": [1]}}, "needs a lower and an upper bound"),
        ({"day": {"$between": "12"}}, "needs a list of values"),
        ({"$and": []}, r"\$and needs a non-empty list"),
        ({"$or": []}, r"\$or needs a non-empty list"),
        ({"$or": "ann"}, r"\$or needs a non-empty list"),
        ({"$or": {"a": 1}}, r"\$or needs a non-empty list"),
        ({"$and": [{}]}, r"\$and takes filters that are not empty"),
        ({"$or": [{"a": 1}, {}]}, r"\$or takes filters that are not empty"),
        ({"$and": ["a"]}, r"\$and takes filters"),
        ({"$not": {}}, r"\$not takes filters"),
        ({"$not": 5}, r"\$not takes filters"),
        ({"$nor": [{"a": 1}]}, "a metadata key or one of"),
        ({3: 1}, "a metadata key or one of"),
    ],
)
def test_what_is_no_filter_is_refused(where, says):
    with pytest.raises(ValueError, match=says):
        normalise(where)


MEMORY = {"user": "ann", "day": 5, "mood": 0.5, "done": True}


@pytest.mark.parametrize(
    ("where", "passes"),
    [
        ({}, True),
        ({"user": "ann"}, True),
        ({"user": "an"}, False),
        ({"user": {"$ne": "bob"}}, True),
        ({"user": {"$ne": "ann"}}, False),
        ({"day": {"$gt": 5}}, False),
        ({"day": {"$gte": 5}}, True),
        ({"day": {"$lt": 5}}, False),
        ({"day": {"$lte": 5}}, True),
        ({"day": {"$between": [5, 6]}}, True),
        ({"day": {"$between": [6, 9]}}, False),
        ({"user": {"$in": ["ann", "bob"]}}, True),
        ({"user": {"$in": []}}, False),
        ({"user": {"$nin": ["bob"]}}, True),
        ({"user": {"$nin": ["ann"]}}, False),
        ({"user": {"$exists": True}}, True),
        ({"other": {"$exists": True}}, False),
        ({"other": {"$exists": False}}, True),
        ({"user": "ann", "day": 6}, False),
        ({"$or": [{"user": "bob"}, {"day": 5}]}, True),
        ({"$or": [{"user": "bob"}, {"day": 6}]}, False),
        ({"$not": {"user": "bob"}}, True),
        ({"$not": {"user": "ann"}}, False),
        ({"user": {"$gt": 5}}, False),
        *(({"other": {f"${name}": 1}}, False) for name in ("eq", "ne", "lt", "lte", "gt", "gte")),
        *(({"other": {f"${name}": [1]}}, False) for name in ("in", "nin")),
    ],
)
def test_metadata_passes_or_not_and_a_missing_key_passes_no_comparison(where, passes):
    assert matches(normalise(where), MEMORY) is passes


def test_an_operator_of_an_engine_cannot_be_matched_wherever_it_stands():
    like = {"name": {"$like": "a%"}}
    for where in (
        like,
        {"$and": [{"user": "ann"}, like]},
        {"$or": [{"user": "ann"}, like]},
        {"$not": like},
    ):
        assert not can_match(where)
    with pytest.raises(ValueError, match=r"'\$like' works only inside an engine"):
        matches(like, MEMORY)
    assert can_match(None)
    assert can_match(normalise({"user": "ann", "day": {"$gt": 1}, "$not": {"day": 3}}))


def test_both_lets_through_what_all_do():
    assert both(None, None) is None
    assert both({"a": 1}, None) == {"a": 1}
    assert both({"a": 1}, {"b": 2}) == {"$and": [{"a": 1}, {"b": 2}]}
    assert both({"$and": [{"a": 1}, {"b": 2}]}, {"c": 3}) == {
        "$and": [{"a": 1}, {"b": 2}, {"c": 3}]
    }
    one_of = {"$or": [{"a": 1}, {"b": 2}]}
    assert both(one_of, {"c": 3}) == {"$and": [one_of, {"c": 3}]}


def test_both_changes_neither():
    first, second = {"$and": [{"a": 1}, {"b": 2}]}, {"c": 3}
    kept = copy.deepcopy((first, second))

    both(first, second)

    assert (first, second) == kept


@pytest.mark.parametrize(
    ("conditions", "where"),
    [
        ({}, None),
        ({"valence": {"$lt": 0}}, {"affect_valence": {"$lt": 0}}),
        ({"label": "joy"}, {"affect_label": "joy"}),
        ({"fear": {"$gt": 0.2}}, {"affect_fear": {"$gt": 0.2}}),
        (
            {"$or": [{"valence": {"$lt": 0}}, {"$not": {"arousal": {"$gt": 0.5}}}]},
            {"$or": [{"affect_valence": {"$lt": 0}}, {"$not": {"affect_arousal": {"$gt": 0.5}}}]},
        ),
        (
            {"valence": {"$between": [-1, 0]}},
            {"$and": [{"affect_valence": {"$gte": -1}}, {"affect_valence": {"$lte": 0}}]},
        ),
    ],
)
def test_conditions_on_affect_name_the_stores_keys(conditions, where):
    before = copy.deepcopy(conditions)

    assert affect_conditions(conditions, FIELDS) == where
    assert conditions == before


def test_conditions_on_affect_follow_the_fields():
    fields = MetadataFields(prefix="mood_", valence="sentiment")

    assert affect_conditions({"valence": 1, "joy": 1, "salience": 1}, fields) == {
        "$and": [{"sentiment": 1}, {"mood_joy": 1}, {"mood_salience": 1}]
    }


@pytest.mark.parametrize(
    ("conditions", "says"),
    [
        ({"user_id": "ann"}, "an affect condition names one of valence, .*'user_id'"),
        ({"$and": [{"mood": 1}]}, "an affect condition names one of"),
        ({"$nor": [{"valence": 1}]}, "an affect condition names one of"),
        ({"code": "x"}, "an affect condition names one of"),
        ({"valence": None}, "has the value None"),
        ({"$and": 5}, r"\$and needs a non-empty list"),
        ({"$and": "valence"}, r"\$and needs a non-empty list"),
        ({"$and": [5]}, r"\$and takes filters"),
        ({"$not": "valence"}, r"\$not takes filters"),
    ],
)
def test_what_is_no_condition_on_affect_is_refused(conditions, says):
    with pytest.raises(ValueError, match=says):
        affect_conditions(conditions, FIELDS)
