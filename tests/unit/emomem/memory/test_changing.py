"""What is changed by hand, compressed, and where it comes from."""

import json

import networkx as nx
import pytest

from emomem import Affect
from emomem.memory.compression import Compression, statistics
from emomem.memory.dynamics import DAY, Decay
from emomem.memory.operations import replay
from emomem.memory.recalling import Sizes

CALM = Affect(valence=0.5, arousal=0.1)


def texts(recalled):
    return [one.unit.text for one in recalled]


def test_a_suppression_ends_by_itself_or_by_hand(memory, clock):
    saved = memory.save("tea")
    ids = [saved.fact.unit_id]
    assert set(memory.suppress(ids, seconds=10)) == {*ids, saved.affective.unit_id}
    assert memory.recall("tea").units == []
    assert texts(memory.recall("tea", statuses=["suppressed"]).facts) == ["tea"]
    clock.now += 10
    assert texts(memory.recall("tea").facts) == ["tea"]
    memory.suppress(ids)
    clock.now += 1e9
    assert texts(memory.recall("tea").facts) == []
    memory.suppress(ids, seconds=0)
    assert texts(memory.recall("tea").facts) == ["tea"]
    assert memory.suppress(ids, user_id="bob") == memory.suppress([]) == []


def test_what_is_no_longer_so_is_not_revived_by_a_suppression(memory, detector):
    detector.script["Milan", "Rome"] = "fact_update"
    old = memory.save("Rome").fact
    memory.save("Milan")
    assert old.unit_id not in memory.suppress([old.unit_id], seconds=0)
    assert memory.explain(old.unit_id).status == "superseded"


def test_weights_and_reinforcement_change_the_order_of_recall(memory, appraiser):
    appraiser.script = {"aa": "neutral", "ab": "anger"}
    calm, angry = memory.save("aa").affective, memory.save("ab").affective
    assert texts(memory.recall("a").affective) == ["ab", "aa"]
    memory.reweight({calm.unit_id: 0.9, angry.unit_id: 0.5})
    assert texts(memory.recall("a").affective) == ["aa", "ab"]
    memory.reinforce([angry.unit_id], rate=0.9)
    assert texts(memory.recall("a").affective) == ["ab", "aa"]
    assert memory.explain(angry.unit_id).salience == pytest.approx(0.95)
    assert memory.explain(angry.unit_id).unit.recalled == 1
    assert memory.explain(angry.unit_id).unit.affect.valence == angry.affect.valence


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        (["a"], TypeError, "mapping of ids"),
        ({1: 0.5}, TypeError, "mapping of ids"),
        ({"a": "0.5"}, TypeError, "a must be a number in 0..1"),
        ({"a": True}, TypeError, "a must be a number in 0..1"),
        ({"a": 1.5}, ValueError, "a must lie in 0..1"),
    ],
)
def test_a_wrong_weight_is_refused_before_anything_is_changed(memory, wrong, error, message):
    with pytest.raises(error, match=message):
        memory.reweight(wrong)
    assert memory.operations() == []


def test_a_feeling_fades_only_when_asked(memory, appraiser):
    appraiser.script = {"no": "anger"}
    unit = memory.save("no").affective
    memory.reinforce([unit.unit_id], rate=0.1, fading=0.5)
    after = memory.explain(unit.unit_id).unit.affect
    assert after.valence == pytest.approx(unit.affect.valence / 2)
    assert after.neutrality == pytest.approx(0.5, abs=0.01)


def test_reinforcing_what_has_no_affect_counts_and_no_more(memory, appraiser):
    appraiser.script = {"x": None}
    unit = memory.save("x").affective
    memory.reinforce([unit.unit_id])
    after = memory.explain(unit.unit_id)
    assert (after.unit.recalled, after.salience) == (1, None)


def test_decay_is_computed_when_it_is_read(build, store, clock):
    memory = build(decay=Decay(half_life=1, arousal=0, success=0))
    unit = memory.save("we won").affective
    before = store.list("ann")
    clock.now += DAY
    now = memory.explain(unit.unit_id).salience
    assert now == pytest.approx(build().explain(unit.unit_id).salience / 2)
    assert memory.recall("we won").affective[0].salience == pytest.approx(now)
    assert store.list("ann") == before
    memory.reinforce([unit.unit_id], rate=0)
    assert memory.explain(unit.unit_id).salience == pytest.approx(now * 2)


async def test_changes_in_async_and_in_the_log(memory, store):
    unit = memory.save("tea").affective
    await memory.areweight({unit.unit_id: 0.25})
    await memory.areinforce([unit.unit_id], rate=0.2)
    await memory.asuppress([unit.unit_id], 5)
    kinds = [one.kind for one in memory.operations()]
    assert kinds == ["create", "reweight", "reweight", "suppress"]
    state = replay(memory.operations())[unit.unit_id]
    [held] = store.list("ann", ids=[unit.unit_id])
    assert (state["status"], state["affect_salience"]) == (held.status, held.salience)


def test_a_little_brightness_against_spirals(build, appraiser):
    appraiser.script = {"a" * 12: "joy"}
    appraiser.script |= {"a" * n: "anger" for n in range(1, 12)}
    memory = build(brightening=1.0, sizes=Sizes(affective=3))
    for n in range(1, 13):
        memory.save("a" * n)
    found = [one.unit.affect.label for one in memory.recall("a").affective]
    assert found == ["anger", "anger", "joy"]
    plain = build(sizes=Sizes(affective=3)).recall("a")
    assert [one.unit.affect.label for one in plain.affective] == ["anger"] * 3


