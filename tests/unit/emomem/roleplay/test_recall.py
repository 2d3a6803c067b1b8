"""Recall over all memories of a character, and the scores that it goes by."""

import json

import numpy as np
import pytest

from emomem import Affect, Combination
from emomem.appraisal.base import BaseAppraiser
from emomem.emotions import PLUTCHIK
from emomem.roleplay import (
    STRATEGIES,
    recall,
    resolve_recall,
    score_by_prompt,
    scores_by_appraiser,
)

JOY, CALM = [10.0] + [1.0] * 7, [1.0] * 8
MEMORIES = np.array([[1.0, 0.0], [0.8, 0.6], [0.6, 0.8], [0.0, 1.0]])
FEELINGS = np.array([CALM, JOY, CALM, JOY])
QUERY = np.array([1.0, 0.0])


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("ordinary", [0, 1]),
        # Distances 0, 0.632, 0.894, 1.414 of meaning; 0.405 or 0 of feeling.
        ("combination-add", [0, 1]),
        ("combination-multiply", [0, 1]),
        ("semantic-first", [1, 3]),
        ("emotion-first", [0, 1]),
    ],
)
def test_each_strategy_on_four_memories(name, expected):
    found = recall(STRATEGIES[name], QUERY, np.array(JOY), MEMORIES, FEELINGS, k=2)
    assert found.tolist() == expected


def test_emotion_first_keeps_twice_as_many_as_it_recalls():
    found = recall(STRATEGIES["emotion-first"], QUERY, np.array(JOY), MEMORIES, FEELINGS, k=1)
    assert found.tolist() == [1]


@pytest.mark.parametrize("name", STRATEGIES)
def test_a_question_without_scores_is_answered_by_meaning(name):
    found = recall(STRATEGIES[name], QUERY, np.full(8, np.nan), MEMORIES, FEELINGS, k=3)
    assert found.tolist() == [0, 1, 2]


def test_names_of_role_play_and_of_the_library_are_known():
    assert resolve_recall("combination-add") == Combination(scale="paper")
    assert resolve_recall("combination") == Combination()
    assert resolve_recall(Combination(weight=0.5)).weight == 0.5
    with pytest.raises(ValueError, match="for role play also ordinary, combination-add"):
        resolve_recall("C-A")


class Says:
    def __init__(self, *answers):
        self.answers = list(answers)
        self.asked = []

    def complete(self, messages, schema=None):
        self.asked.append(messages)
        return self.answers.pop(0)


def told(**scores):
    return json.dumps({name: {"reason": "", "score": scores.get(name, 1)} for name in PLUTCHIK})


def test_a_prompt_s_scores_stay_as_they_are():
    model = Says(told(joy=10, trust=9, anger=8))
    assert score_by_prompt(model, "What a day!", "zh").tolist() == [10, 9, 1, 1, 1, 1, 8, 1]
    assert "请" in model.asked[0][0]["content"]


def test_an_answer_of_no_use_and_a_blank_text_are_unknown():
    assert np.isnan(score_by_prompt(Says("hm", told(joy=11)), "What a day!")).all()
    assert np.isnan(score_by_prompt(Says(), " \n")).all()


class Reader(BaseAppraiser):
    def _read(self, texts):
        return [Affect.from_label("joy") if "glad" in one else Affect.unknown() for one in texts]


def test_an_appraiser_s_distribution_becomes_scores():
    scores = scores_by_appraiser(Reader(), ["so glad", "hm", ""])
    assert scores.shape == (3, 8)
    assert scores[0].tolist() == JOY
    assert np.isnan(scores[1:]).all()
