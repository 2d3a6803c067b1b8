"""What the embedded model says of texts; truths about good weights, not its numbers."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from emomem import LocalAppraiser, LocalEncoder
from emomem.appraisal import local, weights
from emomem.emotions import GOEMOTIONS

PLEASANT = [
    "I got the job! I am over the moon!",
    "Today was the best day of my life.",
    "Thank you so much, your kindness means the world to me.",
    "I love this place, everyone is so warm and funny.",
    "My daughter took her first steps and I am bursting with joy.",
    "We won the championship, what an amazing night!",
    "I am really proud of how well my students did.",
    "She said yes! We are so happy together!",
    "The surgery went well, I am so relieved and grateful.",
    "That was a delicious meal in wonderful company.",
]
UNPLEASANT = [
    "my dog died, I am devastated",
    "I hate myself and everything I have become.",
    "I am terrified of what they will do to us.",
    "He cheated on me and I feel sick and betrayed.",
    "This is disgusting, the worst service I have ever had.",
    "I am so lonely, nobody has called me in weeks.",
    "She left me and I cry every night.",
    "I'm furious, they lied to my face again!",
    "I am ashamed of what I did to her.",
    "Everything hurts and I see no reason to go on.",
]
AROUSED = [
    "I am furious, I could scream!",
    "Oh my god, we won, I can't believe it!!!",
    "Someone is breaking into the house, I am terrified!",
    "I am so excited for the concert tonight, I can't sit still!",
    "How dare you speak to my mother like that!",
    "Get out of my house right now, I hate you!",
    "I'm panicking, the exam starts in five minutes and I can't breathe!",
    "What a thrilling ride, my heart is still pounding!",
    "I screamed with joy when they called my name!",
    "The brakes failed and I was scared to death!",
]
CALM = [
    "The meeting is on Tuesday at ten.",
    "She is reading a book in the garden.",
    "The report has twelve pages and two tables.",
    "It was a quiet, uneventful afternoon.",
    "We slept late and had a slow breakfast.",
    "I am tired and I think I will go to bed early.",
    "The library is next to the town hall.",
    "He waters the plants once a week.",
    "The kettle is on the stove.",
    "I usually take the bus to work.",
]


@pytest.fixture(scope="module")
def appraiser():
    return LocalAppraiser()


@pytest.fixture(scope="module")
def read(appraiser):
    def read(text):
        return appraiser.appraise([text])[0]

    return read


@pytest.mark.parametrize("text", PLEASANT)
def test_the_pleasant_end_of_valence(read, text):
    assert read(text).valence >= 0.4


@pytest.mark.parametrize("text", UNPLEASANT)
def test_the_unpleasant_end_of_valence(read, text):
    assert read(text).valence <= -0.4


def test_grief_is_near_the_very_end(read):
    assert read("my dog died, I am devastated").valence <= -0.6


@pytest.mark.parametrize("text", AROUSED)
def test_the_aroused_end_of_arousal(read, text):
    assert read(text).arousal >= 0.6


@pytest.mark.parametrize("text", CALM)
def test_the_calm_end_of_arousal(read, text):
    assert read(text).arousal <= 0.45


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Thank you so much!", "gratitude"),
        ("I am so angry at him!", "anger"),
        ("I am scared of the dark.", "fear"),
        ("I feel so sad today.", "sadness"),
        ("That is disgusting.", "disgust"),
        ("The shop opens at nine.", "neutral"),
    ],
)
def test_a_plain_text_has_its_label_and_everything_else(read, text, label):
    affect = read(text)
    assert affect.label == label == GOEMOTIONS[int(np.argmax(affect.emotions))]
    assert affect.confidence > 0.4
    assert None not in (affect.valence, affect.arousal, affect.dominance)
    assert affect.conflict is None
    assert affect.source == "emomem:2"
    assert sum(affect.plutchik.values()) == pytest.approx(1 - affect.neutrality, abs=1e-6)


@pytest.mark.parametrize(
    "text",
    [
        *("", "  \n\t", "\x00\x07\x1b", "\u200b\u200d", "\ud83d", "😀", "❤️", "🤷🏽‍♀️", "ᚠᚢᚦ"),
        *("Das ist toll", "Мне грустно", "Estoy muy triste"),
    ],
)
def test_what_can_not_be_read_is_unknown(read, text):
    assert read(text).is_unknown


@pytest.mark.parametrize(
    ("text", "source", "sign"),
    [
        ("今天我非常开心，太棒了！", "emomem:2:zh", 1),
        ("我太愤怒了。", "emomem:2:zh", -1),
        ("Estou muito feliz, que dia lindo!", "emomem:2:pt", 1),
        ("Que tristeza, estou com muito medo e raiva.", "emomem:2:pt", -1),
    ],
)
def test_chinese_and_portuguese_have_a_model_of_their_own(read, text, source, sign):
    affect = read(text)
    assert affect.source == source
    assert affect.valence * sign > 0.1
    assert 0 <= affect.confidence <= 1


@pytest.mark.parametrize(
    "text",
    [
        *("Não estou feliz", "Nao estou feliz.", "nunca fui tão infeliz", "não tenho medo"),
        *("Não estou mais com raiva", "Nunca me sinto muito feliz"),
        *("我不开心", "我不爱你", "我一点也不高兴", "没有人爱我", "我不生气了"),
    ],
)
def test_a_feeling_denied_in_another_language_is_not_read(read, text):
    assert read(text).is_unknown


def test_of_a_denial_in_another_language_the_rest_is_read(read):
    affect = read("Não estou triste, estou muito feliz!")
    assert (affect.label, affect.source) == ("joy", "emomem:2:pt")


@pytest.mark.parametrize(
    "text", ["我很生气，他又骗了我", "他背叛了我，我恨他", "我很難過", "我討厭他", "会议在三点开始"]
)
def test_what_n_grams_would_guess_is_unknown(read, text):
    assert read(text).is_unknown


def test_a_reading_by_n_grams_is_as_sure_as_its_label_is_right(read):
    affect = read("我很难过，奶奶去世了")
    assert affect.label == "sadness"
    assert local.NGRAM_FLOOR <= affect.confidence <= 1


def test_a_batch_of_many_languages_keeps_its_order(appraiser, read):
    texts = ["I love you", "我很难过", "", "Ich liebe dich", "Estou triste", "I hate you", "😀"]
    for text, affect in zip(texts, appraiser.appraise(texts), strict=True):
        alone = read(text)
        assert (affect.label, affect.source) == (alone.label, alone.source)


CALM_WORDS = "we walked along the river and talked about the garden and the weather "


def test_seven_hundred_words_that_turn_furious_in_the_last_five(read):
    calm = " ".join((CALM_WORDS * 60).split()[:695])
    plain, turned = read(calm), read(f"{calm}. Damn you, I am furious!")
    assert turned.valence < min(0, plain.valence - 0.3)
    assert turned.arousal > plain.arousal + 0.15
    assert turned.plutchik["anger"] > max(
        value for name, value in turned.plutchik.items() if name != "anger"
    )


@pytest.mark.parametrize(
    "text",
    [
        "great, another delay",
        "Great, another delay. Just what I needed.",
        "Oh wonderful, my flight got cancelled again.",
        "Fantastic, the printer is broken again.",
        "I just love waiting three hours for a bus.",
        "Yeah right, thanks for nothing.",
    ],
)
def test_sarcasm_is_never_confident_joy(read, text):
    affect = read(text)
    assert affect.is_unknown or affect.valence < 0 or affect.confidence < 0.3


@pytest.mark.xfail(strict=True, reason="irony that only its context tells is read as it stands")
def test_sarcasm_without_a_known_wording(read):
    affect = read("Best customer service ever, they hung up on me twice!")
    assert affect.is_unknown or affect.valence < 0


@pytest.mark.parametrize("text", ["Great, the train is on time.", "Wonderful, another win!"])
def test_praise_that_is_meant_is_read(read, text):
    assert read(text).valence > 0.4


@pytest.mark.parametrize(
    "text", ["I'm not angry any more", "I am no longer afraid.", "I'm not sad.", "We’re not upset."]
)
def test_a_feeling_that_is_denied_is_not_read(read, text):
    affect = read(text)
    assert affect.is_unknown or affect.valence > -0.2


def test_of_a_denial_the_rest_is_read(read):
    assert read("I'm not angry any more. I am so happy for you!").valence > 0.4


def test_no_happiness_is_unhappiness(read):
    assert read("I am not happy about this.").valence < 0


def test_the_feeling_of_somebody_else_is_read_with_less_confidence(read):
    reported, own = read("Sam was upset about the exam."), read("I was upset about the exam.")
    assert reported.confidence < 0.5
    assert reported.confidence < own.confidence - 0.1
    assert reported.valence < 0


@pytest.mark.slow
def test_ten_thousand_texts_at_once():
    appraiser = LocalAppraiser(LocalEncoder())
    moods = ["I am so happy", "I am so angry"]
    texts = [f"{moods[n % 2]} {n}" for n in range(10_000)]
    affects = appraiser.appraise(texts)
    assert len(affects) == len(texts)
    valence = np.array([affect.valence for affect in affects])
    assert (valence[0::2] > 0).all()
    assert (valence[1::2] < 0).all()


def test_sixteen_threads_read_as_one(appraiser):
    texts = [*PLEASANT, *UNPLEASANT, "我很难过", "", "great, another delay"]
    expected = appraiser.appraise(texts)
    with ThreadPoolExecutor(16) as pool:
        results = pool.map(
            lambda _: LocalAppraiser(LocalEncoder(cache_size=4)).appraise(texts), range(16)
        )
        for found in results:
            assert [one.label for one in found] == [one.label for one in expected]
            for one, other in zip(found, expected, strict=True):
                assert one.valence == pytest.approx(other.valence, abs=1e-4)


async def test_async_gives_the_same(appraiser):
    assert await appraiser.aappraise(PLEASANT) == appraiser.appraise(PLEASANT)


def test_reading_twice_changes_nothing(appraiser):
    assert appraiser.appraise(CALM) == appraiser.appraise(CALM)


@pytest.mark.parametrize("name", ["branch.safetensors", "calibration.json"])
def test_spoilt_weights_of_ours_are_refused_at_load(monkeypatch, tmp_path, name):
    from emomem.appraisal import branch

    for file in weights.WEIGHTS.iterdir():
        if file.name != name and file.is_file():
            (tmp_path / file.name).symlink_to(file)
    (tmp_path / name).write_bytes((weights.WEIGHTS / name).read_bytes()[:-1] + b"?")
    load = branch.load_branch if name.startswith("branch") else branch.load_calibration
    with pytest.raises(ValueError, match="reinstall emomem"):
        load(tmp_path)


@pytest.mark.parametrize("name", [*weights.checksums(), "sha256.json"])
def test_a_missing_file_of_ours_says_what_to_do(tmp_path, name):
    for file in weights.WEIGHTS.iterdir():
        if file.name != name and file.is_file():
            (tmp_path / file.name).symlink_to(file)
    with pytest.raises(FileNotFoundError, match=f"{name} is missing; reinstall emomem"):
        weights.checked_file(name, tmp_path)


@pytest.mark.parametrize("content", ["{}", "[]", "{", ""])
def test_a_list_of_checksums_that_names_no_file_of_ours_is_refused(tmp_path, content):
    (tmp_path / "calibration.json").write_text("{}")
    (tmp_path / "sha256.json").write_text(content)
    with pytest.raises(ValueError, match="reinstall emomem"):
        weights.checked_file("calibration.json", tmp_path)


@pytest.mark.parametrize("language", ["pt", "zh"])
def test_load_checks_every_language(monkeypatch, language):
    def load(wanted):
        if wanted == language:
            raise FileNotFoundError

    monkeypatch.setattr(local, "load_ngrams", load)
    with pytest.raises(FileNotFoundError):
        LocalAppraiser().load()


def test_load_checks_what_reading_will_need(monkeypatch):
    def refuse():
        msg = "spoilt"
        raise ValueError(msg)

    monkeypatch.setattr(local, "_calibration", refuse)
    with pytest.raises(ValueError, match="spoilt"):
        LocalAppraiser().load()
