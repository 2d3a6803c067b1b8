"""Several detectors as one."""

import logging

import pytest

from emomem.memory.conflict import Conflict, ConflictDetector
from emomem.memory.detectors.base import BaseConflictDetector
from emomem.memory.detectors.ensemble import EnsembleConflictDetector


class Says(BaseConflictDetector):
    """Finds one kind with every candidate, or raises."""

    def __init__(self, kind, error=None):
        self.kind = kind
        self.error = error

    def detect(self, new, candidates):
        if self.error is not None:
            raise self.error
        return [Conflict(self.kind, one, ("a", "b"), 0.5, "so") for one in candidates]


async def test_the_local_ones_are_the_default(detect, unit):
    old = [
        unit("Keep the budget under 2,000.", kind="goal"),
        unit("I love the new office."),
        unit("I live in Lisbon."),
    ]
    new = unit("I hate the new office. I moved to Porto. Book the hotel for 2,500.")
    conflicts = await detect(EnsembleConflictDetector(), new, old)
    assert [conflict.against for conflict in conflicts] == old
    assert [conflict.kind for conflict in conflicts] == [
        "goal_instruction",
        "evaluative",
        "fact_update",
    ]


async def test_the_first_member_that_sees_a_conflict_names_it(detect, unit):
    ensemble = EnsembleConflictDetector([Says("evaluative"), Says("fact_update")])
    old = [unit("a"), unit("a")]
    conflicts = await detect(ensemble, unit("b"), old)
    assert [(one.kind, one.against) for one in conflicts] == [("evaluative", one) for one in old]


async def test_a_member_that_raises_costs_only_its_own_and_is_logged_by_type(detect, unit, caplog):
    members = [Says("evaluative", ValueError("secret")), Says("fact_update")]
    with caplog.at_level(logging.WARNING):
        [conflict] = await detect(EnsembleConflictDetector(members), unit("b"), [unit("a")])
    assert conflict.kind == "fact_update"
    assert "ValueError" in caplog.text
    assert "secret" not in caplog.text


async def test_what_is_no_candidate_is_left_out(detect, unit):
    class Other(Says):
        def detect(self, new, candidates):
            return super().detect(new, [unit("made up")])

    ensemble = EnsembleConflictDetector([Other("evaluative")])
    assert await detect(ensemble, unit("b"), [unit("a")]) == []


def test_members_are_checked():
    with pytest.raises(ValueError, match="at least one"):
        EnsembleConflictDetector([])
    with pytest.raises(TypeError, match="got Says"):
        EnsembleConflictDetector([Says])
    with pytest.raises(TypeError, match="got str"):
        EnsembleConflictDetector(["nli"])
    assert isinstance(EnsembleConflictDetector(), ConflictDetector)


@pytest.mark.parametrize(
    ("values", "message"),
    [({"kind": "quarrel"}, "evaluative, .* got 'quarrel'"), ({"intensity": 1.1}, "got 1.1")],
)
def test_a_conflict_is_checked(unit, values, message):
    given = {"kind": "evaluative", "against": unit("a"), "parties": (), "intensity": 0.5}
    with pytest.raises(ValueError, match=message):
        Conflict(**{**given, "reason": "so", **values})
