"""The critical recall rate, over a scenario whose every number is made up."""

import json
from dataclasses import replace

import numpy as np
import pytest

from emomem import Affect, AffectArray, BaseAppraiser
from emomem.evaluation.crr_report import CrrReport
from emomem.evaluation.suites import crr
from emomem.evaluation.suites.crr import (
    ABLATION,
    FAIR,
    FULL,
    GIVEN,
    PERMUTED,
    SINGLE,
    Case,
    InBank,
    Measured,
    Outcome,
)
from emomem.ranking import Salience, Semantic
from emomem.scenarios import Scenario, scenarios

N, CRITICAL = 36, 10


class Calm(BaseAppraiser):
    """Reads the same in everything."""

    def _read(self, texts):
        return [Affect.from_label("neutral") for _ in texts]


def scenario(name="made_up", *, salience=True, language="en"):
    def memory(number):
        critical = number < CRITICAL
        given = {"salience": 0.9 if critical else 0.1} if salience else {}
        return {
            "id": f"a{number}",
            "text": f"Memory {number}.",
            "timestamp": "2026-01-01",
            "critical": critical,
            **given,
        }

    facts = [{"id": f"f{x}", "text": f"Fact {x}.", "timestamp": "2026-01-01"} for x in range(15)]
    return Scenario.model_validate(
        {
            "id": name,
            "title": name,
            "language": language,
            "persona": "Ida.",
            "relations": [{"name": "Tom", "weight": 5}],
            "situation": "Tom is at the door.",
            "queries": {"factual": "Whose fence is it?", "affective": "Tom says it is his."},
            "facts": facts,
            "affective": [memory(number) for number in range(N)],
        }
    )


def case(nearness, conflict=None):
    """A case in which memory n has a cosine of `nearness[n]` with the cue."""
    near = np.asarray(nearness, dtype=float)
    vectors = np.stack([near, np.sqrt(1 - near**2)], axis=1)
    conflicts = np.full(N, 0.5) if conflict is None else conflict
    affects = AffectArray.from_affects(
        [Affect(valence=0.0, arousal=0.5, conflict=float(x)) for x in conflicts]
    )
    facts = np.tile([0.0, 1.0], (15, 1))
    cue, factual = np.array([1.0, 0.0]), np.array([0.0, 1.0])
    told = scenario()
    return Case(told, told.affective, vectors, affects, affects, facts, factual, cue, cue, Calm())


def measured(name, full, ablation, *, bank=None, language="en"):
    outcomes = {
        arm: Outcome(rate, 0.5, similarity, 0.3)
        for arm, rate, similarity in (
            (GIVEN, 0.9, 0.7),
            *((FULL, full, 0.68), (ABLATION, ablation, 0.70), (SINGLE, 0.6, 0.71)),
            (PERMUTED, 0.3, 0.66),
        )
    }
    return Measured(scenario(name, language=language), 0.95, outcomes, bank)


def test_the_full_arm_is_the_most_salient_of_the_nearest_thirty():
    # The first critical memory is too far away, the others are last within the prefetch.
    nearness = np.linspace(0.1, 0.9, N)
    nearness[:CRITICAL] = [0.01, *np.linspace(0.2, 0.3, CRITICAL - 1)]
    nearness[CRITICAL : CRITICAL + 5] = 0.02
    one = case(nearness)
    assert one.ceiling() == 0.9
    assert one.rate(one.recall(Salience(30), one.given)) == 0.9
    assert one.rate(one.recall(Semantic())) == 0.0
    assert len(one.recall(Semantic())) == 10


def test_predicted_salience_rises_with_conflict_and_with_who_is_named():
    conflict = np.where(np.arange(N) < CRITICAL, 0.9, 0.1)
    one = case(np.full(N, 0.5), conflict)
    assert one.rate(one.recall(Salience(30), one.predicted)) == 1.0
    named = one.memories[20].model_copy(update={"text": "Tom came."})
    other = replace(one, memories=(*one.memories[:20], named, *one.memories[21:]))
    assert other.predicted[20] > one.predicted[20]
    np.testing.assert_array_equal(np.delete(other.predicted, 20), np.delete(one.predicted, 20))


