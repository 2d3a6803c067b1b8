"""The prompts of each language say the same, and quote what they rate."""

import hashlib
import json
import re
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import get_args

import pytest

from emomem.appraisal.replies import REPLIES
from emomem.asking import schema_of
from emomem.emotions import GOEMOTIONS
from emomem.prompts import (
    VERSION,
    Language,
    Prompts,
    filled,
    override,
    prompts,
    quoted,
    variables,
)

SEALED = ("1.1", "99b10a6255f93acb")
PACKAGE = Path(prompts.__code__.co_filename).parents[1]
NAMES = [field.name for field in fields(Prompts)]

languages = pytest.mark.parametrize("language", get_args(Language))


@languages
@pytest.mark.parametrize("kind", REPLIES)
def test_a_question_names_every_key_of_its_answer_and_no_other(language, kind):
    named = re.findall('"([a-z]+)"', getattr(prompts(language), kind))
    properties = schema_of(REPLIES[kind])["properties"]
    inner = {key for value in properties.values() for key in value.get("properties", ())}
    assert set(named) == {*properties, *inner}


@languages
def test_the_labels_to_choose_from_are_the_28(language):
    assert ", ".join(GOEMOTIONS) in prompts(language).vad


@languages
@pytest.mark.parametrize("name", NAMES)
def test_a_text_holds_the_variables_that_its_field_tells_of_and_no_other_brace(language, name):
    text = getattr(prompts(language), name)
    described = re.search(rf"\n +{name}: (.*?)(?=\n +\w+: |\Z)", Prompts.__doc__, re.DOTALL)
    assert variables(text) == variables(described[1])
    assert not re.search("[{}]", re.sub(r"{\w+}", "", text))


@languages
@pytest.mark.parametrize("name", NAMES)
def test_no_text_puts_affect_in_brackets_before_what_it_is_of(language, name):
    assert not re.search(r"[\[【]", getattr(prompts(language), name))


@pytest.mark.parametrize("name", NAMES)
def test_every_text_is_asked_somewhere(name):
    used = re.compile(rf"\.{name}\b|[\"']{name}[\"']")
    files = [path for path in PACKAGE.rglob("*.py") if path.parent.name != "prompts"]
    assert any(
        used.search(path.read_text("utf-8")) for path in [*files, PACKAGE / "prompts/questions.py"]
    )


@pytest.mark.parametrize("name", NAMES)
def test_every_language_has_a_text_of_its_own(name):
    assert len({getattr(prompts(language), name) for language in get_args(Language)}) == 3


def test_the_version_changes_with_the_texts():
    texts = [[language, asdict(prompts(language))] for language in get_args(Language)]
    seal = hashlib.sha256(json.dumps(texts, sort_keys=True).encode()).hexdigest()[:16]
    assert (VERSION, seal) == SEALED, (
        "the texts are not those of this version: once a release, raise VERSION as it says; "
        "then write both here"
    )


def test_own_texts_take_the_place_of_the_librarys_and_give_it_back():
    own = prompts("en")
    override("en", deep="Tell me.", role_play="Be {character}!")
    try:
        assert prompts("en") == replace(own, deep="Tell me.", role_play="Be {character}!")
        assert prompts("zh").deep != "Tell me."
        override("en", judge="Judge!")
        assert prompts("en") == replace(own, judge="Judge!")
    finally:
        override("en")
    assert prompts("en") is own


@pytest.mark.parametrize(
    ("texts", "error", "says"),
    [
        ({"deeper": "x"}, ValueError, "a text must be one of vad, .*got 'deeper'"),
        ({"deep": 3}, TypeError, "deep must be a str, got int"),
        ({"deep": " "}, ValueError, "variables of the one it replaces: none"),
        ({"deep": "of {text}"}, ValueError, "variables of the one it replaces: none"),
        ({"role_play_scene": "{place}"}, ValueError, "replaces: {place}, {status}"),
    ],
)
def test_a_text_that_cannot_take_the_place_is_refused(texts, error, says):
    with pytest.raises(error, match=says):
        override("en", **texts)
    with pytest.raises(ValueError, match="got 'fr'"):
        override("fr", **texts)


@pytest.mark.parametrize("values", [{}, {"place": "here"}, {"place": "a", "status": "b", "x": "c"}])
def test_what_is_filled_in_are_the_variables(values):
    with pytest.raises(ValueError, match=r"for \['place', 'status'\], got"):
        filled("{place} {status}", **values)


def test_a_language_without_prompts_raises():
    with pytest.raises(ValueError, match=r"en, zh, pt, got 'fr'"):
        prompts("fr")


@pytest.mark.parametrize(
    "tag", ["</text>", "<text>", "< / TEXT >", "<text class='x'>", "</ text\n>"]
)
def test_a_text_cannot_close_its_quotation(tag):
    inner = quoted(f"a {tag} b", "text").removeprefix("<text>\n").removesuffix("\n</text>")
    assert inner == f"a &lt;{tag[1:]} b"


def test_other_tags_and_angles_stay_as_they_are():
    assert quoted("1 < 2 <b>text</b> <texture>", "text").splitlines()[1] == (
        "1 < 2 <b>text</b> <texture>"
    )
