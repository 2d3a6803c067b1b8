"""Does recall by feeling keep a character in character? Emotional RAG's experiment (2410.23041)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from emomem.evaluation.alignment import Agreement, agreement
from emomem.evaluation.characters import Subject
from emomem.evaluation.datasets.incharacter import Question, Questionnaire
from emomem.evaluation.interviews import Read, batches, judged, transcript
from emomem.evaluation.readings import Progress, silent
from emomem.evaluation.working import CONCURRENT, each
from emomem.prompts import Language
from emomem.protocols import Appraiser, ChatModel
from emomem.ranking.paper import emotion_distances, semantic_distances
from emomem.roleplay import (
    RECALLED,
    STRATEGIES,
    recall,
    score_by_prompt,
    scores_by_appraiser,
)

FloatArray = NDArray[np.float64]

ORDINARY: Final = "ordinary"
"""The strategy that the others are compared with."""

EMOTION: Final = "emotion distance"
SEMANTIC: Final = "semantic distance"
SHARED: Final = "shared with ordinary"

_LONGEST_ANSWER: Final = 2000
"""Characters of an answer that a judge reads."""

Embed = Callable[[Sequence[str]], NDArray[np.floating]]
Feel = Callable[[Sequence[tuple[str, Language]]], FloatArray]

Rows = tuple[int, ...]
"""Places of the memories that were recalled, best first."""


@dataclass(frozen=True, eq=False)
class Encoded:
    """A character's memories and the questions to it, by meaning and feeling.

    Attributes:
        subject: The character.
        questions: What it is asked, in its language.
        memories: (n, d) embeddings of length one.
        feelings: (n, 8) Plutchik's emotions on 1..10; a NaN row where they are not known.
        asked: (q, d) the questions' embeddings.
        felt: (q, 8) their emotions.
    """

    subject: Subject
    questions: Sequence[Question]
    memories: NDArray[np.floating] = field(repr=False)
    feelings: FloatArray = field(repr=False)
    asked: NDArray[np.floating] = field(repr=False)
    felt: FloatArray = field(repr=False)

    def said(self, place: int) -> str:
        """A question in the character's language."""
        return self.questions[place].said(self.subject.character.language)

    def recalled(self, strategy: str, k: int) -> list[Rows]:
        """What a strategy of `STRATEGIES` recalls at each question."""
        return [
            tuple(
                recall(STRATEGIES[strategy], query, felt, self.memories, self.feelings, k).tolist()
            )
            for query, felt in zip(self.asked, self.felt, strict=True)
        ]


@dataclass(frozen=True)
class Interviewed:
    """What came of the interviews of one model under one strategy.

    Attributes:
        agreements: How each character's judged personality agrees with its labels.
        scores: By character and dimension, what the judge made of it.
        unanswered: Questions that were answered with nothing.
        unjudged: Groups of answers of which the judge said nothing usable.
    """

    agreements: Sequence[Agreement]
    scores: Mapping[str, Mapping[str, float]]
    unanswered: int
    unjudged: int


def by_model(model: ChatModel, progress: Progress = silent, concurrent: int = CONCURRENT) -> Feel:
    """Feels as a chat model scores the eight emotions, as published.

    Raises:
        Exception: What the model raises, when it is called.
    """

    def feel(texts: Sequence[tuple[str, Language]]) -> FloatArray:
        found = each(
            lambda one: score_by_prompt(model, *one), texts, "Scoring", progress, concurrent
        )
        return np.array([found[one] for one in texts]).reshape(len(texts), -1)

    return feel


def by_appraiser(appraiser: Appraiser) -> Feel:
    """Feels as an appraiser reads, whose distribution becomes the eight scores."""
    return lambda texts: scores_by_appraiser(appraiser, [text for text, _ in texts])


def encode(
    subjects: Sequence[Subject], questionnaire: Questionnaire, embed: Embed, feel: Feel
) -> list[Encoded]:
    """Read the memories of all characters and the questions to them.

    Args:
        subjects: The characters.
        questionnaire: What they are asked.
        embed: (n, d) embeddings of length one, of n texts.
        feel: (n, 8) scores 1..10, of n texts with the language to ask in.
    """
    encoded = []
    for subject in subjects:
        language = subject.character.language
        questions = [one.said(language) for one in questionnaire.questions]
        encoded.append(
            Encoded(
                subject,
                questionnaire.questions,
                embed(subject.memories),
                feel([(text, language) for text in subject.memories]),
                embed(questions),
                feel([(text, language) for text in questions]),
            )
        )
    return encoded


def unread(encoded: Sequence[Encoded]) -> tuple[float, float]:
    """The shares 0..1 of memories and of questions whose emotions could not be read."""
    sides = [one.feelings for one in encoded], [one.felt for one in encoded]
    memories, questions = (float(np.isnan(np.concatenate(x)).any(axis=1).mean()) for x in sides)
    return memories, questions


