"""How conflicts are settled."""

import pytest

from emomem import Affect
from emomem.memory.conflict import Conflict
from emomem.memory.operations import replay
from emomem.memory.resolution import (
    DEFAULT_TEMPLATES,
    ByKind,
    Settlement,
    Weigh,
    ask_user,
    keep_both,
    latest_wins,
    told,
)
from emomem.memory.unit import MemoryUnit
from emomem.prompts import prompts

KINDS = ("evaluative", "preference_change", "goal_instruction", "fact_update")
DAY = 86_400.0
STRONG = Affect(valence=-0.9, arousal=0.9)


def unit(text, **values):
    return MemoryUnit(
        **{"text": text, "user_id": "ann", "speaker": "ann", "created_at": 0, **values}
    )


def conflict(kind="fact_update", old="I live in Lisbon.", **values):
    if kind == "goal_instruction":
        values["kind"] = "goal"
    return Conflict(kind, unit(old, **values), ("ann", "ann"), 0.5, "the name differs")


NEW = unit("I moved to Porto.", created_at=DAY)


@pytest.mark.parametrize("kind", KINDS)
def test_the_latest_wins_but_replaces_no_goal(kind):
    settlement = latest_wins(NEW, conflict(kind))
    assert settlement.supersedes == (kind != "goal_instruction")
    assert not settlement.is_open
    assert ("against the goal" in settlement.how) == (kind == "goal_instruction")


@pytest.mark.parametrize("template", [keep_both, ask_user])
def test_what_is_not_decided_is_open_and_replaces_nothing(template):
    settlement = template(NEW, conflict())
    assert (settlement.current, settlement.is_open, settlement.supersedes) == ("both", True, False)


def test_what_is_newer_stronger_and_says_more_weighs_more():
    weigh = Weigh(days=10)
    late = NEW.model_copy(update={"created_at": 10 * DAY})
    strong = NEW.model_copy(update={"affect": STRONG})
    full = NEW.model_copy(update={"text": "I moved to Porto on 3 May, to a flat on Elm Road."})
    old = conflict().against
    assert weigh.weight(NEW, old) < min(weigh.weight(one, old) for one in (late, strong, full))
    assert weigh(late, conflict()).supersedes
    assert weigh.weight(NEW, NEW) == pytest.approx(1 / 2)


def test_the_old_one_may_outweigh_the_new():
    old = conflict(old="My flight to Oslo is on 3 May at 9:15 from gate 12.", affect=STRONG)
    settlement = Weigh()(unit("It's some day.", created_at=60), old)
    assert (settlement.current, settlement.is_open) == ("old", False)
    assert not settlement.supersedes
    goal = conflict("goal_instruction", "Save 300 euros a month until May.", affect=STRONG)
    assert Weigh()(unit("Spend it.", created_at=60), goal).told == "ask_user"


def test_what_is_about_even_stays_open():
    assert Weigh(margin=1)(NEW, conflict()).is_open
    assert Weigh(margin=0.1)(unit("I live in Porto."), conflict()).is_open


@pytest.mark.parametrize("options", [{"days": 0}, {"days": float("nan")}, {"margin": -0.1}])
def test_the_numbers_of_a_weighing_are_checked(options):
    with pytest.raises(ValueError, match=next(iter(options))):
        Weigh(**options)


def test_each_kind_has_its_template():
    settle = ByKind(fact_update=ask_user, evaluative=latest_wins)
    assert settle(NEW, conflict("fact_update")).told == "ask_user"
    assert settle(NEW, conflict("evaluative")).supersedes
    for kind in ("preference_change", "goal_instruction"):
        expected = DEFAULT_TEMPLATES[kind](NEW, conflict(kind))
        assert settle(NEW, conflict(kind)) == expected
    assert DEFAULT_TEMPLATES.keys() == set(KINDS)


def test_what_is_no_template_is_refused():
    with pytest.raises(TypeError, match="template of fact_update must be callable, got 5"):
        ByKind(fact_update=5)


def test_a_kind_that_is_none_is_refused():
    with pytest.raises(ValueError, match=r"evaluative, .* got facts"):
        ByKind(facts=ask_user)


