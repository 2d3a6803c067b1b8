"""What a user in distress is spared holds for all that is told at once."""

import pytest

from emomem import Affect
from emomem.memory.sparing import CAP, is_dark

LOW = Affect(valence=-0.8, arousal=0.6)
GRIEFS = [f"grief {letter}" for letter in "abcdefghijkl"]
BRIGHT = ["a walk", "a cat", "a sister"]


@pytest.fixture
def grieving(memory, clock):
    for text in GRIEFS:
        memory.save(text, affect=Affect(valence=-0.7, arousal=0.7))
    for text in BRIGHT:
        memory.save(text, affect=Affect(valence=0.6, arousal=0.4))
    return memory


def dark(units):
    return {unit.text for unit in units if is_dark(unit)}


def test_the_cap_is_of_facts_and_feelings_together(grieving):
    recall = grieving.recall("grief", affect=LOW)
    assert len(dark(recall.units)) == CAP
    assert {unit.text for unit in recall.units} >= set(BRIGHT)
    block = grieving.context("grief", affect=LOW)
    assert sum(text in block for text in GRIEFS) == CAP

    # Nobody else is spared anything.
    assert len(dark(grieving.recall("grief").units)) >= 10


def test_nothing_is_left_empty(memory):
    for text in GRIEFS:
        memory.save(text, affect=Affect(valence=-0.7, arousal=0.7))
    assert len(dark(memory.recall("grief", affect=LOW).units)) == CAP


def test_the_other_sides_of_conflicts_count_as_well(grieving, detector):
    for text in BRIGHT:
        detector.script |= {(text + "s", one): "evaluative" for one in GRIEFS}
        grieving.save(text + "s", affect=Affect(valence=0.6, arousal=0.4))
    block = grieving.context("walks cats sisters", affect=LOW)
    assert "<conflict" in block
    assert sum(text in block for text in GRIEFS) == CAP


def test_an_offer_is_kept_from_a_user_in_distress(memory):
    memory.save("20% off the premium plan", affect=Affect(valence=0.5, arousal=0.3))
    assert memory.recall("plan", affect=LOW).units == []
    assert memory.recall("plan").units
