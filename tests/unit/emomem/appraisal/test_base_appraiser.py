import asyncio
import logging
import re
import threading

import pytest

from emomem import (
    Affect,
    Appraiser,
    BaseAppraiser,
    ConfidentAppraiser,
    ConflictAppraiser,
    EnsembleAppraiser,
    LexiconAppraiser,
    LocalAppraiser,
    Rule,
    RuleAppraiser,
)
from emomem.appraisal.base import aappraise_safely, appraise_safely, source_of

PRIVATE = "my dog died"


class Length(BaseAppraiser):
    """Reads a text's length as its valence; refuses what begins with `bad`."""

    def __init__(self):
        self.batches = []
        self.threads = set()

    def _read(self, texts):
        self.batches.append(list(texts))
        self.threads.add(threading.get_ident())
        if any(text.startswith("bad") for text in texts):
            raise RuntimeError(PRIVATE)
        return [Affect(valence=len(text) / 100) for text in texts]


@pytest.fixture(params=["sync", "async"])
def read_safely(request):
    """`appraise_safely`, and the same through `aappraise_safely`."""
    if request.param == "sync":
        return appraise_safely
    return lambda *arguments: asyncio.run(aappraise_safely(*arguments))


def test_a_subclass_with_one_method_is_an_appraiser():
    assert isinstance(Length(), Appraiser)


def test_affects_come_in_order_and_blank_text_is_unknown_and_not_read():
    reader = Length()
    affects = reader.appraise(["a", "", "abc", " \n\t", "ab"])
    assert [affect.valence for affect in affects] == [0.01, None, 0.03, None, 0.02]
    assert [affect.is_unknown for affect in affects] == [False, True, False, True, False]
    assert reader.batches == [["a", "abc", "ab"]]


@pytest.mark.parametrize("texts", [[], [""], ["  ", "\u3000"]])
def test_nothing_to_read_reads_nothing(texts):
    reader = Length()
    assert reader.appraise(texts) == [Affect.unknown()] * len(texts)
    assert reader.batches == []


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ("a text", "a list of texts, got one str"),
        (None, "a list of texts, got one NoneType"),
        (5, "a list of texts, got one int"),
        ({"a": 1}, "a list of texts, got one dict"),
        ({"a"}, "a list of texts, got one set"),
        (iter(["a"]), "a list of texts, got one list_iterator"),
        (["a", None], "must be a str, got NoneType"),
        ([b"a"], "must be a str, got bytes"),
        ([1], "must be a str, got int"),
    ],
)
def test_what_is_not_a_list_of_texts_is_refused(texts, message):
    with pytest.raises(TypeError, match=message):
        Length().appraise(texts)


def test_a_reader_that_returns_too_few_is_refused():
    class Short(Length):
        def _read(self, texts):
            return super()._read(texts)[1:]

    with pytest.raises(ValueError, match="shorter"):
        Short().appraise(["a", "b"])


async def test_the_async_form_agrees_and_leaves_the_loops_thread_free():
    reader = Length()
    texts = ["a", "", "abc"]
    assert await reader.aappraise(texts) == reader.appraise(texts)
    here, elsewhere = threading.get_ident(), reader.threads - {threading.get_ident()}
    assert here in reader.threads
    assert len(elsewhere) == 1


def test_one_bad_text_costs_only_its_own_affect(read_safely):
    affects = read_safely(Length(), ["a", "bad", "abc"])
    assert [affect.valence for affect in affects] == [0.01, None, 0.03]
    assert affects[1] == Affect.unknown()


def test_a_failure_may_be_recorded_as_neutral(read_safely):
    assert read_safely(Length(), ["bad", "a"], "neutral")[0] == Affect.neutral()


def test_a_batch_without_failure_is_read_once(read_safely):
    reader = Length()
    read_safely(reader, ["a", "b"])
    assert reader.batches == [["a", "b"]]


def test_no_texts_give_no_affects_even_where_the_appraiser_fails(read_safely):
    class Broken:
        def appraise(self, texts):
            raise RuntimeError

        async def aappraise(self, texts):
            raise RuntimeError

    assert read_safely(Broken(), []) == []
    assert read_safely(Broken(), ["a", "b"]) == [Affect.unknown()] * 2


@pytest.mark.parametrize("answer", [None, [], ["joy"], [None], 3, [Affect.neutral()] * 2])
def test_an_answer_that_is_not_one_affect_a_text_is_a_failure(read_safely, answer):
    class Odd:
        def appraise(self, texts):
            return answer

        async def aappraise(self, texts):
            return answer

    assert read_safely(Odd(), ["a"]) == [Affect.unknown()]


def test_a_failure_is_logged_by_its_type_and_never_by_the_text(read_safely, caplog):
    with caplog.at_level(logging.DEBUG):
        read_safely(Length(), ["bad", PRIVATE])
    assert "failed with RuntimeError; recorded as unknown" in caplog.text
    assert PRIVATE not in caplog.text


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, SystemExit])
def test_an_interruption_is_not_swallowed(interruption):
    class Interrupted(Length):
        def _read(self, texts):
            raise interruption

    with pytest.raises(interruption):
        appraise_safely(Interrupted(), ["a"])


def test_what_is_made_of_others_names_them_and_how_they_are_put_together():
    class Other(Length):
        source = "other:2"

    refund, overdue = Rule("refund", "joy"), Rule("overdue", "fear")
    different = [
        EnsembleAppraiser([Length(), Other()]),
        EnsembleAppraiser([Other(), Length()]),
        EnsembleAppraiser([Other()]),
        ConfidentAppraiser(Other(), 0.5),
        ConfidentAppraiser(Other(), 0.6),
        ConfidentAppraiser(Other(), 0.5, "neutral"),
        ConfidentAppraiser(Length(), 0.5),
        ConflictAppraiser(Other()),
        ConflictAppraiser(Length()),
        RuleAppraiser([refund]),
        RuleAppraiser([refund, overdue]),
        RuleAppraiser([overdue, refund]),
        RuleAppraiser([Rule("refund", "fear")]),
        RuleAppraiser([Rule(re.compile("refund"), "joy")]),
        RuleAppraiser([refund], Other()),
        RuleAppraiser([refund], Other(), "behind"),
    ]

    assert len({source_of(one) for one in different}) == len(different)
    assert source_of(RuleAppraiser([refund])) == source_of(RuleAppraiser([Rule("refund", "joy")]))
    ensemble = EnsembleAppraiser([LocalAppraiser(), LexiconAppraiser()])
    [affect] = ensemble.appraise(["I am so happy today!"])
    assert source_of(ensemble) == affect.source == "ensemble:emomem:2+lexicon:vader"
