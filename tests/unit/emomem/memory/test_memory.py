"""What a memory does with what it is told."""

import asyncio
import json
import logging
from concurrent.futures import ThreadPoolExecutor

import pytest

from emomem import Affect, EnsembleAppraiser, LexiconAppraiser, LocalAppraiser, LocalEncoder
from emomem.memory.conflict import Conflict
from emomem.memory.engine import Row
from emomem.memory.memory import Memory
from emomem.memory.operations import replay
from emomem.memory.recalling import Sizes, Working, saliences
from emomem.memory.unit import NEVER, from_metadata, make_unit_id, to_metadata

ROME, MILAN = "I live in Rome", "I live in Milan"


@pytest.fixture
def moved(detector):
    """A detector that knows that one can live in one town only."""
    detector.script |= {(MILAN, ROME): "fact_update", (ROME, MILAN): "fact_update"}


def texts(recalled):
    return [one.unit.text for one in recalled]


def state_of(units, replayed):
    return [(one.unit_id, replayed[one.unit_id]["status"]) for one in units]


def test_an_interaction_is_a_fact_and_its_affective_reading_linked(memory, store):
    saved = memory.save("we won", session_id="s", speaker="Bo", metadata={"order": 5})

    fact, affective = store.list("ann")
    assert (fact, affective) == (saved.fact, saved.affective)
    assert (fact.kind, affective.kind) == ("fact", "affective")
    assert fact.interaction_id == affective.interaction_id == fact.unit_id
    assert (fact.speaker, fact.experiencer, fact.session_id) == ("Bo", "Bo", "s")
    assert fact.affect.label == affective.affect.label == "joy"
    assert fact.metadata == {"order": 5}
    assert fact.created_at == 1_000_000.0


def test_the_feeling_of_another_is_not_the_speakers(memory):
    saved = memory.save("Sam was upset", experiencer="Sam")
    assert (saved.fact.speaker, saved.affective.experiencer) == ("ann", "Sam")


@pytest.mark.parametrize(
    ("text", "whose"),
    [
        ("Sam was furious and devastated", "Sam"),
        ("Sam was upset because his bike was stolen.", "Sam"),
        ("My mother is terribly sad and crying", "my mother"),
        ("She looked worried", "she"),
        ("Ann was furious", "ann"),
        ("User feels sad", "ann"),
        ("Sam was furious with me", "ann"),
        ("I told Sam that he was upset", "ann"),
        ("Everything was sad", "ann"),
    ],
)
def test_whose_feeling_it_is_says_the_wording_where_nobody_else_does(memory, text, whose):
    assert memory.save(text).affective.experiencer == whose
    assert memory.mood().is_unknown == (whose != "ann")
    assert memory.save(text, experiencer="ann").affective.experiencer == "ann"


def test_a_reading_in_words_has_its_own_text(memory):
    saved = memory.save("we won", reading="she was proud")
    assert (saved.fact.text, saved.affective.text) == ("we won", "she was proud")


def test_exact_duplicates_merge_and_near_ones_never_do(memory, store, clock):
    first = memory.save("run 12")
    clock.now += 5
    again = memory.save("run 12")
    memory.save("run 13")
    memory.save("run 12", speaker="Bo")
    memory.save("run 12", user_id="bob")

    assert again.merged
    assert (again.fact.unit_id, again.fact.times) == (first.fact.unit_id, 2)
    assert (again.fact.created_at, again.fact.last_at) == (1_000_000.0, 1_000_005.0)
    facts = {(one.text, one.speaker): one.times for one in store.list("ann", {"kind": "fact"})}
    assert facts == {("run 12", "ann"): 2, ("run 13", "ann"): 1, ("run 12", "Bo"): 1}
    assert len(store.list("bob")) == 2


def test_an_affect_that_could_not_be_read_is_read_when_it_is_said_again(memory, appraiser):
    appraiser.script["we won"] = None
    assert memory.save("we won").fact.affect.is_unknown
    appraiser.script["we won"] = "pride"
    again = memory.save("we won")
    assert again.fact.affect.label == again.affective.affect.label == "pride"


