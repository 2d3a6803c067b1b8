"""The deep-encoding experiment over scripted models and a store that ranks as it is told."""

import json
import math
import re
import threading
from typing import get_args

import numpy as np
import pytest

from emomem import Affect
from emomem.asking import schema_of
from emomem.encoding.metering import Cost
from emomem.encoding.record import DeepMemory, Encoded
from emomem.evaluation import eem_report
from emomem.evaluation.costs import Role
from emomem.evaluation.datasets.empathetic import Dialogue, load_dialogues
from emomem.evaluation.eem_report import DeepReport
from emomem.evaluation.pictures import draw_deep
from emomem.evaluation.suites import eem as suite
from emomem.evaluation.suites.eem import BASELINE, DEEP, OWN_RANK, OWN_TOP, SAME, WORDS
from emomem.prompts import Language, prompts

DIALOGUES = [
    Dialogue("a", "sad", ("dog died", "oh no", "dog was old")),
    Dialogue("b", "joyful", ("new job", "great", "job in town", "nice", "job is fun")),
    Dialogue("c", "sad", ("cat died", "sorry", "cat was old")),
]
TURNS = suite.turns_of(DIALOGUES)
MEMORY = DeepMemory(
    fact="the fact",
    underlying_motive="the motive",
    contextual_cues="the cues",
    agent_strategy="the strategy",
)
DEEP_ROWS = (0, 2, 3)
ENCODED = [
    Encoded(
        turn.text,
        Affect(arousal=0.9),
        "deep" if row in DEEP_ROWS else "standard",
        MEMORY if row in DEEP_ROWS else None,
    )
    for row, turn in enumerate(TURNS)
]


def test_a_model_is_held_to_grades_of_1_to_5():
    grade = {"type": "integer", "minimum": 1, "maximum": 5}
    properties = schema_of(suite.Judgement)["properties"]
    assert [grade.items() <= properties[name].items() for name in suite.GRADES] == [True, True]


class Words:
    """Ranks by how many words are shared, then by age."""

    def __init__(self):
        self.held = []

    def add(self, texts, row):
        self.held += [(text, row) for text in texts]

    def search(self, text):
        def shared(one):
            return len(set(one[0].split()) & set(text.split()))

        return [row for _, row in sorted(self.held, key=shared, reverse=True)]


class Script:
    """Answers by rule, and remembers what it was asked."""

    def __init__(self, rule):
        self.rule = rule
        self.asked = []
        self._lock = threading.Lock()

    def complete(self, messages, schema=None):
        with self._lock:
            self.asked.append(messages)
        answer = self.rule(messages[1]["content"])
        return answer if isinstance(answer, str) else json.dumps(answer)

    async def acomplete(self, messages, schema=None):
        return self.complete(messages, schema)


def inside(tag, text):
    return text.split(f"<{tag}>\n")[1].split(f"\n</{tag}>")[0]


def echo(question):
    """Replies with what is asked, and says whether a deep memory was told."""
    depth = "deeply" if "深度记忆" in question else "plainly"
    return {"reply": f"{inside('text', question)} {depth}"}


def by_depth(question):
    deep = "deeply" in inside("reply", question)
    return {"reason": "so", "empathy": 4 if deep else 3, "vividness": 5 if deep else 2}


@pytest.fixture(scope="module")
def recalled():
    return suite.all_modes(TURNS, ENCODED, Words)


def graded(recalled, generator=echo, judge=by_depth):
    models = {"generator": Script(generator), "judge": Script(judge)}
    found = suite.grade(TURNS, ENCODED, recalled[BASELINE], recalled[DEEP.format("json")], **models)
    return found, models


def test_the_speakers_turns_are_kept_in_order_and_those_from_the_second_on_scored():
    assert [turn.text for turn in TURNS if not turn.scored] == ["dog died", "new job", "cat died"]
    assert [turn.dialogue for turn in TURNS] == [0, 0, 1, 1, 1, 2, 2]
    assert TURNS[3].before == ("new job", "great")


def test_only_what_was_said_before_is_recalled_and_each_memory_once(recalled):
    assert set(recalled) == {
        BASELINE, WORDS, *(DEEP.format(one) for one in ("raw", "json", "fact_motive", "multi"))
    }  # fmt: skip
    for found in recalled.values():
        assert list(found) == [1, 3, 4, 6]
        assert all(sorted(rows) == list(range(row)) for row, rows in found.items())
    assert recalled[DEEP.format("raw")] == recalled[BASELINE]
    assert recalled[BASELINE][3][0] == 2
    assert recalled[DEEP.format("json")][3][0] == 0


def test_without_a_deep_memory_there_are_no_deep_arms():
    assert list(suite.all_modes(TURNS, suite.standard(ENCODED), Words)) == [BASELINE, WORDS]


