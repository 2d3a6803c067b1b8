"""A goal takes the place of one that it contradicts."""

import pytest

from emomem.memory.detectors.ensemble import EnsembleConflictDetector
from emomem.memory.operations import replay
from emomem.memory.resolution import ByKind, keep_both

LOW, HIGH = "keep the budget under 2,000", "keep the budget under 5,000"


@pytest.fixture
def rules(build):
    return build(detector=EnsembleConflictDetector())


def goals(memory):
    return sorted(goal.text for goal in memory.goals.list())


def test_the_latest_goal_holds_and_the_log_tells(rules, store):
    first = rules.goals.add(LOW)
    rules.goals.add("learn Spanish")
    second = rules.goals.add(HIGH)
    assert goals(rules) == [HIGH, "learn Spanish"]
    assert rules.operations()[-1].changes[first.unit_id]["superseded_by"] == second.unit_id

    rules.goals.add(LOW)  # and back
    assert goals(rules) == [LOW, "learn Spanish"]
    replayed = replay(rules.operations())
    for one in store.list("ann"):
        assert replayed[one.unit_id]["status"] == one.status
        assert replayed[one.unit_id].get("superseded_by") == one.superseded_by


async def test_what_was_replaced_counts_again_when_that_is_removed(rules):
    await rules.goals.aadd(LOW)
    second = await rules.goals.aadd(HIGH)
    await rules.goals.aremove(second.unit_id)
    assert goals(rules) == [LOW]


@pytest.mark.parametrize("goal", ["keep the flat warm", "my garden under 5,000 bees", "sleep more"])
def test_another_goal_replaces_nothing(rules, goal):
    rules.goals.add(LOW)
    rules.goals.add(goal)
    assert goals(rules) == sorted([LOW, goal])


def test_the_template_may_keep_both(build):
    both = ByKind(fact_update=keep_both, preference_change=keep_both)
    memory = build(detector=EnsembleConflictDetector(), settle=both)
    memory.goals.add(LOW)
    memory.goals.add(HIGH)
    assert goals(memory) == [LOW, HIGH]
