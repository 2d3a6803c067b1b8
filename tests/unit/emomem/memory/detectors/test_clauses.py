"""What is told in the form of a question is asserted, and what is asked is not."""

import pytest

from emomem.memory.detectors.clauses import clauses


@pytest.mark.parametrize(
    "text",
    [
        "I moved to Milan, didn't I tell you?",
        "I moved to Milan, did I mention that?",
        "I moved to Milan, remember?",
        "Did you know that I moved to Milan?",
        "Did I ever tell you I moved to Milan?",
        "Haven’t I told you that I moved to Milan?",
    ],
)
def test_it_is_told(text):
    assert [one.text for one in clauses(text)] == ["i moved to milan"]


@pytest.mark.parametrize(
    "text",
    [
        "I moved to Milan, right?",
        "I moved to Milan, didn't I?",
        "Did you know if I moved to Milan?",
        "Did I tell you where I moved?",
        "Do you remember what my town is?",
        "Is it true that I moved to Milan?",
    ],
)
def test_it_is_asked(text):
    assert clauses(text) == ()
