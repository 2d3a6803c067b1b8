"""Preferences that are given up, and what only stops for a moment or is something else."""

import pytest

from emomem.memory.detectors.facts import FactUpdateDetector

GIVEN_UP = {
    "a deed": ("I have stopped playing chess.", "I play chess every Sunday."),
    "a thing": ("I have gone off dark beer, I prefer cider now.", "I like dark beer best."),
    "a portion": ("I have stopped drinking wine.", "I enjoy a glass of red wine at dinner."),
    "what is counted": ("I have given up coffee.", "I drink two coffees a day."),
    "no more of it": (
        "I am vegan now, so no lamb curry for me.",
        "My favourite food is lamb curry.",
    ),
    "any more": ("I don't want e-mails any more, phone me.", "Please write me e-mails."),
    "no longer": ("I no longer shop in the market.", "I prefer to shop in the market."),
    "the verb alone": ("I quit smoking in March.", "I smoke."),
    "no interest": ("Football doesn't interest me any more.", "I enjoy watching football."),
    "a kind of thing": ("I don't eat meat any more.", "I love lamb."),
}
KEPT = {
    "a moment": ("I stopped running for a minute to tie my shoe.", "I enjoy running."),
    "a halt": ("I stopped at the bakery.", "I love the bakery."),
    "a part of it": ("I have stopped reading the instructions.", "I enjoy reading."),
    "at a time": ("I don't drink coffee after six.", "I love coffee."),
    "not given up": ("I will not quit on my dreams.", "We love our dreams."),
    "a wish to": ("I want to quit smoking.", "I smoke."),
    "having one": ("We don't have a dog any more.", "I love dogs."),
    "somebody else": ("My brother has gone off dark beer.", "I like dark beer."),
    "beside the thing": ("I have given up wine.", "I love the cellar of the wine museum."),
    "disliked before": ("I have given up coffee.", "I never drink coffee."),
    "the past": ("I have given up chess.", "I used to play chess."),
}


@pytest.fixture
def found(unit):
    def look(new, old):
        return FactUpdateDetector().detect(unit(new), [unit(old)])

    return look


@pytest.mark.parametrize(("new", "old"), GIVEN_UP.values(), ids=GIVEN_UP)
def test_what_is_given_up_is_a_change_of_preference(found, new, old):
    [conflict] = found(new, old)
    assert conflict.kind == "preference_change"


@pytest.mark.parametrize(("new", "old"), KEPT.values(), ids=KEPT)
def test_what_is_not_given_up_is_none(found, new, old):
    assert found(new, old) == []