def test_a_contradiction_supersedes_and_keeps_both(memory, moved, clock):
    old = memory.save(ROME).fact
    clock.now += 5
    saved = memory.save(MILAN)

    assert [one.against.unit_id for one in saved.conflicts] == [old.unit_id]
    assert texts(memory.recall("where do I live").facts) == [MILAN]
    statuses = {"current", "superseded"}
    assert set(texts(memory.recall("where", statuses=statuses).facts)) == {MILAN, ROME}
    before, after = memory.timeline()
    assert (before.text, before.status, before.superseded_by) == (
        ROME,
        "superseded",
        after.unit_id,
    )
    [one], [other] = before.conflicts, after.conflicts
    assert (one.against, other.against) == (after.unit_id, before.unit_id)
    assert one.settlement == other.settlement == "the latest holds"
    assert memory.conflicts() == []
    [opposed] = memory.conflicts(settled=True)
    assert (opposed.earlier.text, opposed.later.text) == (ROME, MILAN)


def test_how_it_felt_stays_and_knows_what_came_after(memory, moved):
    memory.save(ROME)
    saved = memory.save(MILAN)
    felt = {one.unit.text: one.unit for one in memory.recall("live").affective}
    assert set(felt) == {ROME, MILAN}
    assert (felt[ROME].status, felt[ROME].superseded_by) == ("current", saved.fact.unit_id)
    assert felt[MILAN].superseded_by is None
    assert felt[MILAN].affect.conflict == 0.8


def test_what_is_true_again_is_a_new_unit_and_history_stays(memory, moved, clock):
    for text in (ROME, MILAN, ROME, ROME):
        clock.now += 5
        saved = memory.save(text)

    assert saved.merged
    line = memory.timeline()
    assert [(one.text, one.status, one.times) for one in line] == [
        (ROME, "superseded", 1),
        (MILAN, "superseded", 1),
        (ROME, "current", 2),
    ]
    assert [one.superseded_by for one in line] == [line[1].unit_id, line[2].unit_id, None]


def test_what_is_told_late_was_over_before(memory, moved):
    memory.save(MILAN)
    memory.save(ROME, created_at=5.0)
    assert texts(memory.recall("live").facts) == [MILAN]
    assert [(one.text, one.status) for one in memory.timeline()] == [
        (ROME, "superseded"),
        (MILAN, "current"),
    ]


def test_a_conflict_of_feeling_stays_open_with_both_sides_current(memory, detector):
    detector.script["I hate tea", "I love tea"] = "evaluative"
    memory.save("I love tea")
    memory.save("I hate tea")
    [opposed] = memory.conflicts()
    assert (opposed.context.kind, opposed.context.parties) == ("evaluative", ("ann", "ann"))
    assert len(memory.recall("tea").facts) == 2


def test_checking_saves_nothing(memory, store, moved):
    memory.save(ROME)
    before = store.list("ann")
    assert [one.kind for one in memory.check(MILAN)] == ["fact_update"]
    assert store.list("ann") == before


def test_goals_are_among_what_a_text_is_held_against(memory, detector):
    goal = memory.goals.add("keep the budget under 2,000")
    assert memory.goals.add("keep the budget under 2,000") == goal
    detector.script["book the suite for 3,000", goal.text] = "goal_instruction"
    for row in range(20):
        memory.save(f"book the suite for 3,000, please: {row}")
    [conflict] = memory.check("book the suite for 3,000")
    assert conflict.against == goal
    assert memory.goals.list() == [goal]
    assert memory.goals.list(user_id="bob") == []
    assert goal not in memory.recall("budget").units
    memory.goals.remove(goal.unit_id)
    assert memory.goals.list() == []


def test_a_detector_that_fails_costs_only_its_conflicts(memory, detector, caplog):
    memory.save(ROME)
    detector.detect = lambda new, candidates: 1 / 0
    with caplog.at_level(logging.WARNING):
        assert memory.save(MILAN).conflicts == ()
    assert len(memory.timeline()) == 2
    assert "ZeroDivisionError" in caplog.text
    assert "Milan" not in caplog.text


