"""What the memory suite counts, over memories that are whole and over some that are broken."""

import json
from collections import Counter
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from emomem import Affect, BaseAppraiser
from emomem.evaluation.memory_report import LOCAL, MemoryReport
from emomem.evaluation.suites import memory as suite
from emomem.evaluation.suites.conflict import ANY, Score, rate
from emomem.evaluation.suites.memory import Clock, by_chance, measure_memory, on_disk, play
from emomem.evaluation.users import Forget, Question, Turn, User, load_users
from emomem.memory.conflict import Conflict
from emomem.memory.detectors.base import BaseConflictDetector
from emomem.memory.forgetting import Forgotten
from emomem.memory.in_memory import InMemoryStore
from emomem.memory.memory import Memory
from emomem.memory.recalling import Recall


class Neutral(BaseAppraiser):
    """Reads joy in what holds the word, and nothing else."""

    def _read(self, texts):
        return [Affect.from_label("joy" if "joy" in text else "neutral") for text in texts]


class Towns(BaseConflictDetector):
    """Whoever lives in a town lives in no other."""

    def detect(self, new, candidates):
        lives = [one for one in candidates if "live" in one.text and "live" in new.text]
        return [Conflict("fact_update", one, ("a", "b"), 0.8, "town") for one in lives]


class Remembers(Memory):
    """Forgets nothing."""

    def forget(self, user_id=None, *, ids=None):
        return Forgotten(0, 0)


class Leaks(Memory):
    """Answers everybody from the memory of Ann."""

    def recall(self, query, *, user_id=None, **asked) -> Recall:
        return super().recall(query, user_id="ann", **asked)


def letters(texts):
    rows = [[text.lower().count(chr(97 + i)) + 0.01 for i in range(26)] for text in texts]
    return np.array(rows)


USERS = [
    User(
        "ann",
        (
            Turn("rome", 0, "I live in Rome"),
            Turn("code", 1, "The code is fox-12", secret="fox-12"),  # noqa: S106 - no password
            Turn("oslo", 2, "I live in Oslo", against={"rome": "fact_update"}),
            Forget(3, "code"),
            Turn("sam", 4, "Sam felt joy", experiencer="Sam"),
        ),
        (
            Question("now", "I live in", frozenset({"oslo"})),
            Question("before", "I live in Rome?", frozenset({"rome"})),
            Question("feel", "joy", frozenset({"sam"})),
        ),
    ),
    User("bo", (Turn("car", 1.5, "My car is red"),), (Question("now", "car", frozenset({"car"})),)),
]


def measured(kind=Memory, users=USERS):
    store = InMemoryStore(embed=letters)
    build = partial(kind, store, appraiser=Neutral(), detector=Towns())
    found = measure_memory(lambda clock: build(clock=clock), users)
    return {one.name: one for one in found}


def counts(measure):
    return measure.rate.hits, measure.rate.of


def test_a_memory_that_does_what_it_should_has_every_share():
    found = measured()
    none = {suite.LEAKED: (0, 16), suite.UNFORGOTTEN: (0, 5)}
    for name, measure in found.items():
        if measure.rate.of and name not in none:
            assert measure.rate.value == 1, name
    assert {name: counts(found[name]) for name in none} == none
    assert counts(found[suite.NOW_CLEAN]) == counts(found[suite.RETIRED_RIGHTLY]) == (1, 1)
    assert counts(found[suite.KEPT]) == (4, 4)
    assert found[suite.NOW_FIRST].chance == pytest.approx((1 / 2 + 1) / 2)
    assert not any(measure.fails for measure in found.values())


def test_who_was_looked_at_and_who_was_held_out_are_told_apart():
    found = measured(users=[replace(USERS[0], split="dev"), USERS[1]])
    kept = found[suite.KEPT]
    assert [(of.hits, of.of) for of in (kept.rate, kept.tuned, kept.held_out)] == [
        (4, 4),
        (3, 3),
        (1, 1),
    ]
    noticed = found[suite.NOTICED]
    assert (noticed.tuned.of, noticed.held_out.of) == (1, 0)
    assert Counter(user.split for user in load_users()) == {"dev": 6, "test": 6}
    disk = on_disk([replace(USERS[0], split="dev"), USERS[1]], b"..fox-12..")
    assert (disk.tuned.hits, disk.held_out.of) == (1, 0)


def test_what_is_not_forgotten_is_found():
    found = measured(Remembers)[suite.UNFORGOTTEN]
    assert counts(found) == (3, 5)  # recall, timeline and export; no conflict and no log holds it
    assert found.fails


def test_what_leaks_is_found():
    found = measured(Leaks)[suite.LEAKED]
    assert counts(found) == (4, 16)
    assert found.fails


