from pathlib import Path

import numpy as np
import pytest

from emomem.evaluation.ratings.packets import make_packets
from emomem.evaluation.ratings.reading import read_ratings
from emomem.evaluation.ratings.simulation import checks_table, fill_in, self_check, simulate
from emomem.evaluation.ratings.summary import OVERALL, summarize


def test_a_known_effect_is_recovered_and_none_is_not_found():
    some, none = self_check(raters=3, effect=0.8, noises=[0.5], studies=60)
    assert some.recovered == pytest.approx(0.8, abs=0.05)
    assert some.found == 1
    assert some.held > 0.8
    assert none.recovered == pytest.approx(0, abs=0.05)
    assert none.found < 0.15


def test_alpha_rises_with_agreement():
    checks = self_check(noises=[2.0, 1.0, 0.5, 0.25], studies=15)
    alphas = [one.alpha for one in checks[:4]]
    assert alphas == sorted(alphas)
    assert alphas[0] < 0.15
    assert alphas[-1] > 0.4
    shown = checks_table(checks).markdown()
    assert "15 studies a row" in shown
    assert f"| {alphas[-1]:.2f} |" in shown


def test_the_guide_shows_what_the_self_check_finds():
    guide = Path(__file__).parents[5] / "docs" / "human-ratings.md"
    told = guide.read_text(encoding="utf-8")
    for row in checks_table(self_check()).rows:
        assert f"| {' | '.join(row)} |" in told


def test_the_effect_is_that_of_the_first_arm_through_files_and_all(output, tmp_path):
    outputs = [
        output(scenario, arm, seed)
        for arm in ("full", "ablation")
        for scenario in "abc"
        for seed in range(5)
    ]
    packets = make_packets(outputs, 4, seed=1)
    *_, key = packets.write(tmp_path)
    files = fill_in(key, tmp_path / "answers", effect=1.0, noise=0.5, seed=3)
    assert [path.name for path in files] == [f"R{n}-simulated.csv" for n in (1, 2, 3, 4)]
    found = summarize(read_ratings(files, packets.key)).differences["ablation"][OVERALL]
    assert found.grade.low > 0.5
    assert found.z.low > 0.5


@pytest.mark.parametrize(
    ("effects", "noise", "says"),
    [({}, -1, "noise must be >= 0, got -1"), ({"best": 1}, 1, "got 'best'")],
)
def test_wrong_arguments_are_told(packets, effects, noise, says):
    with pytest.raises(ValueError, match=says):
        simulate(packets.key, effects, noise, np.random.default_rng(0))


@pytest.mark.parametrize(("raters", "effect"), [(1, 0.8), (3, 0.0)])
def test_a_self_check_needs_two_raters_and_an_effect(raters, effect):
    with pytest.raises(ValueError, match="must be"):
        self_check(raters, effect)
