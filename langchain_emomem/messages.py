"""From LangChain messages to the turns that tell the user's affect."""

from collections.abc import Sequence

from langchain_core.messages import HumanMessage, MessageLikeRepresentation, convert_to_messages

Conversation = str | Sequence[MessageLikeRepresentation]
"""The turns so far, oldest first: the user's texts, or messages, of which the human ones count."""


def user_turns(conversation: Conversation) -> list[str]:
    """The user's own words, oldest first.

    Raises:
        TypeError: A turn is neither a text nor anything that LangChain takes for a message.
    """
    turns = [conversation] if isinstance(conversation, str) else conversation
    try:
        # A bare text becomes a human message.
        messages = convert_to_messages(turns)
    except (NotImplementedError, ValueError) as error:
        kinds = ", ".join(sorted({type(turn).__name__ for turn in turns}))
        msg = f"a turn of the conversation is a str or a message; got {kinds}"
        raise TypeError(msg) from error
    return [str(turn.text) for turn in messages if isinstance(turn, HumanMessage)]
