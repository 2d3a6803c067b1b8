import copy
import json
import logging
import pickle
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from emomem import Affect
from emomem.appraisal.review import EMOJI, ReviewItem, ReviewQueue
from emomem.emotions import is_known_label

PRIVATE = "my dog died"
READ = Affect(valence=0.4, label="joy", confidence=0.2, source="emomem:2")


@pytest.fixture
def queue():
    return ReviewQueue()


def put(queue, text=PRIVATE, affect=READ):
    queue.add(text, affect)
    return next(item for item in queue.pending() if item.text == text)


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_what_is_added_waits_in_order_and_each_text_once(queue):
    put(queue, "b")
    put(queue, "a")
    queue.add("b", Affect.neutral())
    assert [(item.text, item.affect) for item in queue.pending()] == [("b", READ), ("a", READ)]
    assert len(queue) == 2
    first, second = queue.pending()
    assert first.id != second.id


def test_an_accepted_reading_is_settled_as_it_was_read(queue):
    item = put(queue)
    settled = queue.accept(item.id)
    assert settled == READ.model_copy(update={"confidence": 1.0, "source": "review:accepted"})
    assert queue.pending() == []
    assert len(queue) == 1


@pytest.mark.parametrize(
    ("to", "label"),
    [
        ("grief", "grief"),
        (" Lonely ", "lonely"),
        ("😭", "grief"),
        ("❤️", "love"),
        ("👍🏽", "approval"),
    ],
)
def test_a_correction_by_label_or_emoji(queue, to, label):
    settled = queue.correct(put(queue).id, to)
    expected = Affect.from_label(label)
    assert settled == expected.model_copy(update={"confidence": 1.0, "source": "review:corrected"})


def test_a_correction_by_affect(queue):
    settled = queue.correct(put(queue).id, Affect(valence=-0.9))
    assert (settled.valence, settled.label, settled.confidence) == (-0.9, None, 1.0)


def test_what_was_settled_may_be_settled_again_and_is_not_queued_again(queue, tmp_path):
    item = put(queue)
    queue.accept(item.id)
    queue.correct(item.id, "anger")
    queue.add(PRIVATE, READ)
    assert queue.pending() == []
    queue.export(tmp_path / "rows.jsonl")
    assert [row["label"] for row in lines(tmp_path / "rows.jsonl")] == ["anger"]


@pytest.mark.parametrize("to", ["furious joy", "", "🦑", "unknown"])
def test_what_is_neither_label_nor_emoji_is_refused(queue, to):
    with pytest.raises(ValueError, match=r"unknown emotion label or emoji .* admiration, .*🥳"):
        queue.correct(put(queue).id, to)
    assert len(queue.pending()) == 1


def test_nothing_is_settled_as_unknown(queue):
    item = put(queue, affect=Affect.unknown())
    with pytest.raises(ValueError, match="settles nothing"):
        queue.accept(item.id)
    with pytest.raises(ValueError, match="settles nothing"):
        queue.correct(item.id, Affect.unknown())
    with pytest.raises(TypeError, match="got float"):
        queue.correct(item.id, 0.5)


def test_an_item_that_is_not_there_is_named(queue):
    for settle in (queue.accept, lambda one: queue.correct(one, "joy")):
        with pytest.raises(KeyError, match="no item 'x'"):
            settle("x")


def test_every_emoji_stands_for_a_known_label():
    assert len(EMOJI) >= 30
    assert all(is_known_label(label) for label in EMOJI.values())
    assert all(len(emoji) == 1 for emoji in EMOJI)


def test_an_export_holds_what_is_settled_and_only_what_is_known(queue, tmp_path):
    put(queue, "waiting")
    queue.correct(put(queue, "line\nbreak 😭 \ud800").id, Affect(valence=-0.5))
    queue.correct(put(queue, "b").id, "joy")
    path = tmp_path / "rows.jsonl"
    assert queue.export(path) == 2
    first, second = lines(path)
    assert first == {
        "text": "line\nbreak 😭 \ud800",
        "valence": -0.5,
        "confidence": 1.0,
        "source": "review:corrected",
    }
    assert second.pop("text") == "b"
    assert Affect.model_validate(second).label == "joy"


def test_an_empty_export_is_an_empty_file(queue, tmp_path):
    assert queue.export(tmp_path / "rows.jsonl") == 0
    assert (tmp_path / "rows.jsonl").read_text() == ""


def test_a_saved_queue_is_the_same_when_loaded(queue, tmp_path):
    put(queue, "waiting\u2028 \ud800", Affect.from_label("fear"))
    queue.correct(put(queue, "b").id, "joy")
    queue.accept(put(queue, "c").id)
    path = tmp_path / "queue.jsonl"
    queue.save(path)
    loaded = ReviewQueue.load(path)
    assert loaded._items == queue._items
    assert [item.text for item in loaded.pending()] == ["waiting\u2028 \ud800"]
    assert [entry.name for entry in tmp_path.iterdir()] == ["queue.jsonl"]
    loaded.accept(loaded.pending()[0].id)
    assert loaded.pending() == []


GOOD = {"id": "1", "text": PRIVATE, "affect": {"valence": 0.5}, "settled": None}


