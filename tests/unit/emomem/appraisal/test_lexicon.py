import asyncio
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from emomem import Affect, LexiconAppraiser
from emomem.appraisal import lexicon

UNKNOWN = Affect.unknown(source="lexicon:vader")


@pytest.fixture(scope="module")
def appraiser():
    return LexiconAppraiser()


def read(appraiser, text):
    return appraiser.appraise([text])[0]


def test_only_valence_and_confidence_are_given(appraiser):
    affect = read(appraiser, "What a wonderful day, I am so happy!")
    assert affect.valence > 0.6
    assert 0 < affect.confidence < 1
    assert affect.source == "lexicon:vader"
    others = (affect.arousal, affect.dominance, affect.conflict, affect.emotions, affect.label)
    assert others == (None,) * 5


def test_the_anchor_holds(appraiser):
    assert read(appraiser, "My dog died, I am devastated").valence <= -0.6


@pytest.mark.parametrize(
    "text", ["The bus leaves at nine", "我的狗死了", "\x00\x01\x02", "🜁", "12"]
)
def test_no_known_word_is_unknown_and_not_neutral(appraiser, text):
    assert read(appraiser, text) == UNKNOWN


@pytest.mark.parametrize("text", ["", " ", "\n\t "])
def test_blank_text_is_unknown(appraiser, text):
    assert read(appraiser, text).is_unknown


def test_praise_and_blame_that_cancel_are_known_but_doubted(appraiser):
    affect = read(appraiser, "good bad")
    assert affect.valence is not None
    assert affect.confidence < read(appraiser, "good good").confidence / 3


def test_confidence_is_the_documented_formula(appraiser):
    # VADER: "good" 1.9, so p = 2.9 / (2.9 + 3) and n = 0 among three other words.
    evidence = round(2.9 / 5.9, 3)
    expected = evidence / (evidence + 0.1)
    assert read(appraiser, "the soup was good").confidence == pytest.approx(expected)
    assert lexicon._confidence(0.3, 0.1) == pytest.approx(0.5 * 0.4 / 0.5)


def test_one_word_in_many_is_doubted(appraiser):
    crowd = " ".join(["table"] * 50)
    assert read(appraiser, f"good {crowd}").confidence < read(appraiser, "good").confidence / 2


def test_what_phones_type_is_understood(appraiser):
    assert read(appraiser, "I don\u2019t love it") == read(appraiser, "I don't love it")
    assert read(appraiser, "I don\u2019t love it").valence < 0
    assert read(appraiser, "\u2764\ufe0f").valence > 0.5
    assert read(appraiser, "😭😭").valence < -0.5


def test_a_turn_in_the_last_five_of_700_words_counts(appraiser):
    body = " ".join((["the", "meeting", "moved", "to", "room", "nine"] * 120)[:695])
    fury = "you disgusting liar, I'm furious"
    assert read(appraiser, f"{body} {fury}").valence < -0.6
    fine = body.replace("room", "fine")
    assert read(appraiser, f"{fine} {fury}").valence < read(appraiser, fine).valence - 0.5


def test_ten_thousand_words_are_read_in_windows(appraiser, monkeypatch):
    appraiser.load()
    seen = []
    analyzer = appraiser._analyzer

    class Spy:
        def polarity_scores(self, text):
            seen.append(len(text.split()))
            return analyzer.polarity_scores(text)

    monkeypatch.setattr(appraiser, "_analyzer", Spy())
    affect = read(appraiser, " ".join(["a", "sad", "day", "at", "home"] * 2000))
    assert affect.valence < 0
    assert max(seen) <= 64
    assert 150 < len(seen) < 250


def test_order_and_length_are_kept_and_a_batch_is_its_parts(appraiser):
    texts = ["good", "", "bad", "table", "good", "so sad"] * 5
    affects = appraiser.appraise(texts)
    assert len(affects) == len(texts)
    assert affects == [read(appraiser, text) for text in texts]
    assert asyncio.run(appraiser.aappraise(texts)) == affects


def test_sixteen_threads_agree_and_read_the_lexicon_once(monkeypatch):
    from vaderSentiment import vaderSentiment

    made = []
    original = vaderSentiment.SentimentIntensityAnalyzer
    monkeypatch.setattr(
        vaderSentiment, "SentimentIntensityAnalyzer", lambda: made.append(1) or original()
    )
    fresh = LexiconAppraiser()
    start = threading.Barrier(16)

    def work(number):
        start.wait()
        return fresh.appraise(["I love it", "I hate it", f"happy {number}"])[:2]

    with ThreadPoolExecutor(16) as pool:
        results = list(pool.map(work, range(16)))
    assert all(result == results[0] for result in results)
    assert len(made) == 1


def test_a_missing_package_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "vaderSentiment", None)
    with pytest.raises(ImportError, match=r"vaderSentiment.*emomem\[langchain\]"):
        LexiconAppraiser()


def test_importing_and_constructing_load_nothing_heavy():
    code = (
        "import sys, emomem; emomem.LexiconAppraiser(); emomem.HuggingFaceAppraiser('some/name');"
        "heavy = {'torch', 'transformers', 'vaderSentiment'} & set(sys.modules);"
        "sys.exit(f'loaded {heavy}' if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)  # noqa: S603
    assert done.returncode == 0, done.stderr.decode()
