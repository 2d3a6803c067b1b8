"""Documents of any framework: what is read of them, and what is written."""

import copy
import json
import logging
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

import pytest

from emomem import Affect, MetadataFields
from emomem.encoding.documents import PENDING_FILTER, DocumentEncoder, Row
from emomem.encoding.encoder import DeepEncoder
from emomem.encoding.record import DIMENSIONS, DeepMemory
from emomem.filters import matches
from emomem.metadata import decode, encode

STIRRED = Affect(valence=-0.8, arousal=0.9, label="grief")
GOOD = json.dumps({name: f"{name} told" for name in DIMENSIONS})
TOLD = {f"deep_{name}": f"{name} told" for name in DIMENSIONS}


@dataclass
class Note:
    """A document of no framework."""

    text: str
    metadata: dict[str, Any] = field(default_factory=dict)
    id: str | None = None


class Moody:
    """Fails as long as it is told to, and remembers what it was asked."""

    def __init__(self):
        self.fails = False
        self.asked = []

    def complete(self, messages, schema=None):
        self.asked.append(messages[1]["content"].split("<text>\n")[1].split("\n</text>")[0])
        if self.fails:
            raise TimeoutError
        return GOOD

    async def acomplete(self, messages, schema=None):
        return self.complete(messages, schema)


@pytest.fixture
def model():
    return Moody()


@pytest.fixture
def make(model, scripted):
    def build(budget=None, **options):
        appraiser = scripted({"stirred": STIRRED, "calm": Affect(arousal=0.1, label="neutral")})
        return DocumentEncoder(
            DeepEncoder(model, appraiser=appraiser, budget=budget),
            lambda note: Row(note.text, note.metadata, note.id),
            lambda note, row: replace(note, **row._asdict()),
            **options,
        )

    return build


@pytest.fixture(params=["sync", "async"])
def run(request):
    async def encoded(encoder, documents, **options):
        if request.param == "async":
            return await encoder.aencoded(documents, **options)
        return encoder.encoded(documents, **options)

    return encoded


async def test_documents_become_memories_with_their_affect(make, run):
    notes = [Note("stirred", {"day": 1}, "a"), Note("calm", {"day": 2}, "b"), Note("", {}, "c")]
    before = copy.deepcopy(notes)

    made = await run(make(), notes)

    assert notes == before
    assert [(one.id, one.metadata.get("day")) for one in made] == [("a", 1), ("b", 2), ("c", None)]
    assert DeepMemory.from_text(made[0].text).fact == "fact told"
    assert [one.text for one in made[1:]] == ["user said: calm", "user said: "]
    assert [one.metadata["deep_raw"] for one in made] == ["stirred", "calm", ""]
    assert [one.metadata["deep_status"] for one in made] == ["deep", "standard", "standard"]
    assert made[0].metadata.items() >= {**TOLD, **encode(STIRRED)}.items()
    assert decode(made[1].metadata).label == "neutral"
    assert made[2].metadata["affect_label"] == "unknown"
    for one in made:
        assert all(type(value) in (str, float, int) for value in one.metadata.values())


async def test_a_tag_that_is_there_stays_and_is_not_read_again(make, run):
    tagged = Note("calm", {**encode(STIRRED), "affect_source": "a person", "tags": ["x"]})
    untagged = Note("stirred", {"affect_label": "unknown"})
    encoder = make()

    person, fresh = await run(encoder, [tagged, untagged])

    assert encoder.encoder._appraiser.asked == ["stirred"]
    assert person.metadata["deep_status"] == "deep"
    assert person.metadata.items() >= tagged.metadata.items()
    assert person.metadata["tags"] is not tagged.metadata["tags"]
    assert fresh.metadata["affect_label"] == "grief"


async def test_each_dimension_may_be_a_document(make, run):
    made = await run(make(embed="multi"), [Note("stirred", {"day": 1}, "a"), Note("calm", {}, "b")])

    assert [one.text for one in made] == [*TOLD.values(), "user said: calm"]
    assert [one.metadata.get("deep_dimension") for one in made] == [*DIMENSIONS, None]
    assert [one.metadata.get("deep_memory_id") for one in made] == ["a"] * 4 + [None]
    assert [one.metadata.get("day") for one in made] == [1] * 4 + [None]
    ids = [one.id for one in made]
    assert ids[-1] == "b"
    assert len({UUID(id_) for id_ in ids[:4]}) == 4
    assert [one.id for one in await run(make(embed="multi"), [Note("stirred", {}, "a")])] == ids[:4]


