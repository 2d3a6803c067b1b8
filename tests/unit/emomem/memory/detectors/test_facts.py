"""Facts and preferences that are otherwise now, and what only looks like it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emomem.memory.detectors.facts import FactUpdateDetector


@pytest.fixture
def found(unit):
    def look(new, old):
        return FactUpdateDetector().detect(unit(new), [unit(old)])

    return look


FACTS = {
    "date": ("My flight moved to the 5th.", "My flight is on the 3rd."),
    "day": ("The concert is on Friday.", "The concert is on Saturday."),
    "time": ("Lunch is at 12:30.", "Lunch is at noon."),
    "amount": ("The rent went up to 980 euros.", "The rent is 900 euros."),
    "count": ("My sister has three kids now.", "My sister has two children."),
    "address": ("My new number is 555-0199.", "My number is 555-0142."),
    "place": ("We moved to Porto.", "I live in Lisbon."),
    "name": ("My manager is Jonas now.", "Marta is my manager."),
    "denial": ("I don't have a dog any more.", "I have a dog."),
    "never": ("I went to Japan in April.", "I have never been to Japan."),
    "state": ("We got divorced in spring.", "I'm married."),
    "job": ("My brother found a job.", "My brother is unemployed."),
    "off": ("The wedding was cancelled.", "The wedding is in May."),
    "room": ("The team meeting is in room 311.", "The team meeting is in room 204."),
    "an event again": ("The meeting with Tom is at 5.", "I have a meeting at 3 with Tom."),
    "the event": ("The exam is on the 9th now.", "I have an exam on the 4th."),
    "a verb as a noun": ("The train leaves at 8:40.", "The train leaves at 8:10."),
    "the same event": ("I have a shift on Tuesday now.", "I have a shift on Monday."),
    "noted": ("Please note that dinner is at eight.", "Dinner is at seven."),
}
PREFERENCES = {
    "favourite": ("My favourite colour is green now.", "My favourite colour is blue."),
    "prefer": ("I prefer coffee in the morning.", "I prefer tea in the morning."),
    "order": ("I like trains better than planes.", "I prefer planes to trains."),
    "diet": ("I've started eating meat again.", "I'm a vegetarian."),
    "kind of": ("I drink beer now.", "I don't drink alcohol."),
    "habit": ("I eat breakfast every day now.", "I never eat breakfast."),
    "name": ("Please call me Elizabeth.", "I want to be called Lizzie."),
    "switch": (
        "I've switched to working out in the morning.",
        "I like to work out in the evening.",
    ),
}
NONE = {
    "another subject": ("My flight to Oslo is on the 5th.", "My flight to Rome is on the 3rd."),
    "another person": ("My parents live in Faro.", "I live in Coimbra."),
    "the past": ("I lived in Lisbon as a child.", "I live in Porto."),
    "a year": ("In 2015 I worked at Nokia.", "I work at Ericsson."),
    "a moment": ("I'm in Geneva this week.", "I'm in Madrid."),
    "an addition": ("I also speak French.", "I speak Portuguese."),
    "a second job": ("I also work at Bosch.", "I work at Siemens."),
    "an identifier": ("run 13 has a loss of 0.28.", "run 12 has a loss of 0.31."),
    "an invoice": ("Invoice 2024-018 is not paid.", "Invoice 2024-017 is paid."),
    "the same time": ("The call is at 15:00.", "The call is at 3 pm."),
    "the same date": ("The party is on May 12th.", "The party is on 12 May."),
    "the same number": ("My sister has 2 kids.", "My sister has two children."),
    "other things": ("My sister has three cats.", "My sister has two children."),
    "a question": ("Is my flight on the 5th?", "My flight is on the 3rd."),
    "a supposition": ("If I moved to Porto, I'd be happy.", "I live in Lisbon."),
    "a possibility": ("They might raise the rent to 980 euros.", "The rent is 900 euros."),
    "a report": ("Ana says my flight is on the 5th.", "My flight is on the 3rd."),
    "the same preference": ("I like tea better than coffee.", "I prefer tea to coffee."),
    "two likings": ("I like coffee.", "I like tea."),
    "other occasions": ("I prefer wine in the winter.", "I prefer beer in the summer."),
    "two of them": ("Her flight is on the 5th.", "His flight is on the 3rd."),
    "opening hours": ("The shop is open 9 am to 5 pm.", "The shop is open from 9 am to 5 pm."),
    "how and what": ("My status is unclear to me.", "My status is good."),
    "keep it up": ("Keep at it, you will be back in no time.", "Keep it up!"),
    "nothing said": ("I'm excited to hear about it.", "I haven't been there yet."),
    "embedded": ("I hate not being on the court.", "Each time I am on the court I win."),
    "a manner": ("I'm always trying new things.", "I'm always up for new books."),
    "two meetings": ("I have a meeting at 5 with Tom.", "I have a meeting at 3."),
    "two exams": ("I have an exam on the 9th in chemistry.", "I have an exam on the 4th."),
    "two parties": ("We have a party on Sunday at grandma's.", "I have a party on Saturday."),
    "two shifts": ("I have a shift on Tuesday.", "I have a shift on Monday."),
    "two people": ("I have a call at 11 with my mother.", "I have a call at 10 with the bank."),
    "no value": ("My flight is long.", "My flight is on the 3rd."),
}


@pytest.mark.parametrize(("new", "old"), FACTS.values(), ids=FACTS)
def test_another_value_is_another_fact(found, new, old):
    [conflict] = found(new, old)
    assert (conflict.kind, conflict.against.text) == ("fact_update", old)
    assert conflict.detail


@pytest.mark.parametrize(("new", "old"), PREFERENCES.values(), ids=PREFERENCES)
def test_another_wish_is_a_change_of_preference(found, new, old):
    assert [conflict.kind for conflict in found(new, old)] == ["preference_change"]


@pytest.mark.parametrize(("new", "old"), NONE.values(), ids=NONE)
def test_what_only_looks_like_it_is_none(found, new, old):
    assert found(new, old) == []
    if old != "I live in Porto.":  # which is news, the other way round
        assert found(old, new) == []


def test_the_reason_names_what_differs_and_quotes_nothing(found):
    [conflict] = found(*FACTS["date"])
    assert conflict.reason == "the date differs"
    assert conflict.detail == "5th, formerly 3rd"


def test_each_candidate_is_compared_by_itself(unit):
    old = [unit(text) for text in ("I live in Lisbon.", "I love tea.", "I live in Braga.")]
    conflicts = FactUpdateDetector().detect(unit("I moved to Porto."), old)
    assert [conflict.against for conflict in conflicts] == [old[0], old[2]]


TEXTS = [*FACTS.values(), *PREFERENCES.values(), *NONE.values()]


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("我搬到了波尔图。", "Moro em Lisboa."),
        ("Ich wohne jetzt in Wien.", "Ich wohne in Hamburg."),
        ("", "I live in Lisbon."),
        ("?!", "…"),
        ("🎉🎉", "🎉"),
        ("\x00 \ud800", "I have 2 dogs"),
        ("I live in " * 2000, "I live in Lisbon " * 2000),
    ],
)
def test_other_languages_and_odd_texts_have_no_conflicts(found, new, old):
    assert found(new, old) == []


@given(
    new=st.one_of(st.text(max_size=80), st.sampled_from([new for new, _ in TEXTS])),
    old=st.one_of(st.text(max_size=80), st.sampled_from([old for _, old in TEXTS])),
)
def test_it_never_raises_and_nothing_contradicts_itself(unit, new, old):
    detector = FactUpdateDetector()
    assert len(detector.detect(unit(new), [unit(old)])) <= 1
    assert detector.detect(unit(old), [unit(f"{old} ")]) == []
