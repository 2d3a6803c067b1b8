"""What the pillars make of readers, memories and answers that are known."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from emomem import Affect, BaseAppraiser
from emomem.emotions import GOEMOTIONS
from emomem.evaluation.agents import Found, Remembering
from emomem.evaluation.answers import Answers, KeptChatModel
from emomem.evaluation.datasets.labelled import VAD, Labelled
from emomem.evaluation.pillars import encoding, reasoning, response, retrieval_memories
from emomem.evaluation.pillars.asking import DEALT, Models, dealt_out, user_of
from emomem.evaluation.pillars.base import estimates
from emomem.evaluation.pillars.encoding import measure_encoding
from emomem.evaluation.pillars.reasoning import measure_reasoning
from emomem.evaluation.pillars.response import measure_response
from emomem.evaluation.pillars.retrieval import divergence
from emomem.evaluation.pillars.retrieval_memories import measure_recall
from emomem.evaluation.stories import load_histories, load_moments

pytest.importorskip("scipy")

HISTORIES, MOMENTS = load_histories(), load_moments()
BY_USER = {user_of(one): one for one in (*HISTORIES, *MOMENTS)}

shares = st.lists(st.integers(0, 100), min_size=5, max_size=5).filter(any)


def alike(texts, references):
    return [float(text == reference) for text, reference in zip(texts, references, strict=True)]


class Known(Remembering):
    """Brings back what a function chooses of a story."""

    def __init__(self, choose):
        self.choose = choose

    def tell(self, user, turns):
        raise AssertionError

    def recall(self, user, query, affect):
        return self.choose(BY_USER[user])


class Reader(BaseAppraiser):
    def __init__(self, read):
        self.read = read

    def _read(self, texts):
        return [self.read(text) for text in texts]


@given(shares, shares)
def test_divergence_is_none_of_the_same_alone(left, right):
    p, q = (np.array(one) / sum(one) for one in (left, right))
    assert divergence(p, p) == pytest.approx(0, abs=1e-12)
    assert divergence(p, q) >= -1e-12
    if np.abs(p - q).max() > 0.01:
        assert divergence(p, q) > 0


def test_divergence_is_in_nats_of_the_smoothed():
    p, q = np.array([1.0, 0.0]), np.array([0.5, 0.5])
    assert divergence(p, q) == pytest.approx(0.95 * np.log(1.9) + 0.05 * np.log(0.1))


LABELS = ("joy", "anger", "neutral", "fear")
EMOTIONS = Labelled(
    "labels",
    list(LABELS),
    np.array([[float(one == label) for one in GOEMOTIONS] for label in LABELS]),
    GOEMOTIONS,
)
NUMBERS = Labelled(
    "numbers",
    ["a", "b", "c"],
    np.array([[-0.5, 0.2, 0], [0.0, 0.4, 0], [0.5, 0.9, 0]]),
    VAD,
)


def sure(label, confidence):
    return Affect.from_label(label).model_copy(update={"confidence": confidence})


def test_a_reader_that_is_right_has_full_marks_and_one_that_is_not_none():
    right = measure_encoding([EMOTIONS], Reader(lambda text: sure(text, 1.0)))
    row = right.rows["labels"]
    assert (row[encoding.ACCURACY].mean, row[encoding.ECE].mean) == (1, 0)
    assert row[encoding.F1].mean == pytest.approx(4 / 7)  # three groups never occur
    wrong = measure_encoding([EMOTIONS], Reader(lambda text: sure("disgust", 1.0)))
    row = wrong.rows["labels"]
    assert (row[encoding.ACCURACY].mean, row[encoding.ECE].mean, row[encoding.F1].mean) == (0, 1, 0)


def test_what_is_not_read_counts_as_wrong():
    reader = Reader(lambda text: sure(text, 1.0) if text == "joy" else Affect.unknown())
    row = measure_encoding([EMOTIONS], reader).rows["labels"]
    assert (row[encoding.READ].mean, row[encoding.ACCURACY].mean) == (0.25, 0.25)
    assert row[encoding.ECE].n == 1


def test_a_group_of_emotions_is_the_likeliest_of_those_that_people_chose_among():
    felt = Labelled(
        "felt", ["annoyance", "joy", "x"], np.array([[1, 0], [0, 0.5], [0, 0]]), ("anger", "joy")
    )
    reader = Reader(lambda text: sure("sadness" if text == "x" else text, 0.5))
    row = measure_encoding([felt], reader).rows["felt"]
    assert (row[encoding.ACCURACY].mean, row[encoding.ACCURACY].n) == (1, 2)
    assert row[encoding.ECE].mean == pytest.approx(0.5)


def test_numbers_are_compared_where_they_are_known():
    told = dict(zip(NUMBERS.texts, NUMBERS.gold.tolist(), strict=True))
    exact = Reader(lambda text: Affect(valence=told[text][0] / 2, arousal=0.5))
    row = measure_encoding([NUMBERS], exact).rows["numbers"]
    assert row["r of valence"].mean == pytest.approx(1)
    assert row["MSE of valence"].mean == pytest.approx((0.25**2 * 2) / 3)
    assert row["r of arousal"].mean == 0
    assert row["MSE of arousal"].mean == pytest.approx((0.3**2 + 0.1**2 + 0.4**2) / 3)


def perfect(story):
    current = tuple(story.texts(story.current))
    pair = frozenset(story.texts(story.sides))
    return Found(current, tuple(story.texts(story.past)), (pair,) if story.sides else ())


def everything(story):
    return Found(tuple(one.text for one in story.turns))


def test_a_memory_that_knows_what_is_over_is_told_from_one_that_does_not():
    subjects = {
        "perfect": Known(perfect),
        "all": Known(everything),
        "none": Known(lambda _: Found()),
    }
    [pillar] = measure_reasoning(subjects, HISTORIES, Models(), alike)
    names = (reasoning.SERVED, reasoning.CLEAN, reasoning.STATE, reasoning.BOTH, reasoning.NAMED)
    got = {name: [pillar.rows[name][one].mean for one in names] for name in subjects}
    assert got == {"perfect": [1] * 5, "all": [1, 0, 0, 1, 0], "none": [0, 1, 0, 0, 0]}
    settled = sum(one.kind != "open" for one in HISTORIES)
    assert pillar.rows["perfect"][reasoning.STATE].n == settled
    english = [one for one in HISTORIES if one.language == "en" and one.kind != "open"]
    assert pillar.rows["all, en"][reasoning.STATE].n == len(english)


class Expert:
    """Answers as the expert does, and judges in fixed words."""

    def __init__(self, judgement="{}"):
        self.judgement = judgement
        self.asked = []

    def complete(self, messages, schema=None):
        self.asked.append(messages[-1]["content"])
        if "<reply>" in self.asked[-1]:
            return self.judgement
        story = next(one for one in BY_USER.values() if one.message in messages[-1]["content"])
        return story.expert

    async def acomplete(self, messages, schema=None):
        return self.complete(messages, schema)


def test_an_experts_answers_have_full_marks_and_dealt_out_they_do_not(tmp_path):
    agent = KeptChatModel(Expert(), "expert", Answers(tmp_path / "answers.jsonl"))
    judge = Expert('{"reason": "", "plausibility": 4}')
    [pillar] = measure_reasoning({"expert": agent}, HISTORIES, Models(judge=judge), alike)
    row = pillar.rows["expert"]
    names = (reasoning.STATE, reasoning.MISLED, reasoning.BOTH_NAMED, reasoning.SIMILAR)
    assert [row[one].mean for one in names] == [1, 0, 1, 1]
    assert (row[reasoning.PLAUSIBLE].mean, row[reasoning.PLAUSIBLE].n) == (4, len(HISTORIES))
    other = pillar.rows[f"expert: {DEALT}"]
    assert other[reasoning.STATE].mean < 0.2
    assert other[reasoning.BOTH_NAMED].mean < 0.1
    assert reasoning.PLAUSIBLE not in other
    assert all("(2025-" in one or "(2024-" in one for one in judge.asked)
    [pillar] = measure_response({"expert": agent}, MOMENTS, Models(), alike)
    assert pillar.rows["expert"][response.SHOWN].mean == 1
    assert pillar.rows[f"expert: {DEALT}"][response.SHOWN].mean < 0.2


def test_a_generator_answers_out_of_what_was_recalled_and_rubbish_counts_as_nothing():
    generator = Expert()
    memories = {"all": Known(lambda story: Found(context=f"remembered: {story.id}"))}
    reasoned = measure_reasoning(memories, HISTORIES, Models(generator), alike)
    assert [one.name for one in reasoned] == ["reasoning_memories", "reasoning_answers"]
    assert reasoned[1].rows["all"][reasoning.STATE].mean == 1
    assert sum("remembered: en-flat" in one for one in generator.asked) == 1
    # Where an object is asked for, prose is no answer.
    _, answers = measure_response(memories, MOMENTS, Models(generator, Expert("no")), alike)
    assert answers.rows["all"][response.SHOWN].mean == 0
    assert answers.rows["all"]["empathy, 1 to 5"] is None


def test_what_fits_is_told_from_chance():
    subjects = {
        "fitting": Known(lambda one: Found(tuple(one.texts(one.fits)))),
        "none": Known(lambda _: Found()),
    }
    pillar = measure_recall(subjects, MOMENTS)
    for wish in ("comfort", "congruent"):
        fitting, nothing, drawn = (
            pillar.rows[f"{wish}: {name}"]
            for name in ("fitting", "none", retrieval_memories.RANDOM)
        )
        assert fitting[retrieval_memories.SHARE].mean == fitting[retrieval_memories.FOUND].mean == 1
        assert nothing[retrieval_memories.KL] is None
        assert nothing[retrieval_memories.SHARE].mean == 0
        assert fitting[retrieval_memories.KL].high < drawn[retrieval_memories.KL].low
        assert drawn[retrieval_memories.FOUND].mean == pytest.approx(0.5, abs=0.02)  # 6 of 12


def test_answers_are_dealt_out_within_a_language():
    dealt = dealt_out([one.id for one in HISTORIES], HISTORIES)
    assert all(x[:2] == one.language != x for x, one in zip(dealt, HISTORIES, strict=True))
    assert sorted(dealt) == sorted(one.id for one in HISTORIES)
    assert dealt_out(["a"], HISTORIES[:1]) == [None]


def test_truths_become_shares_and_numbers_means():
    row = estimates({"hit": [True, False, None], "size": [1.0, None, 3.0], "none": [None]})
    assert (row["hit"].mean, row["hit"].n) == (0.5, 2)
    assert (row["size"].mean, row["size"].n) == (2, 2)
    assert row["none"] is None
