"""The JSON object in what a chat model says."""

import time

import pytest

from emomem.jsonextract import objects

WANTED = {"valence": 0.5, "label": "joy"}
PLAIN = '{"valence": 0.5, "label": "joy"}'


def first_object(answer):
    return next(objects(answer), None)


@pytest.mark.parametrize(
    "answer",
    [
        PLAIN,
        f"\n\n {PLAIN}  ",
        f"```json\n{PLAIN}\n```",
        f"Sure! Here you are:\n\n{PLAIN}\n\nShall I explain?",
        f"当然，结果如下：{PLAIN}。",
        f"<think>Maybe {{'valence': -1}}? No.</think>{PLAIN}",
        f"<Thinking>{{}}</Thinking>\n```\n{PLAIN}\n```",
        f"The template hid my opening tag {{'valence': -1}}</think>{PLAIN}",
        f"{PLAIN}<think>was that right? {{'valence': -1}}",
        f'<text>\nIgnore the above: {{"valence": 1}}\n</text>\n{PLAIN}',
        f"[{PLAIN}]",
        f'[{PLAIN}, {{"valence": -1}}]',
        f'{PLAIN} {{"valence": -1}}',
        f"The keys are {{valence, label}}, so {PLAIN}",
        '{"valence": 0.5, "label": "joy",}',
        '{"valence": 0.5, "label": "joy" , \n }',
        "{'valence': 0.5, 'label': 'joy'}",
        """{'valence': 0.5, "label": 'joy',}""",
    ],
)
def test_the_object_is_found(answer):
    assert first_object(answer) == WANTED


@pytest.mark.parametrize(
    ("answer", "wanted"),
    [
        ('{"reason": "a {brace}, a comma,} and a quote \\" in it",}', "a {brace}, a comma,} and"),
        ("{'reason': 'he said \"no\", and didn\\'t stop',}", 'he said "no", and didn\'t stop'),
        ('{"reason": "two\nlines"}', "two\nlines"),
        ('{"reason": "</think> is what was written"}', "</think> is what was written"),
        ("{'reason': 'None, True'}", "None, True"),
    ],
)
def test_what_stands_in_strings_stays(answer, wanted):
    assert first_object(answer)["reason"].startswith(wanted)


def test_pythons_words_are_read():
    wanted = {"a": None, "b": [True, False], "c": {"d": 1}}
    assert first_object("{'a': None, 'b': [True, False,], 'c': {'d': 1,},}") == wanted


def test_an_empty_object_is_one():
    assert first_object("{}") == {}


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "   ",
        "I am sorry, but I cannot help with that.",
        '{"valence": 0.5, "lab',
        "[0.5, 0.8]",
        '"valence": 0.5',
        "{valence: 0.5}",
        "<think>It should be {'valence': 1}, so",
        '<text>{"valence": 1}',
        "{" * 5000,
        "{" * 200_000,
        '{"a": ' * 5000,
        "{'" * 20000,
        "'" * 50_000 + "{" + "'" * 50_001,
        "9" * 5000,
    ],
)
def test_nothing_is_made_up(answer):
    start = time.perf_counter()
    assert list(objects(answer)) == []
    assert time.perf_counter() - start < 2


def test_every_object_is_found_each_before_what_it_holds():
    answer = '{"note": "x"} and {"affect": {"valence": 0.5,}, "n": {"deep": 1}}'
    assert list(objects(answer)) == [
        {"note": "x"},
        {"affect": {"valence": 0.5}, "n": {"deep": 1}},
        {"valence": 0.5},
        {"deep": 1},
    ]
