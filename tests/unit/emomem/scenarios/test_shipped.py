"""What is promised of the shipped scenarios."""

from collections import Counter

import numpy as np
import pytest

from emomem.scenarios import load_scenario, scenarios

SHIPPED = scenarios()


@pytest.mark.parametrize("scenario", SHIPPED, ids=lambda one: one.id)
def test_each_has_what_the_measurement_counts_on(scenario):
    assert load_scenario(scenario.id) == scenario
    assert len(scenario.facts) == 15
    assert len(scenario.affective) == 36
    assert len(scenario.critical) == 10
    saliences = np.array([one.salience for one in scenario.affective], dtype=float)
    assert not np.isnan(saliences).any()
    assert scenario.beliefs
    assert scenario.relations


def test_there_are_twelve_in_three_languages():
    counts = Counter(one.language for one in SHIPPED)
    assert sum(counts.values()) >= 12
    assert set(counts) == {"en", "zh", "pt"}


def test_length_gives_no_critical_memory_away_in_english():
    chances = []
    for one in SHIPPED:
        if one.language != "en":
            continue
        lengths = np.array([len(memory.text) for memory in one.affective])
        critical = np.array([memory.critical for memory in one.affective])
        longer = lengths[critical][:, None] - lengths[~critical]
        chances.append(np.mean(longer > 0) + np.mean(longer == 0) / 2)
    assert 0.25 < np.mean(chances) < 0.75
