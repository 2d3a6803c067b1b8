"""What else was said beside what is no longer so is kept, as a fact of its own."""

import pytest

from emomem.memory.detectors.ensemble import EnsembleConflictDetector
from emomem.memory.operations import replay

SAID = "I live in Rome. My dog is called Rex. I work at a bank."
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
