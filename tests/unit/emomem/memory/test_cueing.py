import pytest

from emomem.memory.cueing import SENTENCES, cues
from emomem.sentences import sentences


def test_what_is_blank_is_no_cue():
    assert cues() == []
    assert cues(" ", ["", "A vow binds."], ["", " "], "\n") == ["A vow binds."]


@pytest.mark.parametrize(
    "wrong",
    [
        {"beliefs": "one text"},
        {"names": "Sam"},
        {"beliefs": [3]},
        {"persona": None},
        {"names": None},
    ],
)
def test_what_is_no_list_of_texts_is_refused(wrong):
    with pytest.raises(TypeError, match=next(iter(wrong))):
        cues(**wrong)


def test_of_a_long_situation_the_last_sentences_are_cues():
    made = cues(situation=" ".join(f"Number {n}." for n in range(20)))
    assert made == [f"Number {n}." for n in range(20 - SENTENCES, 20)]


def test_each_sentence_of_the_situation_is_a_cue_and_the_names_are_one():
    made = cues("A baker", [], ["Sam", "my aunt"], "Sam lied! Why? I left")
    assert made == ["A baker", "Sam, my aunt", "Sam lied!", "Why?", "I left"]


def test_sentences_end_at_their_marks_in_chinese_too():
    assert sentences("他走了。我没说话！为什么？") == ["他走了。", "我没说话！", "为什么？"]
    assert sentences("It cost 4.20 euro. Fine.\nGone") == ["It cost 4.20 euro.", "Fine.", "Gone"]
    assert sentences("Dr. J. Brown lied. --- Gone") == ["Dr. J. Brown lied.", "--- Gone"]
    assert sentences(" \n 😡 ") == ["😡"]
    assert sentences(" \n ") == []
