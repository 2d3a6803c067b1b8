"""What takes the place of what: again and again, late, for a time, and until it is forgotten."""

import pytest

from emomem import Affect
from emomem.memory.operations import replay
from emomem.memory.unit import NEVER

ROME, MILAN, PARIS = "I live in Rome", "I live in Milan", "I live in Paris"
TOWNS = (ROME, MILAN, PARIS)


@pytest.fixture(autouse=True)
def moved(detector):
    """A detector that knows that one can live in one town only."""
    detector.script |= {(a, b): "fact_update" for a in TOWNS for b in TOWNS if a != b}


@pytest.fixture
def current(memory, clock):
    def told():
        facts = [one.unit.text for one in memory.recall("live").facts]
        line = [one.text for one in memory.timeline() if one.status_at(clock.now) == "current"]
        assert sorted(facts) == sorted(line)
        return facts

    return told


def test_the_current_fact_is_found_behind_any_amount_of_history(memory, detector, clock, current):
    texts = [f"my flight leaves at {hour}" for hour in range(30)]
    detector.script |= {(a, b): "fact_update" for a in texts for b in texts if a != b}
    for text in texts:
        clock.now += 1
        memory.save(text)
    assert current() == texts[-1:]


def test_a_clock_that_goes_back_takes_nothing_back(memory, clock, current):
    memory.save(ROME)
    clock.now -= 1
    saved = memory.save(MILAN)
    assert current() == [MILAN]
    [opposed] = memory.conflicts(settled=True)
    assert opposed.later == saved.fact


def test_a_time_to_come_counts_as_now(memory, clock, current):
    assert memory.save(ROME, created_at=clock.now + 1e6).fact.created_at == clock.now
    clock.now += 1
    memory.save(MILAN)
    assert current() == [MILAN]


def test_what_holds_for_a_time_gives_its_place_back(memory, clock, current, store):
    memory.save(ROME)
    memory.save(PARIS, expires_at=clock.now + 60)
    assert current() == [PARIS]
    clock.now += 60
    assert current() == [ROME]
    memory.save(MILAN)
    assert current() == [MILAN]
    clock.now += 1e6
    assert current() == [MILAN]
    replayed = replay(memory.operations())
    assert all(replayed[one.unit_id]["status"] == one.status for one in store.list("ann"))


def test_what_takes_its_place_meanwhile_keeps_it(memory, clock, current):
    memory.save(ROME)
    memory.save(PARIS, expires_at=clock.now + 60)
    memory.save(MILAN, expires_at=clock.now + 30)
    assert current() == [MILAN]
    clock.now += 30
    assert current() == [PARIS]
    clock.now += 30
    assert current() == [ROME]


def test_a_last_word_ends_what_was_for_a_time(memory, clock, current):
    memory.save(ROME)
    memory.save(PARIS, expires_at=clock.now + 60)
    last = memory.save(MILAN).fact
    clock.now += 60
    assert current() == [MILAN]
    memory.forget(ids=[last.unit_id])
    assert current() == [ROME]


def test_what_is_over_already_takes_no_place(memory, clock, current):
    memory.save(ROME)
    assert memory.save(PARIS, expires_at=5.0).conflicts == ()
    assert current() == [ROME]


def test_what_was_contradicted_counts_again_when_what_did_is_forgotten(memory, clock, current):
    units = []
    for text in TOWNS:
        clock.now += 1
        units.append(memory.save(text).fact)
    memory.forget(ids=[units[1].unit_id])
    assert current() == [PARIS]
    assert memory.explain(units[0].unit_id).unit.superseded_by == units[2].unit_id
    assert replay(memory.operations())[units[0].unit_id]["superseded_by"] == units[2].unit_id
    memory.forget(ids=[units[2].unit_id])
    assert current() == [ROME]
    assert replay(memory.operations())[units[0].unit_id]["status"] == "current"


def test_what_is_silent_is_contradicted_as_well(memory, clock, current):
    old = memory.save(ROME).fact
    memory.suppress([old.unit_id], 60)
    assert len(memory.save(MILAN).conflicts) == 1
    assert memory.explain(old.unit_id).status == "suppressed"
    clock.now += 60
    assert current() == [MILAN]
    assert memory.explain(old.unit_id).status == "superseded"


def test_a_silence_that_is_ended_by_hand_revives_nothing(memory, current):
    old = memory.save(ROME).fact
    memory.suppress([old.unit_id])
    memory.save(MILAN)
    memory.suppress([old.unit_id], 0)
    assert current() == [MILAN]


