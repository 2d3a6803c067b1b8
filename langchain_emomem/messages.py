"""From LangChain messages to the turns that tell the user's affect."""

from collections.abc import Sequence
from typing import Final

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    MessageLikeRepresentation,
    convert_to_messages,
)

Conversation = str | Sequence[MessageLikeRepresentation]
"""The turns so far, oldest first: the user's texts, or messages, of which the human ones count."""

_SPEAKERS: Final = (HumanMessage, AIMessage)


def user_turns(conversation: Conversation) -> list[str]:
    """The user's own words, oldest first.

    A human message that LangChain wrote itself, such as a summary, is none (`is_own`).

    Raises:
        TypeError: It is no list of turns, or a turn is neither a text nor anything that LangChain
            takes for a message.
    """
    return [_text(turn) for turn in _messages(conversation) if is_own(turn)]


def is_own(message: BaseMessage) -> bool:
    """Whether the user said it: LangChain marks the human messages that it writes itself."""
    written = message.additional_kwargs.get("lc_source") is not None
    return isinstance(message, HumanMessage) and not written


def spoken_turns(conversation: Conversation) -> list[str]:
    """What the user and the assistant said, oldest first.

    A summary is among it: it stands for what was said.

    Raises:
        TypeError: As for `user_turns`.
    """
    spoken = [turn for turn in _messages(conversation) if isinstance(turn, _SPEAKERS)]
    return [text for turn in spoken if (text := _text(turn)).strip()]


def _messages(conversation: Conversation) -> list[BaseMessage]:
    turns = [conversation] if isinstance(conversation, str) else conversation
    if not isinstance(turns, Sequence):
        msg = f"conversation is a list of turns, got one {type(turns).__name__}"
        raise TypeError(msg)
    try:
        # A bare text becomes a human message.
        return convert_to_messages(turns)
    except (NotImplementedError, ValueError) as error:
        kinds = ", ".join(sorted({type(turn).__name__ for turn in turns}))
        msg = f"a turn of the conversation is a str or a message; got {kinds}"
        raise TypeError(msg) from error


def _text(message: BaseMessage) -> str:
    return str(message.text)
