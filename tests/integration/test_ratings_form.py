"""The raters' form in a real browser, from the disk and without a network."""

import csv

import numpy as np
import pytest

from emomem.evaluation.ratings.outputs import Output
from emomem.evaluation.ratings.packets import make_packets
from emomem.evaluation.ratings.reading import RatingsError, read_ratings

EVIL = "<img src=x onerror=\"document.title='broken'\"><script>document.title='b'</script> & \"so\""

pytestmark = pytest.mark.slow


@pytest.fixture
def packets(tmp_path):
    outputs = [
        Output(
            id=f"{scenario}/{arm}",
            scenario=scenario,
            arm=arm,
            text=f"{EVIL} {scenario} {arm[0]}",
            person="Ann.",
            situation=EVIL,
            background=(EVIL, "She knows it."),
        )
        for scenario in ("money", "idea")
        for arm in ("full", "ablation")
    ]
    made = make_packets(outputs, 1, seed=1)
    made.write(tmp_path)
    return made


@pytest.fixture
def opened(browser, packets, tmp_path):
    """The form in a new profile, and what it says and asks for."""
    context = browser.new_context(accept_downloads=True, viewport={"width": 360, "height": 740})
    page = context.new_page()
    page.said, page.asked = [], []
    page.on("console", lambda message: page.said.append(message.text))
    page.on("pageerror", lambda error: page.said.append(str(error)))
    page.on("request", lambda request: page.asked.append(request.url))
    page.goto((tmp_path / "R1.html").as_uri())
    yield page
    context.close()


def downloaded(page, folder):
    with page.expect_download() as waiting:
        page.click("#download")
    path = folder / waiting.value.suggested_filename
    waiting.value.save_as(path)
    return path


def test_it_is_filled_in_by_keys_alone_kept_and_downloaded(opened, packets, tmp_path):
    for number in range(4):
        assert opened.locator("section:visible").count() == 1
        for grade in "54321":
            opened.keyboard.press(grade)
        assert opened.inner_text("#count") == str(number + 1)
        opened.keyboard.press("Alt+ArrowRight")
    opened.reload()
    assert opened.inner_text("#count") == "4"
    path = downloaded(opened, tmp_path)
    assert path.name == "R1-answers.csv"
    ratings = read_ratings([path], packets.key)
    assert (ratings.grades == [5, 4, 3, 2, 1]).all()
    with path.open(newline="") as file:
        assert tuple(row["item"] for row in csv.DictReader(file)) == packets.orders["R1"]
    assert all(url.startswith(("file://", "blob:")) for url in opened.asked)
    assert opened.said == []


def test_it_is_filled_in_by_touch_and_says_what_is_missing(opened, packets, tmp_path):
    opened.locator("section:visible input[value='4']").first.click()
    opened.click("#following")
    assert opened.inner_text("section:visible h2") == "Version 2 / 4"
    path = downloaded(opened, tmp_path)
    assert opened.inner_text("#missing") == "Grades missing: 19"
    with pytest.raises(RatingsError, match="is not rated on persona_consistency"):
        read_ratings([path], packets.key)
    grades = read_ratings([path], packets.key, partial=True).grades
    assert ((grades == 4).sum(), np.isnan(grades).sum()) == (1, 19)
    opened.click("#unanswered")
    assert opened.inner_text("section:visible h2") == "Version 3 / 4"


def test_a_grade_can_be_changed_by_the_arrows_of_the_group(opened):
    opened.locator("section:visible input[value='3']").first.focus()
    opened.keyboard.press("Space")
    opened.keyboard.press("ArrowRight")
    chosen = opened.locator("section:visible input:checked")
    assert (chosen.count(), chosen.first.get_attribute("value")) == (1, "4")


def test_texts_show_as_text_and_nothing_of_them_runs(opened):
    assert EVIL in opened.inner_text("section:visible .output")
    assert opened.locator("img, section script").count() == 0
    assert opened.title() == "Rate what a person says and does (R1)"
    assert opened.said == []


def test_it_fits_a_phone_and_every_input_has_a_name(opened):
    assert opened.evaluate("document.documentElement.scrollWidth") <= 360
    group = opened.get_by_role("group", name="Memory use")
    assert group.get_by_role("radio", name="5").count() == 1
    box = opened.locator("section:visible .grades label").first.bounding_box()
    assert min(box["width"], box["height"]) >= 40


def test_answers_of_one_study_do_not_show_in_another(opened, browser, tmp_path):
    opened.keyboard.press("5")
    again = make_packets([Output(id="a", scenario="s", arm="full", text="t")], 1, seed=2)
    again.write(tmp_path / "other")
    opened.goto((tmp_path / "other" / "R1.html").as_uri())
    assert opened.locator("input:checked").count() == 0