def test_what_is_said_again_while_it_is_silent_and_superseded_is_the_latest_word(
    memory, clock, current
):
    memory.suppress([memory.save(ROME).fact.unit_id], 60)
    memory.save(MILAN)
    saved = memory.save(ROME)
    assert (saved.merged, len(saved.conflicts)) == (False, 1)
    clock.now += 60
    assert current() == [ROME]


@pytest.mark.parametrize(("silence", "life"), [(60, 30), (30, 60)])
def test_what_is_silent_and_superseded_for_a_time_counts_again(memory, clock, silence, life):
    rome = memory.save(ROME).fact.unit_id
    memory.suppress([rome], silence)
    memory.save(PARIS, expires_at=clock.now + life)
    clock.now += 30
    assert memory.explain(rome).status == ("suppressed" if silence > 30 else "superseded")
    clock.now += 30
    assert [one.unit.text for one in memory.recall("live").facts] == [ROME]


def test_who_takes_a_place_keeps_what_was_silent_out_too(memory, clock, current):
    rome = memory.save(ROME).fact.unit_id
    memory.suppress([rome], 60)
    memory.save(PARIS, expires_at=clock.now + 30)
    milan = memory.save(MILAN).fact.unit_id
    clock.now += 60
    assert current() == [MILAN]
    memory.forget(ids=[milan])
    assert current() == [ROME]


def test_what_was_silent_is_kept_out_by_the_heir_of_what_is_forgotten(memory, clock, current):
    memory.suppress([memory.save(ROME).fact.unit_id], 20)
    paris = memory.save(PARIS, expires_at=clock.now + 60).fact.unit_id
    memory.save(MILAN, expires_at=clock.now + 30)
    memory.forget(ids=[paris])
    clock.now += 20
    assert current() == [MILAN]
    clock.now += 10
    assert current() == [ROME]


def test_a_silence_that_is_ended_by_hand_gives_the_place_back_in_time(memory, clock, current):
    rome = memory.save(ROME).fact.unit_id
    memory.suppress([rome], 60)
    memory.save(PARIS, expires_at=clock.now + 30)
    memory.suppress([rome], 0)
    assert current() == [PARIS]
    clock.now += 30
    assert current() == [ROME]
    assert memory.save(MILAN).conflicts
    assert current() == [MILAN]


def test_a_graph_tells_the_status_now(memory, clock):
    rome = memory.save(ROME).fact.unit_id
    memory.save(PARIS, expires_at=clock.now + 60)
    assert memory.provenance().nodes[rome]["status"] == "superseded"
    clock.now += 60
    assert memory.provenance().nodes[rome]["status"] == "current"


def test_what_counts_again_may_be_silenced(memory, clock, current):
    old = memory.save(ROME).fact
    memory.save(PARIS, expires_at=clock.now + 60)
    clock.now += 60
    memory.suppress([old.unit_id], 60)
    assert current() == []
    clock.now += 60
    assert current() == [ROME]


def test_what_is_new_in_what_is_said_again_counts(memory, clock, current):
    memory.save(ROME)
    memory.save(PARIS, expires_at=clock.now + 60, metadata={"a": 1, "b": 1})
    again = memory.save(PARIS, affect=Affect.from_label("grief"), metadata={"b": 2, "c": 3})
    assert again.merged
    assert again.fact.metadata == {"a": 1, "b": 2, "c": 3}
    assert again.affective.affect.label == again.fact.affect.label == "grief"
    assert again.fact.affect.conflict == 0.8
    assert again.fact.expires_at == NEVER
    clock.now += 60
    assert current() == [PARIS]


def test_what_is_said_again_may_end(memory, clock, current):
    memory.save(ROME)
    memory.save(PARIS)
    memory.save(PARIS, expires_at=clock.now + 60)
    memory.save(PARIS, expires_at=5.0)
    assert current() == [PARIS]
    clock.now += 60
    assert current() == [ROME]


def test_what_gives_its_place_back_gives_it_to_who_had_it(memory, clock, current):
    memory.save(ROME)
    memory.save(MILAN)
    memory.save(PARIS, expires_at=clock.now + 60)
    memory.save(PARIS, expires_at=clock.now + 90)  # of the two before it one alone comes back
    clock.now += 89
    assert current() == [PARIS]
    clock.now += 1
    assert current() == [MILAN]


def test_forgetting_a_last_word_leaves_what_was_for_a_time(memory, clock, current):
    memory.save(ROME)
    memory.save(PARIS, expires_at=clock.now + 60)
    last = memory.save(MILAN).fact
    memory.forget(ids=[last.unit_id])
    assert current() == [PARIS]
    clock.now += 60
    assert current() == [ROME]
