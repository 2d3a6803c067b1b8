"""A deep memory as text and metadata, and what becomes of its hits."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emomem import Affect
from emomem.asking import schema_of
from emomem.encoding.record import (
    DIMENSIONS,
    KEYS,
    MEMORY_ID,
    DeepMemory,
    Encoded,
    deep_memory,
    first_of_each,
)

MEMORY = DeepMemory(
    fact="The dog died.",
    underlying_motive="To be comforted.",
    contextual_cues="The empty basket.",
    agent_strategy="Listen first.",
)
said = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1).filter(str.strip)
facts = said.map(lambda text: f"It rained. {text[:200]}")
memories = st.fixed_dictionaries({**dict.fromkeys(DIMENSIONS, said), "fact": facts}).map(
    DeepMemory.model_validate
)


def deep(text="My dog died!"):
    return Encoded(text, Affect(arousal=0.9), "deep", MEMORY)


def test_the_published_text_form():
    assert MEMORY.to_text() == (
        '[深度记忆] {"fact": "The dog died.", "underlying_motive": "To be comforted.", '
        '"contextual_cues": "The empty basket.", "agent_strategy": "Listen first."}'
    )
    assert "悲伤" in MEMORY.model_copy(update={"fact": "悲伤"}).to_text()


@given(memories)
def test_what_is_written_is_read_back(memory):
    assert DeepMemory.from_text(memory.to_text()) == memory
    [piece] = Encoded("raw", Affect.unknown(), "deep", memory).pieces("json", "1")
    assert deep_memory(piece.metadata) == memory


@pytest.mark.parametrize("between", ["", "\n", "  ", "```json\n"])
def test_the_mark_and_the_object_may_stand_apart(between):
    body = json.dumps(MEMORY.model_dump())
    assert DeepMemory.from_text(f" [深度记忆]{between}{body}\n") == MEMORY


@pytest.mark.parametrize(
    "text",
    [
        "user said: secret",
        json.dumps(MEMORY.model_dump()),
        "[深度记忆] secret",
        '[深度记忆] {"fact": "secret"}',
        MEMORY.to_text()[:-1],
        f"Look: {MEMORY.to_text()}",
    ],
)
def test_what_is_no_deep_memory_raises_and_quotes_nothing(text):
    with pytest.raises(ValueError, match="fact, underlying_motive") as caught:
        DeepMemory.from_text(text)
    assert "secret" not in str(caught.value)


def test_no_text_is_in_a_repr():
    shown = repr((deep(), MEMORY, deep().pieces("multi", "7")))
    assert not any(text in shown for text in ("dog", "basket", "comfort", "Listen"))


def test_what_no_store_holds_is_taken_out():
    memory = MEMORY.model_validate({**MEMORY.model_dump(), "fact": " a\0b \ud83d "})
    assert memory.fact == "a b ?"
    json.dumps(memory.to_text(), ensure_ascii=False).encode()


@pytest.mark.parametrize("fact", ["...", "N/A", "\u200b", "7", "<string>", "None.", "y" * 301])
def test_a_fact_that_tells_nothing_or_has_no_end_is_refused(fact):
    with pytest.raises(ValueError, match="fact") as caught:
        DeepMemory(**{**MEMORY.model_dump(), "fact": fact})
    assert "yyy" not in str(caught.value)


@pytest.mark.parametrize("fact", ["Morreu.", "狗死了", "कुत्ता", "y" * 300])
def test_a_short_fact_is_one_in_any_script(fact):
    assert DeepMemory(**{**MEMORY.model_dump(), "fact": fact}).fact == fact


def test_the_schema_asks_for_the_four_and_bounds_them():
    schema = schema_of(DeepMemory)
    assert schema["required"] == list(DIMENSIONS) == list(schema["properties"])
    assert {one["maxLength"] for one in schema["properties"].values()} == {300}


@pytest.mark.parametrize("status", ["standard", "failed", "over_budget"])
@pytest.mark.parametrize("embed", ["raw", "json", "fact_motive", "multi"])
def test_what_is_not_deep_is_the_standard_encoding_however_it_is_embedded(status, embed):
    [piece] = Encoded("Hi.", Affect(arousal=0.1), status).pieces(embed, "7")
    assert (piece.text, piece.dimension) == ("user said: Hi.", None)
    assert piece.metadata == {"deep_status": status, "deep_raw": "Hi."}


@pytest.mark.parametrize(
    ("embed", "text"),
    [
        ("raw", "user said: My dog died!"),
        ("json", MEMORY.to_text()),
        ("fact_motive", "The dog died.\nTo be comforted."),
    ],
)
def test_what_is_deep_is_embedded_as_chosen_and_keeps_the_words(embed, text):
    [piece] = deep().pieces(embed, "7")
    assert (piece.text, piece.dimension) == (text, None)
    assert piece.metadata == {
        "deep_status": "deep",
        "deep_raw": "My dog died!",
        "deep_fact": "The dog died.",
        "deep_underlying_motive": "To be comforted.",
        "deep_contextual_cues": "The empty basket.",
        "deep_agent_strategy": "Listen first.",
    }


def test_each_dimension_may_be_a_piece_of_one_memory():
    pieces = deep().pieces("multi", "7")
    assert [piece.dimension for piece in pieces] == list(DIMENSIONS)
    assert [piece.text for piece in pieces] == list(MEMORY.model_dump().values())
    assert {piece.metadata[MEMORY_ID] for piece in pieces} == {"7"}
    assert {deep_memory(piece.metadata) for piece in pieces} == {MEMORY}
    assert set(pieces[0].metadata) == set(KEYS)


@pytest.mark.parametrize("lost", ["deep_fact", "deep_agent_strategy"])
def test_metadata_without_all_four_hold_no_memory(lost):
    metadata = deep().pieces("json", "7")[0].metadata
    assert deep_memory({key: x for key, x in metadata.items() if key != lost}) is None
    assert deep_memory({**metadata, lost: 3}) is None


@given(st.lists(st.sampled_from(["a", "b", "c", None])))
def test_of_the_hits_of_one_memory_the_best_stays(ids):
    hits = [{} if one is None else {MEMORY_ID: one} for one in ids]
    kept = first_of_each(hits)
    assert kept == sorted(kept)
    named = [ids[row] for row in kept if ids[row] is not None]
    assert named == list(dict.fromkeys(one for one in ids if one is not None))
    assert [row for row in kept if ids[row] is None] == [
        row for row, one in enumerate(ids) if one is None
    ]
