"""A query in the words of the memories: what a chat model makes of what was said."""

import logging
from collections.abc import Sequence
from typing import Annotated, Final

from pydantic import AfterValidator

from emomem.appraisal.language import detect_language
from emomem.asking import Reply, aask, ask
from emomem.checks import stripped
from emomem.prompts import Language, prompts, quoted
from emomem.protocols import ChatMessage, ChatModel

logger = logging.getLogger(__name__)

_MOST_TURNS: Final = 20


class Rewritten(Reply):
    """The answer: the search query."""

    query: Annotated[str, AfterValidator(stripped)]


def rewritten(model: ChatModel, query: str, turns: Sequence[str] = ()) -> str:
    """A query to search memories with, in place of what the user said.

    Args:
        model: The model that rewrites it.
        query: What the user says.
        turns: The turns before it, oldest first, of whoever; the last twenty are shown.

    Returns:
        The model's query; the user's own words where it fails or answers nonsense.
    """
    language = detect_language(query) or "en"
    try:
        return ask(model, _messages(query, turns, language), Rewritten, language).query
    except Exception as error:  # noqa: BLE001 - a failure costs only the rewriting
        return _failed(error, query)


async def arewritten(model: ChatModel, query: str, turns: Sequence[str] = ()) -> str:
    """`rewritten` without blocking the event loop."""
    language = detect_language(query) or "en"
    try:
        return (await aask(model, _messages(query, turns, language), Rewritten, language)).query
    except Exception as error:  # noqa: BLE001 - a failure costs only the rewriting
        return _failed(error, query)


def _messages(query: str, turns: Sequence[str], language: Language) -> list[ChatMessage]:
    said = [*turns[-_MOST_TURNS:], query]
    question = "\n\n".join(quoted(turn, "text") for turn in said)
    return [
        {"role": "system", "content": prompts(language).rewrite},
        {"role": "user", "content": question},
    ]


def _failed(error: Exception, query: str) -> str:
    # The error's own message may quote what was said, so only its type is logged.
    logger.warning("a chat model failed with %s; the query stays as it is", type(error).__name__)
    return query
