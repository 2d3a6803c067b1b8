from emomem.cues import cues
from emomem.sentences import sentences


def test_what_is_blank_is_no_cue():
    assert cues() == []
    assert cues(" ", ["", "A vow binds."], [], "\n") == ["A vow binds."]


def test_each_sentence_of_the_situation_is_a_cue_and_the_names_are_one():
    made = cues("A baker", [], {"Sam": 6, "my aunt": -2}, "Sam lied! Why? I left")
    assert made == ["A baker", "Sam, my aunt", "Sam lied!", "Why?", "I left"]


def test_sentences_end_at_their_marks_in_chinese_too():
    assert sentences("他走了。我没说话！为什么？") == ["他走了。", "我没说话！", "为什么？"]
    assert sentences("It cost 4.20 euro. Fine.\nGone") == ["It cost 4.20 euro.", "Fine.", "Gone"]
    assert sentences(" \n ") == []