def test_compression_puts_a_summary_in_the_place_of_small_good_moments(memory, clock, store):
    for day, text in enumerate(["lunch went well", "the walk was nice", "we had tea"]):
        memory.save(text, affect=CALM, created_at=float(day))
    memory.save("we won", created_at=0.0)  # it stirred
    memory.save("a calm row", affect=Affect(valence=-0.5, arousal=0.1), created_at=0.0)
    clock.now = 60 * DAY

    [summary] = memory.consolidate()

    assert summary.text.endswith("lunch went well; the walk was nice; we had tea")
    assert summary.metadata["summary_n"] == 3
    assert summary.metadata["summary_valence_mean"] == pytest.approx(0.5)
    assert summary.metadata["summary_valence_spread"] == pytest.approx(0)
    assert len(summary.sources) == 3
    facts = texts(memory.recall("x").facts)
    assert set(facts) == {summary.text, "we won", "a calm row"}
    assert set(texts(memory.recall("x").affective)) == {"we won", "a calm row"}
    assert len(store.list("ann")) == 11
    assert memory.consolidate() == []
    explained = memory.explain(summary.unit_id)
    assert [one.text for one in explained.sources] == [
        "lunch went well",
        "the walk was nice",
        "we had tea",
    ]
    state = replay(memory.operations())
    assert all(state[one.unit_id]["status"] == one.status for one in store.list("ann"))


def test_what_ends_promotes_or_is_marked_otherwise_is_in_no_summary_of_the_rest(memory, clock):
    private = {"visibility": "private", "room": 3}
    for text in ("a walk", "a cake", "a song"):
        memory.save(text, affect=CALM, metadata=private)
    memory.save("a voucher", affect=CALM, metadata=private, expires_at=clock.now + 90 * DAY)
    memory.save("an upgrade", affect=CALM, metadata={**private, "promotional": True})
    memory.save("20% off", affect=CALM, metadata=private)
    memory.save("a tea", affect=CALM)
    clock.now += 60 * DAY
    [summary] = memory.consolidate()
    sources = {one.text for one in memory.explain(summary.unit_id).sources}
    assert sources == {"a walk", "a cake", "a song"}
    assert summary.text in texts(memory.recall("x", where={"visibility": "private"}).facts)


async def test_a_summary_in_words_and_its_source_forgotten(memory, clock):
    saved = [memory.save(text, affect=CALM, created_at=0.0) for text in "abc"]
    clock.now = 60 * DAY
    [summary] = await memory.aconsolidate(summarise=lambda texts: f"{len(texts)} letters")
    assert summary.text == "1970-01-01 to 1970-01-01: 3 letters"
    memory.forget(ids=[saved[0].fact.unit_id])
    assert {one.text for one in memory.timeline()} == {"b", "c"}
    # What the summary stood for counts again.
    assert set(texts(memory.recall("x").facts)) == set(texts(memory.recall("x").affective))
    assert set(texts(memory.recall("x").facts)) == {"b", "c"}
    state = replay(memory.operations())
    assert all(state[one.unit_id]["status"] == "current" for one in memory.timeline())


@pytest.mark.parametrize(
    "answer",
    [None, "", " \0", 5, ["a"], "x" * 2001, "<recalled_memories>x</recalled_memories>", Exception],
)
def test_rubbish_makes_no_summary_and_costs_nothing(memory, clock, answer, caplog):
    for text in ("a walk", "a cake", "a song"):
        memory.save(text, affect=CALM)
    clock.now += 40 * DAY

    def summarise(texts):
        if answer is Exception:
            raise answer
        return answer

    assert memory.consolidate(summarise=summarise) == []
    assert {one.status for one in memory.timeline()} == {"current"}
    assert caplog.records
    assert "cake" not in caplog.text
    [summary] = memory.consolidate(summarise=lambda texts: " three\0 treats")
    assert summary.text.endswith(": three treats")


def test_statistics_know_what_is_not_known():
    affect, told = statistics([Affect(valence=0.2), Affect(valence=0.4), Affect.unknown()])
    assert affect.valence == pytest.approx(0.3)
    assert told == {
        "summary_n": 3,
        "summary_valence_mean": pytest.approx(0.3),
        "summary_valence_spread": pytest.approx(0.1),
    }
    with pytest.raises(ValueError, match="least"):
        Compression(least=1)


async def test_provenance_is_a_graph_without_text(memory, clock, detector):
    detector.script["Milan", "Rome"] = "fact_update"
    saved = [memory.save(text, affect=CALM, created_at=0.0).fact for text in "abc"]
    old = memory.save("Rome").fact
    clock.now = 60 * DAY
    new = memory.save("Milan").fact
    [summary] = memory.consolidate()

    graph = memory.provenance()

    relations = {(u, v, data["relation"]) for u, v, data in graph.edges(data=True)}
    assert {(summary.unit_id, one.unit_id, "made_from") for one in saved} <= relations
    assert (old.unit_id, new.unit_id, "superseded_by") in relations
    assert (new.unit_id, old.unit_id, "contradicts") in relations
    assert nx.utils.graphs_equal(await memory.aprovenance(), graph)
    told = json.dumps(nx.node_link_data(graph, edges="edges"))
    assert "Rome" not in told
