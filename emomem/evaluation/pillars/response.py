"""Empathic response: does an answer meet the user, out of what they have lived through?"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

from emomem.evaluation.agents import Found
from emomem.evaluation.pillars.asking import Models, Part, Subject, measure_part, usable
from emomem.evaluation.pillars.base import Pillar
from emomem.evaluation.pillars.reasoning import SIMILAR
from emomem.evaluation.similarity import Similarity
from emomem.evaluation.stories import Moment, names
from emomem.evaluation.suites.eem import GRADES, Companion, Judgement
from emomem.prompts.questions import companion_messages, judge_messages
from emomem.protocols import ChatModel

SHOWN: Final = "emotional history shown"
ALL: Final = "all of the emotional history told"
SOME: Final = "some of it told"

_MOMENTS: Final = (
    "Moments of our own, each a user with some feelings among plain everyday things, and what the "
    "user says now, which does not name what happened; English, Chinese, Portuguese. "
)
MEMORY_NOTE: Final = (
    f"{_MOMENTS}No model: whether the feelings that an answer should know of, marked by hand, are "
    "brought back for it."
)
ANSWER_NOTE: Final = (
    f"{_MOMENTS}An answer shows the history if it says a word of it; no usable answer does not. "
    "Similarity as above. The judge reads what was told, the message and one answer. Dealt out: "
    "the same answers, each to the next moment, as a control."
)


def measure_response(
    subjects: Mapping[str, Subject],
    moments: Sequence[Moment],
    models: Models,
    similarity: Similarity,
) -> list[Pillar]:
    """What memories bring back for a moment, and what is answered.

    Args:
        subjects: By name; the memories among them have been told the moments.
        moments: The moments.
        models: The chat models.
        similarity: Compares texts with references.

    Raises:
        ModelFailedError: A model or an agent failed; what it answered before is kept.
    """
    part = Part(
        name="response",
        title="Empathic response",
        memory_note=MEMORY_NOTE,
        answer_note=ANSWER_NOTE,
        told=_told,
        said=partial(_answered, similarity=similarity),
        reply=_reply,
        judging=judge_messages,
        judgement=Judgement,
        grades={f"{name}, 1 to 5": name for name in GRADES},
    )
    return measure_part(part, subjects, moments, models)


def _told(moments: Sequence[Moment], found: Sequence[Found]) -> dict[str, list[bool | None]]:
    columns: dict[str, list[bool | None]] = {ALL: [], SOME: []}
    for one, came in zip(moments, found, strict=True):
        hits = [any(text in told for told in came.told) for text in one.texts(one.history)]
        columns[ALL].append(all(hits))
        columns[SOME].append(any(hits))
    return columns


def _answered(
    moments: Sequence[Moment], answers: Sequence[str], *, similarity: Similarity
) -> dict[str, Sequence[bool | float | None]]:
    return {
        SHOWN: [names(text, one.shows) for text, one in zip(answers, moments, strict=True)],
        SIMILAR: similarity(answers, [one.expert for one in moments]),
    }


def _reply(model: ChatModel, context: str, moment: Moment) -> str | None:
    question = companion_messages(context, moment.message, moment.language)
    said = usable(model, question, Companion, moment.language)
    return None if said is None else said.reply
