import dataclasses
import json

import numpy as np
import pytest

from emomem.evaluation import reports
from emomem.evaluation.arms import OFF, PLAIN
from emomem.evaluation.datasets import Session, load_lufy
from emomem.evaluation.numbers import numbers
from emomem.evaluation.reports import retrieval_report
from emomem.evaluation.rivals import EmotionalMemoryPackage
from emomem.evaluation.suites.importance import LENGTH, RANDOM, SALIENCE, measure_importance
from emomem.evaluation.suites.retrieval import (
    ARMS,
    AUTO,
    CONGRUENT,
    SHUFFLED,
)
from emomem.evaluation.tables import Table, groups


@pytest.fixture(scope="module")
def report(unchanged_public_data, word_readings, tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reports, "Readings", word_readings)
        return retrieval_report(unchanged_public_data, tmp_path_factory.mktemp("out"), "all")


@pytest.fixture(scope="module")
def results(report):
    return report.results


def test_every_arm_is_measured_where_it_says_something(results):
    madial, locomo, empathetic = results
    everything = {arm.name for arm in ARMS}
    several_turns = {arm.name for arm in ARMS if arm.for_conversations}
    assert madial.scores.keys() == everything
    assert locomo.scores.keys() == everything - several_turns
    assert empathetic.scores.keys() == everything - several_turns - {"recency"}
    assert {arm.baseline for arm in ARMS} <= everything


def test_values_are_of_each_query_at_each_cut_off(results):
    madial, locomo, empathetic = results
    plain = madial.scores[PLAIN]
    assert all(len(values) == 3 for values in plain.values.values())
    assert plain.values["R@1"].tolist() == [1.0, 0.5, 1.0]
    assert plain.values["R@5"].tolist() == [1.0, 1.0, 1.0]
    assert plain.values["nDCG@1"].tolist() == plain.values["RR@1"].tolist() == [1.0, 1.0, 1.0]
    assert locomo.value(PLAIN, "R@10").tolist() == [1.0, 1.0, 1.0]
    nearest = empathetic.value(PLAIN, "similarity@5")
    assert (nearest <= 1).all()
    assert (nearest >= empathetic.value("affect only", "similarity@5") - 1e-9).all()


def test_without_a_conversation_affect_off_is_plain(results):
    for measured in results[1:]:
        for name in measured.benchmark.measures:
            assert np.array_equal(measured.value(OFF, name), measured.value(PLAIN, name))


def test_the_gate_is_told(results):
    madial = results[0]
    assert madial.scores[PLAIN].opened == 0
    assert madial.scores[CONGRUENT].opened == 1
    assert results[1].scores[AUTO].policies[0] == PLAIN


def test_groups_part_the_queries_of_each_kind(results):
    madial, locomo, _ = results
    found = {group.name: group for group in groups(locomo)}
    kinds = ("category multi-hop", "category single-hop", "category temporal")
    assert [found[name].queries for name in kinds] == [1, 1, 1]
    assert "gate shut" in found
    for measured in (madial, locomo):
        gates = [group.queries for group in groups(measured) if group.name.startswith("gate")]
        assert sum(gates) == len(measured.queries)


def test_salience_is_ranked_against_length_and_chance(public_data, word_readings):
    sessions = load_lufy(public_data)
    found = measure_importance(sessions, word_readings(), 1)
    assert found.sessions == ("lufy:u1:S1", "lufy:u2:S1")
    assert found.scores[LENGTH].tolist() == pytest.approx([(1 + 2 / 3) / 2, 1.0])
    assert found.scores[SALIENCE].tolist() == pytest.approx([(1 + 2 / 3) / 2, 1.0])
    assert 0.5 < found.scores[RANDOM][1] < 1
    assert measure_importance(sessions, word_readings(), 3).sessions == ("lufy:u1:S1",)
    with pytest.raises(ValueError, match="that 4 annotators"):
        measure_importance(sessions, word_readings(), 4)


def test_chance_finds_what_its_share_promises(word_readings):
    session = Session("s", tuple("abcdefghij"), np.array([1] + [0] * 9))
    found = measure_importance([session], word_readings(), 1)
    expected = np.mean([1 / rank for rank in range(1, 11)])
    assert found.scores[RANDOM][0] == pytest.approx(expected, abs=0.1)


