import csv

import pytest

from emomem.evaluation.ratings.outputs import Output
from emomem.evaluation.ratings.packets import make_packets
from emomem.evaluation.ratings.scales import COLUMNS

ARMS = ("full", "ablation", "single")


def an_output(scenario="money", arm="full", seed=1, text="I say nothing.", **fields):
    name = f"{scenario}/{arm}/{seed}"
    return Output(id=name, scenario=scenario, arm=arm, seed=seed, text=text, **fields)


@pytest.fixture
def output():
    """A builder of outputs."""
    return an_output


@pytest.fixture
def outputs():
    """Two scenarios, three arms, two seeds."""
    return [
        an_output(scenario, arm, seed, person="Ann", situation="It rains.")
        for scenario in ("money", "idea")
        for arm in ARMS
        for seed in (1, 2)
    ]


@pytest.fixture
def packets(outputs):
    """What two raters get."""
    return make_packets(outputs, 2, seed=5)


@pytest.fixture
def answers(packets, tmp_path):
    """Writes what a rater answers, item by item."""

    def write(rater, grades, *, name=None, separator=",", items=None):
        path = tmp_path / (name or f"{rater}.csv")
        with path.open("w", encoding="utf-8-sig", newline="") as file:
            rows = csv.writer(file, delimiter=separator)
            rows.writerow(COLUMNS)
            for item in items or packets.orders[rater]:
                rows.writerow([rater, item, *grades(item)])
        return path

    return write
