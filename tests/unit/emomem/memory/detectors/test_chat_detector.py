"""Conflicts as a chat model judges them, and what its failures cost."""

import json
import logging

import pytest

from emomem.asking import schema_of
from emomem.memory.detectors.chat import ChatConflictDetector, FindingsReply


class Scripted:
    """Says its lines in turn; an exception among them is raised."""

    def __init__(self, *lines):
        self.lines = list(lines)
        self.asked = []

    def complete(self, messages, schema=None):
        self.asked.append((messages, schema))
        line = self.lines.pop(0)
        if isinstance(line, Exception):
            raise line
        return line

    async def acomplete(self, messages, schema=None):
        return self.complete(messages, schema)


def said(*findings):
    keys = ("number", "kind", "intensity", "reason")
    return json.dumps({"conflicts": [dict(zip(keys, one, strict=False)) for one in findings]})


@pytest.fixture
def old(unit):
    return [
        unit("Save 300 a month.", kind="goal"),
        unit("I live in Lisbon."),
        unit("I live in York.", speaker="sam"),
        unit("I like\n3. tea."),
    ]


async def test_what_it_finds_are_conflicts_with_the_numbered_units(detect, unit, old):
    answer = said((3, "evaluative", 0.4, "tea"), (1, "goal_instruction", 0.9))
    model = Scripted(answer)
    detector = ChatConflictDetector(model)
    first, second = await detect(detector, unit("No tea. Save nothing."), old)
    assert (first.kind, first.against, first.intensity) == ("goal_instruction", old[0], 0.9)
    assert (second.kind, second.against, second.detail) == ("evaluative", old[3], "tea")
    assert "tea" not in second.reason
    assert detector.failures == 0


async def test_memories_goals_and_the_text_are_quoted_and_each_takes_one_line(detect, unit, old):
    model = Scripted(said())
    assert await detect(ChatConflictDetector(model), unit("a </text> b"), old) == []
    [(messages, schema)] = model.asked
    content = messages[1]["content"]
    assert "<goals>\n1. Save 300 a month.\n</goals>" in content
    assert "<memories>\n2. I live in Lisbon.\n3. I like 3. tea.\n</memories>" in content
    assert "<text>\na &lt;/text> b\n</text>" in content
    assert "York" not in content
    assert schema == schema_of(FindingsReply)


async def test_what_cannot_be_is_passed_over(detect, unit, old):
    answer = said(
        (0, "fact_update", 0.5),
        (9, "fact_update", 0.5),
        (1, "fact_update", 0.5),  # a goal is in no such conflict
        (2, "goal_instruction", 0.5),  # and this is no goal
        (3, "fact_update", 0.5),
        (3, "evaluative", 0.9),
    )
    [conflict] = await detect(ChatConflictDetector(Scripted(answer)), unit("b"), old)
    assert (conflict.kind, conflict.against) == ("fact_update", old[3])


@pytest.mark.parametrize(
    "bad",
    [
        "Nothing contradicts anything, I think.",
        "{}",
        '{"conflicts": null}',
        said((1, "quarrel", 0.5)),
        said((1, "fact_update", 7)),
        said((True, "fact_update", 0.5)),
        said(("the first", "fact_update", 0.5)),
        '{"conflicts": [{"number": 2, "kind": "fact_up',
    ],
)
async def test_rubbish_is_asked_for_once_more_and_costs_only_itself(detect, unit, old, bad, caplog):
    good = Scripted(bad, said((2, "fact_update", 0.5)))
    assert len(await detect(ChatConflictDetector(good), unit("b"), old)) == 1
    detector = ChatConflictDetector(Scripted(bad, bad))
    with caplog.at_level(logging.WARNING):
        assert await detect(detector, unit("a secret"), old) == []
    assert detector.failures == 1
    assert "UnusableAnswerError" in caplog.text
    assert "secret" not in caplog.text
    assert "Lisbon" not in caplog.text


async def test_a_model_that_raises_costs_only_itself(detect, unit, old, caplog):
    detector = ChatConflictDetector(Scripted(TimeoutError("secret")))
    with caplog.at_level(logging.WARNING):
        assert await detect(detector, unit("b"), old) == []
    assert detector.failures == 1
    assert "secret" not in caplog.text


async def test_it_is_not_asked_where_there_is_nothing_to_compare(detect, unit, old):
    detector = ChatConflictDetector(Scripted())
    assert await detect(detector, unit("b"), []) == []
    assert await detect(detector, unit("b"), [old[2]]) == []
    assert await detect(detector, unit(" "), old) == []
    assert await detect(detector, unit("b", kind="goal"), old) == []
    assert detector.failures == 0


@pytest.mark.parametrize("language", ["en", "zh", "pt"])
async def test_every_language_asks_for_the_same_keys(detect, unit, old, language):
    model = Scripted(said())
    await detect(ChatConflictDetector(model, language=language), unit("b"), old)
    system = model.asked[0][0][0]["content"]
    named = (
        FindingsReply.model_fields.keys()
        | schema_of(FindingsReply)["properties"]["conflicts"]["items"]["properties"].keys()
    )
    assert all(f'"{name}"' in system for name in named)
    kinds = ("evaluative", "preference_change", "goal_instruction", "fact_update")
    assert all(f'"{kind}"' in system for kind in kinds)


def test_an_unknown_language_is_refused():
    with pytest.raises(ValueError, match="en, zh, pt, got 'fr'"):
        ChatConflictDetector(Scripted(), language="fr")
