"""Facts corrected in plain words: what is denied, lost, or otherwise from now on."""

import pytest

from emomem.memory.detectors.contrast import AffectContrastDetector
from emomem.memory.detectors.facts import FactUpdateDetector

CORRECTED = {
    "not at": ("The plumber is coming at two, not at nine.", "The plumber comes at nine."),
    "denied value": (
        "Ines is not coming on the 4th of April, she comes on the 11th.",
        "My sister Ines is coming to visit on the 4th of April.",
    ),
    "instead": (
        "The architect can't make Tuesday, we meet on Thursday instead.",
        "The meeting with the architect is on Tuesday at ten.",
    ),
    "from one to another": (
        "I switched my account from Norwest to Laurel Bank.",
        "I bank with Norwest.",
    ),
    "a street": ("Deliver it to 3 Harbour Street from now on.", "Deliver it to 12 Mill Lane."),
    "a new one": ("I have a new dentist, Dr. Lindqvist.", "My dentist is Dr. Okafor."),
    "a new number": ("I have a new number: 0171 555 9918.", "My phone number is 0171 555 2204."),
    "half of the day": (
        "My shift begins at 2 in the afternoon.",
        "My shift begins at 6 in the morning.",
    ),
    "half past": ("I get up at half past seven now.", "I get up at seven."),
    "another school": (
        "My son goes to the school in Church Street.",
        "My son goes to the school in Park Road.",
    ),
    "called": ("My landlady is called Mrs. Stein now.", "My landlady is Mrs. Pohl."),
    "left a job": ("My brother quit the post office.", "My brother works at the post office."),
    "moved out": ("Grandma has moved into a care home.", "Grandma lives with us."),
    "sold": ("I sold the Golf.", "My car is a red Golf."),
    "died": ("My cat died last week.", "I have a cat."),
    "elsewhere": ("I park in the station garage now.", "I park my car behind the bakery."),
    "a colour": ("My bike is black now.", "My bike is green."),
    "where it is": ("The key is with the neighbour now.", "The key is under the mat."),
}
NOT_CORRECTED = {
    "another event": (
        "We moved the party from Saturday to Sunday.",
        "The match is on Saturday.",
    ),
    "another thing of that day": ("The shop is not open on Sunday.", "The fair is on Sunday."),
    "another phone": (
        "My mother's phone number is 0151 222 9944.",
        "My phone number is 0151 222 3301.",
    ),
    "another's": ("My neighbour's cat died.", "I have a cat."),
    "left for the day": ("I left the bakery at noon with two loaves.", "I work at the bank."),
    "moved a thing": ("My brother moved the sofa to the wall.", "My brother lives with me."),
    "with and where": ("I sit with Anna now.", "I sit at the window."),
    "the same time": ("Lunch is at half past twelve.", "Lunch is at 12:30."),
    "the same half": ("The call is at 3 in the afternoon.", "The call is at 15:00."),
    "another tablet": ("I take two tablets in the morning.", "I take one tablet in the evening."),
    "the way back": (
        "My flight back from Oslo is on the 9th.",
        "My flight to Oslo is on the 4th.",
    ),
    "a pronoun": ("I read them on my phone now.", "I read thrillers."),
}
FELT = {
    "gratitude": (
        "The physiotherapist helped me a lot, I am so grateful to her.",
        "The physiotherapist is useless.",
    ),
    "conduct": ("Lena was rude to me today.", "The woman on the phone, Lena, was wonderful."),
    "in the past": ("Priya's parents were cold to me last night.", "I adore Priya's parents."),
}
NOT_FELT = {
    "some of it": ("I don't like the tea that you bought.", "I like tea."),
    "the other": ("The other teacher was mean to me.", "My teacher is nice."),
    "somebody else's": ("Lena's dog was horrible to me.", "Lena is kind to me."),
}


@pytest.fixture
def found(unit):
    def look(new, old, detector=FactUpdateDetector):
        return detector().detect(unit(new), [unit(old)])

    return look


@pytest.mark.parametrize(("new", "old"), CORRECTED.values(), ids=CORRECTED)
def test_a_correction_is_a_fact_update(found, new, old):
    [conflict] = found(new, old)
    assert conflict.kind == "fact_update"


@pytest.mark.parametrize(("new", "old"), NOT_CORRECTED.values(), ids=NOT_CORRECTED)
def test_what_corrects_nothing_is_none(found, new, old):
    assert found(new, old) == []


@pytest.mark.parametrize(("new", "old"), FELT.values(), ids=FELT)
def test_how_somebody_was_to_the_speaker_tells_against_a_feeling(found, new, old):
    [conflict] = found(new, old, AffectContrastDetector)
    assert conflict.kind == "evaluative"


@pytest.mark.parametrize(("new", "old"), NOT_FELT.values(), ids=NOT_FELT)
def test_another_one_is_felt_about_differently(found, new, old):
    assert found(new, old, AffectContrastDetector) == []
