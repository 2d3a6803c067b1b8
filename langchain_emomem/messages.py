"""From LangChain messages to the turns that tell the user's affect."""

from collections.abc import Sequence

from langchain_core.messages import BaseMessage, HumanMessage

Conversation = str | Sequence[str | BaseMessage]
"""The turns so far, oldest first: texts, or messages, of which the human ones count."""


def user_turns(conversation: Conversation) -> list[str]:
    """The user's own words, oldest first.

    Raises:
        TypeError: A turn is neither a text nor a message.
    """
    turns = [conversation] if isinstance(conversation, str) else conversation
    texts = []
    for turn in turns:
        if isinstance(turn, str):
            texts.append(turn)
        elif not isinstance(turn, BaseMessage):
            msg = f"a turn of the conversation is a str or a message, got {type(turn).__name__}"
            raise TypeError(msg)
        elif isinstance(turn, HumanMessage):
            texts.append(str(turn.text))
    return texts
