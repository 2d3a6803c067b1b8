"""Groups of answers, what a judge reads of them, and how its opinion agrees with labels."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from emomem import Character
from emomem.evaluation.alignment import ACC_DIM, ACC_FULL, MAE, MSE, agreement, summary
from emomem.evaluation.characters import Label, Subject
from emomem.evaluation.datasets.incharacter import Questionnaire
from emomem.evaluation.interviews import Read, batches, judge_messages, judged, transcript

MBTI = Questionnaire(
    "mbti", "16Personalities", 0, 100, {"E/I": "out or in", "S/N": "far or near", "T/F": "t"}, []
)
BFI = Questionnaire("bfi", "BFI", 1, 5, {"Openness": "curious {or} not"}, [])


@given(st.integers(1, 60))
def test_a_judge_reads_three_to_four_answers_at_a_time(count):
    groups = batches(range(count))
    assert [one for group in groups for one in group] == list(range(count))
    sizes = {len(group) for group in groups}
    assert sizes <= {3, 4} if count >= 6 else len(groups) == 1


def subject(name, language="en", *aliases):
    character = Character(name=name, language=language)
    return Subject("id", character, ("memory",), {}, aliases)


def test_a_judge_reads_no_name_of_the_character():
    exchanges = [("Are you Ron?", "Ron Weasley? Iron Ron, my friends say.")]
    said = transcript(subject("Ron", "en", "Ron Weasley"), exchanges)
    assert said == (
        "the interviewer: Are you the participant?\n"
        "the participant: the participant? Iron the participant, my friends say."
    )
    said = transcript(subject("佟湘玉", "zh"), [("你好吗？", "我佟湘玉很好")])
    assert said == "采访者：你好吗？\n受访者：我受访者很好"


class Says:
    def __init__(self, *answers):
        self.answers = list(answers)
        self.asked = []

    def complete(self, messages, schema=None):
        self.asked.append((messages, schema))
        return self.answers.pop(0)


def test_a_judge_of_poles_gives_percentages_that_make_a_whole():
    read = Read("E/I", "en", "the participant: I dance.")
    model = Says(json.dumps({"first": 80, "second": 30}), json.dumps({"first": 80, "second": 20}))
    assert judged(model, MBTI, read) == 80
    first, again = model.asked
    assert first[1]["title"] == "Shares"
    assert "first and second must sum to 100" in again[0][-1]["content"]
    system, user = (turn["content"] for turn in first[0])
    assert "how much of E the answers" in system
    assert "out or in" in system
    assert "I dance." in user


def test_a_judge_of_a_trait_gives_a_score():
    read = Read("Openness", "zh", "受访者：我跳舞。")
    assert judged(Says('{"score": 4.5}'), BFI, read) == 4.5
    assert judged(Says('{"score": 6}', "none"), BFI, read) is None
    system = judge_messages(BFI, read)[0]["content"]
    assert "curious {or} not" in system
    assert "从 1（完全没有）经 3（不多不少）到 5" in system


LABELS = {"E/I": Label(90, "H"), "S/N": Label(55, "X"), "T/F": Label(20, "L")}


def test_labels_near_the_middle_are_skipped_and_errors_divided_by_the_range():
    found = agreement({"E/I": 60, "S/N": 0, "T/F": 70}, LABELS, MBTI)
    assert (found.counted, found.right, found.full, found.missing) == (2, 1, False, 0)
    assert found.squared == pytest.approx(0.3**2 + 0.5**2)
    assert found.absolute == pytest.approx(0.8)
    openness = {"Openness": Label(2.0, "L")}
    assert agreement({"Openness": 3.0}, openness, BFI).absolute == 0.25
    assert agreement({"Openness": 3.0}, openness, BFI).right == 1  # the middle counts as low


def test_what_was_not_judged_is_missing_and_leaves_the_whole_open():
    found = agreement({"E/I": 60}, LABELS, MBTI)
    assert (found.counted, found.full, found.missing) == (1, None, 1)
    nothing = agreement({"S/N": 60}, {"S/N": LABELS["S/N"]}, MBTI)
    assert (nothing.counted, nothing.full, nothing.missing) == (0, None, 0)
    assert summary([nothing]) == {}


def published(people):
    """The four measures as InCharacter counts them, written out."""
    right = total = whole = counted = 0
    squares = sizes = 0.0
    for scores, labels in people:
        judged_all = True
        considered = False
        for name, label in labels.items():
            if label.kind == "X":
                continue
            considered = True
            total += 1
            guess = "H" if scores[name] > 50 else "L"
            right += guess == label.kind
            judged_all = judged_all and guess == label.kind
            squares += ((scores[name] - label.score) / 100) ** 2
            sizes += abs(scores[name] - label.score) / 100
        if considered:
            counted += 1
            whole += judged_all
    return right / total, whole / counted, squares / total, sizes / total


@given(seed=st.integers(0, 2**32 - 1), people=st.integers(1, 8))
def test_the_measures_are_those_of_the_original_over_all_dimensions(seed, people):
    rng = np.random.default_rng(seed)
    drawn = []
    for _ in range(people):
        scores = dict(zip(MBTI.dimensions, rng.uniform(0, 100, 3).tolist(), strict=True))
        labels = {
            name: Label(float(rng.uniform(0, 100)), str(rng.choice(["H", "L", "X"])))
            for name in MBTI.dimensions
        }
        labels["T/F"] = Label(20.0, "L")
        drawn.append((scores, labels))
    found = summary([agreement(*one, MBTI) for one in drawn])
    means = [found[name].mean for name in (ACC_DIM, ACC_FULL, MSE, MAE)]
    assert means == pytest.approx(published(drawn))
