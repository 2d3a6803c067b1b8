import asyncio

import pytest

from emomem import Affect, Appraiser, BaseAppraiser
from emomem.appraisal.confident import ConfidentAppraiser
from emomem.appraisal.review import ReviewQueue


class ByText(BaseAppraiser):
    """Reads a text's number as its confidence, and a dash not at all."""

    def _read(self, texts):
        return [self._of(text) for text in texts]

    def _of(self, text):
        if text == "-":
            return Affect.unknown(source="model")
        confidence = None if text == "?" else float(text)
        return Affect(valence=0.5, confidence=confidence, source="model")


@pytest.fixture(params=["sync", "async"])
def read(request):
    if request.param == "sync":
        return lambda appraiser, texts: appraiser.appraise(texts)
    return lambda appraiser, texts: asyncio.run(appraiser.aappraise(texts))


def test_what_is_below_the_threshold_is_unknown_and_the_rest_stays(read):
    texts = ["0.1", "0.5", "0.49", "?", " ", "1"]
    affects = read(ConfidentAppraiser(ByText(), 0.5), texts)
    assert [affect.valence for affect in affects] == [None, 0.5, None, 0.5, None, 0.5]
    assert affects[0] == Affect.unknown(source="model")
    assert affects[1] == ByText().appraise(["0.5"])[0]


def test_doubt_may_be_neutral(read):
    appraiser = ConfidentAppraiser(ByText(), 0.5, on_doubt="neutral")
    doubtful, sure, blank = read(appraiser, ["0.1", "0.9", ""])
    assert doubtful == Affect.neutral(source="model")
    assert sure.valence == 0.5
    assert blank.is_unknown


@pytest.mark.parametrize("on_doubt", ["unknown", "neutral"])
def test_doubtful_readings_and_no_others_wait_in_the_queue_as_they_were_read(read, on_doubt):
    queue = ReviewQueue()
    read(ConfidentAppraiser(ByText(), 0.5, on_doubt, queue), ["0.1", "0.9", "?", "", "0.2", "0.1"])
    assert [item.text for item in queue.pending()] == ["0.1", "0.2"]
    assert queue.pending()[0].affect == ByText().appraise(["0.1"])[0]
    assert queue.accept(queue.pending()[0].id).valence == 0.5


def test_an_empty_queue_is_used_although_its_length_is_0():
    queue = ReviewQueue()
    assert len(queue) == 0
    ConfidentAppraiser(ByText(), 1, queue=queue).appraise(["0.9"])
    assert len(queue) == 1


@pytest.mark.parametrize("on_doubt", ["unknown", "neutral"])
def test_a_text_that_was_not_read_stays_unknown_and_waits_too(read, on_doubt):
    queue = ReviewQueue()
    appraiser = ConfidentAppraiser(ByText(), 0.5, on_doubt, queue)
    affects = read(appraiser, ["0.9", "no number", "-", " "])
    assert [affect.is_unknown for affect in affects] == [False, True, True, True]
    assert [item.text for item in queue.pending()] == ["no number", "-"]


@pytest.mark.parametrize(
    ("threshold", "error"),
    [
        *[(-0.1, ValueError), (1.1, ValueError), (float("nan"), ValueError)],
        *[("0.5", TypeError), (None, TypeError), (True, TypeError)],
    ],
)
def test_a_threshold_out_of_range_is_refused(threshold, error):
    with pytest.raises(error, match=r"threshold must be .*in 0\.\.1"):
        ConfidentAppraiser(ByText(), threshold)


def test_other_wrong_arguments_are_refused():
    with pytest.raises(ValueError, match="on_doubt must be 'unknown' or 'neutral', got 'skip'"):
        ConfidentAppraiser(ByText(), 0.5, "skip")
    with pytest.raises(TypeError, match="must have appraise"):
        ConfidentAppraiser("vader", 0.5)


def test_it_is_an_appraiser_and_loads_the_one_it_has():
    class Missing(ByText):
        def load(self):
            raise FileNotFoundError

    appraiser = ConfidentAppraiser(Missing(), 0.5)
    assert isinstance(appraiser, Appraiser)
    with pytest.raises(FileNotFoundError):
        appraiser.load()
