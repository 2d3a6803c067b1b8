"""Changes as people tell them, each rule by its own wording, and what must not set it off."""

import pytest

from emomem.memory.detectors.ensemble import EnsembleConflictDetector

DAY = 86_400.0

CHANGED = {
    "a street": ("I moved to Elm Road.", "I live on Harbour Street."),
    "a town of late": ("We moved to Braga last weekend.", "We live in a small flat in Porto."),
    "another's house": ("Our gym has moved to Elm Street.", "Our gym is on Oak Street."),
    "a key": ("I keep the spare key in the garage now.", "I keep the spare key under the mat."),
    "put away": ("I've put the passports in the blue box.", "The passports are in the top drawer."),
    "a role": ("They made me team lead last week.", "I'm a junior developer in the team."),
    "a new employer": ("I got a new job at the post office.", "I work at a supermarket."),
    "laid off": ("My husband got laid off from the bank.", "My husband works for a bank."),
    "a number": ("I've changed my number, please use 0699 123 871.", "My number is 0699 555 120."),
    "a spaced number": ("My phone number is 555 0199.", "My phone number is 555 0142."),
    "a pet": ("Bella died on Sunday.", "My dog Bella barks every morning."),
    "a relative": ("We lost Grandpa in March.", "My grandpa calls me every Sunday."),
    "parted": ("Marco and I broke up.", "I'm dating Marco."),
    "together": ("I have a boyfriend now.", "I'm single."),
    "well again": ("My knee is fine again.", "My knee hurts when I run."),
    "called off": ("Oscar cancelled, so no coffee on Friday.", "I'm meeting Oscar for coffee."),
    "the same denied": ("I'm not allergic to nuts after all.", "I'm allergic to nuts."),
    "taken up again": ("I've started drinking coffee again.", "I don't drink coffee."),
    "decided anew": ("I have decided to study law instead.", "I want to study medicine."),
    "rather than": ("I'd rather stay here than move to Canada.", "I want to move to Canada."),
    "allowed now": ("You can call me after six from now on.", "Never call me after six."),
    "a diet": ("I started eating cheese again.", "I'm vegan."),
    "used to": ("I used to go running, but not any more.", "I go running every morning."),
    "used to love": ("I used to love this job.", "I love this job."),
    "nerves": ("My flatmate is getting on my nerves.", "My flatmate is lovely."),
}
NOT_CHANGED = {
    "two seasons": ("In summer I love running.", "In winter I hate running."),
    "two places": ("At home I love noise.", "At work I hate noise."),
    "a comma between": ("In summer, I love running.", "In winter, I hate running."),
    "two moods": ("When I'm rested I love cooking.", "When I'm tired I hate cooking."),
    "one instance": ("I don't like the coffee at work.", "I like coffee."),
    "somebody else's": ("My sister's landlord is awful.", "My landlord is kind."),
    "another floor": ("Our office is on the fifth floor now.", "Our office is on Queen Street."),
    "furniture": ("I moved the sofa to the window.", "I live in Leeds."),
    "another key": ("The car keys are in my bag now.", "The spare keys are under the mat."),
    "no role": ("I'm a vegetarian now.", "I work as a nurse."),
    "another's dog": ("My neighbour's dog died.", "My dog is called Rex."),
    "engaged in": ("I'm engaged in a project.", "I'm single."),
    "did not get": ("I didn't get the promotion.", "I want the promotion."),
    "another trip": ("My flight to Rome is cancelled.", "My flight to Oslo is on Friday."),
    "another deed": ("I decided to paint the hall instead.", "I want to study medicine."),
    "no longer so": ("I used to smoke.", "I don't smoke."),
    "another's number": ("I gave Tim your new number, 0699 123 871.", "My number is 0699 555 120."),
}


@pytest.fixture
def found(unit):
    def look(new, old):
        return EnsembleConflictDetector().detect(unit(new), [unit(old)])

    return look


@pytest.mark.parametrize(("new", "old"), CHANGED.values(), ids=CHANGED)
def test_a_change_in_everyday_words_is_found(found, new, old):
    [conflict] = found(new, old)
    assert conflict.against.text == old
    assert conflict.reason


@pytest.mark.parametrize(("new", "old"), NOT_CHANGED.values(), ids=NOT_CHANGED)
def test_what_changes_nothing_is_passed_over(found, new, old):
    assert found(new, old) == []


def test_a_value_alone_corrects_the_latest_statement_of_the_day(unit):
    physio = unit("My physio is on Monday.", created_at=DAY)
    dentist = unit("The dentist is on Thursday.", created_at=DAY + 60)
    walk = unit("I took a walk.", created_at=DAY + 90)
    new = unit("Actually, make it Tuesday.", created_at=DAY + 120)
    [conflict] = EnsembleConflictDetector().detect(new, [physio, dentist, walk])
    assert (conflict.against, conflict.reason) == (dentist, "the value is corrected")
    late = unit("Actually, make it Tuesday.", created_at=3 * DAY)
    assert EnsembleConflictDetector().detect(late, [physio, dentist, walk]) == []


GOALS = {
    "savings": ("Buy the 400 euro coat.", "I want to save 300 a month."),
    "credit": ("Put the new TV on my credit card.", "Pay off my credit card."),
    "bed": ("Book the late show for tonight.", "In bed by eleven."),
    "until after": ("Book cinema tickets for the 22:30 show.", "I want to be in bed by eleven."),
    "dinner": ("Put the client call at 7 pm.", "Be home for dinner every night."),
    "put off": ("Postpone the thesis to next year.", "I want to finish my thesis this summer."),
    "sugar": ("Get me an ice cream on the way home.", "No sugar for a month."),
    "eating out": ("Book the tasting menu for 120.", "Spend no more than 50 a week on eating out."),
}
KEPT = {
    "less than is saved": ("Buy a coat hanger for 4 euros.", "I want to save 300 a month."),
    "what it is saved for": ("Book the hotel for 400.", "Save 300 a month for the trip."),
    "a payment": ("Pay 200 on my credit card.", "Pay off my credit card."),
    "the early show": ("Book the early show at six.", "In bed by eleven."),
    "the morning": ("Put the client call at 10 am.", "Be home for dinner every night."),
    "no putting off": ("Remind me of the thesis.", "I want to finish my thesis this summer."),
}


@pytest.mark.parametrize(("new", "old"), GOALS.values(), ids=GOALS)
def test_an_instruction_goes_against_a_goal_in_own_words(unit, new, old):
    [conflict] = EnsembleConflictDetector().detect(unit(new), [unit(old, kind="goal")])
    assert conflict.kind == "goal_instruction"


@pytest.mark.parametrize(("new", "old"), KEPT.values(), ids=KEPT)
def test_an_instruction_that_keeps_the_goal_is_none(unit, new, old):
    assert EnsembleConflictDetector().detect(unit(new), [unit(old, kind="goal")]) == []
