"""Emotional RAG's experiment over scripted models, and embeddings and feelings that are set."""

import json
import re
import threading

import numpy as np
import pytest

from emomem import Affect, Character
from emomem.appraisal.base import BaseAppraiser
from emomem.emotions import PLUTCHIK
from emomem.encoding.metering import Cost
from emomem.evaluation.characters import Label, Subject
from emomem.evaluation.costs import Role
from emomem.evaluation.datasets.incharacter import Question, Questionnaire
from emomem.evaluation.emotional_rag_report import MINILM, RolePlayReport
from emomem.evaluation.suites import emotional_rag as suite
from emomem.evaluation.suites.emotional_rag import EMOTION, SEMANTIC, SHARED
from emomem.evaluation.working import each
from emomem.roleplay import STRATEGIES

WORDS = ("storm", "party", "boat", "cake")
GLAD, CALM = [10.0] + [1.0] * 7, [1.0] * 8
MBTI = Questionnaire(
    "mbti",
    "16Personalities",
    0,
    100,
    {"E/I": "outward or inward", "T/F": "head or heart"},
    [
        Question("E/I", {"en": "a glad party?", "zh": "party 吗？"}),
        Question("T/F", {"en": "the storm?", "zh": "storm 吗？"}),
    ],
)
ROSA = Subject(
    "rosa",
    Character(name="Rosa", profile="a keeper"),
    ("the storm took the boat", "the party was dull", "a glad cake", "a glad storm"),
    {"mbti": {"E/I": Label(20, "L"), "T/F": Label(80, "H")}},
)
LI = Subject(
    "li",
    Character(name="李", language="zh"),
    ("the boat", "glad party cake"),
    {"mbti": {"E/I": Label(90, "H"), "T/F": Label(50, "X")}},
)


def embed(texts):
    vectors = np.array([[1e-3 + (word in text) for word in WORDS] for text in texts])
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def feel(texts):
    return np.array([GLAD if "glad" in text else CALM for text, _ in texts])


@pytest.fixture
def encoded():
    return suite.encode([ROSA, LI], MBTI, embed, feel)


def test_characters_are_asked_in_their_language(encoded):
    assert [one.said(0) for one in encoded] == ["a glad party?", "party 吗？"]


def test_ordinary_recall_is_nearest_in_meaning_and_emotion_first_in_feeling(encoded):
    found = suite.measure_recall(encoded, ["ordinary", "emotion-first", "combination-add"], k=1)
    assert found["ordinary"][SHARED].tolist() == [1, 1]
    assert (found["emotion-first"][EMOTION] <= found["ordinary"][EMOTION] + 1e-12).all()
    assert (found["emotion-first"][SEMANTIC] >= found["ordinary"][SEMANTIC] - 1e-12).all()
    # To "a glad party?" meaning finds the dull party, feeling something glad.
    assert encoded[0].recalled("ordinary", 1)[0] == (1,)
    assert encoded[0].recalled("emotion-first", 1)[0] in {(2,), (3,)}


def test_what_is_not_felt_has_no_distance():
    unknown = suite.encode([ROSA], MBTI, embed, lambda texts: np.full((len(texts), 8), np.nan))
    found = suite.measure_recall(unknown, ["ordinary", "emotion-first"], k=2)
    assert np.isnan(found["emotion-first"][EMOTION]).all()
    assert found["emotion-first"][SHARED].tolist() == [1]
    assert suite.unread(unknown) == (1, 1)


class Player:
    """Says the first thing that it recalls; to a storm, nothing where it recalls a boat."""

    def __init__(self):
        self.asked = []
        self._lock = threading.Lock()

    def complete(self, messages, schema=None):
        text = messages[-1]["content"]
        with self._lock:
            self.asked.append(text)
        first = re.search(r"<memory>(.*?)</memory>", text)[1]
        return " " if "storm" in text.rpartition("<text>")[2] and "boat" in first else first


class Judge:
    """Finds the glad outgoing; says nothing of use of a glad storm."""

    def __init__(self):
        self.asked = []
        self._lock = threading.Lock()

    def complete(self, messages, schema=None):
        with self._lock:
            self.asked.append(messages)
        said = messages[1]["content"]
        if "the storm?" in said and "a glad storm" in said:
            return "well"
        first = 90 if "glad" in re.split("participant: |受访者：", said)[-1] else 10
        return json.dumps({"first": first, "second": 100 - first})


def test_each_is_interviewed_over_what_each_strategy_recalls(encoded):
    player, judge = Player(), Judge()
    told = []
    found = suite.interview(
        encoded,
        MBTI,
        ["ordinary", "emotion-first"],
        generator=player,
        judge=judge,
        k=1,
        progress=lambda *step: told.append(step),
    )
    # Of 8 questions over what was recalled, those that are the same are asked once.
    recalled = {
        (row, place, rows)
        for name in ("ordinary", "emotion-first")
        for row, one in enumerate(encoded)
        for place, rows in enumerate(one.recalled(name, 1))
    }
    assert len(player.asked) == len(recalled) < 8
    plain, felt = found["ordinary"], found["emotion-first"]
    assert plain.scores["rosa"]["E/I"] == 10
    assert plain.agreements[0].right >= 1
    assert felt.scores != plain.scores
    assert ("Interviewing", len(recalled), len(recalled)) in told
    assert told[-1] == ("Judging", *told[-1][1:2], *told[-1][1:2])
    everything = str(judge.asked)
    assert "Rosa" not in everything
    assert "<memory>" not in everything