def test_recall_is_measured_on_other_dialogues_and_on_ones_own():
    found = suite.measure_recall(TURNS, DIALOGUES, {1: [0], 3: [0, 1, 2], 6: [2, 0, 3, 5, 1, 4]})
    np.testing.assert_allclose(found[SAME], [np.nan, 0, 1 / 3])
    assert found[OWN_RANK].tolist() == [1, 3, 4]
    assert found[OWN_TOP].tolist() == [1, 1, 0]


def test_chance_is_the_share_of_the_same_emotion():
    assert suite.by_chance(TURNS, DIALOGUES, {1: [0], 3: [2, 1, 0], 6: [0, 1, 2, 3, 5]}) == 0.25
    assert math.isnan(suite.by_chance(TURNS, DIALOGUES, {1: [0]}))


def test_replies_over_both_kinds_of_memory_are_judged_in_pairs(recalled):
    grades, models = graded(recalled)
    assert grades.rows == [1, 3, 4, 6]
    assert grades.baseline["empathy"].tolist() == [3] * 4
    assert grades.deep["empathy"].tolist() == [4] * 4
    assert grades.deep["vividness"].tolist() == [5] * 4
    assert (grades.unanswered, grades.unjudged, grades.differing) == (0, 0, 4)
    told = [inside("memories", asked[1]["content"]) for asked in models["generator"].asked]
    assert "user said: dog died" in told
    assert MEMORY.to_text() in told
    assert max(one.count("\n") for one in told) == suite.TOP - 1


def test_the_judge_sees_the_dialogue_and_a_reply_and_nothing_of_the_arm(recalled):
    _, models = graded(recalled)
    asked = [one[1]["content"] for one in models["judge"].asked]
    assert len(asked) == 8
    assert not any(word in one for one in asked for word in ("深度记忆", "user said", "the fact"))
    assert (
        sum("user: new job\nother: great\nuser: job in town\n</text>" in one for one in asked) == 2
    )
    kinds = ["deeply" in one for one in asked]
    assert kinds not in ([False] * 4 + [True] * 4, [True] * 4 + [False] * 4, [False, True] * 4)


def test_the_same_reply_is_judged_once(recalled):
    grades, models = graded(recalled, generator=lambda question: {"reply": "I see."})
    assert len(models["judge"].asked) == 4
    assert grades.deep["empathy"].tolist() == grades.baseline["empathy"].tolist()


@pytest.mark.parametrize(
    "bad",
    [
        "I would give it a 4.",
        {"empathy": 4.5, "vividness": 2},
        {"empathy": 6, "vividness": 2},
        {"empathy": 0, "vividness": 2},
        {"empathy": True, "vividness": 2},
        {"vividness": 2},
    ],
)
def test_a_turn_whose_judge_gives_no_grade_twice_is_left_out_of_both_arms(recalled, bad):
    def judge(question):
        return bad if "job in town deeply" in question else by_depth(question)

    grades, models = graded(recalled, judge=judge)
    assert (grades.rows, grades.unjudged) == ([1, 4, 6], 1)
    assert len(models["judge"].asked) == 9


@pytest.mark.parametrize("bad", ["no", {"reply": " "}, {"answer": "yes"}])
def test_a_turn_without_a_usable_reply_is_left_out_of_both_arms(recalled, bad):
    def generator(question):
        return bad if "job is fun" in question and "深度记忆" not in question else echo(question)

    grades, _ = graded(recalled, generator=generator)
    # The memories told there are deep in one arm only.
    assert (grades.rows, grades.unanswered) == ([1, 3, 6], 1)


def test_a_model_that_raises_stops_the_run(recalled):
    def judge(question):
        raise TimeoutError

    with pytest.raises(TimeoutError):
        graded(recalled, judge=judge)


def report(recalled, **options):
    return DeepReport(
        DIALOGUES,
        TURNS,
        ENCODED,
        {arm: suite.measure_recall(TURNS, DIALOGUES, found) for arm, found in recalled.items()},
        suite.by_chance(TURNS, DIALOGUES, recalled[BASELINE]),
        **options,
    )


