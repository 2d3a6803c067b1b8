import asyncio
import re

import pytest

from emomem import Affect, Appraiser, BaseAppraiser, LexiconAppraiser
from emomem.appraisal.rules import Rule, RuleAppraiser

FAILED = Affect(valence=-0.6, arousal=0.7, label="annoyance")


class Remembers(BaseAppraiser):
    """Says one thing of any text, and remembers what it was asked."""

    def __init__(self, affect):
        self.affect = affect
        self.asked = []

    def _read(self, texts):
        self.asked += texts
        if self.affect is None:
            raise RuntimeError
        return [self.affect for _ in texts]


def read_sync(appraiser, texts):
    return appraiser.appraise(texts)


def read_async(appraiser, texts):
    return asyncio.run(appraiser.aappraise(texts))


both_ways = pytest.mark.parametrize("read", [read_sync, read_async])


@pytest.mark.parametrize(
    "text",
    [
        "task failed",
        "The TASK  failed.",
        "the task\nfailed again",
        "(task failed)",
        "No. The task failed.",
        "It is not done: the task failed",
        "I do not know why the task failed",
        "The task did not end, the task failed",
        "The task failed, not the server",
        "not task failed, but then: task failed",
    ],
)
def test_a_phrase_is_found_whatever_stands_around_it(text):
    assert Rule("task failed", FAILED).matches(text)


@pytest.mark.parametrize(
    "text",
    [
        "multitask failed",
        "task failedly",
        "task_failed",
        "the task has failed",
        "",
        "not task failed",
        "Never a task failed",
        "No task failed",
        "There isn't a task failed",
        "There isn\u2019t a task failed",
        "we ended without task failed",
    ],
)
def test_parts_of_words_and_what_is_negated_are_no_match(text):
    assert not Rule("task failed", FAILED).matches(text)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("I am angry", True),
        ("I am no longer angry", False),
        ("I am not very angry", False),
        ("I'm not at all angry", False),
        ("I have never been so angry", False),
        ("I cannot stay angry", False),
        ("I am knot angry", True),
        ("I know: angry", True),
        ("not happy, angry", True),
        ("angry, not sad", True),
    ],
)
def test_simple_negations(text, found):
    assert Rule("angry", "anger").matches(text) is found


@pytest.mark.parametrize(
    ("phrase", "text", "found"),
    [
        ("失败", "任务失败了", True),
        ("失败", "任务没有失败", False),
        ("失败", "任务没失败", False),
        ("falhou", "A tarefa falhou", True),
        ("falhou", "A tarefa não falhou", False),
        ("falhou", "A tarefa nunca mais falhou", False),
        ("falhou", "A tarefa nao falhou", False),
        ("开心", "我不太开心", False),
        ("开心", "我特别开心", True),
        ("ção", "a canção", False),
        ("😡", "so😡😡", True),
        ("c++", "I hate C++!", True),
        (".", "a dot.", True),
    ],
)
def test_other_scripts_and_signs(phrase, text, found):
    assert Rule(phrase, FAILED).matches(text) is found


def test_a_phrase_that_holds_the_negation_itself_is_found():
    assert Rule("not working", FAILED).matches("it is not working")


def test_a_word_list_is_any_of_its_words_as_they_are_written():
    rule = Rule(["timed out", "f.iled"], FAILED)
    assert rule.matches("it Timed out")
    assert rule.matches("f.iled")
    assert not rule.matches("failed")


def test_a_compiled_expression_is_taken_as_it_is():
    rule = Rule(re.compile(r"fail(ed|ure)"), FAILED)
    assert rule.matches("multifailure")
    assert not rule.matches("FAILED")
    assert not rule.matches("it has not failed")
    assert Rule(re.compile(r"error \d+", re.IGNORECASE), FAILED).matches("Error 42")


@pytest.mark.parametrize(
    ("pattern", "affect", "error", "message"),
    [
        ("", FAILED, ValueError, "must not be blank"),
        (["ok", " "], FAILED, ValueError, "must not be blank"),
        ([], FAILED, ValueError, "at least one word"),
        (["ok", 3], FAILED, TypeError, "must be a str, got int"),
        (None, FAILED, TypeError, "must be a phrase, a list of them or .*, got NoneType"),
        (re.compile("x*"), FAILED, ValueError, "matches the empty text"),
        (re.compile(b"x"), FAILED, TypeError, "over bytes"),
        ("ok", "furious joy", ValueError, "unknown emotion label 'furious joy'"),
        ("ok", 0.5, TypeError, "must be an Affect or a label, got float"),
    ],
)
def test_a_wrong_rule_is_refused(pattern, affect, error, message):
    with pytest.raises(error, match=message):
        Rule(pattern, affect)