class Odd:
    kind, intensity, reason, parties = "fact_update", 0.5, "r", ("a", "b")

    def __init__(self, against):
        self.against = against


@pytest.mark.parametrize(
    "answer",
    [
        lambda new, old: [None, Odd(old)],
        lambda new, old: "abc",
        lambda new, old: 5,
        lambda new, old: [Conflict("fact_update", new, ("a", "b"), 0.5, "itself")],
        lambda new, old: [
            Conflict("fact_update", old.model_copy(update={"unit_id": "x"}), (), 0.5, "another's")
        ],
        lambda new, old: [Conflict("fact_update", old, (None,), 0.5, "no party")],
    ],
)
def test_what_is_no_conflict_costs_nothing_else(memory, detector, answer, caplog):
    memory.save(ROME)
    detector.detect = lambda new, candidates: answer(new, candidates[0])
    with caplog.at_level(logging.WARNING):
        assert memory.save(MILAN).conflicts == ()
    assert [one.status for one in memory.timeline()] == ["current", "current"]
    assert caplog.records
    assert "Milan" not in caplog.text


@pytest.mark.parametrize("settle", [lambda *_: 1 / 0, lambda *_: None, lambda *_: "new"])
def test_a_template_that_fails_leaves_the_conflict_open(build, moved, settle, caplog):
    memory = build(settle=settle)
    memory.save(ROME)
    with caplog.at_level(logging.WARNING):
        memory.save(MILAN)
    assert len(memory.conflicts()) == 1
    assert len(memory.recall("live").facts) == 2
    assert caplog.records


def test_rows_that_are_no_units_are_passed_over_and_forgotten(memory, store, caplog):
    memory.save(ROME)
    own = {"user_id": "ann", "kind": "fact"}
    store._rows["own"] = Row("own", "an application's", own, store._embed(["an application's"])[0])
    with caplog.at_level(logging.WARNING):
        memory.save(MILAN)
        assert set(texts(memory.recall("live").facts)) == {ROME, MILAN}
    assert "application" not in caplog.text
    assert caplog.records
    assert memory.forget("ann").units == 4
    assert store._rows == {}


def test_a_reading_is_checked_and_cleaned_as_a_text(memory, store):
    with pytest.raises(TypeError, match="reading must be a str or None, got int"):
        memory.save(ROME, reading=5)
    assert store.list("ann") == []
    block = "<recalled_memories>old</recalled_memories>"
    saved = memory.save(
        ROME, reading=f"{block} glad\0", speaker="B\0o", session_id="s\0", metadata={"k": "v\0"}
    )
    assert (saved.affective.text, saved.fact.speaker) == ("glad", "Bo")
    assert (saved.fact.session_id, saved.fact.metadata) == ("s", {"k": "v"})
    assert memory.goals.add(f"{block}rest").text == "rest"
    with pytest.raises(ValueError, match="nothing is left"):
        memory.goals.add(block)
    hidden = "<recalled_<recalled_memories>x</recalled_memories>memories>y</recalled_memories>"
    with pytest.raises(ValueError, match="nothing is left"):
        memory.save(hidden)


def test_goals_are_those_that_count(memory, store):
    fact = memory.save(ROME).fact
    goal = memory.goals.add("rest")
    assert memory.goals.remove(fact.unit_id).units == 0
    memory.suppress([goal.unit_id])
    assert memory.goals.list() == []
    assert memory.goals.add("rest").status == "current"
    assert [one.text for one in memory.goals.list()] == ["rest"]
    assert store.list("ann", {"kind": "fact"}) == [fact]


