"""The page of `emomem inspect` in a real browser: clicked through, as a copy and live."""

import json
import re
import threading
from contextlib import contextmanager

import pytest
from langchain_core.embeddings import DeterministicFakeEmbedding

from emomem import Affect, BaseAppraiser
from emomem.inspection.page import page as html_of
from emomem.inspection.server import Asked, InspectionServer
from emomem.inspection.view import documents_view
from emomem.memory import JsonLinesLog
from langchain_emomem import ConflictAwareMemory
from langchain_emomem.cli.inspected import DocumentsInspection, MemoryInspection, Models
from langchain_emomem.cli.stored import open_chroma

EVIL = "<script>document.title='broken'</script> & <img src=x onerror=\"document.title='b'\">"
DAY = 86_400.0

pytestmark = pytest.mark.slow


class Moody(BaseAppraiser):
    def _read(self, texts):
        return [
            Affect.from_label("anger" if "hate" in text else "joy" if "love" in text else "neutral")
            for text in texts
        ]


@pytest.fixture
def log(tmp_path):
    return JsonLinesLog(tmp_path / "memory.log")


@pytest.fixture
def inspection(tmp_path, log):
    """A memory in Chroma, and what looks into it."""
    chromadb = pytest.importorskip("chromadb")
    langchain_chroma = pytest.importorskip("langchain_chroma")
    encoder = DeterministicFakeEmbedding(size=16)
    settings = chromadb.config.Settings(anonymized_telemetry=False)
    client = chromadb.PersistentClient(str(tmp_path / "db"), settings)
    store = langchain_chroma.Chroma(
        "memories", encoder, client=client, collection_configuration={"hnsw": {"space": "cosine"}}
    )
    memory = ConflictAwareMemory(store, user_id="ann", appraiser=Moody(), log=log)
    for number, text in enumerate(
        ("I live in Rome", "I love coffee in the morning", "I hate coffee in the morning", EVIL,
         "I moved to Milan", "I hate Mondays", "I love the sea", "Where are my keys?")
    ):  # fmt: skip
        memory.save(text, created_at=(number + 1) * DAY)
    memory.save("Not for ann", user_id="bob")
    client.close()
    with open_chroma(tmp_path / "db") as opened:
        models = Models(encoder, Moody())
        yield MemoryInspection("db", opened.documents, opened, models, "ann", log)


class Watched:
    """A page, and all that it says and asks for."""

    def __init__(self, browser, origin="", **options):
        self.context = browser.new_context(accept_downloads=True, **options)
        self.context.set_default_timeout(10_000)
        self.page = self.context.new_page()
        self.said, self.outside = [], []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        allowed = ("file://", "blob:", *((origin,) if origin else ()))

        def route(asked):
            if asked.request.url.startswith(allowed):
                asked.continue_()
            else:
                self.outside.append(asked.request.url)
                asked.abort()

        self.page.route("**/*", route)

    def check(self):
        assert self.said == []
        assert self.outside == []
        assert self.page.title() == "ann · emomem inspect"
        assert self.page.locator("img").count() == 0


@pytest.fixture
def copy(browser, inspection, tmp_path):
    """Opens a copy."""
    answers = [inspection.search(Asked(query=query)) for query in ("I love you", "I hate it")]
    path = tmp_path / "page.html"
    path.write_text(html_of(inspection.view(live=False, answers=answers)), encoding="utf-8")
    watched = []

    def opened(**options):
        one = Watched(browser, **options)
        watched.append(one)
        one.page.goto(path.as_uri())
        return one.page

    yield opened
    for one in watched:
        one.check()
        one.context.close()


@contextmanager
def served(inspection):
    """A server over a memory."""
    with InspectionServer(inspection) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def live(browser, inspection):
    """The page over its server."""
    with served(inspection) as server:
        watched = Watched(browser, f"http://{server.origin}/")
        watched.page.goto(server.url)
        watched.page.wait_for_selector("#ask:visible")
        yield watched.page
        watched.check()
        watched.context.close()


def texts(page, where):
    return page.locator(f"{where} .open").all_inner_texts()


def test_a_copy_shows_its_queries_side_by_side(copy):
    page = copy()
    assert page.locator("#ask").is_hidden()
    assert len(texts(page, "#plain")) == len(texts(page, "#felt")) == 5
    assert "joy" in page.inner_text(".how")
    page.select_option("#answers", label="I hate it")
    assert "anger" in page.inner_text(".how")
    assert "cosine" in page.inner_text("#felt")


def test_filters_narrow_the_list_and_are_cleared(copy):
    page = copy()
    page.click("#tab-memories")
    assert page.inner_text("#count") == "8 of 8"
    assert page.locator("#list li").count() == 8
    page.fill("#by-words", "coffee MORNING")
    assert sorted(texts(page, "#list")) == [
        "I hate coffee in the morning",
        "I love coffee in the morning",
    ]
    page.fill("#by-most", "0")
    assert texts(page, "#list") == ["I hate coffee in the morning"]
    page.click("#filters button[type=reset]")
    page.get_by_text("8 of 8").wait_for()
    page.select_option("#by-status", "superseded")
    assert texts(page, "#list") == ["I live in Rome"]
    page.select_option("#by-status", "")
    page.select_option("#by-kind", "question")
    assert texts(page, "#list") == ["Where are my keys?"]
    page.select_option("#by-kind", "")
    page.check("#by-conflict")
    assert page.locator("#list li").count() == 4
    page.fill("#by-words", "no such words")
    assert "No memory passes" in page.inner_text("#list")


