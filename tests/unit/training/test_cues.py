from itertools import pairwise

import numpy as np

from training import cues
from training.people import people


def test_each_cue_has_what_the_one_before_has_and_something_more():
    for person in people()[:40]:
        made = list(cues.asked(person).values())
        for before, after in pairwise(made):
            assert set(before) < set(after)


def test_a_person_stands_among_eight_others():
    for place, bank in enumerate(cues.banks(12)):
        assert bank[0] == place
        assert len(set(bank)) == 9


def test_the_share_counts_the_critical_among_some_rows_of_which_the_first_are_own():
    critical = np.array([True, False, True, False])
    assert cues.share(np.array([0, 3, 4, 7]), critical) == 0.5
