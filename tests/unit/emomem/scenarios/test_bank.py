import pytest

from emomem.scenarios import AffectiveMemory, Scenario, make_bank


def scenario(name, language="en", memories=4):
    return Scenario(
        id=name,
        title=name,
        language=language,
        persona="Somebody.",
        situation="Something.",
        queries={"factual": "What?", "affective": "How?"},
        facts=({"id": "f", "text": "So it is.", "timestamp": "2026-01-01"},),
        affective=tuple(
            AffectiveMemory(
                id=str(number),
                text=f"{name} {number}",
                timestamp="2026-01-01",
                critical=number == 0,
                fact_id="f",
            )
            for number in range(memories)
        ),
    )


def test_own_memories_stay_and_the_same_language_comes_first():
    own, near, far = scenario("own"), scenario("near"), scenario("far", "zh")
    bank = make_bank(own, [far, own, near], 10)
    assert set(own.affective) <= set(bank)
    origins = [one.id.partition("/")[0] for one in bank if one not in own.affective]
    assert sorted(origins) == ["far", "far", "near", "near", "near", "near"]
    assert [one for one in bank if one.critical] == [own.affective[0]]
    assert len({one.id for one in bank}) == 10
    Scenario.model_validate(own.model_copy(update={"affective": bank}).model_dump())


def test_a_bank_is_seeded_and_no_larger_than_what_there_is():
    own, near = scenario("own"), scenario("near")
    assert make_bank(own, [near], 7, seed=1) == make_bank(own, [near], 7, seed=1)
    assert make_bank(own, [near], 8, seed=1) != make_bank(own, [near], 8, seed=2)
    assert len(make_bank(own, [near], 300)) == 8
    with pytest.raises(ValueError, match="own 4 memories, got n=3"):
        make_bank(own, [near], 3)
