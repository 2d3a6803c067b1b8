import asyncio
import logging
import threading
from inspect import CORO_CLOSED, getcoroutinestate

import pytest

from emomem import Affect, Auto, Combination, Congruent, Lesson, Off, Semantic
from emomem.ranking import make_ranker, ranker, resolve_affect

SAD, JOYFUL = Affect.from_label("sadness"), Affect.from_label("joy")
TEXT = "My dog died and the house is empty."


class Reader:
    """An appraiser that answers from a table, and remembers what it was asked."""

    def __init__(self, answers=None, failure=None):
        self.answers = answers or {}
        self.failure = failure
        self.asked = []

    def appraise(self, texts):
        self.asked += texts
        if isinstance(self.failure, Exception):
            raise self.failure
        if self.failure is not None:
            return self.failure()
        return [self.answers.get(text, Affect.unknown()) for text in texts]

    async def aappraise(self, texts):
        return self.appraise(texts)


@pytest.fixture(params=["sync", "async"])
def plan(request):
    """`plan(ranker, query, k=4, **overrides)`, once by `plan` and once by `aplan`."""

    def call(made, query=TEXT, k=4, **overrides):
        if request.param == "sync":
            return made.plan(query, k, **overrides)
        return asyncio.run(made.aplan(query, k, **overrides))

    return call


def test_the_defaults_read_the_query_and_rank(plan):
    reader = Reader({TEXT: SAD.model_copy(update={"confidence": 0.2})})
    made = plan(make_ranker("combination", "auto", reader))
    assert reader.asked == [TEXT]
    assert not made.plain
    assert made.reason == ""
    assert made.query.policy.name == "comfort"
    assert made.query.present.label == "sadness"
    assert made.query.gate == pytest.approx(0.8)
    assert made.query.k == 4


@pytest.mark.parametrize(
    ("conversation", "opening"),
    [((), 1.0), ((TEXT,), 1.0), (("Before that.", TEXT), 0.63 / 2), (("Before that.",), 0.63 / 2)],
)
def test_in_a_conversation_affect_counts_as_far_as_it_weighs(plan, conversation, opening):
    said = TEXT if conversation in ((), (TEXT,)) else f"Before that.\n{TEXT}"
    made = plan(make_ranker("combination", "auto", Reader({said: SAD})), conversation=conversation)
    assert made.query.gate == pytest.approx(opening)
    congruent = make_ranker("combination", "congruent", Reader({said: SAD}))
    assert plan(congruent, conversation=conversation).query.gate == 1.0


@pytest.mark.parametrize(
    ("affect", "reason"), [(JOYFUL, ""), (lambda: JOYFUL, "nothing weighs on the user")]
)
def test_a_mood_is_of_the_conversation_and_a_stated_affect_is_not(plan, affect, reason):
    ranker = make_ranker("combination", "auto", None, affect)
    assert plan(ranker, conversation=["Before that.", TEXT]).reason == reason
    assert plan(ranker, conversation=[TEXT]).reason == ""


@pytest.mark.parametrize(
    ("overrides", "expected", "asked"),
    [
        ({"affect": "joy", "conversation": ["hello", "there"]}, "joy", []),
        ({"affect": JOYFUL}, "joy", []),
        ({"affect": lambda: JOYFUL}, "joy", []),
        ({"conversation": ["hello", "there"]}, "anger", [f"hello\nthere\n{TEXT}", TEXT]),
        (
            {"conversation": ["hello", "there", f" {TEXT}"]},
            "fear",
            [f"hello\nthere\n {TEXT}", TEXT],
        ),
        (
            {"affect": Affect.unknown(), "conversation": ["hello", "there"]},
            "anger",
            [f"hello\nthere\n{TEXT}", TEXT],
        ),
        ({"conversation": ["silence"]}, "love", [f"silence\n{TEXT}", TEXT]),
        ({"conversation": [TEXT]}, "love", [TEXT]),
        ({"conversation": ["", "  "]}, "love", [TEXT]),
        ({"conversation": []}, "love", [TEXT]),
        ({}, "love", [TEXT]),
    ],
)
def test_the_present_affect_is_given_else_the_conversations_else_the_querys(
    plan, overrides, expected, asked
):
    joined = f"hello\nthere\n{TEXT}"
    ended = f"hello\nthere\n {TEXT}"
    labels = {TEXT: "love", joined: "anger", ended: "fear"}
    reader = Reader({text: Affect.from_label(label) for text, label in labels.items()})
    made = plan(make_ranker("combination", "congruent", reader), **overrides)
    assert made.query.present.label == expected
    assert reader.asked == asked