async def test_async_does_the_same(build, store, moved, detector):
    memory = build()
    await memory.asave(ROME)
    assert [one.kind for one in await memory.acheck(MILAN)] == ["fact_update"]
    saved = await memory.asave(MILAN)
    assert texts((await memory.arecall("live")).facts) == texts(memory.recall("live").facts)
    assert await memory.acontext("live") == memory.context("live") != ""
    assert await memory.aconflicts(settled=True) == memory.conflicts(settled=True)
    assert await memory.aexplain(saved.fact.unit_id) == memory.explain(saved.fact.unit_id)
    assert await memory.atimeline() == memory.timeline()
    assert await memory.aexport() == memory.export()
    assert await memory.asearch_by_affect("joy") == memory.search_by_affect("joy")
    assert await memory.asearch_by_pattern() == memory.search_by_pattern()
    assert await memory.aoperations() == memory.operations()
    goal = await memory.goals.aadd("rest")
    assert await memory.goals.alist() == [goal]
    await memory.goals.aremove(goal.unit_id)
    assert (await memory.aforget("ann")).units == 4
    assert store.list("ann") == []


def test_recall_is_dual_and_bounded(build, appraiser):
    appraiser.script = {f"note {row}": "anger" if row % 7 == 0 else "neutral" for row in range(40)}
    memory = build(sizes=Sizes(facts=3, prefetch=20, affective=4))
    for row in range(40):
        memory.save(f"note {row}")

    recall = memory.recall("note")
    assert (len(recall.facts), len(recall.affective)) == (3, 4)
    strengths = [one.salience for one in recall.affective]
    assert strengths == sorted(strengths, reverse=True)
    assert recall.affective[0].unit.affect.label == "anger"

    small = build(sizes=Sizes(tokens=4), count_tokens=lambda text: 2)
    assert len({one.text for one in small.recall("note").units}) == 2


def test_recall_widens_past_what_no_longer_counts(build, store, clock):
    memory = build(sizes=Sizes(facts=2))
    for row in range(30):
        memory.save("a" * (row + 1), expires_at=clock.now + (1 if row < 25 else 99))
    clock.now += 10
    assert len(memory.recall("a").facts) == 2


def test_working_memory_stands_before_the_rest(build, clock, appraiser):
    appraiser.script = {"aaa": "neutral", "aab": "neutral", "azzz": "anger", "azz": "neutral"}
    for text in ("aaa", "aab"):
        build().save(text)
    clock.now += 1e6
    for text in ("azzz", "azz"):
        build().save(text)
    assert texts(build().recall("aaa").facts)[0] == "aaa"
    recall = build(working=Working(), sizes=Sizes(facts=2)).recall("aaa")
    assert texts(recall.facts) == ["azzz", "aaa"]
    assert texts(recall.affective)[0] == "azzz"
    with pytest.raises(ValueError, match="hours"):
        Working(hours=0)


def test_forgetting_empties_the_cache_of_whatever_encoder_read_the_text(store, detector):
    encoder, embedding = LocalEncoder(), LocalEncoder()
    appraiser = EnsembleAppraiser([LocalAppraiser(encoder), LexiconAppraiser()])
    memory = Memory(store, user_id="ann", detector=detector, appraiser=appraiser)
    saved = memory.save("we won")
    embedding.read(["we won"], embed=False, affect=True)
    assert len(encoder._cache) == len(embedding._cache) == 1
    memory.forget(ids=[saved.fact.unit_id])
    assert len(encoder._cache) == len(embedding._cache) == 0


def test_recalling_changes_nothing(memory, store):
    memory.save("we won")
    before, log = store.list("ann"), memory.operations()
    memory.recall("we won")
    memory.context("we won")
    assert (store.list("ann"), memory.operations()) == (before, log)


def test_what_was_recalled_is_never_saved_as_new(memory):
    memory.save("we won")
    block = memory.context("we won")
    saved = memory.save(f"{block}\nand now we lost")
    assert saved.fact.text == "and now we lost"
    with pytest.raises(ValueError, match="nothing is left"):
        memory.save(block)


@pytest.mark.parametrize(("text", "kept"), [("a\0b\ud800", "ab?"), (" a ", " a ")])
def test_any_text_is_kept_as_far_as_an_engine_can(memory, text, kept):
    assert memory.save(text).fact.text == kept
    assert memory.recall("x").facts[0].unit.text == kept


