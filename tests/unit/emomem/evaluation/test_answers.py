"""Answers that are kept are not asked for again, and a run that was stopped goes on."""

import pytest

from emomem.evaluation.answers import Answers, KeptChatModel, ModelFailedError

ASKED = [{"role": "user", "content": "how are you 😀"}]


class Echo:
    def __init__(self):
        self.calls = 0

    def complete(self, messages, schema=None):
        self.calls += 1
        if messages[-1]["content"] == "fail":
            msg = f"cannot answer {messages[-1]['content']}"
            raise TimeoutError(msg)
        return f"{self.calls}: {messages[-1]['content']}"

    async def acomplete(self, messages, schema=None):
        return self.complete(messages, schema)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "new" / "answers.jsonl"


async def test_the_same_question_costs_one_call_in_this_run_and_the_next(path):
    echo = Echo()
    first = KeptChatModel(echo, "m", Answers(path))
    said = first.complete(ASKED, {"title": "A"})
    assert said == await first.acomplete(ASKED, {"title": "A"}) == "1: how are you 😀"
    second = KeptChatModel(echo, "m", Answers(path))
    assert second.complete(ASKED, {"title": "A"}) == said
    assert (echo.calls, first.cost.calls, first.kept) == (1, 1, 1)
    assert (second.cost.calls, second.kept) == (0, 1)
    assert await second.acomplete(ASKED) == "2: how are you 😀"


@pytest.mark.parametrize(
    ("name", "messages", "schema"),
    [
        ("other", ASKED, None),
        ("m", [{"role": "user", "content": "other"}], None),
        ("m", [{"role": "system", "content": ASKED[0]["content"]}], None),
        ("m", ASKED, {"title": "B"}),
    ],
)
def test_another_model_question_or_schema_is_another_call(path, name, messages, schema):
    echo, answers = Echo(), Answers(path)
    KeptChatModel(echo, "m", answers).complete(ASKED)
    KeptChatModel(echo, name, answers).complete(messages, schema)
    assert echo.calls == 2


def test_a_line_that_was_cut_short_is_asked_again_and_spoils_no_other(path):
    echo = Echo()
    KeptChatModel(echo, "m", Answers(path)).complete(ASKED)
    whole = path.read_text(encoding="ascii")
    path.write_text(whole[:-5], encoding="ascii")
    assert KeptChatModel(echo, "m", Answers(path)).complete(ASKED).startswith("2:")
    assert KeptChatModel(echo, "m", Answers(path)).complete(ASKED).startswith("2:")


async def test_a_failure_is_told_without_what_was_asked_and_not_kept(path):
    echo = Echo()
    model = KeptChatModel(echo, "m", Answers(path))
    asked = [{"role": "user", "content": "fail"}]
    for _ in range(2):
        with pytest.raises(ModelFailedError, match=r"^m failed with TimeoutError$"):
            model.complete(asked)
    with pytest.raises(ModelFailedError, match=r"^m failed with TimeoutError$"):
        await model.acomplete(asked)
    assert echo.calls == 3
