"""The questions with `{variables}` in them, of which each framework makes templates of its own."""

from collections.abc import Mapping, Sequence
from typing import Final

from emomem.appraisal.chat import scoring_messages
from emomem.appraisal.replies import PromptKind
from emomem.prompts import Language, Tag
from emomem.prompts.questions import (
    care_messages,
    conflict_answer_messages,
    deep_encoding_messages,
    judge_messages,
    role_play_messages,
)
from emomem.protocols import ChatMessage

TAGS: Final[Mapping[str, Tag]] = {
    "text": "text",
    "message": "text",
    "question": "text",
    "dialogue": "text",
    "reply": "reply",
    "memories": "memories",
    "profile": "profile",
    "place": "scene",
    "status": "scene",
}
"""The tag that each variable is quoted in, which it must not close (`emomem.prompts.escaped`)."""

VARIABLES: Final = (*TAGS, "affect", "character", "business")
"""All variables; the last three are the application's own words and stand in no tag."""


def affect_scoring(
    prompt: PromptKind = "vad", language: Language = "en", goals: Sequence[str] = ()
) -> list[ChatMessage]:
    """Of a `{text}` (`emomem.appraisal.chat.scoring_messages`)."""
    return scoring_messages("{text}", prompt, language, goals)


def deep_encoding(language: Language = "en") -> list[ChatMessage]:
    """Of a `{text}`, and how it feels as the fields `{affect}`."""
    return deep_encoding_messages("{text}", "{affect}", language)


def conflict_aware_answer(language: Language = "en") -> list[ChatMessage]:
    """Of the `{memories}`, and the user's `{text}`."""
    return conflict_answer_messages("{memories}", "{text}", language)


def role_play(
    language: Language = "en", *, scene: bool = False, task: str | None = None
) -> list[ChatMessage]:
    """Of a `{character}`, their `{profile}` and `{memories}`, and a `{question}`."""
    place, status = ("{place}", "{status}") if scene else (None, None)
    return role_play_messages(
        "{character}",
        "{profile}",
        "{memories}",
        "{question}",
        place=place,
        status=status,
        task=task,
        language=language,
    )


def customer_care(language: Language = "en") -> list[ChatMessage]:
    """Of a `{business}`, its `{memories}` of a customer, a `{message}` and its `{affect}`."""
    return care_messages("{business}", "{memories}", "{affect}", "{message}", language)


def judge(language: Language = "en") -> list[ChatMessage]:
    """Of a `{dialogue}` so far, and a `{reply}` to it."""
    return judge_messages("{dialogue}", "{reply}", language)