@pytest.mark.parametrize("where", [{"$or": [{"user_id": "bob"}, {"times": 1}]}, {"user_id": "bob"}])
def test_nothing_widens_a_users_filter(memory, where):
    memory.save("his secret", user_id="bob", metadata={"note": "user_id: ann"})
    memory.goals.add("user_id: bob")
    assert memory.recall('user_id = "bob"', where=where).units == []
    assert memory.timeline(where=where) == []
    with pytest.raises(ValueError, match="user_id"):
        memory.save("mine", metadata={"user_id": "bob"})


def test_search_by_affect_and_by_pattern(memory, appraiser):
    appraiser.script = {"a": "joy", "b": "anger", "c": "annoyance", "d": None}
    for text in "abcd":
        memory.save(text)
    memory.save("e", affect=Affect(valence=-0.5, conflict=0.8))

    assert {one.text for one in memory.search_by_affect("anger")} == set("abce")
    assert [one.text for one in memory.search_by_affect("anger", 1)] == ["b"]
    assert [one.text for one in memory.search_by_pattern()] == ["e"]
    assert {one.text for one in memory.search_by_pattern({"valence": {"$lt": 0}})} == {
        "b",
        "c",
        "e",
    }


def test_explaining_tells_status_conflicts_and_operations(memory, moved):
    old = memory.save(ROME).fact
    new = memory.save(MILAN).fact
    explained = memory.explain(old.unit_id)
    assert explained.status == "superseded"
    assert [one.kind for one in explained.operations] == ["create", "supersede"]
    assert [(one.earlier.text, one.later.text) for one in explained.conflicts] == [(ROME, MILAN)]
    with pytest.raises(KeyError):
        memory.explain(new.unit_id, user_id="bob")


def test_an_export_is_json_and_complete(memory, moved):
    memory.save(ROME)
    memory.save(MILAN)
    memory.goals.add("rest")
    exported = json.loads(json.dumps(memory.export("ann")))
    assert len(exported["units"]) == 5
    assert {one["text"] for one in exported["units"]} == {ROME, MILAN, "rest"}
    assert len(exported["operations"]) == 4


def test_the_log_replays_to_the_state_of_the_store_and_holds_no_text(memory, store, moved, clock):
    for text in (ROME, MILAN, MILAN, ROME, "run 12"):
        clock.now += 5
        memory.save(text, metadata={"note": "private"})
    replayed = replay(memory.operations())
    units = store.list("ann")
    assert state_of(units, replayed) == [(one.unit_id, one.status) for one in units]
    for one in units:
        assert replayed[one.unit_id]["affect_salience"] == pytest.approx(
            saliences([one], 0, None)[0]
        )
        assert replayed[one.unit_id]["times"] == one.times
        assert replayed[one.unit_id].get("superseded_by") == one.superseded_by
    log = json.dumps([one.model_dump() for one in memory.operations()])
    assert not any(word in log for word in ("Rome", "run 12", "private", '"ann"'))


def test_forgetting_an_interaction_leaves_nothing_of_it(build, store, moved):
    purged = []
    memory = build(purges=[purged.extend])
    old = memory.save(ROME).fact
    new = memory.save(MILAN).fact
    kept = memory.save("run 12").fact

    forgotten = memory.forget(ids=[new.unit_id])

    assert forgotten.units == 2
    assert set(purged) == {MILAN}
    left = {one.text: one for one in store.list("ann", {"kind": "fact"})}
    assert set(left) == {ROME, "run 12"}
    assert (left[ROME].conflicts, left[ROME].superseded_by) == ((), None)
    log = json.dumps([one.model_dump() for one in memory._parts.log.read()])
    assert new.unit_id not in log
    assert old.unit_id in log
    assert kept.unit_id in log


def test_forgetting_a_user_leaves_the_others(memory, store):
    memory.save("mine")
    memory.goals.add("rest")
    memory.save("his", user_id="bob")
    assert memory.forget("ann").units == 3
    assert (store.list("ann"), memory.operations()) == ([], [])
    assert memory.export("ann")["units"] == []
    assert len(store.list("bob")) == 2
    assert memory.forget("ann").units == memory.forget("nobody").units == 0
    assert memory.forget(ids=[]).units == 0
    assert len(memory.operations(user_id="bob")) == 1


