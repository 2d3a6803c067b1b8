"""Fusion and reasoning: what does a memory make of what contradicts itself or goes on?"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, Final

from pydantic import Field

from emomem.asking import NOT_BOOL, Reply
from emomem.evaluation.agents import Found
from emomem.evaluation.pillars.asking import Models, Part, Subject, measure_part
from emomem.evaluation.pillars.base import Pillar
from emomem.evaluation.similarity import Similarity
from emomem.evaluation.stories import History, names
from emomem.prompts.questions import conflict_answer_messages, plausibility_messages
from emomem.protocols import ChatModel

SERVED: Final = "what holds now served"
CLEAN: Final = "what is over not served as holding"
STATE: Final = "right current state"
BOTH: Final = "both sides told"
NAMED: Final = "named as a contradiction"
MISLED: Final = "the past taken for now"
SIMILAR: Final = "similarity to the expert"
PLAUSIBLE: Final = "plausibility, 1 to 5"
TOLD: Final = "texts told"
BOTH_NAMED: Final = "both sides named"

_MEMORY: Final = (TOLD, SERVED, CLEAN, STATE, BOTH, NAMED)
_HISTORIES: Final = (
    "Histories of our own: a fact that changed, a feeling that changed, or two sides that both "
    "stand, among plain everyday things; English, Chinese, Portuguese. "
)
MEMORY_NOTE: Final = (
    f"{_HISTORIES}No model: what a memory brings back for the question. A memory that gives texts "
    "alone serves all of them as holding. The right state is the first two at once; both sides are "
    "told wherever they stand; named is the pair told as a contradiction."
)
ANSWER_NOTE: Final = (
    f"{_HISTORIES}By the words of an answer: the right state is a phrase of what holds now, both "
    "sides a phrase of each. No usable answer counts as wrong. Similarity is token F1 by MiniLM "
    "(BERTScore's, unrescaled), a model for English. Dealt out: the same answers, each to the next "
    "history, as a control."
)


class Plausibility(Reply):
    """How plausible an answer is, 1 to 5."""

    reason: Annotated[str, Field(repr=False, json_schema_extra={"maxLength": 300})] = ""
    plausibility: Annotated[int, Field(ge=1, le=5), NOT_BOOL]


def measure_reasoning(
    subjects: Mapping[str, Subject],
    histories: Sequence[History],
    models: Models,
    similarity: Similarity,
) -> list[Pillar]:
    """What memories bring back for a question about a history, and what is answered.

    Args:
        subjects: By name; the memories among them have been told the histories.
        histories: The histories.
        models: The chat models.
        similarity: Compares texts with references.

    Raises:
        ModelFailedError: A model or an agent failed; what it answered before is kept.
    """
    part = Part(
        name="reasoning",
        title="Fusion and reasoning",
        memory_note=MEMORY_NOTE,
        answer_note=ANSWER_NOTE,
        told=_told,
        said=partial(_answered, similarity=similarity),
        reply=_reply,
        judging=plausibility_messages,
        judgement=Plausibility,
        grades={PLAUSIBLE: "plausibility"},
        pictured=_MEMORY[1:],
    )
    return measure_part(part, subjects, histories, models)


def _told(
    histories: Sequence[History], found: Sequence[Found]
) -> dict[str, list[bool | float | None]]:
    """What a memory brought back, history by history."""
    columns: dict[str, list[bool | float | None]] = {name: [] for name in _MEMORY}
    for one, came in zip(histories, found, strict=True):
        settled = one.kind != "open"
        served = _any_in(one.texts(one.current), came.current)
        clean = not _any_in(one.texts(one.past), came.current)
        sides = one.texts(one.sides)
        columns[TOLD].append(float(len(came.told)))
        columns[SERVED].append(served if settled else None)
        columns[CLEAN].append(clean if settled else None)
        columns[STATE].append(served and clean if settled else None)
        told = [*came.told, *(text for pair in came.conflicts for text in pair)]
        columns[BOTH].append(all(_any_in([side], told) for side in sides) if sides else None)
        columns[NAMED].append(frozenset(sides) in came.conflicts if sides else None)
    return columns


def _any_in(texts: Sequence[str], told: Sequence[str]) -> bool:
    return any(text in one for text in texts for one in told)


def _answered(
    histories: Sequence[History], answers: Sequence[str], *, similarity: Similarity
) -> dict[str, Sequence[bool | float | None]]:
    """What was answered, history by history."""
    pairs = list(zip(histories, answers, strict=True))
    right = [names(text, one.right) if one.right else None for one, text in pairs]
    past = [names(text, one.before) if one.before else None for one, text in pairs]
    return {
        STATE: right,
        MISLED: [
            None if old is None else old and not new for old, new in zip(past, right, strict=True)
        ],
        BOTH_NAMED: [
            all(names(text, side) for side in one.says) if one.says else None for one, text in pairs
        ],
        SIMILAR: similarity(answers, [one.expert for one in histories]),
    }


def _reply(model: ChatModel, context: str, history: History) -> str:
    return model.complete(conflict_answer_messages(context, history.message, history.language))
