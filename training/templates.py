"""Sentences made from hand-written parts, for what the public data hardly shows.

Sarcastic welcomes beside honest ones, emotions that are denied beside ones that are felt, and what
happens in a life. The sentences by which the project measures itself are not among them.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Final

import numpy as np

from emomem.appraisal.branch import OUTPUTS, columns
from emomem.emotions import GOEMOTIONS
from training.data import Rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Vad = tuple[float, float, float] | None
    Example = tuple[str, Sequence[str], Vad]

WELCOMES: Final = (
    *(
        "great, {}",
        "oh great, {}",
        "Great. {}.",
        "just great, {}",
        "wonderful, {}",
        "Fantastic, {}.",
    ),
    *("lovely, {}", "perfect, {}", "Awesome, {}.", "yay, {}", "how nice, {}", "Brilliant, {}!"),
    *(
        "oh good, {}",
        "Oh wonderful, {}.",
        "well, isn't that great, {}",
        "amazing, {}",
        "Super, {}.",
    ),
)
MISHAPS: Final = (
    *("another meeting that could have been an email", "my laptop crashed again", "another bill"),
    *("they lost my luggage", "the train is cancelled", "it's raining on my only day off"),
    *("a flat tyre", "the wifi is down again", "my phone just died", "the printer broke again"),
    *("I have to work on Sunday", "they forgot half of my order", "another rejection letter"),
    *(
        "the bus left without me",
        "stuck in traffic again",
        "one more thing to fix",
        "more homework",
    ),
    *("the shop is closed", "my card got declined", "we have to start all over again"),
    *("another cold", "now the sink is leaking too", "two more hours of waiting", "more paperwork"),
    *("someone ate my lunch", "I spilled coffee on my shirt", "the app deleted everything"),
    *(
        "another error message",
        "no hot water again",
        "yet another password reset",
        "a parking ticket",
    ),
)
GIFTS: Final = (
    *("we got the tickets", "my package arrived", "we won again", "dinner is ready", "you're here"),
    *("the doctor says I'm healthy", "we have the whole weekend off", "my sister is visiting"),
    *("it works now", "they liked my idea", "more cake", "another good review", "the sun is out"),
    *("I passed", "they said yes", "everybody came", "we finished early", "the baby is asleep"),
)
NEGATIVE: Final = (
    *(("mad", "anger"), ("furious", "anger"), ("annoyed", "annoyance"), ("irritated", "annoyance")),
    *(("sad", "sadness"), ("upset", "sadness"), ("heartbroken", "sadness"), ("lonely", "sadness")),
    *(("scared", "fear"), ("afraid", "fear"), ("terrified", "fear"), ("worried", "nervousness")),
    *(("nervous", "nervousness"), ("anxious", "nervousness"), ("ashamed", "embarrassment")),
    *(
        ("embarrassed", "embarrassment"),
        ("disappointed", "disappointment"),
        ("bitter", "annoyance"),
    ),
    *(
        ("disgusted", "disgust"),
        ("depressed", "sadness"),
        ("guilty", "remorse"),
        ("bored", "annoyance"),
    ),
)
OVER: Final = (
    *(
        "I'm not {} any more",
        "I'm not {} anymore.",
        "I am no longer {}.",
        "I don't feel {} any more.",
    ),
    *("I'm not {} about it now", "I stopped being {} weeks ago.", "I used to be {}, but not now."),
    *("Honestly, I'm not {} at all.", "I'm not even {}.", "I was {} before, now I'm okay."),
)
FELT: Final = (
    *("I'm still {}.", "I am so {} right now", "I'm {} again.", "I feel really {}.", "I'm {}."),
    *("It makes me {}.", "I can't help being {}.", "I've been {} all day."),
)
POSITIVE: Final = (
    *(("happy", "disappointment"), ("excited", "disappointment"), ("impressed", "disapproval")),
    *(("proud of this", "disappointment"), ("amused", "annoyance"), ("thrilled", "disappointment")),
    *(("a fan", "disapproval"), ("pleased", "disapproval"), ("satisfied", "disapproval")),
)
DENIED: Final = (
    *("I'm not {}.", "I'm not {} about it", "I am not exactly {}.", "I wasn't {} at all."),
    *("Nobody was {}.", "I'm not {} with how this went", "I can't say I'm {}."),
)
EVENTS: Final = (
    ("I got into my first choice of university", ("joy", "excitement")),
    ("I finally passed my driving test", ("joy", "relief")),
    ("She said yes, we're getting married", ("joy", "love")),
    ("I got promoted today", ("joy", "pride")),
    ("Our team won the final", ("joy", "excitement")),
    ("My son took his first steps", ("joy", "pride")),
    ("The test came back negative, it isn't cancer", ("relief", "joy")),
    ("We're going to Japan next week", ("excitement",)),
    ("My best friend is moving back to town", ("joy", "excitement")),
    ("I ran my first marathon", ("pride", "joy")),
    ("My painting is going to be shown in a gallery", ("pride", "excitement")),
    ("They gave me the scholarship", ("joy", "gratitude")),
    ("A stranger paid for my groceries", ("gratitude", "surprise")),
    ("My brother came home after two years", ("joy", "love")),
    ("We paid off the house", ("relief", "pride")),
    ("My father died on Sunday", ("grief", "sadness")),
    ("We had to put our cat to sleep", ("grief", "sadness")),
    ("I lost my job this morning", ("sadness", "disappointment")),
    ("My husband wants a divorce", ("sadness",)),
    ("I had a miscarriage", ("grief", "sadness")),
    ("I didn't get into any school", ("disappointment", "sadness")),
    ("Our house burned down last night", ("sadness", "grief")),
    ("My daughter won't talk to me", ("sadness",)),
    ("They cancelled my surgery again", ("annoyance", "disappointment")),
    ("My roommate stole my money", ("anger",)),
    ("He shouted at me in front of everyone", ("anger", "embarrassment")),
    ("My boss took the credit for my work", ("anger", "annoyance")),
    ("Somebody keyed my car", ("anger", "annoyance")),
    ("I found a lump and I see the doctor tomorrow", ("fear", "nervousness")),
    ("Somebody followed me home last night", ("fear",)),
    ("I have my first interview in an hour", ("nervousness",)),
    ("The doctors don't know what she has", ("fear", "sadness")),
    ("I heard footsteps in the hall and I live alone", ("fear",)),
    ("I forgot her birthday", ("remorse",)),
    ("I told him something I should have kept to myself", ("remorse",)),
    ("I called my teacher mum in front of the class", ("embarrassment",)),
    ("There was a worm in my salad", ("disgust",)),
    ("He hasn't washed his sheets in a year", ("disgust",)),
    ("I moved here in March", ("neutral",)),
    ("My appointment is at half past three", ("neutral",)),
    ("I take the bus to work", ("neutral",)),
    ("My sister lives in Leeds", ("neutral",)),
    ("I'm allergic to peanuts", ("neutral",)),
    ("We have two cats and a dog", ("neutral",)),
    ("I drink coffee without sugar", ("neutral",)),
    ("The report is due on Friday", ("neutral",)),
)
TELLINGS: Final = ("{}.", "{}", "So, {}.", "I wanted to tell you: {}.", "You know what? {}.")

# On EmoBank's narrow scales, on which a standard deviation is about 0.17, 0.06 and 0.1.
SOUR: Final = (-0.3, 0.29, -0.06)
EASED: Final = (0.08, 0.23, 0.05)


def _examples() -> Iterator[Example]:
    for welcome, mishap in product(WELCOMES, MISHAPS):
        yield welcome.format(mishap), ("annoyance", "disappointment"), SOUR
    for welcome, gift in product(WELCOMES, GIFTS):
        yield welcome.format(gift), ("joy", "excitement"), None
    for (word, _), over in product(NEGATIVE, OVER):
        yield over.format(word), ("relief", "neutral"), EASED
    for (word, label), felt in product(NEGATIVE, FELT):
        yield felt.format(word), (label,), None
    for (word, label), denied in product(POSITIVE, DENIED):
        yield denied.format(word), (label,), SOUR
    for (event, labels), telling in product(EVENTS, TELLINGS):
        yield telling.format(event), labels, None


def template_rows(most: int = 1200) -> Rows:
    """Return the sentences with their emotions, and VAD where it is not what the words suggest.

    Args:
        most: how many, drawn at random but always the same.
    """
    examples = list(_examples())
    order = np.random.default_rng(0).permutation(len(examples))[:most]
    targets = np.full((len(order), OUTPUTS), np.nan, dtype=np.float32)
    emotions = columns("emotions")
    for row, index in enumerate(order):
        _, labels, vad = examples[index]
        targets[row, emotions] = 0
        targets[row, [emotions.start + GOEMOTIONS.index(label) for label in labels]] = 1
        if vad is not None:
            targets[row, columns("vad")] = vad
    return Rows([examples[i][0] for i in order], targets, ["templates"] * len(order))