def test_the_order_is_chosen(copy):
    page = copy()
    page.click("#tab-memories")
    assert texts(page, "#list")[0] == "Where are my keys?"
    page.select_option("#order", "low")
    assert "hate" in texts(page, "#list")[0]
    page.select_option("#order", "high")
    assert "love" in texts(page, "#list")[0]


def test_a_memory_that_is_a_script_shows_as_text_everywhere(copy):
    page = copy()
    page.click("#tab-memories")
    page.get_by_role("button", name=EVIL).click()
    assert page.inner_text("#detail .told") == EVIL
    page.keyboard.press("Escape")
    page.click("#tab-timeline")
    assert EVIL in texts(page, "#days")
    page.click("#tab-operations")
    assert EVIL in page.inner_text("#log")
    assert page.locator("main script, dialog script").count() == 0


def test_the_timeline_draws_each_memory_and_opens_it(copy):
    page = copy()
    page.click("#tab-timeline")
    assert page.locator("#chart path").count() == 8
    assert page.locator("#chart path.past").count() == 1
    assert page.locator("#days h3").all_inner_texts()[0] == "1970-01-02"
    page.locator("#chart path").first.click()
    assert page.inner_text("#detail .told") == "I live in Rome"
    page.locator("#detail .open", has_text="I moved to Milan").first.click()
    assert page.inner_text("#detail .told") == "I moved to Milan"
    page.get_by_role("button", name="Close").click()
    page.fill("#by-words", "sea")
    assert page.locator("#chart path").count() == 1


def test_conflicts_show_both_sides_in_time(copy):
    page = copy()
    page.click("#tab-conflicts")
    assert page.locator(".conflict").count() == 2
    page.uncheck("#settled")
    [shown] = page.locator(".conflict").all_inner_texts()
    assert "open" in shown
    assert shown.index("I love coffee") < shown.index("I hate coffee")


def test_operations_are_listed_the_latest_first_and_by_kind(copy, log):
    page = copy()
    page.click("#tab-operations")
    assert page.locator("#log tbody tr").count() == len(log.read()) - 1  # one is bob's
    assert "Where are my keys?" in page.locator("#log tbody tr").first.inner_text()
    page.select_option("#by-operation", "supersede")
    [row] = page.locator("#log tbody tr").all_inner_texts()
    assert "I live in Rome" in row
    assert "superseded by: “I moved to Milan”" in row


def test_an_export_is_the_memorys_own(copy, inspection, tmp_path):
    page = copy()
    page.click("#tab-data")
    with page.expect_download() as waiting:
        page.click("#export")
    waiting.value.save_as(tmp_path / "export.json")
    told = json.loads((tmp_path / "export.json").read_text(encoding="utf-8"))
    assert told == inspection._memory(inspection._log).export()
    assert EVIL in {one["text"] for one in told["units"]}


def test_a_copy_says_how_to_forget(copy):
    page = copy()
    page.click("#tab-memories")
    page.get_by_role("button", name="I love the sea").click()
    page.click("#detail .danger")
    assert re.fullmatch(
        r"memory\.forget\('ann', ids=\[\"\w{64}\"\]\)", page.inner_text("#confirm pre")
    )
    page.get_by_role("button", name="Close").click()
    page.click("#tab-data")
    page.click("#forget-all button")
    assert page.inner_text("#confirm pre") == "memory.forget('ann')"


def test_live_it_searches_what_is_typed(live):
    live.fill("#query", "I love you")
    live.keyboard.press("Enter")
    live.wait_for_selector("#felt li")
    assert "read from the query" in live.inner_text(".how")
    live.select_option("#feeling", "anger")
    live.select_option("#policy", "congruent")
    live.fill("#k", "3")
    live.click("#ask button")
    live.wait_for_selector("#plain li:nth-child(3):last-child")
    assert "as given" in live.inner_text(".how")
    assert "congruent" in live.inner_text(".how")
    live.click("#answer summary")
    assert "I hate" in live.inner_text("#answer pre")
    assert "#" not in live.url  # the token is out of the address


