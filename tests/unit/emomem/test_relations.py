from fractions import Fraction

import numpy as np
import pytest

from emomem import relations
from emomem.relations import is_named, related_salience, relation_strengths


def test_the_strongest_of_those_who_are_named_counts():
    relations = {"Owen": 4, "Director Bang": -8, "王芳": 6, "João": 1}
    texts = [
        *("Owen met Bang.", "Owens and Bangor", "我和王芳吵架了", "Falei com o João.", ""),
        "OWEN, in capitals",
    ]
    assert relation_strengths(texts, relations).tolist() == [0.8, 0.0, 0.6, 0.1, 0.0, 0.4]
    texts = ["director bang rang", "a bang at the door", "Bang!"]
    assert relation_strengths(texts, relations).tolist() == [0.8, 0.0, 0.8]
    assert relation_strengths(["Owen"], {}).tolist() == [0.0]
    assert relation_strengths([], relations).shape == (0,)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Jose\u0301", "I met José."),
        ("José", "I met Jose\u0301."),
        ("Owen", "\uff2f\uff57\uff45\uff4e came."),
        ("สมชาย", "วันนี้สมชายโทรมา"),
        ("សុខា", "ខ្ញុំបានជួបសុខានៅផ្សារ"),
        ("Owen", "我见到Owen了"),
        ("O'Brien", "O\u2019Brien shouted"),
        ("Mary-Jane", "Mary\u2011Jane left"),
        ("김 민수", "김민수가 왔다"),
        ("김 민수", "민수가 왔다"),
        ("𠮷田", "昨日𠮷田さんに会った"),
    ],
)
def test_a_name_is_found_however_its_letters_are_encoded_and_without_spaces(name, text):
    assert relation_strengths([text, "Nobody."], {name: 5}).tolist() == [0.5, 0.0]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("May", "The lease may be renewed in a month."),
        ("Hope", "I hope it rains."),
        ("Joy", "pure joy"),
        ("Élan", "um élan novo"),
    ],
)
def test_a_name_with_a_capital_is_not_the_word_in_small_letters(name, text):
    assert not is_named(name, text)
    assert is_named(name, f"{text} {name} came.")
    assert is_named(name, f"{text} {name.upper()} CAME.")


@pytest.mark.parametrize("text", ["I called mum", "Mum called", "MUM!"])
def test_a_name_in_small_letters_is_found_in_any_case(text):
    assert is_named("mum", text)


def test_a_weight_out_of_range_is_named():
    with pytest.raises(ValueError, match=r"-10\.\.10, got 11"):
        relation_strengths(["Owen"], {"Owen": 11})


def test_salience_rises_with_the_relation_and_the_unknown_stays_unknown():
    raised = related_salience(np.array([0.5, 0.9, np.nan]), np.array([0.5, 1.0, 1.0]))
    np.testing.assert_allclose(raised, [0.6, 18 / 19, np.nan])


def test_one_text_is_no_list_of_texts():
    with pytest.raises(TypeError, match="one str"):
        relation_strengths("Owen", {"Owen": 4})


@pytest.mark.parametrize(
    ("name", "text"), [("राज", "राजा came"), ("Sam", "Samuel"), ("Ann", "xAnn")]
)
def test_a_part_of_another_word_names_nobody(name, text):
    assert not is_named(name, text)


def test_a_blank_name_is_refused():
    with pytest.raises(ValueError, match="with a name, got ' '"):
        is_named(" ", "a text")
    with pytest.raises(TypeError, match="got NoneType"):
        is_named("Sam", None)


def test_a_weight_of_any_kind_of_number_counts_as_a_float():
    strengths = relation_strengths(["Sam came."], {"Sam": Fraction(5, 2)})
    assert strengths.dtype == float
    assert strengths.tolist() == [0.25]


def test_marks_on_marks_are_read_piece_by_piece(monkeypatch):
    pieces = []
    monkeypatch.setattr(relations, "normalize", lambda _, piece: pieces.append(piece) or piece)
    relation_strengths(["hi a" + "\u0301\u0323" * 5000], {"Sam": 3})
    assert max(map(len, pieces)) == 200
    pieces.clear()
    relation_strengths(["á"], {})
    assert not pieces