def test_the_report_tells_gains_beside_the_published_ones_and_holds_no_text(recalled, tmp_path):
    grades, models = graded(recalled)
    roles = {
        name: Role(f"the {name}", Cost(calls=5, prompt_tokens=7, answer_tokens=8), 2)
        for name in models
    }
    found = report(recalled, grades=grades, roles=roles, forced=True)
    gain = found.gains()["empathy"]
    assert (gain.baseline, gain.deep, gain.difference.mean) == (3, 4, 1)
    assert gain.p == 0.125  # the least that four pairs can have, exactly
    assert found.gains()["vividness"].deep_fives == 1
    written = found.write(tmp_path / "out")
    assert [path.name for path in written] == ["eem.md", "eem.json", "eem.png"]
    told = written[0].read_text(encoding="utf-8")
    row = "| empathy | 3.00 | 4.00 | +1.000 [+1.000, +1.000] | +33.3% | 0.125 | 0% | 0% |"
    assert f"{row} 3.52 -> 3.66 (+4.0%) |" in told
    assert "3.20 -> 3.21 (+0.3%)" in told
    assert "a check of the machinery, not of the claim" in told
    assert "7 turns of the speakers of 3 dialogues; 3 were encoded deeply, 0 failed" in told
    assert "| generator: the generator | 5 | 2 | 7 | 8 | 0 |" in told
    data = json.loads(written[1].read_text(encoding="utf-8"))
    assert data["judged"]["turns"][1] == {
        "dialogue": "b",
        "turn": 3,
        "baseline": {"empathy": 3, "vividness": 2},
        "deep": {"empathy": 4, "vividness": 5},
    }
    assert written[2].read_bytes().startswith(b"\x89PNG")
    texts = [turn.text for turn in TURNS]
    assert not any(text in path.read_text("utf-8") for text in texts for path in written[:2])


@pytest.mark.parametrize("forced", [True, False])
def test_a_forced_judge_stands_over_the_picture_too(recalled, tmp_path, monkeypatch, forced):
    drawn = []

    def draw(*arguments):
        drawn.append(draw_deep(*arguments))
        return drawn[0]

    monkeypatch.setattr(eem_report, "draw_deep", draw)
    report(recalled, forced=forced).write(tmp_path)
    assert drawn[0].get_suptitle() == (eem_report.FORCED if forced else "")


def test_where_nothing_differs_p_is_1_and_nothing_is_gained(recalled):
    grades, _ = graded(recalled, generator=lambda question: {"reply": "I see."})
    gain = report(recalled, grades=grades).gains()["empathy"]
    assert (gain.p, gain.difference.low, gain.difference.high) == (1, 0, 0)


def test_where_no_turn_was_judged_the_table_has_no_rows(recalled, tmp_path):
    grades, _ = graded(recalled, judge=lambda question: "no")
    found = report(recalled, grades=grades)
    assert found.gains() == {}
    assert found.tables()[0].rows == ()
    assert "4 without a usable judgement" in found.tables()[0].note
    found.write(tmp_path)


def test_one_dialogue_has_no_others_to_recall(tmp_path):
    one = suite.turns_of(DIALOGUES[:1])
    encoded = ENCODED[:2]
    recalled = suite.all_modes(one, suite.standard(encoded), Words)
    measured = {arm: suite.measure_recall(one, DIALOGUES, x) for arm, x in recalled.items()}
    found = DeepReport(DIALOGUES[:1], one, encoded, measured, math.nan)
    [table] = found.tables()
    assert table.rows[0][1] == "none"
    assert "at random" not in table.note
    found.write(tmp_path)
    assert json.loads((tmp_path / "eem.json").read_text())["by_chance"] is None


def csv(tmp_path, *rows):
    path = tmp_path / "empathetic_dialogues" / "test.csv"
    path.parent.mkdir()
    lines = ["conv_id,utterance_idx,prompt,utterance,emotion", *rows]
    path.write_text("\n".join(lines), encoding="utf-8")


def test_dialogues_are_read_in_turn_order_and_short_ones_left_out(tmp_path):
    csv(
        tmp_path,
        *("x,1,p,only,sad", "x,2,p,oh,sad"),
        *("y,3,p,third_comma_ too,proud", "y,1,p,first,proud", "y,2,p,second,proud"),
        *("z,1,p,a,sad", "z,2,p,b,sad", "z,3,p,c,sad"),
    )
    [dialogue] = load_dialogues(tmp_path, 1)
    assert dialogue == Dialogue("y", "proud", ("first", "second", "third, too"))
    assert dialogue.own == ("first", "third, too")
    assert [one.id for one in load_dialogues(tmp_path, 9)] == ["y", "z"]


@pytest.mark.parametrize(
    ("row", "says"),
    [("x,one,p,a,sad", "utterance_idx is no number"), ("x,1,p,a,sad", "two turns")],
)
def test_a_file_without_dialogues_raises(tmp_path, row, says):
    csv(tmp_path, row)
    with pytest.raises(ValueError, match=says):
        load_dialogues(tmp_path, 1)


@pytest.mark.parametrize("language", get_args(Language))
@pytest.mark.parametrize(
    ("kind", "reply"), [("companion", suite.Companion), ("judge", suite.Judgement)]
)
def test_a_question_names_every_key_of_its_answer_and_no_other(language, kind, reply):
    named = re.findall('"([a-z]+)"', getattr(prompts(language), kind))
    assert named == list(schema_of(reply)["properties"])