def test_what_is_not_answered_or_not_judged_is_counted_and_left_out(encoded):
    rosa, names = encoded[:1], ["ordinary", "emotion-first"]
    assert [rosa[0].recalled(name, 1)[1] for name in names] == [(3,), (0,)]
    found = suite.interview(rosa, MBTI, names, generator=Player(), judge=Judge(), k=1)
    counts = [(one.unanswered, one.unjudged) for one in found.values()]
    assert counts == [(0, 1), (1, 0)]
    for one in found.values():
        assert list(one.scores["rosa"]) == ["E/I"]
        assert (one.agreements[0].missing, one.agreements[0].full) == (1, None)


def test_a_model_scores_each_text_once_and_in_its_language():
    asked = []

    class Scorer:
        def complete(self, messages, schema=None):
            asked.append(messages)
            score = 9 if "glad" in messages[1]["content"] else 1
            return json.dumps({name: {"reason": "", "score": score} for name in PLUTCHIK})

    scores = suite.by_model(Scorer())([("glad", "en"), ("hm", "zh"), ("glad", "en")])
    assert scores.tolist() == [[9.0] * 8, [1.0] * 8, [9.0] * 8]
    assert len(asked) == 2


def test_an_appraiser_s_readings_are_scores():
    class Reader(BaseAppraiser):
        def _read(self, texts):
            return [Affect.from_label("joy") for _ in texts]

    assert suite.by_appraiser(Reader())([("glad", "en")]).tolist() == [GLAD]


def test_each_item_is_worked_on_once_and_the_first_failure_stops_it():
    assert each(len, ["a", "bb", "a"], "Counting") == {"a": 1, "bb": 2}
    begun = []

    def fail(item):
        begun.append(item)
        raise TimeoutError

    with pytest.raises(TimeoutError):
        each(fail, list(range(100)), "Failing", concurrent=1)
    assert len(begun) < 100


def report(encoded, interviewed=None, **more):
    names = ["ordinary", "emotion-first"]
    recalled = suite.measure_recall(encoded, names, k=1)
    found = {} if interviewed is None else {"m": interviewed}
    given = {"embedded_by": MINILM, "unread": suite.unread(encoded), "roles": {}, **more}
    return RolePlayReport("cast", [ROSA, LI], MBTI, recalled, found, 1, "a reader", **given)


def test_a_report_tells_what_was_measured_and_no_text(encoded, tmp_path):
    names = ["ordinary", "emotion-first"]
    found = suite.interview(encoded, MBTI, names, generator=Player(), judge=Judge(), k=1)
    roles = {"judge": Role("a judge", Cost(calls=5, prompt_tokens=7), 2)}
    made = report(encoded, found, roles=roles, forced=True)
    agreement, recall, costs = made.tables()
    assert agreement.title == "Agreement on 16Personalities"
    assert [row[0] for row in agreement.rows] == ["ordinary, m", "emotion-first, m"]
    assert [row[0] for row in recall.rows] == names
    assert costs.rows[0][:3] == ("judge: a judge", "5", "2")
    assert any("of one vendor" in note for note in made.notes)
    assert any("a model for English" in note for note in made.notes)
    assert not any("could not be read" in note for note in made.notes)
    paths = made.write(tmp_path / "new")
    assert [path.suffix for path in paths] == [".md", ".json", ".png"]
    data = json.loads(paths[1].read_text(encoding="utf-8"))
    one = data["interviews"]["m"]["ordinary"]
    assert set(one) >= {"Acc(Dim)", "MSE", "MAE", "scores", "unanswered", "unjudged"}
    assert data["characters"]["rosa"]["labels"]["E/I"] == {"score": 20, "kind": "L"}
    assert data["recall"]["emotion-first"][EMOTION]["mean"] >= 0
    assert not any(word in paths[1].read_text() for word in ("storm", "cake"))


def test_without_interviews_recall_alone_is_told(encoded, tmp_path):
    made = report(encoded, embedded_by="another", unread=(0.25, 0.0))
    [recall] = made.tables()
    assert recall.title.startswith("Recall")
    assert any("give --generator and --judge" in note for note in made.notes)
    assert not any("English" in note for note in made.notes)
    assert any("25% of the memories and 0% of the questions" in note for note in made.notes)
    assert made.as_data()["interviews"] == {}
    assert made.write(tmp_path)[2].read_bytes().startswith(b"\x89PNG")


def test_every_strategy_can_be_measured(encoded):
    found = suite.measure_recall(encoded, list(STRATEGIES), k=2)
    assert list(found) == list(STRATEGIES)
    assert all(len(values[EMOTION]) == 2 for values in found.values())
