"""Opposite feelings about one thing, and what only looks like it."""

import pytest

from emomem import Affect
from emomem.memory.detectors.contrast import AffectContrastDetector

LOVED, HATED = "I love the new office.", "I can't stand the new office."


@pytest.fixture
def found(unit):
    def look(new, old, **values):
        return AffectContrastDetector().detect(unit(new, **values), [unit(old)])

    return look


@pytest.mark.parametrize(
    ("new", "old"),
    [
        (HATED, LOVED),
        (LOVED, HATED),
        ("The new office is horrible!", LOVED),
        ("The new office makes me miserable.", LOVED),
        ("Long day. We went to the new office and it was awful.", LOVED),
        ("I don't like my job.", "I like my job."),
        ("Sam hates the office.", "Sam loves the office."),
        ("The garden is nothing but a burden.", "I'm so proud of the garden."),
    ],
)
def test_one_thing_liked_and_disliked_is_a_conflict(found, new, old):
    [conflict] = found(new, old)
    assert (conflict.kind, conflict.against.text) == ("evaluative", old)
    assert conflict.parties == ("ann", "ann")


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("The new office is awful, isn't it?", LOVED),  # a question
        ("I can't stand the old office.", LOVED),
        ("I can't stand the canteen of the new office.", LOVED),
        ("Sam can't stand the new office.", LOVED),
        ("Today I hate the new office.", LOVED),
        ("I used to hate the new office.", LOVED),
        ("If the new office were dark, I would hate the new office.", LOVED),
        ("Sam said that the new office is awful.", LOVED),
        ('"I hate the new office" is what nobody says.', LOVED),
        ("The new office is wonderful.", LOVED),
        ("I'm not unhappy with the office.", "I love the office."),
        ("I love and hate the new office.", LOVED),
        ("I hate his cat.", "I love my cat."),
        ("Chapter 4 is boring.", "Chapter 3 is brilliant."),
    ],
)
def test_what_only_looks_like_it_is_none(found, new, old):
    assert found(new, old) == []


def test_the_distance_of_the_feelings_is_the_intensity(unit):
    new = unit(HATED, affect=Affect(valence=-0.8))
    [conflict] = AffectContrastDetector().detect(new, [unit(LOVED, affect=Affect(valence=0.6))])
    assert conflict.intensity == pytest.approx(0.7)


def test_words_that_the_affect_contradicts_are_not_taken_for_it(unit):
    ironic = unit("I love the new office.", affect=Affect(valence=-0.7))
    assert AffectContrastDetector().detect(ironic, [unit(HATED)]) == []


@pytest.mark.parametrize(
    "values", [{"speaker": "bob"}, {"experiencer": "sam"}, {"user_id": "bob"}, {"kind": "goal"}]
)
def test_only_the_same_persons_statements_are_compared(found, values):
    assert found(HATED, LOVED, **values) == []


def test_the_reason_quotes_nothing_and_the_detail_stays_out_of_the_repr(found):
    [conflict] = found(HATED, LOVED)
    assert "office" not in conflict.reason
    assert "office" in conflict.detail
    assert "office" not in repr(conflict)