def test_forgetting_says_whose_or_which(memory):
    with pytest.raises(ValueError, match="whose"):
        memory.forget()
    with pytest.raises(TypeError, match="list of ids"):
        memory.forget(ids="abc")


def test_a_call_names_the_user_or_the_memory_does(build):
    memory = build(user_id=None)
    with pytest.raises(ValueError, match="name the user"):
        memory.save("we won")
    for wrong in ("", " "):
        with pytest.raises(ValueError, match="name the user"):
            memory.recall("x", user_id=wrong)
        with pytest.raises(ValueError, match="name the user"):
            build(user_id=wrong)
    assert memory.save("we won", user_id="bob").fact.user_id == "bob"


def test_wrong_parts_raise_at_once(build):
    wrong = dict.fromkeys(("appraiser", "detector", "settle", "sizes", "decay", "working"), 3)
    wrong |= {"store": {}, "log": "x.jsonl", "guard": None, "count_tokens": 3, "clock": 1.0}
    for name, part in wrong.items():
        with pytest.raises(TypeError, match=name):
            build(**{name: part})
    with pytest.raises(TypeError, match=r"purges\[1\]"):
        build(purges=[print, 3])
    with pytest.raises(ValueError, match="brightening"):
        build(brightening=2)
    with pytest.raises(ValueError, match="tokens"):
        Sizes(tokens=0)
    with pytest.raises(TypeError):
        Memory(build()._parts.store, unknown=1)


@pytest.mark.parametrize(
    ("ask", "error", "named"),
    [
        (lambda memory: memory.recall("x", statuses=("bogus",)), ValueError, "bogus"),
        (lambda memory: memory.recall("x", statuses="current"), ValueError, "some of current"),
        (lambda memory: memory.recall("x", where="y"), TypeError, "where must be a mapping"),
        (lambda memory: memory.recall(None), TypeError, "query must be a str"),
        (lambda memory: memory.timeline(where="y"), TypeError, "where must be a mapping"),
        (lambda memory: memory.search_by_affect("joy", 0), ValueError, "k must be >= 1"),
        (lambda memory: memory.search_by_affect("joy", -1), ValueError, "k must be >= 1"),
        (lambda memory: memory.mood("x"), TypeError, "a MoodTracker, got str"),
        (lambda memory: memory.monitor("x"), TypeError, "a Monitor, got str"),
    ],
)
def test_wrong_arguments_are_named(memory, ask, error, named):
    with pytest.raises(error, match=named):
        ask(memory)


def test_ids_tell_nothing_without_the_key(memory):
    fact = memory.save("we won").fact
    assert fact.unit_id != make_unit_id(fact, b"other")
    assert fact.expires_at == NEVER


def test_threads_may_share_a_memory(memory, store):
    def work(name):
        for row in range(10):
            memory.save(f"{name} {row}")
            memory.save("the same")
            memory.recall(name)
        memory.forget(ids=[memory.save(f"{name} gone").fact.unit_id])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, "abcdefgh"))

    found = {one.text for one in store.list("ann", {"kind": "fact"})}
    assert found == {"the same", *(f"{name} {row}" for name in "abcdefgh" for row in range(10))}
    assert {one.state for one in memory.operations()} == {"done"}


async def test_so_may_tasks(memory, store):
    await asyncio.gather(*(memory.asave(f"note {row}") for row in range(30)))
    assert len(store.list("ann", {"kind": "fact"})) == 30
    assert {one.state for one in memory.operations()} == {"done"}


def test_what_is_read_is_written_alike_again(memory, store):
    # Numbers that rounding changes, and the salience with them.
    for step in range(50):
        affect = Affect(valence=-1 / (step + 3), arousal=1 / (step + 7), conflict=2 / (step + 11))
        memory.save(f"text {step}", affect=affect)
    for unit in store.list("ann"):
        again = from_metadata(unit.text, to_metadata(unit))
        assert to_metadata(again) == to_metadata(unit)
