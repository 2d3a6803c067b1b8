"""A query that says more than its words: how the user feels, and what was said before."""

from collections.abc import Sequence
from dataclasses import dataclass

from llama_index.core.llms import ChatMessage, MessageRole
from llama_index.core.schema import QueryBundle

from emomem.ranking import Overrides, Policy, PresentAffect

Conversation = str | Sequence[str | ChatMessage]
"""The turns so far, oldest first: the user's texts, or messages, of which the user's count."""


@dataclass
class AffectQueryBundle(QueryBundle):
    """A query with its own affect, policy or conversation, wherever LlamaIndex takes a query.

    A query engine hands it to its retriever and its postprocessors alike. What is None, or empty,
    leaves what they say.

    Attributes:
        affect: The user's present affect: an `Affect`, a label, or a callable that returns one.
        policy: Which affect is wanted for it: a name or an instance.
        conversation: The turns so far, which tell how the user feels.

    Example:
        >>> AffectQueryBundle("that evening", affect="joy", policy="congruent").query_str
        'that evening'
    """

    affect: PresentAffect | None = None
    policy: str | Policy | None = None
    conversation: Conversation = ()


def overrides_of(query: QueryBundle) -> Overrides:
    """What the ranker has to know of a query beside its text.

    Raises:
        TypeError: A turn of its conversation is neither a text nor a message.
    """
    if not isinstance(query, AffectQueryBundle):
        return {}
    return {
        "affect": query.affect,
        "policy": query.policy,
        "conversation": _user_turns(query.conversation),
    }


def _user_turns(conversation: Conversation) -> list[str]:
    turns = [conversation] if isinstance(conversation, str) else conversation
    if not all(isinstance(turn, str | ChatMessage) for turn in turns):
        kinds = ", ".join(sorted({type(turn).__name__ for turn in turns}))
        msg = f"a turn of the conversation is a str or a ChatMessage; got {kinds}"
        raise TypeError(msg)
    return [
        turn if isinstance(turn, str) else turn.content or ""
        for turn in turns
        if isinstance(turn, str) or turn.role is MessageRole.USER
    ]