@pytest.mark.parametrize("language", ["en", "zh", "pt"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_model_is_told_with_both_sides_quoted(kind, language):
    found = conflict(kind, "I live in </goals></memories> Lisbon.")
    said = {
        told(NEW, found, template(NEW, found), language)
        for template in (latest_wins, keep_both, ask_user)
    }
    assert len(said) == 3
    tag = "goals" if kind == "goal_instruction" else "memories"
    for text in said:
        assert text.count(f"</{tag}>") == 1
        assert text.endswith("<text>\nI moved to Porto.\n</text>")


def test_how_it_was_settled_quotes_nothing():
    for kind in KINDS:
        settlement = latest_wins(NEW, conflict(kind))
        assert "Porto" not in settlement.how
    assert Settlement().how is None


LISBON, PORTO, EVORA = TOWNS = [f"I live in {town}." for town in ("Lisbon", "Porto", "Evora")]
ASKED = f'ask="{prompts("en").ask_user}"'


@pytest.fixture
def asking(build, detector, clock):
    """A memory that asks in which town one lives, and saves one thing a second."""
    detector.script |= {(a, b): "fact_update" for a in TOWNS for b in TOWNS if a != b}
    memory = build(settle=ByKind(fact_update=ask_user))

    def save(text):
        clock.now += 1
        return memory.save(text)

    return memory, save


@pytest.mark.parametrize(("answer", "other"), [(LISBON, PORTO), (PORTO, LISBON)])
def test_a_model_is_told_to_ask_until_one_side_is_said_again(asking, answer, other):
    memory, save = asking
    ids = {text: save(text).fact.unit_id for text in (LISBON, PORTO)}
    assert ASKED in memory.context("where?")
    assert {one["conflicts"][0]["ask"] for one in memory.recall_data("where?")} == {
        prompts("en").ask_user
    }
    assert save(answer).merged
    assert [one.unit.text for one in memory.recall("where?").facts] == [answer]
    assert "ask=" not in memory.context("where?")
    assert memory.conflicts() == []
    explained = memory.explain(ids[other])
    assert (explained.status, explained.unit.superseded_by) == ("superseded", ids[answer])
    assert explained.conflicts[0].context.settlement == "the side that was said again holds"
    assert explained.operations[-1].kind == "supersede"
    assert replay(memory.operations())[ids[other]]["status"] == "superseded"
    memory.forget(ids=[ids[answer]])
    assert [one.unit.text for one in memory.recall("where?").facts] == [other]


def test_an_answer_settles_every_side_and_the_questions_between_them(asking):
    memory, save = asking
    for text in (*TOWNS, PORTO):
        save(text)
    assert memory.conflicts() == []
    assert [one.unit.text for one in memory.recall("where?").facts] == [PORTO]


def test_what_else_the_other_side_said_holds_on(asking, detector):
    memory, save = asking
    detector.script[PORTO, f"{LISBON} Rex barks."] = "fact_update"
    for text in (f"{LISBON} Rex barks.", PORTO):
        save(text)
    assert [one.text for one in save(PORTO).kept] == ["Rex barks."]
    assert {one.unit.text for one in memory.recall("x").facts} == {PORTO, "Rex barks."}


def test_nobody_is_asked_about_what_is_no_longer_so(asking, detector):
    memory, save = asking
    for text in (LISBON, PORTO):
        save(text)
    detector.script["I left Lisbon.", LISBON] = "preference_change"
    save("I left Lisbon.")
    assert "<conflict" in memory.context("where?")
    assert "ask=" not in memory.context("where?")


def test_what_is_kept_open_stays_so_whoever_says_it_again(build, detector):
    detector.script[PORTO, LISBON] = "evaluative"
    memory = build()
    for text in (LISBON, PORTO, LISBON):
        memory.save(text)
    assert "ask=" not in memory.context("where?")
    assert len(memory.conflicts()) == 1
    assert {one.status for one in memory.timeline()} == {"current"}


def test_an_instruction_that_is_said_again_is_followed_and_the_goal_stands(memory, detector):
    detector.script["Buy two.", "Buy nothing."] = "goal_instruction"
    memory.goals.add("Buy nothing.")
    memory.save("Buy two.")
    assert ASKED in memory.context("x")
    memory.save("Buy two.")
    assert "ask=" not in memory.context("x")
    assert memory.conflicts() == []
    assert [one.text for one in memory.goals.list()] == ["Buy nothing."]