def test_live_it_forgets_one_and_then_everything(live, inspection, log):
    live.click("#tab-memories")
    live.get_by_role("button", name="I love the sea").click()
    live.click("#detail .danger")
    live.get_by_role("button", name="Keep").click()
    assert "I love the sea" in texts(live, "#list")
    live.get_by_role("button", name="I love the sea").click()
    live.click("#detail .danger")
    live.click("#confirm .danger")
    live.wait_for_selector("#said:not(:empty)")
    assert "Forgotten: 2 units, 1 operation of the log changed" in live.inner_text("#said")
    assert "found none left" in live.inner_text("#said")
    assert "I love the sea" not in texts(live, "#list")
    assert all(one["text"] != "I love the sea" for one in inspection.view()["memories"])
    live.click("#tab-data")
    live.click("#forget-all button")
    assert live.locator("#confirm .danger").is_disabled()
    assert "All memories of this user go" in live.inner_text("#confirm")
    live.fill("#typed", "ann")
    live.click("#confirm .danger")
    live.get_by_text("· 0 memories").wait_for()
    assert inspection.view()["memories"] == []
    assert {one.kind for one in log.read(user="")} == {"forget"}
    live.reload()  # the token is kept for this tab
    live.wait_for_selector("#ask:visible")
    live.fill("#query", "I love you")
    live.keyboard.press("Enter")
    live.wait_for_selector("#answer p")
    assert live.inner_text("#answer") == "There is nothing to recall."


def test_without_its_token_the_page_shows_nothing(browser, inspection):
    with served(inspection) as server:
        page = browser.new_page()
        page.goto(f"http://{server.origin}/")
        page.wait_for_selector("#said:not(:empty)")
        assert "open the whole address" in page.inner_text("#said")
        assert page.locator("#list li").count() == 0
        page.close()


def test_it_is_used_by_keys_alone(copy):
    page = copy()
    page.focus("#tab-search")
    for name in ("memories", "timeline", "conflicts", "operations", "data-tab", "search"):
        page.keyboard.press("ArrowRight")
        assert page.locator(f"#{name}").is_visible()
    page.keyboard.press("ArrowRight")
    page.focus("#list .open")
    page.keyboard.press("Enter")
    assert page.inner_text("#detail .told") == "Where are my keys?"
    page.keyboard.press("Escape")
    assert page.locator("#detail").is_hidden()
    assert page.evaluate("document.activeElement.className") == "open"


def test_every_control_has_a_name_and_a_number_stands_beside_each_bar(copy):
    page = copy()
    page.click("#tab-memories")
    unnamed = page.evaluate(
        "[...document.querySelectorAll('input, select, button')].filter((one) => "
        "!(one.labels && one.labels.length) && !one.getAttribute('aria-label') && "
        "!one.textContent.trim()).map((one) => one.id)"
    )
    assert unnamed == []
    first = page.locator("#list .meter").first.inner_text()
    assert re.fullmatch(r"valence\s*[+\u2212]\d\.\d\d", first)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_what_is_behind_it(copy, scheme):
    page = copy(color_scheme=scheme)
    page.click("#tab-memories")
    ratios = page.evaluate(
        """() => {
          const shade = (colour) => {
            const [r, g, b] = colour.match(/[\\d.]+/g).map((x) => x / 255)
              .map((x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4));
            return 0.2126 * r + 0.7152 * g + 0.0722 * b;
          };
          const behind = (one) => {
            const colour = getComputedStyle(one).backgroundColor;
            return /, 0\\)$/.test(colour) && one.parentElement ? behind(one.parentElement) : colour;
          };
          return [...document.querySelectorAll("p, span, button, label, h1, time, output, select")]
            .filter((one) => one.textContent.trim() && one.checkVisibility()).map((one) => {
              const both = [getComputedStyle(one).color, behind(one)].map(shade);
              const [a, b] = both.sort((x, y) => y - x);
              return (a + 0.05) / (b + 0.05);
            });
        }"""
    )
    assert len(ratios) > 50
    assert min(ratios) >= 4.5  # WCAG 2.2, 1.4.3


def test_it_fits_a_phone(copy):
    page = copy(viewport={"width": 360, "height": 740})
    for name in ("search", "memories", "timeline", "conflicts", "operations", "data"):
        page.click(f"#tab-{name}")
        assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_a_thousand_memories_stay_quick(browser, tmp_path):
    rows = [
        (str(n), f"memory number {n} of a long life " * 3,
         {"affect_valence": (n % 21) / 10 - 1, "affect_arousal": 0.5, "created_at": n * DAY / 3})
        for n in range(1_000)
    ]  # fmt: skip

    class Many(DocumentsInspection):
        def _held(self):
            return documents_view(rows)

    path = tmp_path / "many.html"
    view = Many("many", list, None, None).view(live=False)
    path.write_text(html_of(view), encoding="utf-8")
    watched = Watched(browser)
    page = watched.page
    page.goto(path.as_uri())
    page.click("#tab-timeline")
    assert page.locator("#chart path").count() == 1_000
    page.click("#tab-memories")
    assert page.locator("#list li").count() == 60
    page.click("#more")
    assert page.locator("#list li").count() == 120
    took = page.evaluate(
        """() => {
          const input = document.getElementById("by-words");
          const start = performance.now();
          for (const text of ["n", "number 9", "99", ""]) {
            input.value = text;
            input.dispatchEvent(new Event("input", { bubbles: true }));
            document.body.offsetHeight;
          }
          return (performance.now() - start) / 4;
        }"""
    )
    assert took < 400  # milliseconds a key, on a machine that does something else too
    assert (watched.said, watched.outside) == ([], [])
    watched.context.close()