def test_a_label_means_its_affect_and_the_source_says_rule():
    assert Rule("ok", "relief").meaning == Affect.from_label("relief", source="rule")
    assert Rule("ok", FAILED).meaning == FAILED.model_copy(update={"source": "rule"})
    own = Affect(valence=0.1, source="policy 7")
    assert Rule("ok", own).meaning is not None
    assert Rule("ok", own).meaning.source == "policy 7"


@both_ways
def test_in_front_a_rule_decides_and_the_appraiser_is_asked_about_the_rest(read):
    appraiser = Remembers(Affect.from_label("joy"))
    rules = RuleAppraiser([Rule("task failed", FAILED)], appraiser)
    affects = read(rules, ["a party", "task failed", " ", "a picnic"])
    assert [affect.label for affect in affects] == ["joy", "annoyance", "unknown", "joy"]
    assert appraiser.asked == ["a party", "a picnic"]
    assert affects[1].source == "rule"


@both_ways
def test_without_an_appraiser_the_rest_is_unknown(read):
    affects = read(RuleAppraiser([Rule("task failed", FAILED)]), ["task failed", "a party"])
    assert affects[0].valence == -0.6
    assert affects[1].is_unknown


@both_ways
def test_where_rules_read_all_the_appraiser_is_not_called_at_all(read):
    appraiser = Remembers(None)
    rules = RuleAppraiser([Rule("task failed", FAILED)], appraiser)
    assert read(rules, ["task failed"])[0].valence == -0.6
    assert appraiser.asked == []


def test_the_first_rule_that_matches_counts():
    rules = [Rule("failed", "sadness"), Rule("task failed", "anger")]
    assert RuleAppraiser(rules).appraise(["task failed"])[0].label == "sadness"
    assert RuleAppraiser(rules[::-1]).appraise(["task failed"])[0].label == "anger"


@both_ways
def test_behind_a_rule_fills_in_only_what_is_missing(read):
    appraiser = Remembers(Affect(valence=0.3, confidence=0.4, source="lexicon"))
    rules = RuleAppraiser([Rule("task failed", FAILED)], appraiser, where="behind")
    filled, other = read(rules, ["task failed", "a party"])
    assert (filled.valence, filled.confidence) == (0.3, 0.4)
    assert (filled.arousal, filled.label, filled.dominance) == (0.7, "annoyance", None)
    assert filled.source == "rules:lexicon+rule"
    assert other == appraiser.affect
    assert appraiser.asked == ["task failed", "a party"]


@both_ways
@pytest.mark.parametrize("answer", [Affect.unknown(), None])
def test_behind_a_rule_reads_what_the_appraiser_could_not(read, answer):
    rules = RuleAppraiser([Rule("task failed", FAILED)], Remembers(answer), where="behind")
    filled, other = read(rules, ["task failed", "a party"])
    assert filled == FAILED.model_copy(update={"source": "rule"})
    assert other.is_unknown


def test_behind_a_complete_reading_stays_as_it_is():
    complete = Affect.from_label("joy", source="model").model_copy(
        update={"conflict": 0.1, "confidence": 0.9}
    )
    rules = RuleAppraiser([Rule("task failed", FAILED)], Remembers(complete), where="behind")
    assert rules.appraise(["task failed"]) == [complete]


def test_behind_a_label_of_unknown_is_filled_in_too():
    appraiser = Remembers(Affect(valence=0.3, label="unknown"))
    rules = RuleAppraiser([Rule("task failed", FAILED)], appraiser, where="behind")
    assert rules.appraise(["task failed"])[0].label == "annoyance"


def test_behind_the_lexicon_its_arousal_is_filled_in():
    rules = RuleAppraiser([Rule("outage", FAILED)], LexiconAppraiser(), where="behind")
    affect = rules.appraise(["What a terrible outage"])[0]
    assert affect.valence == LexiconAppraiser().appraise(["What a terrible outage"])[0].valence
    assert affect.arousal == 0.7


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (([],), ValueError, "at least one Rule"),
        ((["task failed"],), TypeError, "must be a Rule, got str"),
        ((None,), TypeError, "rules must be a list of Rule, got one NoneType"),
        ((Rule("a", "joy"),), TypeError, "rules must be a list of Rule, got one Rule"),
        (([Rule("a", "joy")], "vader"), TypeError, "must have appraise"),
        (([Rule("a", "joy")], None, "after"), ValueError, "got 'after'"),
        (([Rule("a", "joy")], None, "behind"), ValueError, "needs an appraiser"),
    ],
)
def test_wrong_arguments_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        RuleAppraiser(*arguments)


def test_it_is_an_appraiser_and_loads_the_one_it_has():
    class Missing(Remembers):
        def load(self):
            raise FileNotFoundError

    rules = RuleAppraiser([Rule("a", "joy")], Missing(None))
    assert isinstance(rules, Appraiser)
    with pytest.raises(FileNotFoundError):
        rules.load()
