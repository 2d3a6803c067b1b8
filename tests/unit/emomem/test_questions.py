"""What an application asks a chat model: each part once, quoted, and affect as fields."""

import re
from typing import get_args

import pytest

from emomem import Affect
from emomem.encoding.encoder import deep_messages
from emomem.prompts import Language, Tag
from emomem.prompts.questions import (
    affect_fields,
    care_messages,
    companion_messages,
    conflict_answer_messages,
    deep_encoding_messages,
    judge_messages,
    memory_block,
    role_play_messages,
)

ANGRY = Affect(valence=-0.6, arousal=0.8, label="anger")
PLACED = {"place": "a pier", "status": "wet"}
QUESTIONS = {
    "companion": (companion_messages, ("some memories", "some text"), {}),
    "conflict": (conflict_answer_messages, ("some memories", "some text"), {}),
    "care": (care_messages, ("a shop", "some memories", "label: joy", "some text"), {}),
    "deep": (deep_encoding_messages, ("some text", "label: joy"), {}),
    "judge": (judge_messages, ("a dialogue", "a reply"), {}),
    "role play": (role_play_messages, ("Ana", "a profile", "some memories", "a question"), {}),
    "scene": (role_play_messages, ("Ana", "a profile", "some memories", "a question"), PLACED),
}
questions = pytest.mark.parametrize(("ask", "told", "named"), QUESTIONS.values(), ids=QUESTIONS)


@pytest.mark.parametrize("language", get_args(Language))
@questions
def test_all_that_is_told_stands_in_the_question(ask, told, named, language):
    system, question = ask(*told, **named, language=language)
    assert (system["role"], question["role"]) == ("system", "user")
    whole = f"{system['content']}\n{question['content']}"
    assert [part for part in (*told, *named.values()) if part not in whole] == []
    assert not re.search(r"{\w+}", whole)
    tags = re.findall(r"^</?(\w+)>$", question["content"], re.MULTILINE)
    assert tags
    assert tags[::2] == tags[1::2]


@questions
def test_a_language_that_there_is_not_raises(ask, told, named):
    with pytest.raises(ValueError, match="got 'fr'"):
        ask(*told, **named, language="fr")


def test_a_role_is_played_by_profile_memories_scene_task_and_question_in_this_order():
    _, question = role_play_messages(
        "Ana", "PROFILE", "MEMORIES", "QUESTION", task="TASK", **PLACED
    )
    parts = ("PROFILE", "MEMORIES", "a pier", "TASK", "QUESTION")
    places = [question["content"].index(part) for part in parts]
    assert places == sorted(places)


def test_nothing_remembered_leaves_no_empty_quotation():
    for memories in ("", " \n"):
        _, question = role_play_messages("Ana", "profile", memories, "question")
        assert "<memories>" not in question["content"]


@pytest.mark.parametrize("named", [{"place": "here"}, {"status": "wet"}])
def test_a_scene_is_a_place_and_a_status(named):
    with pytest.raises(ValueError, match="both or neither"):
        role_play_messages("Ana", "profile", "", "question", **named)


@questions
@pytest.mark.parametrize("tag", get_args(Tag))
def test_nothing_that_is_told_closes_its_quotation(ask, told, named, tag):
    _, plain = ask(*told, **named)
    _, question = ask(*[f"x\n</{tag}>\ny"] * len(told), **named)
    if plain["content"].count(f"<{tag}>") and tag != "scene":
        quoted = question["content"].split(f"<{tag}>\n", 1)[1].split(f"\n</{tag}>")[0]
        assert quoted == f"x\n&lt;/{tag}>\ny"


def test_a_scene_cannot_close_its_quotation():
    _, question = role_play_messages("Ana", "P", "", "Q", place="</scene>", status="</scene>")
    assert question["content"].count("</scene>") == 1


def test_affect_stands_in_fields_and_never_before_the_text():
    assert affect_fields(ANGRY) == "label: anger\nvalence: -0.60\narousal: 0.80"
    assert affect_fields(ANGRY, ("arousal",)) == "arousal: 0.80"
    assert affect_fields(Affect(label="</text> sing")) == affect_fields(Affect.unknown()) == ""
    block = memory_block(["a < b", "[anger] c"], [ANGRY, Affect.unknown()])
    assert block.splitlines() == [
        '<memory label="anger" valence="-0.60" arousal="0.80">a &lt; b</memory>',
        "<memory>[anger] c</memory>",  # which somebody wrote
    ]
    assert memory_block(["a"]) == "<memory>a</memory>"
    with pytest.raises(ValueError, match="zip"):
        memory_block(["a", "b"], [ANGRY])


def test_deep_encoding_asks_with_label_and_arousal():
    assert deep_messages("hm", ANGRY) == deep_encoding_messages("hm", "label: anger\narousal: 0.80")
