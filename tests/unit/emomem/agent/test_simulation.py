"""A scenario lived through by an agent, and the picture of it."""

import json
from itertools import pairwise

import pytest
from matplotlib.figure import Figure

from emomem.agent import Controller, Simulation
from emomem.agent.picture import draw_days
from emomem.memory.dynamics import DAY, Decay
from emomem.memory.in_memory import InMemoryStore
from emomem.memory.operations import InMemoryLog
from emomem.scenarios import Scenario, scenarios

SCENE = {"text": "A mill of glass.", "valence": -0.4, "arousal": 0.3, "saliences": []}


@pytest.fixture
def scenario():
    return Scenario.model_validate(
        {
            "id": "mill",
            "title": "The mill costs $5",
            "language": "en",
            "persona": "A miller",
            "beliefs": ["Flour is honest."],
            "relations": [{"name": "Sam", "weight": 6}],
            "situation": "Sam sold the mill.",
            "queries": {"factual": "Who owns it?", "affective": "It is gone."},
            "facts": [{"id": "f1", "text": "Built in 1880.", "timestamp": "2026-01-01T00:00"}],
            "affective": [
                {
                    "id": "a1",
                    "text": "I wept at the wheel.",
                    "timestamp": "1980-01-01T00:00",
                    "salience": 0.9,
                    "critical": True,
                    "fact_id": "f1",
                },
                {
                    "id": "a2",
                    "text": "I laughed at $3 and $4.",
                    "timestamp": "2026-01-02T00:00",
                    "critical": False,
                },
            ],
            "days": [["Sam calls.", "Sam writes."], ["Rain."], ["The wheel turns."]],
        }
    )  # fmt: skip


@pytest.fixture
def simulate(scenario, appraiser, model):
    appraiser.script |= {"I wept at the wheel.": "grief", "Sam sold the mill.": "anger"}

    def make(*answers, **options):
        store = InMemoryStore(embed=lambda texts: [[1.0, 0.0] for _ in texts])
        chat = model(*answers) if answers else None
        return Simulation(scenario, chat, appraiser=appraiser, store=store, **options)

    return make


def test_three_days_pass_as_the_scenario_has_them(simulate):
    told = []
    simulation = simulate()
    over = list(simulation.days(progress=lambda done, total: told.append((done, total))))
    assert over == [1, 2, 3]
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]
    traces = simulation.controller.traces
    assert [trace.day for trace in traces] == [1, 1, 2, 3]
    gaps = [later.at - trace.at for trace, later in pairwise(traces)]
    assert gaps == [DAY / 8, DAY * 7 / 8, DAY]
    assert traces[0].before.affect["anger"] == pytest.approx(10.0)
    assert traces[0].before.relations == {"Sam": 6.0}
    assert traces[0].before.beliefs == ("Flour is honest.",)


def test_memories_keep_the_ids_and_saliences_of_the_scenario(simulate):
    simulation = simulate(decay=Decay(half_life=1.0, arousal=0.0, success=0.0)).run()
    first, *_, last = simulation.controller.traces
    assert {one.unit_id for one in first.affective} == {"a1", "a2"}
    at_first = {one.unit_id: one.salience for one in first.affective}
    assert at_first["a1"] == pytest.approx(0.9)
    assert [one.unit_id for one in first.facts] == ["f1"]
    at_last = {one.unit_id: one.salience for one in last.affective}
    assert at_last["a1"] == pytest.approx(0.9 / 4)
    assert simulation.controller.memory.explain("a1").sources[0].unit_id == "f1"


def test_a_model_reflects_by_day_and_dreams_by_night(simulate, reflection):
    suppress = [{"number": 1, "operation": "suppress"}]
    answers = [{**reflection, "operations": suppress}, {**reflection, "operations": []}, SCENE]
    log = InMemoryLog()
    simulation = simulate(*answers, log=log)
    assert next(iter(simulation.days())) == 1
    kinds = [one.kind for one in log.read()]
    assert kinds == ["create", "suppress", "create", "create"]
    assert [one.text for one in simulation.controller.memory.dreams()] == ["A mill of glass."]
    assert "wept" not in json.dumps([one.model_dump(mode="json") for one in log.read()])


def test_only_days_that_there_are_can_be_lived(simulate, scenario, appraiser):
    for count in (0, 4):
        with pytest.raises(ValueError, match=f"'mill' has 3 days, got {count}"):
            next(simulate().days(count))
    with pytest.raises(ValueError, match="'mill' has no days"):
        Simulation(scenario.model_copy(update={"days": ()}), appraiser=appraiser)


def test_every_shipped_scenario_has_three_days():
    assert {len(one.days) for one in scenarios()} == {3}


def test_the_picture_shows_affect_and_salience(simulate, reflection, tmp_path):
    suppress = [{"number": 1, "operation": "suppress"}]
    calmer = {**reflection, "affect_changes": [{"name": "anger", "change": -5}]}
    quiet = {**calmer, "operations": []}
    answers = [{**calmer, "operations": suppress}, quiet, SCENE, quiet, SCENE, quiet, SCENE]
    simulation = simulate(*answers).run()
    figure = draw_days(simulation.controller.traces, "A $5 mill")
    figure.savefig(tmp_path / "days.png")
    upper, lower, *_ = figure.axes
    assert [text.get_text() for text in upper.get_legend().get_texts()] == [
        "anger",
        "conflict, times 10",
    ]
    [line] = [one for one in upper.lines if len(one.get_xdata()) == 5]
    assert list(line.get_ydata()) == [
        simulation.controller.traces[0].before.affect["anger"],
        *(trace.after.affect["anger"] for trace in simulation.controller.traces),
    ]
    labels = [label.get_text() for label in lower.get_yticklabels()]
    assert {"I wept at the wheel.", r"I laughed at \$3 and \$4."} <= set(labels)
    assert [patch.get_hatch() for patch in lower.patches].count("////") >= 1
    assert len([one for one in upper.lines if one.get_linestyle() == "--"]) >= 2


def test_letters_that_no_font_has_are_shown_by_the_id(simulate, monkeypatch):
    from emomem.agent import picture
    from emomem.viz import canvas

    monkeypatch.setattr(canvas, "_letters", lambda: frozenset(range(128)))
    assert picture._shown("火锅 3", "0123456789abcdef") == "0123456789"
    assert picture._shown("a" * 60, "id") == "a" * 43 + "…"
    assert picture._shown(" ", "id") == ""
    assert isinstance(draw_days(simulate().run(1).controller.traces, "火锅"), Figure)


def test_an_agent_without_feelings_or_memories_has_a_picture_too(memory, tmp_path):
    agent = Controller(memory)
    agent.step("It rains.")
    draw_days(agent.traces).savefig(tmp_path / "days.png")


def test_nothing_is_no_picture():
    with pytest.raises(ValueError, match="no step"):
        draw_days([])
