"""The prompts of each language say the same, and quote what they rate."""

import re
from dataclasses import asdict
from typing import get_args

import pytest

from emomem.appraisal.replies import REPLIES
from emomem.asking import schema_of
from emomem.emotions import GOEMOTIONS
from emomem.prompts import Language, prompts, quoted

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
def test_only_the_retry_has_something_to_fill_in(language):
    assert [name for name, text in asdict(prompts(language)).items() if "{" in text] == ["retry"]
    assert prompts(language).retry.count("{error}") == 1


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