def measure_recall(
    encoded: Sequence[Encoded], strategies: Sequence[str], k: int = RECALLED
) -> dict[str, dict[str, FloatArray]]:
    """What each strategy recalls: one value a character, by strategy and measure.

    The mean distance of what is recalled to the question: by emotion the cosine distance of the
    eight scores, by meaning the Euclidean distance of the embeddings; and the share of it that
    ordinary retrieval recalls too.

    Args:
        encoded: The characters.
        strategies: Names of `STRATEGIES`.
        k: How many memories are recalled, >= 1.
    """
    found: dict[str, dict[str, list[float]]] = {}
    for strategy in strategies:
        values: dict[str, list[float]] = {EMOTION: [], SEMANTIC: [], SHARED: []}
        for one in encoded:
            apart, far, shared = [], [], []
            plain = one.recalled(ORDINARY, k)
            for place, rows in enumerate(one.recalled(strategy, k)):
                chosen = list(rows)
                cosines = np.clip(one.memories[chosen] @ one.asked[place], -1.0, 1.0)
                far.append(semantic_distances(cosines.astype(float)))
                apart.append(emotion_distances(one.feelings[chosen], one.felt[place]))
                shared.append(len({*rows} & {*plain[place]}) / len(rows))
            values[EMOTION].append(_mean(np.concatenate(apart)))
            values[SEMANTIC].append(_mean(np.concatenate(far)))
            values[SHARED].append(float(np.mean(shared)))
        found[strategy] = values
    return {
        strategy: {name: np.array(of) for name, of in values.items()}
        for strategy, values in found.items()
    }


def _mean(values: FloatArray) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if known.size else float("nan")


def interview(  # noqa: PLR0913 - each is a part of the experiment
    encoded: Sequence[Encoded],
    questionnaire: Questionnaire,
    strategies: Sequence[str],
    *,
    generator: ChatModel,
    judge: ChatModel,
    k: int = RECALLED,
    concurrent: int = CONCURRENT,
    progress: Progress = silent,
) -> dict[str, Interviewed]:
    """Have each character answer each question out of what each strategy recalls, and judge it.

    The judge sees questions and answers of one dimension, three to four at a time, and neither the
    character's name nor the memories nor the strategy. What two strategies recall alike is
    answered once.

    Args:
        encoded: The characters, with labels of the questionnaire.
        questionnaire: What they are asked.
        strategies: Names of `STRATEGIES`.
        generator: Plays the characters.
        judge: Judges their answers.
        k: How many memories are recalled, >= 1.
        concurrent: How many calls run at a time, >= 1.
        progress: Is told how far it is.

    Raises:
        Exception: What a model raises.
    """
    told = {
        (strategy, row, place): rows
        for strategy in strategies
        for row, one in enumerate(encoded)
        for place, rows in enumerate(one.recalled(strategy, k))
    }
    questions = [(row, place, rows) for (_, row, place), rows in told.items()]
    answers = each(
        partial(_answer, generator, encoded), questions, "Interviewing", progress, concurrent
    )
    reads = {
        (strategy, row): _reads(
            one,
            questionnaire,
            [answers[row, place, told[strategy, row, place]] for place in range(len(one.asked))],
        )
        for strategy in strategies
        for row, one in enumerate(encoded)
    }
    every = [read for some in reads.values() for read in some]
    opinions = each(partial(judged, judge, questionnaire), every, "Judging", progress, concurrent)
    found = {}
    for strategy in strategies:
        of_each = [
            _scores(questionnaire, reads[strategy, row], opinions) for row in range(len(encoded))
        ]
        found[strategy] = Interviewed(
            [
                agreement(scores, one.subject.labels[questionnaire.kind], questionnaire)
                for one, scores in zip(encoded, of_each, strict=True)
            ],
            {one.subject.id: scores for one, scores in zip(encoded, of_each, strict=True)},
            unanswered=sum(
                not answers[row, place, rows]
                for (name, row, place), rows in told.items()
                if name == strategy
            ),
            unjudged=sum(
                opinions[read] is None
                for row in range(len(encoded))
                for read in reads[strategy, row]
            ),
        )
    return found


def _answer(model: ChatModel, encoded: Sequence[Encoded], asked: tuple[int, int, Rows]) -> str:
    row, place, rows = asked
    one = encoded[row]
    memories = [one.subject.memories[memory] for memory in rows]
    said = model.complete(one.subject.character.messages(one.said(place), memories))
    return said.strip()[:_LONGEST_ANSWER]


def _reads(one: Encoded, questionnaire: Questionnaire, answers: Sequence[str]) -> list[Read]:
    """What the judge reads of one character, dimension by dimension; empty answers left out."""
    reads = []
    for dimension in questionnaire.dimensions:
        exchanges = [
            (one.said(place), answer)
            for place, answer in enumerate(answers)
            if one.questions[place].dimension == dimension and answer
        ]
        if exchanges:
            reads += [
                Read(
                    dimension,
                    one.subject.character.language,
                    transcript(one.subject, group),
                )
                for group in batches(exchanges)
            ]
    return reads


def _scores(
    questionnaire: Questionnaire, reads: Sequence[Read], opinions: Mapping[Read, float | None]
) -> dict[str, float]:
    """The mean opinion of each dimension that the judge said something of."""
    scores = {}
    for dimension in questionnaire.dimensions:
        own = [opinions[read] for read in reads if read.dimension == dimension]
        known = [one for one in own if one is not None]
        if known:
            scores[dimension] = float(np.mean(known))
    return scores