@pytest.mark.parametrize(
    "line",
    [
        f"{PRIVATE}",
        f'["{PRIVATE}"]',
        f'"{PRIVATE}"',
        "null",
        json.dumps({**GOOD, "more": 1}),
        json.dumps({"id": "1", "text": PRIVATE}),
        json.dumps({**GOOD, "id": 1}),
        json.dumps({**GOOD, "text": None}),
        json.dumps({**GOOD, "affect": {"valence": PRIVATE}}),
        json.dumps({**GOOD, "affect": {"valence": 7}}),
        json.dumps({**GOOD, "settled": {"joy": 1}}),
        json.dumps(GOOD)[:-9],
    ],
)
def test_a_line_that_is_no_item_is_refused_by_its_number_and_never_by_its_text(tmp_path, line):
    path = tmp_path / "queue.jsonl"
    path.write_text(json.dumps(GOOD) + "\n\n" + line + "\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"line 3 of .*queue\.jsonl is not an item") as raised:
        ReviewQueue.load(path)
    assert PRIVATE not in str(raised.value)
    assert raised.value.__suppress_context__


def test_a_file_that_is_missing_raises(tmp_path):
    with pytest.raises(FileNotFoundError):
        ReviewQueue.load(tmp_path / "none.jsonl")


def test_a_failed_save_leaves_the_old_file(queue, tmp_path, monkeypatch):
    path = tmp_path / "queue.jsonl"
    queue.save(path)
    put(queue)
    monkeypatch.setattr(json, "dumps", lambda row: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        queue.save(path)
    assert path.read_text() == ""


@pytest.mark.parametrize("by", ["text", "id"])
def test_one_text_is_forgotten(queue, tmp_path, by):
    put(queue, "other")
    item = put(queue)
    assert queue.forget(getattr(item, by)) is True
    assert queue.forget(getattr(item, by)) is False
    assert [one.text for one in queue.pending()] == ["other"]
    queue.save(tmp_path / "queue.jsonl")
    assert PRIVATE not in (tmp_path / "queue.jsonl").read_text()


def test_everything_is_purged(queue):
    queue.accept(put(queue).id)
    put(queue, "b")
    queue.purge()
    assert len(queue) == 0


def test_no_log_and_no_repr_holds_the_text(queue, tmp_path, caplog):
    with caplog.at_level(logging.DEBUG):
        item = put(queue)
        queue.correct(item.id, "grief")
        queue.save(tmp_path / "queue.jsonl")
        queue.export(tmp_path / "rows.jsonl")
        queue.forget(PRIVATE)
    assert PRIVATE not in caplog.text
    assert PRIVATE not in repr(item)
    assert PRIVATE not in repr(queue)
    assert PRIVATE not in item.id


@pytest.fixture
def hurried_threads():
    """Threads take turns as often as can be, so that a missing lock shows."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("hurried_threads")
def test_threads_may_save_and_export_to_one_file(queue, tmp_path):
    ids = [put(queue, str(number)).id for number in range(40)]

    def work(item):
        queue.correct(item, "joy")
        queue.save(tmp_path / "queue.jsonl")
        queue.export(tmp_path / "rows.jsonl")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, ids))
    assert not ReviewQueue.load(tmp_path / "queue.jsonl").pending()
    assert (tmp_path / "rows.jsonl").read_text().count("\n") == 40
    assert sorted(path.name for path in tmp_path.iterdir()) == ["queue.jsonl", "rows.jsonl"]


def test_a_copy_and_a_pickle_hold_the_same_items(queue):
    item = put(queue)
    for other in (copy.deepcopy(queue), pickle.loads(pickle.dumps(queue))):  # noqa: S301
        assert other.pending() == [item]
        other.correct(item.id, "joy")
    assert queue.pending() == [item]


@pytest.mark.parametrize(("text", "affect"), [(None, READ), ("a", "joy"), ("a", None)])
def test_what_is_no_reading_is_refused(queue, text, affect):
    with pytest.raises(TypeError, match="a queue takes a str and an Affect, got a"):
        queue.add(text, affect)


def test_a_byte_order_mark_is_no_trouble_and_other_bytes_are_named(queue, tmp_path):
    item, path = put(queue), tmp_path / "queue.jsonl"
    queue.save(path)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert ReviewQueue.load(path).pending() == [item]
    path.write_bytes(b"\xff\xfe\n")
    with pytest.raises(ValueError, match="is not UTF-8 text"):
        ReviewQueue.load(path)


@pytest.mark.usefixtures("hurried_threads")
def test_sixteen_threads_lose_nothing(queue):
    start = threading.Barrier(16)

    def work(number):
        start.wait()
        for step in range(200):
            queue.add(f"{number}:{step}", READ)
            queue.add(f"shared {step}", READ)
            queue.pending()
        mine = [item for item in queue.pending() if item.text.startswith(f"{number}:")]
        for item in mine[:25]:
            queue.correct(item.id, "joy")
        queue.forget(mine[25].id)
        return len(mine)

    with ThreadPoolExecutor(16) as pool:
        assert list(pool.map(work, range(16))) == [200] * 16
    assert len(queue) == 16 * 199 + 200
    assert len(queue.pending()) == 16 * 174 + 200


def test_an_item_is_a_plain_record():
    assert ReviewItem("a", READ).settled is None
