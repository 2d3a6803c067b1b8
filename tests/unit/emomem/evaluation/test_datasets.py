import hashlib

import pytest

from emomem.evaluation.datasets import (
    in_half,
    load_empathetic,
    load_locomo,
    load_lufy,
    load_madial,
)
from emomem.evaluation.suites.retrieval import load_benchmarks

LOADERS = {
    load_madial: ("madial_bench/MADial-Bench-en-memory.jsonl", "hejunqing/MADial-Bench"),
    load_locomo: ("locomo/locomo_first5.json", "snap-research/locomo"),
    load_empathetic: ("empathetic_dialogues/test.csv", "facebookresearch/EmpatheticDialogues"),
    load_lufy: ("lufy/importance.csv", "ryuichi-sumida/LUFY"),
}


def test_madial_asks_each_child_s_memories_with_the_turns_before_the_test(public_data):
    ann, tom = load_madial(public_data).stores
    assert tom.texts[1] == "Tom lost his kite and was sad."
    assert len(tom.texts) == 3
    assert len(ann.texts) == 2
    kite, dog = tom.queries
    assert kite.turns == (
        "I am so sad, my red kite is gone!",
        "Oh no, where did you fly it?",
        "In the park, and then it was lost.",
    )
    assert kite.own == (True, False, True)
    assert kite.last == "In the park, and then it was lost."
    assert kite.conversation == ("I am so sad, my red kite is gone!",)
    assert {tom.texts[place] for place in kite.relevant} == {
        "Tom won the sack race and felt proud.",
        "Tom lost his kite and was sad.",
    }
    assert (kite.id, dog.id) == ("madial:0", "madial:2")
    assert tom.times.argmax() == 0
    assert ann.queries[0].relevant == {0}


def test_locomo_holds_every_turn_in_order_and_leaves_out_what_has_no_evidence(public_data):
    [store] = load_locomo(public_data).stores
    assert store.texts == (
        "Eve: I bought a boat in March.",
        "Bob: I was scared at sea. (shows a picture: a photo of a wave)",
        "Eve: I am proud of my boat.",
    )
    assert [(query.id, query.category, set(query.relevant)) for query in store.queries] == [
        ("conv-1:0", "temporal", {0}),
        ("conv-1:1", "multi-hop", {1, 2}),
        ("conv-1:4", "single-hop", {2}),
    ]


def test_empathetic_dialogues_asks_with_first_turns_and_never_finds_the_query(public_data):
    [store] = load_empathetic(public_data).stores
    assert store.texts[0] == "I am so sad, my dog died"
    assert len(store.texts) == 6
    assert {query.id: set(query.relevant) for query in store.queries} == {
        "a": {1, 4},
        "b": {0, 4},
        "c": {3},
        "d": {2},
        "e": {0, 1},
    }
    assert all(query.left_out == {row} for row, query in enumerate(store.queries))


def test_lufy_has_the_votes_of_each_session(public_data):
    first, second, third = load_lufy(public_data)
    assert (first.id, first.texts[1]) == ("lufy:u1:S1", "I am so sad, my dog died")
    assert [session.votes.tolist() for session in (first, second, third)] == [
        [0, 3, 1],
        [2, 0],
        [0],
    ]


def test_halves_are_told_apart_by_sha_256_and_make_the_whole(public_data):
    for name in ("a", "madial:7", "conv-1:0"):
        even = int(hashlib.sha256(name.encode()).hexdigest(), 16) % 2 == 0
        assert in_half(name, "even") == even
        assert in_half(name, "odd") != even
        assert in_half(name, "all")
    everything = load_empathetic(public_data)
    parts = [everything.half(half) for half in ("even", "odd")]
    assert sum(len(part.queries) for part in parts) == len(everything.queries)
    assert all(len(part.stores[0].texts) == 6 for part in parts)
    with pytest.raises(ValueError, match="half must be one of odd, even, all, got 'both'"):
        in_half("a", "both")


@pytest.mark.parametrize("load", LOADERS)
def test_a_missing_file_is_named_with_its_public_repository(load, public_data):
    name, repository = LOADERS[load]
    (public_data / name).unlink()
    with pytest.raises(FileNotFoundError) as raised:
        load(public_data)
    assert name in str(raised.value)
    assert repository in str(raised.value)


@pytest.mark.parametrize("load", LOADERS)
@pytest.mark.parametrize("content", [b"{\n", b"\xff\xfe", b'{"a": 1}\n'])
def test_a_malformed_file_is_named(load, content, public_data):
    name, repository = LOADERS[load]
    (public_data / name).write_bytes(content)
    with pytest.raises(ValueError, match="is not as") as raised:
        load(public_data)
    assert repository in str(raised.value)


def test_votes_that_are_no_numbers_are_malformed(public_data):
    path = public_data / "lufy/importance.csv"
    path.write_text(path.read_text().replace(",3,3", ",many,3"))
    with pytest.raises(ValueError, match="is not as"):
        load_lufy(public_data)


def test_a_row_that_is_cut_short_is_malformed(public_data):
    path = public_data / "lufy/importance.csv"
    path.write_text(path.read_text() + "u4,S1\n")
    with pytest.raises(ValueError, match="cut short"):
        load_lufy(public_data)


def test_a_half_without_queries_is_refused(public_data):
    path = public_data / "locomo/locomo_first5.json"
    path.write_text("[]")
    with pytest.raises(ValueError, match=r"LoCoMo .* has no query in the odd half"):
        load_benchmarks(public_data, "odd")
