"""What is at stake for the one who recalls: cues and relations bring the feelings about them."""

import pytest

from emomem.memory.in_memory import InMemoryStore
from emomem.memory.recalling import Sizes


def felt(recall):
    return [one.unit.text for one in recall.affective]


@pytest.fixture
def memory(build):
    memory = build(sizes=Sizes(facts=1, prefetch=1, affective=1))
    for text in ("a queue at the bank", "zzz hymn", "we met kai"):
        memory.save(text)
    return memory


def test_a_cue_is_mixed_into_what_asks_for_feelings_alone(memory):
    query = "a bank queue"
    assert felt(memory.recall(query)) == ["a queue at the bank"]
    recall = memory.recall(query, cues=["zzz hymn", "zzz hymn zzz"])
    assert felt(recall) == ["zzz hymn"]
    assert recall.facts[0].unit.text == "a queue at the bank"


def test_a_feeling_about_somebody_who_matters_is_more_salient(build):
    memory = build(sizes=Sizes(affective=1))
    for text in ("we met ann", "we met kai"):
        memory.save(text)
    plain = memory.recall("we met").affective[0]
    [raised] = memory.recall("we met", relations={"Kai": 1, "kai": -8, "Ann": 3}).affective
    assert raised.unit.text == "we met kai"
    assert raised.salience == pytest.approx(1.8 * plain.salience / (1 + 0.8 * plain.salience))


def test_cues_that_come_one_by_one_are_not_lost_and_blank_ones_do_not_count(memory):
    listed = memory.recall("a bank queue", cues=["zzz hymn", "zzz hymn zzz"])
    given = (text for text in ("zzz hymn", " ", "zzz hymn zzz"))
    assert memory.recall("a bank queue", cues=given) == listed


def test_a_text_is_embedded_once_a_recall_and_all_cues_in_one_call(build):
    asked = []

    def embed(texts):
        asked.append(list(texts))
        return [[1.0] for _ in texts]

    memory = build(store=InMemoryStore(embed=embed))
    memory.recall("q", conversation=["hi"], cues=["b", "c", "b", "q"])
    assert sorted(asked) == [["b", "c"], ["hi\nq"], ["q"]]


@pytest.mark.parametrize(
    ("asked", "error", "said"),
    [
        ({"cues": "one text"}, TypeError, "cues is a list"),
        ({"cues": [3]}, TypeError, "cues is a list"),
        ({"cues": None}, TypeError, "got one NoneType"),
        ({"cues": {"a set"}}, TypeError, "got one set"),
        ({"relations": "Kai"}, TypeError, "a mapping from names to weights, got str"),
        ({"relations": {"Kai": "9"}}, TypeError, "got 'Kai': '9'"),
        ({"relations": {"Kai": float("nan")}}, ValueError, "got nan for 'Kai'"),
        ({"relations": {"Kai": 11}}, ValueError, "got 11 for 'Kai'"),
        ({"relations": {" ": 1}}, ValueError, "with a name, got ' '"),
    ],
)
def test_what_is_no_cue_or_relation_is_refused(memory, asked, error, said):
    with pytest.raises(error, match=said):
        memory.recall("a bank", **asked)