def measured_with(measured, **changes):
    """The same with other values for one measure of some arms."""
    scores = dict(measured.scores)
    for arm, (name, changed) in changes.items():
        values = {**scores[arm].values, name: np.array(changed)}
        scores[arm] = dataclasses.replace(scores[arm], values=values)
    return dataclasses.replace(measured, scores=scores)


def reached(measured):
    return {one.measure: one.reached for one in numbers([measured])}


def test_numbers_say_what_is_reached(results):
    madial, locomo, empathetic = results
    good = [0.9, 0.9, 0.9]
    better = measured_with(madial, **{AUTO: ("nDCG@5", good), OFF: ("nDCG@5", good)})
    better = measured_with(better, **{PLAIN: ("nDCG@5", [0.5, 0.5, 0.5])})
    assert list(reached(better).values()) == [True] * 4
    worse = measured_with(better, **{AUTO: ("nDCG@5", [0.5, 0.5, 0.6])})
    assert list(reached(worse).values()) == [False, False, False, True]
    name = "LoCoMo R@10, Auto minus plain"
    assert reached(locomo)[name]
    assert not reached(measured_with(locomo, **{AUTO: ("R@10", [1.0, 1.0, 0.9])}))[name]
    gain = "EmpatheticDialogues P@5, congruent against plain"
    control = "EmpatheticDialogues P@5, shuffled affect against plain"
    even = measured_with(
        empathetic,
        **{
            PLAIN: ("P@5", [0.2] * 5),
            CONGRUENT: ("P@5", [0.228] * 5),
            SHUFFLED: ("P@5", [0.2] * 5),
        },
    )
    assert (reached(even)[gain], reached(even)[control]) == (True, True)
    uneven = measured_with(even, **{CONGRUENT: ("P@5", [0.227] * 5), SHUFFLED: ("P@5", [0.21] * 5)})
    assert (reached(uneven)[gain], reached(uneven)[control]) == (False, False)


def test_a_fused_ranking_that_is_not_that_of_brute_force_is_told(results):
    locomo = results[1]
    scores = locomo.scores[CONGRUENT]
    wrong = dataclasses.replace(scores, rankings=[[2, 1, 0], *scores.rankings[1:]])
    broken = dataclasses.replace(locomo, scores={**locomo.scores, CONGRUENT: wrong})
    name = "LoCoMo, fused top 10 against brute force"
    assert reached(locomo)[name]
    assert not reached(broken)[name]


def test_a_report_is_written_as_markdown_json_and_pictures(report, tmp_path):
    written = report.write(tmp_path / "out" / "deep")
    assert [path.name for path in written] == [
        "retrieval.md",
        "retrieval.json",
        "madial-bench.png",
        "locomo.png",
        "empatheticdialogues.png",
        "lufy.png",
    ]
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in written[2:])
    data = json.loads(written[1].read_text())
    arms = data["datasets"][0]["arms"]
    assert arms[AUTO]["baseline"] == OFF
    assert set(arms[AUTO]["differences"]["nDCG@5"]) == {"mean", "low", "high"}
    assert data["datasets"][1]["source"].endswith("snap-research/locomo")
    assert [one["votes"] for one in data["importance"]] == [1, 2]
    assert len(data["numbers"]) == len(report.numbers)
    markdown = written[0].read_text()
    for table in report.tables():
        assert f"## {table.title}\n" in markdown
    assert "| combination, auto |" in markdown


def test_tables_have_a_cell_a_column(report):
    for table in report.tables():
        assert table.rows
        assert {len(row) for row in table.rows} == {len(table.columns)}


def test_a_table_in_markdown():
    table = Table("T", ("arm", "R@5"), (("mine | old", "0.500"),), "A note.")
    head = "## T\n\nA note.\n\n| arm | R@5 |\n| --- | ---: |"
    assert table.markdown() == f"{head}\n| mine \\| old | 0.500 |"


def test_a_package_that_is_not_there_is_said(public_data, word_readings, monkeypatch, tmp_path):
    monkeypatch.setattr(reports, "Readings", word_readings)
    monkeypatch.setattr(EmotionalMemoryPackage, "installed", staticmethod(lambda: False))
    report = retrieval_report(public_data, tmp_path, "all")
    assert report.skipped == ["emotional-memory (PyPI) was skipped: pip install emotional-memory"]
    assert "emotional-memory (PyPI)" not in report.results[0].scores
