"""What else was said beside what is no longer so is kept, as a fact of its own."""

from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emomem.memory.detectors.ensemble import EnsembleConflictDetector
from emomem.memory.operations import replay

SAID = "I live in Rome. My dog is called Rex. I work at a bank."
CAR = "I want a red car, not a blue one."
REST = "My dog is called Rex. I work at a bank."


@pytest.fixture
def rules(build):
    return build(detector=EnsembleConflictDetector())


def current(memory):
    return sorted(one.text for one in memory.timeline() if one.status == "current")


@pytest.mark.parametrize(
    ("old", "new", "rest"),
    [
        (SAID, "I moved to Milan", REST),
        (
            "I am allergic to nuts and I live in Rome",
            "I live in Milan now",
            "I am allergic to nuts",
        ),
        ("I live in Rome, but my email is a@b.co.", "I moved to Milan", "My email is a@b.co."),
        # What speaks of the statement that goes, goes with it.
        ("I live in Rome. It is lovely there. I have a dog.", "I moved to Milan", "I have a dog."),
        # What is said again is not kept twice.
        ("I live in Rome. I have a dog.", "I have a dog. I moved to Milan", None),
        ("I live in Rome with my wife Eva and my son Leo", "I live in Milan now", None),
        ("I live in Rome", "I live in Milan now", None),
        # Words that may speak of another statement, and do not where they stand.
        ("I live in Rome. I want a red car, not a blue one.", "I moved to Milan", CAR),
        (
            "I live in Rome. I have two kids that swim.",
            "I moved to Milan",
            "I have two kids that swim.",
        ),
        # What is only asked is no fact.
        ("Where do I live? I live in Rome. I like tea.", "I moved to Milan", "I like tea."),
    ],
)
def test_a_contradicted_statement_alone_is_given_up(rules, old, new, rest):
    first = rules.save(old)
    saved = rules.save(new)
    assert [one.text for one in saved.kept] == [rest] * (rest is not None)
    assert current(rules) == sorted([new, *[one.text for one in saved.kept]])
    for one in saved.kept:
        assert one.sources == (first.fact.unit_id,)
        assert one.created_at == first.fact.created_at
        assert one.interaction_id == first.fact.interaction_id


def test_what_is_told_late_keeps_the_rest_as_well(rules, clock):
    rules.save("I live in Milan")
    saved = rules.save("I live in Rome. My dog is called Rex.", created_at=clock.now - 9e5)
    assert current(rules) == ["I live in Milan", "My dog is called Rex."]
    assert saved.fact.status == "superseded"


def test_it_can_be_contradicted_restored_and_forgotten(rules, store):
    first = rules.save(SAID)
    moved = rules.save("I moved to Milan")
    named = rules.save("My dog is called Max")
    assert current(rules) == ["I moved to Milan", "I work at a bank.", "My dog is called Max"]

    rules.forget(ids=[named.fact.unit_id])
    assert current(rules) == ["I moved to Milan", REST]
    rules.forget(ids=[moved.fact.unit_id])
    assert current(rules) == [SAID]

    replayed = replay(rules.operations())
    assert all(replayed[one.unit_id]["status"] == one.status for one in store.list("ann"))
    assert rules.save("I moved to Milan").kept[0].text == REST
    rules.forget(ids=[first.fact.unit_id])
    assert current(rules) == ["I moved to Milan"]


def test_of_what_is_not_parted_the_whole_goes(memory, detector):
    whole = "one thing. another."
    detector.script[("new", whole)] = "fact_update"  # and no statement of it alone
    memory.save(whole)
    assert memory.save("new").kept == ()
    assert current(memory) == ["new"]


NEW = ("I moved to Milan", "My dog is called Max")
LEFT = {
    frozenset(NEW): ["I moved to Milan", "I work at a bank.", "My dog is called Max"],
    frozenset(NEW[:1]): ["I moved to Milan", REST],
    frozenset(NEW[1:]): ["I live in Rome. I work at a bank.", "My dog is called Max"],
    frozenset(): [SAID],
}


@pytest.mark.parametrize("order", list(permutations(NEW)))
def test_what_is_forgotten_gives_back_only_what_nothing_else_replaced(rules, store, order):
    rules.save(SAID)
    ids = {text: rules.save(text).fact.unit_id for text in NEW}
    for text in order:
        assert current(rules) == LEFT[frozenset(ids)]
        rules.forget(ids=[ids.pop(text)])
    assert current(rules) == [SAID]
    replayed = replay(rules.operations())
    assert all(replayed[one.unit_id]["status"] == one.status for one in store.list("ann"))


def test_what_was_silenced_comes_back_silent(rules):
    rules.save(SAID)
    moved = rules.save("I moved to Milan")
    rules.suppress([moved.kept[0].unit_id])
    rules.forget(ids=[moved.fact.unit_id])
    [whole] = [one for one in rules.timeline() if one.text == SAID]
    assert whole.status == "suppressed"
    rules.suppress([whole.unit_id], seconds=0)
    assert current(rules) == [SAID]


def test_what_something_else_says_as_well_stays_replaced(rules, clock):
    rules.save("I live in Bonn. I have a dog.")
    clock.now += 1
    moved = rules.save("I am allergic to nuts. I moved to Milan.")
    clock.now += 1
    rules.save("I live in Milan.")
    rules.forget(ids=[moved.fact.unit_id])
    assert current(rules) == ["I have a dog.", "I live in Milan."]


TOWNS, DOGS = ("Rome", "Milan", "Oslo"), ("Rex", "Max", "Bob")
SAYINGS = [f"I live in {town}" for town in TOWNS] + [f"My dog is called {dog}" for dog in DOGS]
MESSAGES = st.lists(
    st.sampled_from([*SAYINGS, "I am allergic to nuts", "Where do I live?"]),
    min_size=1,
    max_size=3,
    unique_by=lambda text: text.split()[1],
).map(lambda said: " ".join(text if text.endswith("?") else f"{text}." for text in said))


@settings(max_examples=40, deadline=None)
@given(steps=st.lists(st.one_of(MESSAGES, st.integers(0, 5)), min_size=3, max_size=8))
def test_whatever_is_said_and_forgotten_one_value_is_current(fresh, steps):
    memory, store, clock = fresh(detector=EnsembleConflictDetector())
    for step in steps:
        clock.now += 60
        if isinstance(step, str):
            memory.save(step)
        elif told := memory.timeline():
            memory.forget(ids=[told[step % len(told)].unit_id])
        units = store.list("ann")
        replayed = replay(memory.operations())
        assert {one.unit_id: one.status for one in units} == {
            id_: values["status"] for id_, values in replayed.items()
        }
        for values in (TOWNS, DOGS):
            assert sum(any(value in text for text in current(memory)) for value in values) <= 1
