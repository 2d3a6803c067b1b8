"""Instructions against goals, and those that keep them."""

import pytest

from emomem.memory.detectors.goals import GoalConflictDetector

AGAINST = {
    "a limit": ("Book the hotel for 2,500.", "Keep the budget under 2,000."),
    "a limit of a thing": ("Buy the laptop for €899.", "Don't spend more than 600 on the laptop."),
    "a number": ("Invite 60 people.", "Keep the guest list below 40 people."),
    "at least": ("Put only 100 into savings this month.", "Save 300 a month."),
    "a ban": ("Book the flight with the layover in Madrid.", "Never book flights with layovers."),
    "a day": ("Schedule the review meeting for Friday at ten.", "No meetings on Fridays."),
    "a kind of thing": ("Order a box of doughnuts.", "Stay off sugar until Christmas."),
    "a time": ("Could you call me at seven tomorrow?", "Don't call me before nine."),
    "a deadline": ("Move the thesis deadline to September.", "Finish the thesis by June."),
    "taken back": ("Cancel all my runs this week.", "Run three times a week."),
    "a language": ("Please answer in Portuguese.", "Answer in English only."),
    "a thing in plain words": ("Book a table and order wine.", "drink no alcohol until summer"),
    "clothes": ("Get me the blue coat from the shop.", "buy no new clothes before Christmas"),
    "no money for it": ("Order the new atlas for 60 pounds.", "spend nothing on books until May"),
    "a loan": ("Apply for the loan at the savings bank.", "take no new loan this year"),
    "to fly": ("Book a flight to Rome for Easter.", "don't fly any more"),
    "to lend": ("Send my brother 200 euros.", "don't lend my brother any money"),
    "a diet": ("Order the steak.", "eat vegetarian"),
    "a part of the event": ("Book the band for 24,000.", "the wedding must not cost over 20,000"),
    "a monthly limit": (
        "Order the camera for 1,900 euros.",
        "keep monthly spending under 1,500 euros",
    ),
    "guests": ("Invite thirty people to the party.", "at most fifteen guests at the party"),
    "one too many": ("Bring me a third coffee.", "at most two coffees a day"),
    "too late": (
        "Book me the late film, it starts at half past eleven.",
        "be asleep before eleven on school nights",
    ),
    "an excluded hour": ("Put the call at half past eight.", "no meetings before ten"),
    "savings": ("Take the 200 out of the savings.", "put 200 aside every month"),
    "less": ("Order a dozen doughnuts for me.", "I want to cut down on sugar."),
    "less of a deed": ("Add six bottles of wine to the order.", "I'd like to drink less."),
    "without": ("Find me a used car and book a test drive.", "We want to live without a car."),
    "decided": ("Send Tim 200 euros.", "We decided to stop lending money to Tim."),
    "light food": ("Get me two pizzas for tonight.", "I am trying to lose weight."),
    "spent savings": ("Buy the phone for 1,200 with our savings.", "Save up for a house."),
    "a part of the day": (
        "Schedule the call for Tuesday evening.",
        "Keep my evenings for the kids.",
    ),
    "weekends": ("Book the client meeting for Saturday.", "Weekends are for rest."),
    "kept from": ("Tell Anna about the surprise.", "Keep the surprise from Anna."),
    "a free day": ("Book the tennis court for Sunday.", "keep Sunday free"),
    "the only way": ("Book a flight to Berlin.", "travel only by train"),
    "a secret": ("Tell the team about my diagnosis.", "Keep my diagnosis private."),
}
KEPT = {
    "within the limit": ("Book the hotel for 1,400.", "Keep the budget under 2,000."),
    "another thing": ("Buy the phone for 899.", "Don't spend more than 600 on the laptop."),
    "another unit": ("Write a report of ten pages.", "Keep the guest list below 40 people."),
    "another day": ("Schedule the review meeting for Thursday.", "No meetings on Fridays."),
    "late enough": ("Call me at eleven tomorrow.", "Don't call me before nine."),
    "in time": ("Move the thesis deadline to May.", "Finish the thesis by June."),
    "without it": ("Order the alcohol-free beer.", "drink no alcohol"),
    "for another": ("Order a beef steak for my husband.", "eat no meat"),
    "brought away": ("Take my coat to the cleaner.", "buy no new clothes"),
    "a name of a place": ("Add the shoe shop to the map.", "buy no clothes"),
    "to book a table": ("Book a table for two.", "spend nothing on books"),
    "given back": ("Return the novel to the library.", "spend nothing on books"),
    "paid off": ("Pay off the old loan early.", "take no new loan this year"),
    "beside the event": ("Pay the rent of 900.", "the wedding must not cost more than 800"),
    "early enough": ("Book the concert at eight in the evening.", "be asleep by eleven"),
    "in the morning": ("Book the dentist at eleven.", "be in bed by ten"),
    "not yet too many": ("Order a second coffee.", "no more than two coffees a day"),
    "a day that is not kept free": ("Book the tennis court for Saturday.", "keep Sunday free"),
    "less of another": ("Order a bag of apples for me.", "I want to cut down on sugar."),
    "another to lend to": ("Send Ana 200 euros.", "We decided to stop lending money to Tim."),
    "something light": ("Get me a salad for tonight.", "I am trying to lose weight."),
    "to the savings": ("Move 500 to the savings account.", "Save up for a house."),
    "another part": ("Schedule the call for Tuesday morning.", "Keep my evenings for the kids."),
    "a working day": ("Book the client meeting for Thursday.", "Weekends are for rest."),
    "that part of another day": (
        "Book the court for Saturday evening.",
        "keep Sunday evening free",
    ),
    "who may know": ("Tell Ben about the surprise.", "Keep the surprise from Anna."),
    "the only way itself": ("Book the train to Berlin.", "travel only by train"),
    "no instruction": ("The hotel costs 2,500.", "Keep the budget under 2,000."),
    "a ban itself": ("Do not book flights with layovers.", "Never book flights with layovers."),
    "the language": ("Answer in English.", "Answer in English only."),
    "nothing in common": ("Order a box of doughnuts.", "Learn Italian this year."),
    "another language": ("预订2500欧元的酒店。", "Keep the budget under 2,000."),
}


@pytest.fixture
def found(unit):
    def look(new, goal, **values):
        return GoalConflictDetector().detect(unit(new, **values), [unit(goal, kind="goal")])

    return look


@pytest.mark.parametrize(("new", "goal"), AGAINST.values(), ids=AGAINST)
def test_an_instruction_against_a_goal_is_a_conflict(found, new, goal):
    [conflict] = found(new, goal)
    assert (conflict.kind, conflict.against.text) == ("goal_instruction", goal)


@pytest.mark.parametrize(("new", "goal"), KEPT.values(), ids=KEPT)
def test_an_instruction_that_keeps_it_is_none(found, new, goal):
    assert found(new, goal) == []


def test_anybodys_instruction_counts_but_only_against_the_same_users_goal(found):
    new, goal = AGAINST["a limit"]
    [conflict] = found(new, goal, speaker="sam")
    assert conflict.parties == ("sam", "ann")
    assert found(new, goal, user_id="bob") == []


def test_what_is_no_goal_and_a_goal_itself_are_passed_over(unit):
    new, goal = AGAINST["a limit"]
    assert GoalConflictDetector().detect(unit(new), [unit(goal)]) == []
    assert GoalConflictDetector().detect(unit(new, kind="goal"), [unit(goal, kind="goal")]) == []
