import pytest

from emomem.evaluation.stories import few, load_histories, load_moments, names

HISTORIES, MOMENTS = load_histories(), load_moments()

histories = pytest.mark.parametrize("story", HISTORIES, ids=lambda one: one.id)
moments = pytest.mark.parametrize("story", MOMENTS, ids=lambda one: one.id)


def test_there_are_enough_of_them_in_three_languages():
    assert len(HISTORIES) >= 24
    assert (
        {one.language for one in HISTORIES}
        == {one.language for one in MOMENTS}
        == {
            "en",
            "zh",
            "pt",
        }
    )
    ids = [one.id for one in (*HISTORIES, *MOMENTS)]
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("story", [*HISTORIES, *MOMENTS], ids=lambda one: one.id)
def test_a_story_is_told_in_order_among_everyday_things(story):
    times = [one.at for one in story.turns]
    assert times == sorted(times)
    assert sum(one.key.startswith("everyday") for one in story.turns) == 8
    texts = [one.text for one in story.turns]
    assert len(set(texts)) == len(texts)
    last = story.conversation()[-1]
    assert last == {"role": "user", "content": story.message}
    roles = [one["role"] for one in story.conversation()]
    assert roles == ["user", "assistant"] * len(texts) + ["user"]


@histories
def test_a_history_can_be_answered_and_the_expert_does(story):
    keys = {one.key for one in story.turns}
    assert {*story.current, *story.past, *story.sides} <= keys
    assert (story.kind == "open") == (not story.past) == (not story.right)
    assert (story.kind == "update") == (not story.sides)
    if story.right:
        assert names(story.expert, story.right)
        assert all(names(text, story.right) for text in story.texts(story.current))
        assert not any(names(text, story.right) for text in story.texts(story.past))
    assert len(story.says) == len(story.sides)
    for key, phrases in zip(story.sides, story.says, strict=True):
        assert names(story.expert, phrases)
        assert all(names(text, phrases) for text in story.texts([key]))


@moments
def test_a_moment_is_shown_by_the_expert_and_by_nothing_that_is_said_now(story):
    keys = {one.key for one in story.turns}
    assert {*story.fits, *story.history} <= keys
    assert story.fits
    assert names(story.expert, story.shows)
    assert not names(story.message, story.shows)
    assert story.affect.valence is not None
    assert (story.affect.valence < -0.5) == (story.wish == "comfort")


@pytest.mark.parametrize(
    ("text", "phrases", "there"),
    [
        ("She is unjust", ["just"], False),
        ("A JUST boss", ["just"], True),
        ("You don\u2019t trust Jo", ["don't trust"], True),
        ("我现在在书店上班", ["书店"], True),
        ("Room 42", ["4"], True),
        ("", ["a"], False),
    ],
)
def test_phrases_are_found_from_the_start_of_a_word(text, phrases, there):
    assert names(text, phrases) == there


def test_some_of_each_language_are_taken():
    assert [one.language for one in few(HISTORIES, 1)] == ["en", "zh", "pt"]
    assert few(HISTORIES, None) == HISTORIES