def test_what_is_kept_of_a_part_of_a_text_is_no_leak():
    turns = (
        Turn("rome", 0, "I live in Rome. I have a dog."),
        Turn("oslo", 1, "I live in Oslo", against={"rome": "fact_update"}),
    )
    user = User("ann", turns, (Question("now", "a dog", frozenset({"oslo"})),))
    store = InMemoryStore(embed=letters)
    build = partial(Memory, store, appraiser=Neutral(), detector=Towns())
    found = {one.name: one for one in measure_memory(lambda clock: build(clock=clock), [user])}
    assert "I have a dog." in {unit.text for unit in store.list("ann")}
    assert counts(found[suite.LEAKED]) == (0, 5)


def test_what_is_retired_wrongly_or_not_at_all_is_counted():
    turns = [replace(one, against={}) for one in USERS[0].turns.values() if one.key != "code"]
    innocent = measured(users=[replace(USERS[0], events=tuple(turns))])
    assert counts(innocent[suite.RETIRED_RIGHTLY]) == counts(innocent[suite.NOTICED_RIGHTLY])
    assert counts(innocent[suite.RETIRED_RIGHTLY]) == (0, 1)
    blind = measured(users=[replace(USERS[0], events=tuple(map(renamed, USERS[0].events)))])
    assert counts(blind[suite.RETIRED_FOUND]) == counts(blind[suite.NOTICED]) == (0, 1)
    assert counts(blind[suite.NOW_CLEAN]) == (0, 1)


def renamed(event):
    """The same in words that the detector does not know."""
    return replace(event, text=event.text.replace("live", "am")) if event != FORGET else event


FORGET = USERS[0].events[3]


def test_the_clock_goes_with_the_events():
    clock = Clock()
    memory = Memory(
        InMemoryStore(embed=letters), appraiser=Neutral(), detector=Towns(), clock=clock
    )
    play(memory, clock, USERS)
    assert [one.created_at for one in memory.timeline(user_id="ann")] == [0, 2, 4]
    assert clock() == 4 + 86_400
    assert [one.experiencer for one in memory.timeline(user_id="ann")] == ["ann", "ann", "Sam"]


def test_a_secret_on_disk_is_found():
    assert counts(on_disk(USERS, b"..fox-12..")) == (1, 1)
    assert counts(on_disk(USERS, b"..fox-13..")) == (0, 1)


def test_a_share_by_chance():
    assert by_chance(10, 1, 3) == pytest.approx(0.3)
    assert by_chance(10, 2, 1) == pytest.approx(0.2)
    assert by_chance(4, 1, 10) == 1


def test_the_report_writes_what_it_shows(tmp_path):
    found = measured(Leaks)
    scores = {
        LOCAL: [Score(ANY, rate(1, 1), rate(1, 3)), Score("evaluative", rate(0, 1), rate(0, 1))]
    }
    memories = {"local": list(found.values())}
    report = MemoryReport(2, 5, memories, scores, ["No files were searched."])
    written = report.write(tmp_path / "new")
    shown = written[0].read_text()
    assert f"| {suite.LEAKED}, local | none | 4 of 16 | NO |" in shown
    assert f"| {suite.UNFORGOTTEN}, local | none | 0 of 5 | yes |" in shown
    assert f"| pairs, {LOCAL}: precision | at least 0.85 | 1.00 [" in shown
    assert f"| pairs, {LOCAL}: recall | at least 0.60 | 0.33 [" in shown
    assert "No files were searched." in shown
    data = json.loads(written[1].read_text())
    assert report.failures == [suite.LEAKED]
    assert [one["reached"] for one in data["numbers"]] == [False, True, True, False]
    assert {one["name"] for one in data["memory"]["local"]} == set(found)


def test_the_set_is_of_twelve_users_and_whole():
    users = load_users()
    assert len({user.id for user in users}) == len(users) == 12
    texts = Counter(turn.text for user in users for turn in user.turns.values())
    assert set(texts.values()) == {1}  # so that a leak can be told
    for user in users:
        at = [event.at for event in user.events]
        assert at == sorted(at)
        assert 15 <= len(user.events) <= 25
        assert len(user.turns) == sum(isinstance(one, Turn) for one in user.events)
        said: set[str] = set()
        for turn in user.turns.values():
            assert turn.against.keys() <= said
            assert turn.secret in turn.text
            assert bool(turn.secret) == (turn.key in user.forgotten)
            assert all(
                user.turns[old].goal == (kind == "goal_instruction")
                for old, kind in turn.against.items()
            )
            said.add(turn.key)
        assert user.forgotten
        assert any(turn.experiencer for turn in user.turns.values())
        kinds = Counter(kind for turn in user.turns.values() for kind in turn.against.values())
        assert {"fact_update", "goal_instruction"} < kinds.keys()
        for question in user.questions:
            assert question.keys <= user.kept.keys()
            assert question.about != "now" or question.keys.isdisjoint(user.replaced)
            assert question.about != "before" or question.keys <= user.replaced
        assert {question.about for question in user.questions} == {"now", "before", "feel"}
