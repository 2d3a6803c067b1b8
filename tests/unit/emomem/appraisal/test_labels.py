import numpy as np
import pytest

from emomem.appraisal.labels import ModelLabels
from emomem.emotions import GOEMOTIONS, LABEL_VAD, NEUTRAL


def emotion(affect, label):
    return affect.emotions[GOEMOTIONS.index(label)]


def test_emotions_become_a_distribution_and_vad():
    affect = ModelLabels.of(["Anger", "JOY"]).affect(np.array([0.25, 0.75]), "x")
    assert emotion(affect, "joy") == pytest.approx(0.75)
    assert emotion(affect, "anger") == pytest.approx(0.25)
    expected = 0.75 * LABEL_VAD[GOEMOTIONS.index("joy")] + 0.25 * LABEL_VAD[2]
    assert [affect.valence, affect.arousal, affect.dominance] == pytest.approx(expected.tolist())
    assert (affect.label, affect.confidence, affect.source) == ("joy", 0.75, "x")


@pytest.mark.parametrize(
    "labels", [["NEGATIVE", "NEUTRAL", "POSITIVE"], ["neg", "neu", "pos"], ["NEG", "NEU", "POS"]]
)
def test_sentiment_gives_valence_and_nothing_else(labels):
    affect = ModelLabels.of(labels).affect(np.array([0.7, 0.2, 0.1]))
    assert affect.valence == pytest.approx(-0.6)
    assert (affect.arousal, affect.dominance, affect.emotions) == (None, None, None)
    assert affect.label == labels[0].lower()
    assert affect.confidence == 0.7


def test_neutral_alone_is_an_emotion_label():
    assert ModelLabels.of(["neutral"]).affect(np.array([1.0])).emotions is not None


def test_every_unknown_label_is_named():
    with pytest.raises(ValueError, match=r"'LABEL_0', 'LABEL_2'.*label_map"):
        ModelLabels.of(["LABEL_0", "joy", "LABEL_2"])


def test_sentiment_among_emotions_is_unknown():
    with pytest.raises(ValueError, match="unknown labels 'positive'"):
        ModelLabels.of(["joy", "positive"])


def test_a_label_map_to_labels_mixtures_and_sentiment():
    mixed = ModelLabels.of(
        ["LABEL_0", "LABEL_1"], {"LABEL_0": "Anger", "LABEL_1": {"joy": 3, "love": 1}}
    )
    affect = mixed.affect(np.array([0.2, 0.8]))
    assert emotion(affect, "joy") == pytest.approx(0.6)
    assert emotion(affect, "love") == pytest.approx(0.2)
    assert affect.label == "joy"

    stars = ModelLabels.of(
        ["1", "2", "3"],
        {"1": "negative", "2": {"negative": 1, "neutral": 1}, "3": "positive"},
    )
    assert stars.affect(np.array([0.0, 1.0, 0.0])).valence == -0.5


@pytest.mark.parametrize("mixture", [{}, {"positive": 0}, {"positive": -1}, {"neg": float("nan")}])
def test_a_mixture_without_sound_weights_is_refused(mixture):
    with pytest.raises(ValueError, match="weight"):
        ModelLabels.of(["LABEL_0", "negative"], {"LABEL_0": mixture})


def test_several_labels_at_once_are_scaled_to_a_distribution():
    affect = ModelLabels.of(["joy", "love", "anger"]).affect(np.array([0.9, 0.8, 0.1]))
    assert emotion(affect, "joy") == pytest.approx(0.5)
    assert affect.confidence == 0.9


def test_all_low_scores_are_neutral_with_little_confidence_not_noise():
    affect = ModelLabels.of(["joy", "anger"]).affect(np.array([0.02, 0.03]))
    assert affect.label == "neutral"
    assert affect.emotions[NEUTRAL] == pytest.approx(0.95)
    assert affect.confidence == 0.03
    assert abs(affect.valence) < 0.02


def test_a_score_that_rounds_above_one_is_one():
    assert ModelLabels.of(["joy", "anger"]).affect(np.array([1.0 + 1e-12, 0.0])).confidence == 1.0
