import numpy as np

from training import cues
from training.people import people


def test_a_cue_of_everybody_has_its_texts():
    for person in people()[:40]:
        made = cues.cues(person)
        [query] = made["query"]
        situation = next(text for name, text in person.fields if name == "situation")
        assert made["query, situation and beliefs"][:2] == [f"{situation}\n{query}", query]
        assert len(made["query and beliefs"]) >= 2


def test_the_share_counts_the_critical_among_the_nearest():
    vectors = np.column_stack([np.linspace(1, -1, 60), np.full(60, 0.1)])
    assert cues.share(np.array([1.0, 0.0]), vectors, [0, 29, 30, 59]) == 0.5
