"""Characters of the data sets and of a user's own file."""

import json

import pytest

from emomem.evaluation.characters import Label, load_characters, memories_of, turns_of
from emomem.evaluation.datasets.charactereval import load_charactereval
from emomem.evaluation.datasets.incharacter import load_incharacter, load_questionnaire

ROSA = {
    "id": "Rosa-en",
    "name": "Rosa",
    "aliases": ["the keeper"],
    "profile": {"work": "lighthouse"},
    "memories": ["A storm took the boat."],
    "dialogues": [
        [
            {"speaker": "Ann", "text": "Are you cold?"},
            {"speaker": "Rosa", "text": "Never."},
            {"speaker": "the keeper", "text": "Well, in March."},
        ],
        "Ann: Are you cold?\nRosa: Never.\nRosa is silent.\n",
    ],
    "labels": {"mbti": {"E/I": 20, "S/N": {"score": 55, "type": "X"}}, "bfi": {"Openness": 4.5}},
}


@pytest.fixture
def write(tmp_path):
    def put(name, data):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
        return path

    return put


def test_a_memory_is_what_a_character_says_with_what_it_answers_each_once():
    dialogue = [("Ann", "Hello?"), ("Rosa", "Yes."), ("Ann", "Hello?"), ("Rosa", "Yes.")]
    opening = [("Rosa", "Who is there?"), ("Rosa", "Nobody.")]
    assert memories_of([dialogue, opening], ["Rosa"], "en") == [
        "Ann: Hello?\nRosa: Yes.",
        "Rosa: Who is there?\nRosa: Nobody.",
    ]
    assert memories_of([dialogue], ["Rosa"], "zh")[0] == "Ann：Hello?\nRosa：Yes."


def test_turns_of_a_text():
    text = "（下楼）\n佟湘玉：展堂：来！\n\n老邢: (拿出一张纸)\n你来得正好。\n"
    assert turns_of(text) == [("佟湘玉", "展堂：来！"), ("老邢", "(拿出一张纸) 你来得正好。")]


def test_a_file_of_characters(write):
    [rosa] = load_characters(write("cast.json", {"characters": [ROSA]}))
    assert rosa.memories == (
        "A storm took the boat.",
        "Ann: Are you cold?\nRosa: Never.",
        "Rosa: Never.\nthe keeper: Well, in March.",
        "Ann: Are you cold?\nRosa: Never. Rosa is silent.",
    )
    assert rosa.labels == {
        "mbti": {"E/I": Label(20, "L"), "S/N": Label(55, "X")},
        "bfi": {"Openness": Label(4.5, "H")},
    }
    assert rosa.names == ("the keeper", "Rosa")
    assert rosa.character.facts == "work: lighthouse"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"memories": [], "dialogues": []}, "characters.0: Value error, a character needs"),
        ({"memories": [], "dialogues": ["Ann: Well?"]}, "'Rosa-en' answers nobody"),
        ({"labels": {"enneagram": {}}}, "characters.0.labels.enneagram"),
        ({"age": 40}, "characters.0.age: Extra inputs"),
        ({"name": ""}, "characters.0.name"),
    ],
)
def test_what_does_not_follow_the_schema_is_named_and_not_quoted(write, change, says):
    path = write("cast.json", {"characters": [{**ROSA, **change}]})
    with pytest.raises(ValueError, match=says) as error:
        load_characters(path)
    assert "storm" not in str(error.value)


def test_an_id_stands_for_one_character(write):
    with pytest.raises(ValueError, match="'Rosa-en' stands there twice"):
        load_characters(write("cast.json", {"characters": [ROSA, ROSA]}))


LABELS = {"pdb": {"Rosa-en": {"BFI": {"Openness": {"score": 2.0, "type": "L"}}}}}


def test_incharacter_takes_dialogues_from_a_file_and_labels_from_its_own(write, tmp_path):
    write("incharacter/characters_labels.json", LABELS)
    with pytest.raises(FileNotFoundError, match=r"no profiles and no dialogues; put those .*give"):
        load_incharacter(tmp_path)
    write("incharacter/characters.json", {"characters": [ROSA]})
    [rosa] = load_incharacter(tmp_path)
    assert rosa.labels == {"bfi": {"Openness": Label(2.0, "L")}}
    write("incharacter/characters.json", {"characters": [{**ROSA, "id": "Ben-en"}]})
    with pytest.raises(ValueError, match="no label has the id 'Ben-en'"):
        load_incharacter(tmp_path)


def test_charactereval_gives_each_labelled_character_its_own_words(write, tmp_path):
    mbti = {"16Personalities": {"E/I": {"score": 90.0, "type": "H"}}}
    write("charactereval/characters_labels.json", {"pdb": {"小红": mbti}})
    profiles = {"小红": {"姓名": "小红"}, "小明": {}}
    write("charactereval/character_profiles.json", profiles)
    said = "小明：你好吗？\n小红：很好！\n小明：真的？"
    rows = [{"role": role, "context": said} for role in ("小红", "小红", "小明")]
    write("charactereval/test_data.json", rows)
    [found] = load_charactereval(tmp_path)
    assert found.memories == ("小明：你好吗？\n小红：很好！",)
    assert found.character.language == "zh"
    assert found.character.facts == "姓名：小红"
    assert found.labels == {"mbti": {"E/I": Label(90.0, "H")}}
    write("charactereval/character_profiles.json", {})
    with pytest.raises(ValueError, match="KeyError '小红'"):
        load_charactereval(tmp_path)


def inventory(**changes):
    questions = {
        str(number): {
            "dimension": name,
            "rewritten_en": f"Q{number}?",
            "rewritten_zh": f"问{number}？",
        }
        for number, name in enumerate(["A", "B", "A", None, "A"], start=1)
    }
    return {
        "name": "BFI",
        "range": [1, 5],
        "categories": [{"cat_name": "B"}, {"cat_name": "A"}],
        "prompts": {"dim_desc": {"A": "about a", "B": "about b"}},
        "questions": questions,
        **changes,
    }


def test_a_questionnaire_has_the_questions_of_its_dimensions(write, tmp_path):
    write("incharacter/BFI.json", inventory())
    bfi = load_questionnaire(tmp_path, "bfi")
    assert (bfi.low, bfi.high, dict(bfi.dimensions)) == (1, 5, {"B": "about b", "A": "about a"})
    assert [one.text["en"] for one in bfi.questions] == ["Q1?", "Q2?", "Q3?", "Q5?"]
    few = bfi.first(2).questions
    assert [(one.dimension, one.said("zh"), one.said("pt")) for one in few] == [
        ("B", "问2？", "Q2?"),
        ("A", "问1？", "Q1?"),
        ("A", "问3？", "Q3?"),
    ]
    write("incharacter/16Personalities.json", inventory(range=[1, 7]))
    assert load_questionnaire(tmp_path, "mbti").high == 100
    write("incharacter/BFI.json", inventory(prompts={}))
    with pytest.raises(ValueError, match="KeyError 'dim_desc'"):
        load_questionnaire(tmp_path, "bfi")
    with pytest.raises(FileNotFoundError, match="Neph0s/InCharacter"):
        load_questionnaire(tmp_path / "nowhere", "bfi")
