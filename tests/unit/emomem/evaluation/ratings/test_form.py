"""The page by its source; `tests/integration/test_ratings_form.py` uses it in a browser."""

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import get_args

import pytest

from emomem.evaluation.ratings.form import form_page
from emomem.evaluation.ratings.scales import SCALES, form_texts, scale_lines, scales, scales_text
from emomem.prompts import Language, prompts, variables

languages = pytest.mark.parametrize("language", get_args(Language))


class Page(HTMLParser):
    """The elements of a page."""

    def __init__(self, text):
        super().__init__()
        self.elements = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def all(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]


@languages
def test_every_grade_has_a_label_and_every_scale_its_words(language, output):
    text = form_page("R1", "abc", {"i1": output(), "i2": output(seed=2)}, language)
    page = Page(text)
    inputs = page.all("input")
    assert len(inputs) == 2 * 5 * 5
    assert {one["id"] for one in inputs} == {one["for"] for one in page.all("label")}
    assert len({one["name"] for one in inputs}) == 10
    for scale in scales(language).values():
        assert text.count(f"<legend>{scale.title}</legend>") == 2
    assert page.all("html") == [{"lang": language}]
    assert {one["id"] for one in page.all("button")} >= {"previous", "following", "download"}


def test_every_text_is_escaped(output):
    evil = "</p><script>alert(1)</script>&"
    one = output(text=evil, person=evil, situation=evil, background=(evil,))
    page = form_page('R"1', "abc", {"i1": one})
    assert page.count("<script>") == 1
    assert page.count("&lt;script&gt;alert(1)&lt;/script&gt;&amp;") == 4
    assert 'data-rater="R&quot;1"' in page


def test_the_page_asks_for_nothing_from_anywhere(output):
    page = form_page("R1", "abc", {"i1": output()})
    assert "default-src 'none'" in page
    assert not re.findall(r"https?:|//[a-z]|\bsrc=|<link|@import|url\(", page)


def test_what_weighs_on_a_person_is_open_where_a_scenario_begins(output):
    items = {
        f"i{n}": output(scenario, seed=n, background=("b",))
        for n, scenario in enumerate(("a", "a", "b"))
    }
    found = Page(form_page("R1", "s", items)).all("details")
    assert ["open" in one for one in found] == [True, False, True]


@languages
def test_the_scales_are_five_in_each_language_and_a_judge_is_told_the_same(language):
    assert tuple(scales(language)) == SCALES
    assert len({scale.title for scale in scales(language).values()}) == 5
    lines = scale_lines(language).splitlines()
    assert [line.split('"')[1] for line in lines] == list(SCALES)
    assert variables(prompts(language).rate) == {"scales"}
    assert all(vars(form_texts(language)).values())
    alone = scales_text(language)
    assert all(f"{name}: {scale.title}" in alone for name, scale in scales(language).items())


def test_a_language_without_a_form_raises():
    with pytest.raises(ValueError, match="en, zh, pt, got 'fr'"):
        scales("fr")


def test_the_guide_tells_the_scales_as_they_are():
    guide = Path(__file__).parents[5] / "docs" / "human-ratings.md"
    told = guide.read_text(encoding="utf-8")
    for scale in scales().values():
        assert f"| {scale.title.lower()} | {scale.low} | {scale.high} |" in told