@pytest.mark.parametrize(
    ("together", "alone", "expected"),
    [
        (JOYFUL, SAD, SAD),
        (SAD, JOYFUL, SAD),
        (JOYFUL, Affect.from_label("love"), JOYFUL),
        (JOYFUL, Affect.unknown(), JOYFUL),
    ],
)
def test_in_a_conversation_what_weighs_on_the_user_is_heard_before_and_now(
    plan, together, alone, expected
):
    reader = Reader({f"Such a day!\n{TEXT}": together, TEXT: alone})
    made = plan(make_ranker("combination", "auto", reader), conversation=["Such a day!"])
    assert made.query.present == expected
    assert made.query.gate == pytest.approx(0.63 / 2 if expected == SAD else 0)


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("We had such a lovely holiday in Porto, I loved every day.", "My mother died today."),
        ("I like pizza. We went to the museum on Sunday.", "我妈妈去世了，我很伤心"),
        ("I like pizza. We went to the museum on Sunday.", "minha mãe morreu, estou muito triste"),
    ],
)
def test_the_embedded_model_hears_grief_after_cheerful_turns_and_in_another_language(before, now):
    made = make_ranker("combination", "auto").plan(now, 4, conversation=[before])
    assert made.query.present.label == "sadness"
    assert made.query.gate > 0


def test_the_rankers_own_affect_gives_way_to_the_calls(plan):
    angry = make_ranker("combination", "congruent", None, "anger")
    assert plan(angry).query.present.label == "anger"
    assert plan(angry, affect="joy").query.present.label == "joy"


def test_a_mood_is_asked_anew_for_every_query(plan):
    moods = iter([SAD, JOYFUL])
    moody = make_ranker("combination", "congruent", None, lambda: next(moods))
    assert [plan(moody).query.present.label for _ in range(2)] == ["sadness", "joy"]


@pytest.mark.parametrize(
    ("strategy", "policy", "query", "overrides"),
    [
        ("combination", "off", TEXT, {}),
        ("combination", "auto", TEXT, {"policy": "off"}),
        ("semantic", "auto", TEXT, {}),
        ("combination", "auto", "When is the dentist's appointment?", {}),
        ("salience", "auto", "When is the dentist's appointment?", {"conversation": [TEXT]}),
    ],
)
def test_where_affect_is_off_the_call_is_plain_and_nothing_is_appraised(
    plan, strategy, policy, query, overrides
):
    reader = Reader({TEXT: SAD, query: SAD})
    made = plan(make_ranker(strategy, policy, reader), query, **overrides)
    assert made.plain
    assert made.reason
    assert made.query.gate == 0
    assert reader.asked == []


@pytest.mark.parametrize("strategy", ["combination", "sequence", "salience", "modulated"])
@pytest.mark.parametrize("present", [Affect.neutral(), Affect.unknown(), None])
def test_at_gate_0_every_strategy_makes_the_plain_call(plan, strategy, present):
    reader = Reader({} if present is None else {TEXT: present})
    made = plan(make_ranker(strategy, Auto(), reader))
    assert made.plain
    assert (made.query.gate, made.query.policy) == (0, Off())
    assert ("neutral" in made.reason) == (present == Affect.neutral())


@pytest.mark.parametrize("affect", [None, Affect.unknown])
def test_without_an_appraiser_the_embedded_one_reads(monkeypatch, plan, affect):
    reader = Reader({TEXT: SAD})
    monkeypatch.setattr(ranker, "default_appraiser", lambda: reader)
    made = plan(make_ranker("combination", "congruent", None, affect))
    assert made.query.present == SAD
    assert reader.asked == [TEXT]


def test_where_the_affect_is_fixed_no_appraiser_is_needed(monkeypatch, plan):
    monkeypatch.setattr(ranker, "default_appraiser", lambda: pytest.fail("not needed"))
    assert make_ranker("combination", "auto", None, "joy").appraiser is None
    made = plan(make_ranker("combination", "auto", None, Affect.unknown()))
    assert made.plain
    assert made.reason == "no affect could be read"


@pytest.mark.parametrize(
    ("conversation", "expected", "asked"),
    [
        (["hello"], "anger", [f"hello\n{TEXT}", TEXT]),
        (["silence"], "joy", [f"silence\n{TEXT}", TEXT]),
        ([], "joy", [TEXT]),
    ],
)
def test_an_unknown_mood_falls_through_to_the_conversation_and_then_the_query(
    plan, conversation, expected, asked
):
    reader = Reader({TEXT: JOYFUL, f"hello\n{TEXT}": Affect.from_label("anger")})
    made_with = make_ranker("combination", "auto", reader, Affect.unknown)
    assert plan(made_with, conversation=conversation).query.present.label == expected
    assert reader.asked == asked
    assert plan(made_with, "When was the party?").reason == "a factual question"


async def test_a_mood_may_take_its_time_without_blocking_the_loop():
    threads = []

    def mood():
        threads.append(threading.get_ident())
        return "sadness"

    made = await make_ranker("combination", "congruent", None, mood).aplan(TEXT, 4)
    assert made.query.present == SAD
    assert threads
    assert threading.get_ident() not in threads


