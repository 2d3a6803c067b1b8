import pytest

from emomem import LocalEncoder
from emomem.appraisal.language import detect_language


@pytest.fixture(scope="module")
def english():
    return LocalEncoder().words()


ENGLISH = [
    "I miss her so much",
    "My dog died, I am devastated.",
    "congrats!!",
    "Furious.",
    "noooooo",
    "omg yesss",
    "lol ok",
    "My café crush said yes!",
    "don’t",
    "I love ラーメン so much",
    "I will always love Москва",
]
PORTUGUESE = [
    "Estou muito triste hoje",
    "Que saudade da minha mãe",
    "Obrigado!",
    "vc nao me ama mais",
    "Eu te amo",
    "Fiquei furioso com ele",
]
CHINESE = ["我很想她", "好", "今天真的很糟糕。", "我今天很happy", "難過"]
OTHERS = [
    "Ich vermisse sie so sehr",
    "Scheisse!",
    "Das ist toll",
    "Was will er",
    "Je suis tellement triste",
    "Merci beaucoup",
    "Estoy muy triste",
    "Te quiero mucho",
    "Hola",
    "Sono molto felice oggi",
    "Ik ben zo blij vandaag",
    "Jestem bardzo smutny",
    "Çok üzgünüm",
    "Saya sangat sedih",
    "Sunt foarte trist astăzi",
    "今日はとても悲しい",
    "오늘 너무 슬퍼",
    "Мне очень грустно",
    "أنا حزين",
    "מאוד עצוב",
]


@pytest.mark.parametrize("text", ENGLISH)
def test_english(text, english):
    assert detect_language(text, english) == "en"


@pytest.mark.parametrize("text", PORTUGUESE)
def test_portuguese(text, english):
    assert detect_language(text, english) == "pt"


@pytest.mark.parametrize("text", CHINESE)
def test_chinese(text, english):
    assert detect_language(text, english) == "zh"


@pytest.mark.parametrize("text", OTHERS)
def test_any_other_language_is_none(text, english):
    assert detect_language(text, english) is None


@pytest.mark.parametrize("text", ["", "   ", "😀", "12:30", "?!", "\x00\x07", "\ud800"])
def test_what_has_no_letters_can_not_be_misread(text, english):
    assert detect_language(text, english) == "en"


def test_without_words_of_english_plain_letters_count_as_english():
    assert detect_language("Scheisse!") == "en"
    assert detect_language("Schöne Grüße") is None


def test_a_borrowed_word_does_not_turn_a_sentence(english):
    assert detect_language("We had a très bien dinner and I am so happy", english) == "en"
    assert detect_language("Eu vi um show incrível do The Cure ontem", english) == "pt"


def test_a_long_text_costs_no_more_than_its_beginning(english):
    text = "I am so happy. " * 400
    assert detect_language(text + "Ich bin traurig. " * 100_000, english) == "en"
