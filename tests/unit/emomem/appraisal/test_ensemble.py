import asyncio
import threading
import time

import numpy as np
import pytest

from emomem import Affect, Appraiser, BaseAppraiser
from emomem.appraisal.ensemble import EnsembleAppraiser
from emomem.emotions import GOEMOTIONS


class Says(BaseAppraiser):
    """Says one thing of any text, or what a function of the text gives."""

    def __init__(self, affect):
        self.affect = affect

    def _read(self, texts):
        return [self.affect(text) if callable(self.affect) else self.affect for text in texts]


class InTurn(BaseAppraiser):
    """Says something else at each call."""

    def __init__(self, *affects):
        self.affects = list(affects)

    def _read(self, texts):
        affect = self.affects.pop(0)
        return [affect for _ in texts]


def fail(text):
    raise RuntimeError(text)


def vote(*affects):
    return EnsembleAppraiser([Says(affect) for affect in affects]).appraise(["a text"])[0]


def labelled(*labels):
    return [Affect(label=label) for label in labels]


def test_the_label_with_most_votes_wins_and_confidence_is_its_share():
    affect = vote(*labelled("anger", "joy", "joy"))
    assert affect.label == "joy"
    assert affect.confidence == pytest.approx(2 / 3)


def test_other_words_for_one_emotion_vote_together():
    affect = vote(*labelled("anger", "happiness", "Joy", "trust"))
    assert (affect.label, affect.confidence) == ("joy", 0.5)


def test_labels_of_no_known_set_have_votes_too():
    risks = [Affect(label=label, valence=-0.5) for label in ("churn risk", "Churn risk")]
    assert vote(*labelled("joy"), *risks).label == "churn risk"


def test_a_tie_goes_to_the_more_probable_label_then_to_the_first():
    sure, torn = ([0.0] * 28 for _ in range(2))
    sure[GOEMOTIONS.index("anger")] = 1.0
    torn[GOEMOTIONS.index("joy")] = 0.6
    torn[GOEMOTIONS.index("anger")] = 0.4
    assert vote(Affect(emotions=torn), Affect(emotions=sure)).label == "anger"
    assert vote(*labelled("joy", "anger")).label == "joy"
    assert vote(*labelled("anger", "joy")).label == "anger"


def test_numbers_are_medians_of_those_that_are_known():
    affect = vote(
        Affect(valence=-1.0, arousal=0.2, dominance=0.5),
        Affect(valence=0.4, arousal=0.4),
        Affect(valence=0.5),
    )
    numbers = (affect.valence, affect.arousal, affect.dominance, affect.conflict)
    assert numbers == (0.4, pytest.approx(0.3), 0.5, None)


def test_the_distribution_is_the_mean_of_the_known():
    affect = vote(*labelled("joy", "joy", "anger"), Affect(valence=0.1))
    assert affect.emotions[GOEMOTIONS.index("joy")] == pytest.approx(2 / 3)
    assert affect.emotions[GOEMOTIONS.index("anger")] == pytest.approx(1 / 3)
    assert vote(Affect(valence=0.1), Affect(valence=0.2)).emotions is None


def test_numbers_support_by_their_affinity_to_the_result():
    affect = vote(Affect(valence=0.5), Affect(valence=0.5), Affect(valence=-0.1))
    far = np.exp(-((0.6 / 0.3) ** 2) / 8)
    assert affect.confidence == pytest.approx((1 + 1 + far) / 3)
    assert affect.label is None


def test_a_label_and_numbers_that_clash_agree_little():
    joy = Affect.from_label("joy")
    assert vote(joy, Affect(valence=0.76)).confidence > 0.95
    assert vote(joy, Affect(valence=-0.76)).confidence < 0.6


def test_a_lone_voter_keeps_its_own_confidence():
    assert vote(Affect(label="joy", confidence=0.3), Affect.unknown()).confidence == 0.3
    assert vote(Affect(label="joy"), Affect.unknown()).confidence is None


def test_who_knows_nothing_has_no_vote():
    affect = vote(Affect.unknown(), *labelled("joy", "joy"), Affect.unknown(), Affect.unknown())
    assert (affect.label, affect.confidence) == ("joy", 1.0)