async def test_an_async_mood_is_awaited_by_async_calls_and_refused_and_closed_by_others():
    made = []

    async def mood():
        return "sadness"

    def asked():
        made.append(mood())
        return made[-1]

    for affect in (mood, asked):
        ranker = make_ranker("combination", "congruent", None, affect)
        assert (await ranker.aplan(TEXT, 4)).query.present == SAD
        with pytest.raises(TypeError, match="affect is async; call ainvoke"):
            ranker.plan(TEXT, 4)
    assert [getcoroutinestate(one) for one in made] == [CORO_CLOSED] * 2


def test_a_mood_that_has_run_out_raises_and_does_not_hang(plan):
    with pytest.raises(RuntimeError, match="StopIteration"):
        plan(make_ranker("combination", "auto", Reader(), lambda: next(iter(()))))


def test_a_mood_leaves_a_factual_question_plain_and_a_stated_affect_does_not(plan):
    asked = []
    moody = make_ranker("combination", "auto", None, lambda: asked.append(1) or SAD)
    made = plan(moody, "When is the dentist?")
    assert (made.plain, made.reason, asked) == (True, "a factual question", [])
    assert not plan(moody, "When is the dentist?", affect="sadness").plain


@pytest.mark.parametrize(
    ("query", "asks"),
    [
        ("I can't stop crying. Where was my mother cremated?", True),
        ("Where was my mother cremated? I am devastated.", True),
        ("I can't stop crying. What should I do?", False),
        ("Where was she when I cried?", False),
        (TEXT, False),
    ],
)
def test_a_sentence_may_ask_for_a_fact_in_the_midst_of_feeling(plan, query, asks):
    assert plan(make_ranker("combination", "auto", Reader({query: SAD})), query).query.asks == asks


def test_a_pool_without_affect_is_ranked_by_meaning_and_said_once(caplog, make_pool):
    ranker._warn_untagged.cache_clear()
    made = make_ranker("combination", "congruent", None, "sadness").plan(TEXT, 2)
    untagged = make_pool([Affect.unknown(), Affect.unknown()], cosine=[0.9, 0.8])
    for _ in range(2):
        assert made.rank(untagged).order.tolist() == [0, 1]
    assert [record.message[:27] for record in caplog.records] == ["no candidate carries affect"]


def test_a_mood_is_not_asked_where_affect_is_off(plan):
    def mood():
        pytest.fail("nobody needs it")

    assert plan(make_ranker("combination", "off", Reader(), mood)).reason == "affect is off"
    assert plan(make_ranker("semantic", "auto", Reader(), mood)).reason == "affect is off"


def test_an_explicit_affect_skips_the_factual_test(plan):
    reader = Reader()
    made = plan(make_ranker("combination", "auto", reader), "When was the party?", affect="joy")
    assert not made.plain
    assert made.query.gate == 1
    assert reader.asked == []


def test_an_unknown_affect_is_not_an_explicit_one(plan):
    made = plan(make_ranker("combination", "auto"), "When was it?", affect=Affect.unknown())
    assert made.plain
    assert made.reason == "a factual question"


def test_the_factual_test_and_the_gate_belong_to_auto(plan):
    question = "When was the party?"
    dim = SAD.model_copy(update={"confidence": 0.1})
    made = plan(make_ranker("combination", "congruent", Reader({question: dim})), question)
    assert not made.plain
    assert made.query.gate == 1


@pytest.mark.parametrize(
    ("strategy", "policy", "present", "is_plain"),
    [
        ("combination", "congruent", Affect.unknown(), True),
        ("sequence", "congruent", Affect.unknown(), True),
        ("salience", "congruent", Affect.unknown(), False),
        ("modulated", "congruent", Affect.unknown(), False),
        ("combination", "lesson", Affect.unknown(), False),
        ("combination", "comfort", JOYFUL, True),
        ("combination", "comfort", Affect(valence=-0.9), False),
        ("salience", "comfort", JOYFUL, False),
        ("combination", Auto("research"), JOYFUL, True),
        ("salience", Auto("research"), JOYFUL, True),
        ("combination", Auto("research"), SAD, False),
    ],
)
def test_a_strategy_with_nothing_to_match_makes_the_plain_call(
    plan, strategy, policy, present, is_plain
):
    made = plan(make_ranker(strategy, policy, Reader({TEXT: present})))
    assert made.plain == is_plain
    assert bool(made.reason) == is_plain


