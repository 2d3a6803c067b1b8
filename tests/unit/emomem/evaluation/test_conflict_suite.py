"""How conflict detectors are measured, and that the local ones keep what is promised."""

from collections import Counter
from typing import get_args

import pytest

from emomem.evaluation.suites.conflict import ANY, load_pairs, measure, table
from emomem.memory.conflict import Conflict, ConflictKind
from emomem.memory.detectors.base import BaseConflictDetector
from emomem.memory.detectors.ensemble import EnsembleConflictDetector


class Says(BaseConflictDetector):
    """Finds one kind in every pair, or nothing."""

    def __init__(self, kind=None):
        self.kind = kind

    def detect(self, new, candidates):
        if self.kind is None:
            return []
        return [Conflict(self.kind, one, ("a", "b"), 0.5, "so") for one in candidates]


@pytest.mark.parametrize("split", ["dev", "test"])
def test_each_split_has_enough_of_every_kind(split):
    pairs = load_pairs(split)
    counts = Counter(pair.conflict for pair in pairs)
    assert len(pairs) >= 100
    assert all(counts[kind] >= 12 for kind in get_args(ConflictKind))
    assert counts[None] >= 0.45 * len(pairs)
    assert all(bool(pair.why) == (pair.conflict is None) for pair in pairs)
    assert all(pair.new.created_at > pair.old.created_at for pair in pairs)


def test_no_pair_is_in_both_splits():
    texts = [{(pair.old.text, pair.new.text) for pair in load_pairs(s)} for s in ("dev", "test")]
    assert not texts[0] & texts[1]
    assert len(texts[0] | texts[1]) == len(load_pairs())


def test_scores_are_counted_by_kind_and_over_all():
    pairs = load_pairs("dev")
    counts = Counter(pair.conflict for pair in pairs)
    by_kind = {score.kind: score for score in measure(Says("evaluative"), pairs)}
    every, one = by_kind[ANY], by_kind["evaluative"]
    assert (every.recall.value, every.precision.of) == (1.0, len(pairs))
    assert one.precision.hits == counts["evaluative"]
    assert one.precision.low < one.precision.value < one.precision.high
    assert by_kind["fact_update"].recall.value == 0
    assert by_kind["fact_update"].precision.value is None
    assert "- (0)" in table(measure(Says(), pairs))


def test_the_local_detectors_hold_what_is_promised_on_what_they_were_not_tuned_on():
    score = measure(EnsembleConflictDetector(), load_pairs("test"))[0]
    assert score.precision.value >= 0.85
    assert score.recall.value >= 0.6
