import numpy as np
import pytest

pytest.importorskip("torch")

from emomem.appraisal.branch import columns
from emomem.emotions import GOEMOTIONS
from training import anchors
from training.data import plain
from training.templates import template_rows


def labels(rows, text):
    gold = rows.targets[rows.texts.index(text), columns("emotions")]
    return {GOEMOTIONS[i] for i in np.flatnonzero(gold)}


def test_the_draw_is_always_the_same():
    assert template_rows(50).texts == template_rows(50).texts


def test_no_sentence_that_measures_is_trained_on():
    sentences = {plain(text) for text in template_rows(10_000).texts}
    groups = (anchors.UNPLEASANT, anchors.PLEASANT, anchors.AROUSED, anchors.CALM)
    measured = [text for group in groups for text in group]
    measured += [anchors.DEVASTATED, "great, another delay", "I'm not angry any more"]
    assert not sentences & {plain(text) for text in measured}


def test_a_sour_welcome_and_an_honest_one_differ():
    rows = template_rows(10_000)
    assert labels(rows, "great, another bill") == {"annoyance", "disappointment"}
    assert labels(rows, "great, we got the tickets") == {"joy", "excitement"}
    assert labels(rows, "I am no longer furious.") == {"relief", "neutral"}
    assert labels(rows, "I'm still furious.") == {"anger"}
