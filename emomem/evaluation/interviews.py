"""Interviews by a questionnaire: what a character answers, and what a judge makes of it.

As InCharacter (Wang et al. 2024, arXiv:2310.17976) does and Emotional RAG after it: the statements
of a questionnaire as open questions, and for each dimension a judge that reads three to four
answers at a time, without the character's name.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Final, Self, TypeVar

from pydantic import Field, model_validator

from emomem.asking import NOT_BOOL, Reply, UnusableAnswerError, ask
from emomem.evaluation.characters import MIDDLE, Subject
from emomem.evaluation.datasets.incharacter import Questionnaire
from emomem.prompts import Language, filled, prompts, quoted
from emomem.protocols import ChatMessage, ChatModel
from emomem.roleplay.character import COLON

MOST: Final = 4
"""How many answers a judge reads at once."""

_FEWEST_TO_PART: Final = 2 * (MOST - 1)
_PERCENT: Final = 100
_ROUNDING: Final = 1.0

_Reason = Annotated[str, Field(repr=False, json_schema_extra={"maxLength": 300})]
# A model that is held to the schema gives whole numbers; any other may give what it likes.
_Percent = Annotated[
    float,
    Field(ge=0, le=_PERCENT, allow_inf_nan=False, json_schema_extra={"type": "integer"}),
    NOT_BOOL,
]

T = TypeVar("T")


class Shares(Reply):
    """How much of either pole, in percent."""

    reason: _Reason = ""
    first: _Percent
    second: _Percent

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if abs(self.first + self.second - _PERCENT) > _ROUNDING:
            msg = "first and second must sum to 100"
            raise ValueError(msg)
        return self


class Score(Reply):
    """How much of a dimension, 1 to 5."""

    reason: _Reason = ""
    score: Annotated[float, Field(ge=1, le=5, allow_inf_nan=False), NOT_BOOL]


@dataclass(frozen=True)
class Read:
    """What a judge reads at once.

    Attributes:
        dimension: Which dimension the answers are about.
        language: The language of the interview.
        transcript: The questions and answers, without the character's name.
    """

    dimension: str
    language: Language
    transcript: str


def batches(answers: Sequence[T]) -> list[Sequence[T]]:
    """The answers in groups of three to four, or all in one where they are fewer than six."""
    count = 1 if len(answers) < _FEWEST_TO_PART else -(-len(answers) // MOST)
    ends = [round(place * len(answers) / count) for place in range(count + 1)]
    return [answers[start:end] for start, end in pairwise(ends)]


def transcript(subject: Subject, exchanges: Sequence[tuple[str, str]]) -> str:
    """Questions and answers as a judge reads them, with nobody's name.

    Args:
        subject: Who answered.
        exchanges: Question and answer of each.
    """
    language = subject.character.language
    texts, colon = prompts(language), COLON[language]
    return "\n\n".join(
        f"{texts.interviewer}{colon}{_nameless(question, subject, texts.participant)}\n"
        f"{texts.participant}{colon}{_nameless(answer, subject, texts.participant)}"
        for question, answer in exchanges
    )


def _nameless(text: str, subject: Subject, instead: str) -> str:
    for name in subject.names:
        # Chinese puts no space around a name.
        pattern = rf"\b{re.escape(name)}\b" if name.isascii() else re.escape(name)
        text = re.sub(pattern, instead, text)
    return text


def judge_messages(questionnaire: Questionnaire, read: Read) -> list[ChatMessage]:
    """What a judge is asked about some answers."""
    texts = prompts(read.language)
    common = {
        "questionnaire": questionnaire.name,
        "dimension": read.dimension,
        "description": questionnaire.dimensions[read.dimension],
    }
    if questionnaire.kind == "mbti":
        first, second = read.dimension.split("/")
        system = filled(texts.personality_shares, **common, first=first, second=second)
    else:
        ends = {"low": questionnaire.low, "high": questionnaire.high}
        ends["middle"] = MIDDLE[questionnaire.kind]
        told = {name: f"{end:g}" for name, end in ends.items()}
        system = filled(texts.personality_score, **common, **told)
    return [
        {"role": "system", "content": system},
        {"role": "user", "content": quoted(read.transcript, "text")},
    ]


def judged(model: ChatModel, questionnaire: Questionnaire, read: Read) -> float | None:
    """What a judge makes of some answers, on the dimension's scale.

    Returns:
        The percentage of the first pole, or the score; None where the judge answered nothing
        usable.

    Raises:
        Exception: Whatever the model raises.
    """
    messages = judge_messages(questionnaire, read)
    try:
        if questionnaire.kind == "mbti":
            return ask(model, messages, Shares, read.language).first
        return ask(model, messages, Score, read.language).score
    except UnusableAnswerError:
        return None