def test_all_unknown_is_unknown():
    affect = vote(Affect.unknown(), Affect.unknown())
    assert affect.is_unknown
    assert affect.label == "unknown"


def test_blank_text_is_unknown_and_no_member_is_asked():
    ensemble = EnsembleAppraiser([Says(fail)])
    assert ensemble.appraise(["", "  "]) == [Affect.unknown()] * 2


def read_sync(ensemble, texts):
    return ensemble.appraise(texts)


def read_async(ensemble, texts):
    return asyncio.run(ensemble.aappraise(texts))


@pytest.mark.parametrize("read", [read_sync, read_async])
def test_a_member_that_raises_loses_only_the_text_that_it_raised_for(read):
    def picky(text):
        return fail(text) if text == "bad" else Affect(label="joy")

    members = [Says(picky), Says(Affect(label="anger", confidence=0.4)), Says(picky)]
    good, bad = read(EnsembleAppraiser(members), ["good", "bad"])
    assert (good.label, good.confidence) == ("joy", pytest.approx(2 / 3))
    assert (bad.label, bad.confidence) == ("anger", 0.4)


@pytest.mark.parametrize("read", [read_sync, read_async])
def test_where_all_members_raise_the_text_is_unknown(read):
    assert read(EnsembleAppraiser([Says(fail), Says(fail)]), ["a"])[0].is_unknown


def test_one_model_may_vote_with_itself():
    model = InTurn(*labelled("joy", "anger", "joy"))
    affect = EnsembleAppraiser([model] * 3).appraise(["a"])[0]
    assert (affect.label, affect.confidence) == ("joy", pytest.approx(2 / 3))
    assert model.affects == []


async def test_async_agrees_with_sync():
    def of_length(text):
        return Affect(valence=len(text) / 10, label="joy" if len(text) > 2 else "anger")

    members = [Says(of_length), Says(Affect.from_label("joy")), Says(Affect.unknown())]
    ensemble = EnsembleAppraiser(members)
    texts = ["a", "", "abc", " "]
    assert await ensemble.aappraise(texts) == ensemble.appraise(texts)


async def test_members_run_at_the_same_time_in_async():
    meeting = threading.Barrier(3, timeout=10)

    def wait(text):
        meeting.wait()
        return Affect(label="joy")

    affect = (await EnsembleAppraiser([Says(wait)] * 3).aappraise(["a"]))[0]
    assert affect.label == "joy"  # one after the other, the barrier would have broken


async def test_the_loop_is_not_blocked(longest_block):
    def slow(text):
        time.sleep(0.3)
        return Affect(label="joy")

    ensemble = EnsembleAppraiser([Says(slow), Says(slow)])
    _, longest = await longest_block(ensemble.aappraise(["a"]))
    assert longest < 0.25


def test_the_source_names_the_voters():
    voters = [Affect(label="joy", source=source) for source in ("emomem:2", "lexicon", "emomem:2")]
    assert vote(*voters, Affect.unknown("silent")).source == "ensemble:emomem:2+lexicon"


def test_a_model_that_cannot_be_loaded_raises():
    class Missing(Says):
        def load(self):
            raise FileNotFoundError

    ensemble = EnsembleAppraiser([Says(Affect(label="joy")), Missing(None)])
    with pytest.raises(FileNotFoundError):
        ensemble.load()
    with pytest.raises(FileNotFoundError):
        ensemble.appraise(["a"])


def test_it_is_an_appraiser_of_one_or_more_appraisers():
    assert isinstance(EnsembleAppraiser([Says(Affect(label="joy"))]), Appraiser)
    with pytest.raises(ValueError, match="at least one"):
        EnsembleAppraiser([])
    with pytest.raises(TypeError, match="must have appraise and aappraise, got str"):
        EnsembleAppraiser([Says(Affect(label="joy")), "vader"])
    with pytest.raises(TypeError, match="must have appraise"):
        EnsembleAppraiser([Says])
    with pytest.raises(TypeError, match="must be a list of them, got one Says"):
        EnsembleAppraiser(Says(Affect(label="joy")))