def test_one_store_shares_its_twenty_among_facts_and_feelings():
    one = case(np.linspace(0.1, 0.69, N))
    similarity, among, first = crr._single(one)
    assert len(among) <= 20
    assert len(first) == 10
    assert first[: len(among)].tolist() == among[:10].tolist()
    assert 0.5 < similarity <= 1


def test_permuted_salience_is_a_draw_from_the_prefetch():
    one = case(np.linspace(0.1, 0.9, N), np.linspace(0, 1, N))
    outcomes = crr._outcomes(one)
    assert outcomes[PERMUTED].rate == pytest.approx(one.ceiling() * 10 / 30, abs=0.02)
    assert outcomes["random"].rate == pytest.approx(10 / 36, abs=0.02)
    assert outcomes[GIVEN].salience > outcomes[ABLATION].salience
    assert outcomes[ABLATION].similarity >= outcomes[GIVEN].similarity
    assert outcomes[FAIR].rate >= 0


def test_no_given_salience_no_such_arm():
    told = scenario(salience=False)
    one = replace(case(np.full(N, 0.5)), scenario=told, memories=told.affective)
    outcomes = crr._outcomes(one)
    assert GIVEN not in outcomes
    assert 0 < outcomes[FULL].salience < 1


def test_the_numbers_are_judged_in_english_alone():
    banks = InBank(300, 30, 0.5, 0.45, 0.2), InBank(300, 30, 0.5, 0.35, 0.2)
    some = [
        measured("one", 0.8, 0.4, bank=banks[0]),
        measured("two", 0.6, 0.5, bank=banks[1]),
        measured("three", 0.1, 0.5, language="zh"),
    ]
    report = CrrReport(some, shipped=False)
    assert [one.name for one in report.groups] == ["English", "Chinese"]
    got = {one.measure: one for one in report.numbers}
    assert [one.reached for one in got.values()] == [False, False, False, True, True, True]
    assert any(one.got == "80%" for one in got.values())
    assert "2.9%" in [one.got[:4] for one in got.values()]


def test_what_was_tuned_on_is_told_apart():
    some = [measured("household", 0.9, 0.4), measured("other", 0.7, 0.4)]
    names = [one.name for one in CrrReport(some, shipped=True).groups]
    assert names == ["English", "English, not tuned on"]
    assert [one.name for one in CrrReport(some, shipped=False).groups] == ["English"]


@pytest.mark.parametrize(
    ("count", "said"),
    [
        (1, "cannot tell any arms apart"),
        (3, "the three differ, and of no pair"),
        (12, "pairs apart that differ in nearly every scenario"),
    ],
)
def test_power_is_said_in_words(count, said):
    some = [measured(f"s{x}", 0.8 + x / 100, 0.4) for x in range(count)]
    [table] = [x for x in CrrReport(some, shipped=False).tables() if "different" in x.title]
    assert said in table.note
    assert (count != 3) or ("no p below 0.028 by Friedman and 0.25 by Wilcoxon" in table.note)


def test_the_report_is_written_and_its_json_is_plain(tmp_path):
    report = CrrReport([measured("one", 0.8, 0.4)], shipped=False)
    assert [path.name for path in report.write(tmp_path)] == ["crr.md", "crr.json", "crr.png"]
    data = json.loads((tmp_path / "crr.json").read_text())
    assert data["scenarios"][0]["arms"][FULL]["rate"] == 0.8
    assert data["published"][ABLATION] == [0.5, 0.729]
    assert "0.667" in (tmp_path / "crr.md").read_text()


def test_a_shipped_scenario_is_measured_with_the_real_model():
    [found] = crr.measure([x for x in scenarios() if x.id == "household"], scenarios(), bank=60)
    rates = {arm: one.rate for arm, one in found.outcomes.items()}
    assert rates[GIVEN] == found.ceiling >= 0.9
    assert rates[FULL] >= rates[ABLATION] + 0.3
    assert found.bank.memories == 60
    assert found.bank.full <= found.bank.ceiling
    assert found.bank.wide.prefetch == 50  # as 30 are of 36
    assert found.bank.wide.full <= found.bank.wide.ceiling
    assert found.bank.ceiling <= found.bank.wide.ceiling
