import pytest

from emomem import Affect
from emomem.appraisal.doubt import to_read_again, with_doubt

GLAD = Affect(valence=0.7, arousal=0.6, label="joy", confidence=0.8)
BAD = Affect(valence=-0.6, arousal=0.6, label="sadness", confidence=0.8)
PLAIN = Affect(valence=0.0, arousal=0.2, label="neutral", confidence=0.8)


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("great, another delay", "another delay"),
        ("Great another delay", "another delay"),
        ("Oh wonderful, my flight got cancelled.", "my flight got cancelled."),
        ("I just love waiting in line", "waiting in line"),
        ("Another bill. Just what I needed.", "Another bill."),
        ("I'm not angry any more", ""),
        ("I’m no longer afraid of him.", ""),
        ("We are not sad, we are tired.", "we are tired."),
        ("If only I had been happy", ""),
        ("I wish I were happy.", ""),
        ("I would be happy if it worked", ""),
        ("I'd have been so proud of him. He left.", "He left."),
        ("I used to be angry, now I laugh about it.", "now I laugh about it."),
    ],
)
def test_what_misleads_is_left_out(text, rest):
    assert to_read_again(text) == rest


@pytest.mark.parametrize(
    "text",
    [
        "I love you",
        "It was a great evening.",
        "I'm not happy about this.",
        "I don't love you any more",
        "I am angry, not sad.",
        "I would be happy to help!",
        "I used to live there and I am happy now.",
        "The train is late.",
        ":O shame.",
        "",
    ],
)
def test_other_words_stand(text):
    assert to_read_again(text) is None


@pytest.mark.parametrize(
    ("text", "rest", "doubted"),
    [
        ("Great, another delay.", PLAIN, True),
        ("Great, the shop is closed.", BAD, True),
        ("Great, no delay at all.", PLAIN, False),
        ("Great, the train is on time.", PLAIN, False),
        ("Great, we have no more bills!", GLAD, False),
    ],
)
def test_praise_of_what_is_unwelcome_is_not_read(text, rest, doubted):
    affect = with_doubt(text, GLAD, rest)
    assert affect == (Affect.unknown() if doubted else GLAD)


def test_what_was_read_as_bad_needs_no_doubt():
    assert with_doubt("Great, another delay.", BAD, PLAIN) == BAD


@pytest.mark.parametrize(
    "text",
    [
        "Yeah, thanks for nothing.",
        "Wow, thanks for ruining my evening.",
        "Oh joy, more rain.",
        "Yeah right, best day ever.",
        "Sure, because waiting two hours is fun",
    ],
)
def test_a_phrase_that_is_never_meant_is_not_read(text):
    assert with_doubt(text, GLAD, None).is_unknown


def test_of_a_denial_the_rest_is_read():
    assert with_doubt("I'm not angry any more, I miss you.", GLAD, BAD) == BAD


@pytest.mark.parametrize(
    "text",
    [
        "Sam was upset about the exam",
        "She said she was terrified.",
        "My brother is furious with his boss.",
        "They're so happy!",
    ],
)
def test_somebody_elses_feeling_has_half_the_confidence(text):
    affect = with_doubt(text, BAD, None)
    assert affect.confidence == pytest.approx(0.4)
    assert affect.model_copy(update={"confidence": 0.8}) == BAD


@pytest.mark.parametrize(
    "text",
    [
        "I was upset about the exam",
        "My life is miserable.",
        "It was so sad",
        "Sam upset me, I cried",
    ],
)
def test_ones_own_feeling_has_all_of_it(text):
    assert with_doubt(text, BAD, None) == BAD
