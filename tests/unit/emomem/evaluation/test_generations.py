"""Outputs of a scripted model; the integration test says what is recalled."""

import json

import pytest

from emomem.evaluation.costs import Role
from emomem.evaluation.generations import (
    Generations,
    Rated,
    generate,
    judge,
    rate_messages,
    respond_messages,
    tell,
)
from emomem.evaluation.ratings.outputs import read_outputs
from emomem.evaluation.ratings.scales import SCALES
from emomem.scenarios import load_scenario


class Model:
    """Answers what its script says, and remembers what it was asked."""

    name, cost, kept = "scripted", None, 0

    def __init__(self, answer):
        self.answer = answer
        self.asked = []

    def complete(self, messages, schema=None):
        self.asked.append(messages)
        return self.answer(messages)


@pytest.fixture
def scenario():
    return load_scenario("household")


def recall(scenario):
    """Two arms; the second has its memories the other way round."""
    some = [*scenario.facts[:3], *scenario.affective[:3]]
    return {"full": some, "other": [*scenario.affective[3:6], *scenario.facts[3:6]][::-1]}


def test_each_question_tells_as_many_memories_in_the_order_of_time(scenario):
    full, other = tell([scenario], recall)
    for told in (full, other):
        times = [one.at for one in told.memories]
        assert times == sorted(times)
        assert len(told.context.ids) == 6
        assert told.context.tokens > 50


def test_contexts_of_different_size_are_refused(scenario):
    def uneven(scenario):
        return {"full": scenario.facts[:3], "other": scenario.facts[:4]}

    with pytest.raises(ValueError, match=r"household must hold as many .* full 3, other 4"):
        tell([scenario], uneven)


def test_questions_of_two_arms_differ_by_their_memories_alone(scenario):
    questions = [respond_messages(told) for told in tell([scenario], recall)]
    texts = [question[1]["content"] for question in questions]
    cut = [text[: text.index("<memories>")] + text[text.index("</memories>") :] for text in texts]
    assert cut[0] == cut[1]
    assert texts[0] != texts[1]
    assert questions[0][0] == questions[1][0]
    assert scenario.situation in texts[0]
    assert "Owen: +4" in texts[0]


@pytest.mark.parametrize("name", ["household", "gaokao_wish", "inheritance"])
def test_a_scenario_is_asked_and_judged_in_its_language(name):
    scenario = load_scenario(name)
    told = tell([scenario], recall)
    [output, *_] = generate(told, {1: Model(lambda messages: "…")}, "m")
    assert output.language == scenario.language
    systems = [respond_messages(told[0])[0]["content"], rate_messages(output)[0]["content"]]
    assert ("You" in systems[0], "You" in systems[1]) == (scenario.language == "en",) * 2
    assert all(f'"{scale}"' in systems[1] for scale in SCALES)


def test_every_seed_has_its_model_and_a_blank_answer_is_left_out(scenario):
    models = {101: Model(lambda messages: " I go. "), 202: Model(lambda messages: " ")}
    told = tell([scenario], recall)
    outputs = generate(told, models, "m")
    assert [one.id for one in outputs] == ["household/full/101", "household/other/101"]
    assert {one.text for one in outputs} == {"I go."}
    notes = Generations(told, [101, 202], outputs, {}, seeded=False).notes
    assert notes[0] == "2 outputs of 4; seeds 101, 202."
    assert "takes no seed" in notes[1]


def test_a_rater_reads_the_same_of_every_arm(scenario):
    outputs = generate(tell([scenario], recall), {1: Model(lambda messages: "I go.")}, "m")
    assert outputs[0].background == outputs[1].background
    assert len(outputs[0].background) == len(scenario.facts) + len(scenario.critical)
    assert outputs[0].person == outputs[1].person
    assert "+4" not in outputs[0].person


def test_a_judge_gives_the_raters_grades_and_sees_no_arm(scenario):
    outputs = generate(tell([scenario], recall), {1: Model(lambda messages: "I go.")}, "m")
    grades = dict(zip(SCALES, (1, 2, 3, 4, 5), strict=True))
    model = Model(lambda messages: json.dumps({"reason": "", **grades}))
    judged = judge(outputs, model)
    assert [one.judge for one in judged] == [grades, grades]
    shown = "".join(turn["content"] for messages in model.asked for turn in messages)
    assert "household/" not in shown
    assert "other" not in [one.strip() for one in shown.split("\n")]
    assert tuple(Rated.model_fields)[1:] == SCALES


def test_a_judge_that_gives_no_grades_leaves_an_output_without(scenario):
    outputs = generate(tell([scenario], recall), {1: Model(lambda messages: "I go.")}, "m")
    model = Model(lambda messages: '{"naturalness": 9}')
    judged = judge(outputs, model)
    assert [one.judge for one in judged] == [None, None]
    assert len(model.asked) == 4
    roles = {"judge": Role("m", None, 0)}
    notes = Generations([], [1], judged, roles, seeded=True).notes
    assert "2 outputs got no usable grades of the judge." in notes


def test_contexts_that_differ_in_length_are_told(scenario):
    def uneven(scenario):
        by_length = sorted(scenario.affective, key=lambda one: len(one.text))
        return {"short": by_length[:5], "long": by_length[-5:]}

    found = Generations(tell([scenario], uneven), [1], [], {}, seeded=True)
    assert found.uneven["household"] > 2
    assert "Contexts of household hold as many memories, but the longest has" in found.notes[1]
    assert Generations(tell([scenario], recall), [1], [], {}, seeded=True).uneven.keys() <= {
        "household"
    }


def test_what_is_written_is_what_packets_are_made_of(scenario, tmp_path):
    told = tell([scenario], recall)
    outputs = generate(told, {7: Model(lambda messages: "I go.")}, "m")
    files = Generations(told, [7], outputs, {}, seeded=True).write(tmp_path)
    assert read_outputs(files[0]) == outputs
    assert "household: full" in files[1].read_text(encoding="utf-8")
    assert "I go." not in files[2].read_text(encoding="utf-8")
