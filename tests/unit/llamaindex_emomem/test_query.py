"""A query bundle with affect: checked when it is made, and written as JSON."""

import pytest
from llama_index.core.llms import ChatMessage

from emomem import Affect, Comfort
from llamaindex_emomem import AffectQueryBundle
from llamaindex_emomem.query import overrides_of

QUERY = "that evening"


@pytest.mark.parametrize(
    "bundle",
    [
        AffectQueryBundle(QUERY),
        AffectQueryBundle(QUERY, affect="joy", policy="congruent"),
        AffectQueryBundle(QUERY, affect=Affect.from_label("grief"), embedding=[0.5, 1.0]),
        AffectQueryBundle(QUERY, policy=Comfort(cap=3)),
        AffectQueryBundle(QUERY, conversation=["we lost", ChatMessage("again", role="user")]),
    ],
    ids=repr,
)
def test_it_is_written_and_read_again(bundle):
    for again in (
        AffectQueryBundle.from_json(bundle.to_json()),
        AffectQueryBundle.from_dict(bundle.to_dict()),
    ):
        assert overrides_of(again) == overrides_of(bundle)
        assert (again.query_str, again.embedding) == (QUERY, bundle.embedding)


def test_a_mood_is_not_written():
    bundle = AffectQueryBundle(QUERY, affect=lambda: "joy")
    for write in (bundle.to_json, bundle.to_dict):
        with pytest.raises(ValueError, match="a callable is code"):
            write()


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (5, "a list of turns, got one int"),
        ({"role": "user"}, "a list of turns, got one dict"),
        ([3], "a str or a ChatMessage; got int"),
    ],
)
def test_a_conversation_is_checked_at_once(wrong, says):
    with pytest.raises(TypeError, match=says):
        AffectQueryBundle(QUERY, conversation=wrong)


def test_no_conversation_is_an_empty_one():
    assert overrides_of(AffectQueryBundle(QUERY, conversation=None))["conversation"] == []
