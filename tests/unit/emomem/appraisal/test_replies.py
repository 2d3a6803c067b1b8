"""What the answers of a chat model stand for."""

import pytest

from emomem import Affect
from emomem.appraisal.replies import ConflictReply, PlutchikReply, VadReply
from emomem.emotions import PLUTCHIK


def rated(**scores: float) -> Affect:
    ratings = {emotion: {"score": scores.get(emotion, 1)} for emotion in PLUTCHIK}
    return PlutchikReply.model_validate(ratings).affect("test")


def test_a_text_without_any_emotion_is_neutral():
    affect = rated()
    assert (affect.label, affect.neutrality, affect.source) == ("neutral", 1, "test")


def test_what_the_eight_leave_of_one_is_neutral():
    affect = rated(joy=2.8)
    assert affect.label == "neutral"
    assert affect.plutchik["joy"] == pytest.approx(0.2)
    assert affect.neutrality == pytest.approx(0.8)


def test_several_strong_emotions_share():
    affect = rated(sadness=10, anger=10)
    assert (affect.plutchik["sadness"], affect.plutchik["anger"]) == (0.5, 0.5)
    assert affect.valence < -0.5
    assert affect.confidence is None


@pytest.mark.parametrize("score", [0, 11, "high", True])
def test_a_score_is_from_one_to_ten(score):
    with pytest.raises(ValueError, match=r"joy\.score"):
        rated(joy=score)


def test_a_label_of_another_set_is_known_too():
    reply = VadReply(valence=0.1, arousal=0.9, label=" Anticipation ")
    affect = reply.affect("test")
    assert (affect.valence, affect.arousal, affect.label) == (0.1, 0.9, "anticipation")
    assert affect.plutchik["anticipation"] > 0.5


@pytest.mark.parametrize("value", [(-2, 1, 0), (0, 2, 2), (2, 3, 4)])
def test_conflict_is_put_on_our_scales(value):
    valence, arousal, conflict = value
    reply = ConflictReply(valence=valence, arousal=arousal, conflict=conflict)
    assert reply.affect("test") == Affect(
        valence=valence / 2, arousal=(arousal - 1) / 2, conflict=conflict / 4, source="test"
    )


@pytest.mark.parametrize(
    "wrong", [{"valence": -2.1}, {"arousal": 0}, {"conflict": 5}, {"conflict": float("nan")}]
)
def test_what_is_off_the_scale_of_the_source_is_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        ConflictReply.model_validate({"valence": 0, "arousal": 1, "conflict": 0} | wrong)
