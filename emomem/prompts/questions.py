"""The questions that an application asks a chat model, with what is told quoted as data."""

import math
from collections.abc import Sequence
from typing import Final, Literal
from xml.sax.saxutils import escape, quoteattr

from emomem.affect import Affect, AffectArray
from emomem.emotions import is_known_label
from emomem.prompts import Language, filled, prompts, quoted
from emomem.protocols import ChatMessage

Field = Literal["label", "valence", "arousal"]

FIELDS: Final[tuple[Field, ...]] = ("label", "valence", "arousal")
"""What is told of an affect, where it is known."""


def deep_encoding_messages(
    text: str, felt: str = "", language: Language = "en"
) -> list[ChatMessage]:
    """Asks for the four dimensions of a message (`emomem.encoding.record.DeepMemory`).

    Args:
        text: The message.
        felt: How it feels, as of `affect_fields`.
        language: The language of the question: "en", "zh" or "pt".

    Raises:
        ValueError: The language is none of the three.
    """
    texts = prompts(language)
    return _asked(texts.deep, felt, quoted(text, "text"), texts.deep_closing)


def conflict_answer_messages(
    memories: str, text: str, language: Language = "en"
) -> list[ChatMessage]:
    """Asks for an answer that names both sides of what is not settled.

    Args:
        memories: What is remembered, as of `ConflictAwareMemory.context` or `memory_block`.
        text: What the user says.
        language: The language of the question: "en", "zh" or "pt".

    Raises:
        ValueError: The language is none of the three.
    """
    return _asked(prompts(language).conflict_answer, _remembered(memories), quoted(text, "text"))


def companion_messages(memories: str, text: str, language: Language = "en") -> list[ChatMessage]:
    """Asks for the next thing to say to a user.

    Args:
        memories: What is remembered.
        text: What the user says.
        language: The language of the question: "en", "zh" or "pt".

    Raises:
        ValueError: The language is none of the three.
    """
    return _asked(prompts(language).companion, _remembered(memories), quoted(text, "text"))


def role_play_messages(  # noqa: PLR0913 - the parts of the published prompt
    character: str,
    profile: str,
    memories: str,
    question: str,
    *,
    place: str | None = None,
    status: str | None = None,
    task: str | None = None,
    language: Language = "en",
) -> list[ChatMessage]:
    """Asks for what a character answers: profile, memories, task and question, in this order.

    Args:
        character: Who answers.
        profile: Who that is.
        memories: What the character remembers, as of `memory_block`.
        question: What is said to them.
        place: Where they are, in the variant of the prompt with a scene; with `status`.
        status: How they are there.
        task: What is asked for; None is an answer of one to three sentences.
        language: The language of the question: "en", "zh" or "pt".

    Raises:
        ValueError: The language is none of the three, or of place and status only one is given.
    """
    texts = prompts(language)
    scene = ""
    if place is not None and status is not None:
        scene = quoted(filled(texts.role_play_scene, place=place, status=status), "scene")
    elif place is not None or status is not None:
        msg = f"place and status are given both or neither, got {place!r} and {status!r}"
        raise ValueError(msg)
    return _asked(
        filled(texts.role_play, character=character),
        quoted(profile, "profile"),
        _remembered(memories),
        scene,
        filled(texts.role_play_task, character=character) if task is None else task,
        quoted(question, "text"),
    )


def care_messages(
    business: str, memories: str, felt: str, message: str, language: Language = "en"
) -> list[ChatMessage]:
    """Asks for an answer to a customer.

    Args:
        business: Who answers: a name, or what it is ("a furniture shop").
        memories: What is remembered, as of `ConflictAwareMemory.context` or `memory_block`.
        felt: How the message feels, as of `affect_fields`.
        message: What the customer writes.
        language: The language of the question: "en", "zh" or "pt".

    Raises:
        ValueError: The language is none of the three.
    """
    system = filled(prompts(language).care, business=business)
    return _asked(system, _remembered(memories), felt, quoted(message, "text"))


def judge_messages(dialogue: str, reply: str, language: Language = "en") -> list[ChatMessage]:
    """Asks how empathic and how vivid a reply is, 1 to 5.

    Args:
        dialogue: What was said so far, up to the user's last words.
        reply: The reply to them.
        language: The language of the question: "en", "zh" or "pt".

    Raises:
        ValueError: The language is none of the three.
    """
    return _asked(prompts(language).judge, quoted(dialogue, "text"), quoted(reply, "reply"))


def plausibility_messages(
    dialogue: str, reply: str, language: Language = "en"
) -> list[ChatMessage]:
    """Asks how plausible an answer about what a user told is, 1 to 5.

    Args:
        dialogue: What was told, each with its date, and the question.
        reply: The answer to it.
        language: The language of the question: "en", "zh" or "pt".

    Raises:
        ValueError: The language is none of the three.
    """
    return _asked(prompts(language).plausibility, quoted(dialogue, "text"), quoted(reply, "reply"))


def affect_fields(affect: Affect, names: Sequence[Field] = FIELDS) -> str:
    r"""An affect as lines of fields; "" where nothing of it is known.

    Args:
        affect: The affect. A number that it does not know is its distribution's, where it has one;
            a label that is of no known set may be anything, and is not told.
        names: Which fields.

    Example:
        >>> affect_fields(Affect(valence=-0.6, arousal=0.8, label="anger"))
        'label: anger\nvalence: -0.60\narousal: 0.80'
    """
    return "\n".join(f"{name}: {value}" for name, value in _known(affect, names).items())


def memory_block(texts: Sequence[str], affects: Sequence[Affect] | None = None) -> str:
    """Memories for a prompt, one a line, each quoted and its affect beside it as fields.

    Args:
        texts: The memories, best first.
        affects: How each felt; None for not at all.

    Raises:
        ValueError: There is not one affect a text.

    Example:
        >>> memory_block(["They lost it again!"], [Affect(valence=-0.6, arousal=0.8)])
        '<memory valence="-0.60" arousal="0.80">They lost it again!</memory>'
    """
    felt = [Affect.unknown()] * len(texts) if affects is None else affects
    return "\n".join(
        f"<memory{_attributes(affect)}>{escape(text)}</memory>"
        for text, affect in zip(texts, felt, strict=True)
    )


def _attributes(affect: Affect) -> str:
    return "".join(f" {name}={quoteattr(value)}" for name, value in _known(affect, FIELDS).items())


def _known(affect: Affect, names: Sequence[Field]) -> dict[Field, str]:
    known: dict[Field, str] = {}
    columns = AffectArray.from_affects([affect])
    for name in names:
        if name == "label":
            if affect.label is not None and is_known_label(affect.label):
                known[name] = affect.label
        elif not math.isnan(value := float(columns.felt(name)[0])):
            known[name] = f"{value:.2f}"
    return known


def _remembered(memories: str) -> str:
    return quoted(memories, "memories") if memories.strip() else ""


def _asked(system: str, *parts: str) -> list[ChatMessage]:
    return [
        {"role": "system", "content": system},
        {"role": "user", "content": "\n\n".join(filter(None, parts))},
    ]
