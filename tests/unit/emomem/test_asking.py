"""Asking for a record: the schema, the retry, and what it never says."""

from typing import Annotated
from unittest.mock import Mock

import pytest
from pydantic import Field

from emomem.asking import (
    NOT_BOOL,
    Reply,
    UnusableAnswerError,
    aask,
    ask,
    check_chat_model,
    schema_of,
)

QUESTION = [{"role": "system", "content": "Rate."}, {"role": "user", "content": "secret words"}]


class Inner(Reply):
    size: Annotated[float, Field(ge=0, le=9), NOT_BOOL]


class Record(Reply):
    one: Inner
    many: tuple[Inner, ...] = ()


class Scripted:
    """Says its lines, one a call, and remembers what it was asked."""

    def __init__(self, *lines):
        self.lines = list(lines)
        self.asked = []

    def complete(self, messages, schema=None):
        self.asked.append((messages, schema))
        return self.lines.pop(0)

    async def acomplete(self, messages, schema=None):
        return self.complete(messages, schema)


async def asked(model, *, is_async):
    return await aask(model, QUESTION, Record) if is_async else ask(model, QUESTION, Record)


both = pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])


class Passing:
    """Passes on what it is asked, whatever that is."""

    def complete(self, *asked, **more):
        return Scripted("{}").complete(*asked, **more)

    acomplete = complete


class OfAFramework:
    """Has the methods' names, and takes other arguments."""

    def complete(self, prompt, **more):
        return prompt

    acomplete = complete


@pytest.mark.parametrize("model", [Scripted(), Passing(), Mock()])
def test_a_chat_model_takes_messages(model):
    check_chat_model(model)


@pytest.mark.parametrize("model", [OfAFramework(), OfAFramework, Scripted, 3, None])
def test_what_takes_none_is_refused_and_named(model):
    name = type(model).__name__
    with pytest.raises(TypeError, match=rf"^judge must be a chat model .* got {name}$"):
        check_chat_model(model, "judge")


def test_the_schema_asks_for_every_key_and_no_other_without_references():
    inner = {
        "type": "object",
        "title": "Inner",
        "properties": {"size": {"type": "number", "minimum": 0, "maximum": 9, "title": "Size"}},
        "required": ["size"],
        "additionalProperties": False,
    }
    schema = schema_of(Record)
    assert schema["title"] == "Record"
    assert schema["required"] == ["one", "many"]
    assert schema["additionalProperties"] is False
    assert "$defs" not in schema
    assert schema["properties"]["many"]["items"].items() >= inner.items()
    assert schema["properties"]["one"].items() >= inner.items()


@both
async def test_a_good_answer_is_not_asked_for_again(is_async):
    model = Scripted('{"one": {"size": "3"}, "more": 1}')
    assert (await asked(model, is_async=is_async)).one.size == 3
    assert model.asked == [(QUESTION, schema_of(Record))]


@both
async def test_a_bad_answer_is_shown_with_its_error(is_async):
    bad = '{"one": {"size": 10}}'
    model = Scripted(bad, '{"one": {"size": 9}}')
    assert (await asked(model, is_async=is_async)).one.size == 9
    (_, first), (messages, second) = model.asked
    assert first == second
    assert messages[:3] == [*QUESTION, {"role": "assistant", "content": bad}]
    assert messages[3]["role"] == "user"
    assert "one.size: Input should be less than or equal to 9" in messages[3]["content"]


@both
async def test_two_bad_answers_raise_without_quoting_anything(is_async):
    model = Scripted("secret words?", "secret words!")
    with pytest.raises(UnusableAnswerError) as raised:
        await asked(model, is_async=is_async)
    assert "secret" not in str(raised.value)
    assert raised.value.__cause__ is None
    assert len(model.asked) == 2


@both
async def test_what_the_model_raises_is_raised_at_once(is_async):
    model = Scripted()
    with pytest.raises(IndexError):
        await asked(model, is_async=is_async)
    assert len(model.asked) == 1


def test_an_empty_answer_can_be_shown_and_a_long_one_is_cut():
    model = Scripted("  ", '{"one": {"size": 1}}')
    ask(model, QUESTION, Record)
    assert model.asked[1][0][2]["content"] == "-"
    model = Scripted("no " * 5000, '{"one": {"size": 1}}')
    ask(model, QUESTION, Record)
    assert len(model.asked[1][0][2]["content"]) == 2000


@pytest.mark.parametrize(("language", "word"), [("zh", "回答"), ("pt", "resposta")])
def test_the_error_is_shown_in_the_language_of_the_question(language, word):
    model = Scripted("no", '{"one": {"size": 1}}')
    ask(model, QUESTION, Record, language)
    assert word in model.asked[1][0][3]["content"]


@pytest.mark.parametrize("value", ["true", "NaN", "Infinity", "null", '"seven"', "[1]"])
def test_a_number_is_a_number(value):
    model = Scripted(f'{{"one": {{"size": {value}}}}}', "no")
    with pytest.raises(UnusableAnswerError):
        ask(model, QUESTION, Record)
    assert "one.size: " in model.asked[1][0][3]["content"]


@both
@pytest.mark.parametrize(
    "answer",
    [
        '{"note": "first"} {"one": {"size": 3}}',
        '{"answer": {"one": {"size": 3}}}',
        '[{"size": 3}, {"one": {"size": 10}}, {"one": {"size": 3}}]',
        '{"one": {"size": 3}, "many": null, "more": null}',
    ],
)
async def test_the_first_object_that_is_the_record_counts_and_null_is_missing(answer, is_async):
    model = Scripted(answer)
    record = await asked(model, is_async=is_async)
    assert (record.one.size, record.many) == (3, ())


def test_of_several_wrong_objects_the_first_ones_faults_are_shown():
    model = Scripted('{"one": {"size": 10}} {"two": 2}', '{"one": {"size": 9}}')
    assert ask(model, QUESTION, Record).one.size == 9
    assert "one.size: " in model.asked[1][0][3]["content"]
