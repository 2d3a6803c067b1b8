import numpy as np
import pytest

from emomem.relations import related_salience, relation_strengths


def test_the_strongest_of_those_who_are_named_counts():
    relations = {"Owen": 4, "Director Bang": -8, "王芳": 6, "João": 1}
    texts = [
        *("Owen met Bang.", "Owens and Bangor", "我和王芳吵架了", "Falei com o João.", ""),
        "owen, in a small hand",
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
        ("𠮷田", "昨日𠮷田さんに会った"),
    ],
)
def test_a_name_is_found_however_its_letters_are_encoded_and_without_spaces(name, text):
    assert relation_strengths([text, "Nobody."], {name: 5}).tolist() == [0.5, 0.0]


def test_a_weight_out_of_range_is_named():
    with pytest.raises(ValueError, match=r"-10\.\.10, got 11"):
        relation_strengths(["Owen"], {"Owen": 11})


def test_salience_rises_with_the_relation_and_the_unknown_stays_unknown():
    raised = related_salience(np.array([0.5, 0.9, np.nan]), np.array([0.5, 1.0, 1.0]))
    np.testing.assert_allclose(raised, [0.6, 18 / 19, np.nan])


def test_one_text_is_no_list_of_texts():
    with pytest.raises(TypeError, match="one str"):
        relation_strengths("Owen", {"Owen": 4})