async def test_documents_without_an_id_are_told_apart_by_what_they_hold(make, run):
    notes = [Note("stirred", {"day": 1}), Note("stirred", {"day": 2})]
    encoder = make(embed="multi")

    made = await run(encoder, notes)

    assert [one.id for one in made] == [None] * 8
    assert len({one.metadata["deep_memory_id"] for one in made}) == 2
    assert await run(encoder, notes) == made


@pytest.mark.parametrize("embed", ["raw", "json", "fact_motive", "multi"])
async def test_hits_of_one_memory_become_one_and_show_all_of_it(make, run, embed):
    encoder = make(embed=embed)
    hits = await run(encoder, [Note("stirred", {"day": day}, f"{day}") for day in (1, 2)])
    hits = [*hits[1:], Note("by others"), hits[0]]

    merged = encoder.merged(hits)

    whole = DeepMemory.from_text(merged[0].text)
    assert {f"deep_{name}": value for name, value in whole.model_dump().items()} == TOLD
    days = [1, 2, None] if embed == "multi" else [2, None, 1]
    assert [one.metadata.get("day") for one in merged] == days
    assert encoder.merged(hits, 2) == merged[:2]
    assert merged[days.index(None)].text == "by others"


async def test_what_is_deep_stays_and_anything_else_is_encoded_anew(make, run, model, scripted):
    encoder = make(embed="raw")
    once = await run(encoder, [Note("stirred", {}, "a"), Note("calm", {}, "b")])
    assert await run(encoder, once) == once
    assert model.asked == ["stirred"]

    lower = DeepEncoder(model, threshold=0.0, appraiser=scripted({}))
    [same, deeper] = await run(replace(encoder, encoder=lower), once)
    assert same == once[0]
    assert (deeper.text, deeper.metadata["deep_status"]) == ("user said: calm", "deep")
    assert model.asked == ["stirred", "calm"]


@pytest.mark.parametrize("embed", ["json", "multi"])
async def test_what_failed_is_marked_found_and_tried_again(make, run, model, caplog, embed):
    encoder = make(embed=embed)
    model.fails = True
    with caplog.at_level(logging.DEBUG):
        stored = await run(encoder, [Note("stirred", {}, "a"), Note("calm", {}, "b")])
    assert "stirred" not in caplog.text
    assert [one.metadata["deep_status"] for one in stored] == ["failed", "standard"]
    assert [one.text for one in stored] == ["user said: stirred", "user said: calm"]
    assert [matches(PENDING_FILTER, one.metadata) for one in stored] == [True, False]

    assert await run(encoder, stored, pending=True) == stored
    model.fails = False
    again = await run(encoder, stored, pending=True)

    assert [one.metadata["deep_status"] for one in again[:-1]] == ["deep"] * (len(again) - 1)
    assert len(again) == (2 if embed == "json" else 5)
    assert again[-1] == stored[-1]
    assert {one.metadata["deep_raw"] for one in again[:-1]} == {"stirred"}
    assert again[0].metadata["affect_label"] == "grief"
    assert encoder.encoder._appraiser.asked == ["stirred", "calm"]


async def test_what_the_budget_left_out_waits_for_another(make, run, model):
    notes = [Note("stirred", {"day": day}) for day in range(2)] + [Note("more", encode(STIRRED))]
    stored = await run(make(budget=1), notes)
    assert sorted(one.metadata["deep_status"] for one in stored) == ["deep", "deep", "over_budget"]
    again = await run(make(budget=1), stored, pending=True)
    assert [one.metadata["deep_status"] for one in again] == ["deep"] * 3


async def test_affect_may_be_kept_elsewhere(make, run):
    fields = MetadataFields(prefix="mood_")
    made = await run(make(fields=fields), [Note("calm", {"affect_arousal": 0.99})])
    assert made[0].metadata.items() >= {"affect_arousal": 0.99, "mood_arousal": 0.1}.items()
    made = await run(make(fields=fields), [Note("calm", {"mood_arousal": 0.99})])
    assert made[0].metadata["deep_status"] == "deep"


@pytest.mark.parametrize(
    "wrong", [{"embed": "both"}, {"fields": MetadataFields(scales={"valence": float})}]
)
def test_a_wrong_argument_raises_at_once(make, wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        make(**wrong)
