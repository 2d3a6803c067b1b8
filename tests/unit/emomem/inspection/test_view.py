import json

import pytest

from emomem import Affect, BaseAppraiser
from emomem.inspection.view import documents_view, units_view, with_pieces
from emomem.memory import InMemoryLog, InMemoryStore, Memory

DAY = 86_400.0


class Moody(BaseAppraiser):
    def _read(self, texts):
        return [Affect.from_label("anger" if "hate" in text else "love") for text in texts]


@pytest.fixture
def memory():
    store = InMemoryStore(embed=lambda texts: [[len(text), 1.0] for text in texts])
    return Memory(store, user_id="ann", appraiser=Moody(), log=InMemoryLog(), clock=lambda: 9 * DAY)


def view_of(memory, at=9 * DAY):
    units = memory._parts.store.list("ann")
    settled = memory.conflicts(settled=True)
    return units_view(units, settled, memory.operations(), lambda: at)


def test_text_metadata_and_operations_are_those_of_an_export(memory):
    memory.save("I love coffee in the morning", created_at=DAY)
    memory.save("I hate coffee in the morning", created_at=2 * DAY)
    view = view_of(memory)
    units = [{"text": one["text"], **one["metadata"]} for one in view["memories"]]
    told = {"user_id": "ann", "units": units, "operations": view["operations"]}
    assert told == memory.export()
    json.dumps(view, allow_nan=False)


def test_a_conflict_names_its_sides_in_time(memory):
    first = memory.save("I love coffee in the morning", created_at=DAY)
    second = memory.save("I hate coffee in the morning", created_at=2 * DAY)
    [conflict] = view_of(memory)["conflicts"]
    assert (conflict["earlier"], conflict["later"]) == (first.fact.unit_id, second.fact.unit_id)
    assert conflict["kind"] == "evaluative"
    assert 0 < conflict["intensity"] <= 1


def test_a_reading_in_the_same_words_is_an_echo_and_one_of_its_own_words_is_not(memory):
    memory.save("I love tea")
    memory.save("I love rain", reading="It calms her.")
    echoes = {one["text"]: one["echo"] for one in view_of(memory)["memories"]
              if one["metadata"]["kind"] == "affective"}  # fmt: skip
    assert echoes == {"I love tea": True, "It calms her.": False}


def test_status_is_that_of_now(memory):
    memory.save("I love the exhibition", expires_at=10 * DAY)
    statuses = [
        {one["status"] for one in view_of(memory, at)["memories"]} for at in (9 * DAY, 11 * DAY)
    ]
    assert statuses == [{"current"}, {"expired"}]


@pytest.mark.parametrize(
    ("metadata", "at"),
    [
        ({"created_at": 3.5}, 3.5),
        ({"date": "1970-01-02"}, DAY),
        ({"timestamp": "1970-01-01T01:00:00+01:00", "date": "2000-01-01"}, 0.0),
        ({"timestamp": "yesterday", "time": 7}, 7.0),
        ({"time": True}, None),
        ({"time": float("nan")}, None),
        ({"timestamp": 1_700_000_000_000, "date": "1970-01-02"}, DAY),  # in milliseconds
        ({"timestamp": 10**400}, None),
        ({"time": -1e12}, None),
        ({}, None),
    ],
)
def test_a_document_may_say_when_it_is_from(metadata, at):
    [one] = documents_view([("1", "a", metadata)])["memories"]
    assert one["at"] == at


def test_documents_that_something_else_tagged_are_shown_as_json():
    odd = {"affect_valence": -0.61234567, "list": [1], "inf": float("inf"), "affect_salience": "x"}
    [one] = documents_view([("1", "a", odd)])["memories"]
    assert one["affect"] == {"valence": -0.6123}
    assert (one["metadata"]["list"], one["metadata"]["inf"], one["salience"]) == ("[1]", None, None)
    json.dumps(one, allow_nan=False)


def test_a_deep_memory_is_shown_once_and_goes_with_all_its_vectors():
    rows = [(str(n), {"deep_memory_id": "m"} if n % 2 else {}) for n in range(4)]
    view = documents_view([(id_, "a", metadata) for id_, metadata in rows])
    assert [one["id"] for one in view["memories"]] == ["0", "1", "2"]
    assert with_pieces(rows, ["1"]) == ["1", "3"]
    assert with_pieces(rows, ["2"]) == ["2"]