@pytest.mark.parametrize(
    "failure",
    [
        RuntimeError(TEXT),
        lambda: None,
        list,
        lambda: [SAD, SAD],
        lambda: ["sadness"],
        lambda: SAD,
    ],
    ids=["raises", "none", "too few", "too many", "not an affect", "no list"],
)
def test_an_appraiser_that_fails_costs_only_the_affect(plan, failure, caplog):
    with caplog.at_level(logging.DEBUG):
        made = plan(make_ranker("combination", "auto", Reader(failure=failure)))
    assert made.plain
    assert made.reason == "no affect could be read"
    assert "an appraiser failed" in caplog.text
    assert TEXT not in caplog.text


def test_after_a_conversation_that_cannot_be_read_the_query_is(plan):
    class Flaky(Reader):
        def appraise(self, texts):
            if f"broken\n{TEXT}" in texts:
                raise TimeoutError
            return super().appraise(texts)

    flaky = make_ranker("combination", "congruent", Flaky({TEXT: SAD}))
    assert plan(flaky, conversation=["broken"]).query.present == SAD


def test_blank_turns_are_no_conversation(plan):
    made = plan(make_ranker("combination", "auto", Reader({TEXT: SAD})), conversation=["", " "])
    assert made.query.gate == 1.0


def test_of_a_pasted_text_the_ends_are_read(plan):
    reader = Reader()
    plan(make_ranker("combination", "auto", reader), f"So it began. {'x' * 60_000} I am so sad.")
    [read] = reader.asked
    assert read.startswith("So it began.")
    assert read.endswith("I am so sad.")
    assert len(read) < 4100


@pytest.mark.parametrize("query", [None, 5])
def test_a_query_is_a_text(plan, query):
    for policy in ("off", "auto"):
        with pytest.raises(TypeError, match=f"query must be a str, got {type(query).__name__}"):
            plan(make_ranker("combination", policy, Reader()), query)


@pytest.mark.parametrize("k", [0, -1])
@pytest.mark.parametrize("policy", ["off", "auto", "congruent"])
def test_k_below_1_is_refused_on_every_path(plan, k, policy):
    for affect in (SAD, None):
        with pytest.raises(ValueError, match=f"k must be >= 1, got {k}"):
            plan(make_ranker("combination", policy, Reader(), affect), k=k)


@pytest.mark.parametrize("k", [2.0, True, "2"])
def test_k_is_an_int(plan, k):
    with pytest.raises(TypeError, match="k must be an int, got"):
        plan(make_ranker("combination", "off", Reader()), k=k)


@pytest.mark.parametrize(
    ("overrides", "error", "message"),
    [
        ({"policy": "kind"}, ValueError, "policy must be"),
        ({"affect": "so-so"}, ValueError, "unknown emotion label 'so-so'"),
        ({"affect": 0.5}, TypeError, "an Affect, a label or a callable .* got float"),
        ({"conversation": "hello"}, TypeError, "a list of turns, got one str"),
    ],
)
def test_a_wrong_override_raises_even_where_affect_would_be_off(plan, overrides, error, message):
    with pytest.raises(error, match=message):
        plan(make_ranker("semantic", "off"), **overrides)


@pytest.mark.parametrize(
    ("answer", "error", "message"),
    [(0.5, TypeError, "a callable returning one, got float"), ("so-so", ValueError, "so-so")],
)
def test_a_mood_that_answers_wrongly_raises(plan, answer, error, message):
    with pytest.raises(error, match=message):
        plan(make_ranker("combination", "auto", Reader(), lambda: answer))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (("emotional", "auto"), ValueError, "strategy must be"),
        (("combination", "kind"), ValueError, "policy must be"),
        (("combination", "auto", "vader"), TypeError, "must have appraise and aappraise, got str"),
        (("combination", "auto", None, "so-so"), ValueError, "unknown emotion label"),
        (("combination", "auto", None, 3), TypeError, "an Affect, a label or a callable"),
    ],
)
def test_a_wrong_argument_raises_at_construction(arguments, error, message):
    with pytest.raises(error, match=message):
        make_ranker(*arguments)


def test_a_ranker_takes_instances_as_they_are():
    strategy, policy = Combination(weight=0.1), Lesson()
    made = make_ranker(strategy, policy)
    assert made.strategy is strategy
    assert made.policy is policy
    assert make_ranker(Semantic(), Congruent()).strategy == Semantic()


def test_an_affect_is_given_as_itself_a_label_or_a_callable():
    assert resolve_affect(SAD) is SAD
    assert resolve_affect(" Sadness ").emotions == SAD.emotions
    assert resolve_affect(lambda: SAD) is SAD
    assert resolve_affect(lambda: "sadness") == SAD


def test_a_plan_ranks_with_its_strategy_and_query(make_pool):
    pool = make_pool([JOYFUL, SAD], [0.5, 0.49])
    made = make_ranker("combination", "congruent", None, SAD).plan(TEXT, 2)
    assert made.rank(pool).order.tolist() == [1, 0]
    assert made.rank(pool).score.tolist() == Combination().rank(pool, made.query).score.tolist()
