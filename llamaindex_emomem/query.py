"""A query that says more than its words: how the user feels, and what was said before."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dataclasses_json import config
from llama_index.core.llms import ChatMessage, MessageRole
from llama_index.core.schema import QueryBundle

from emomem.affect import Affect
from emomem.ranking import Overrides, Policy, PresentAffect, resolve_policy
from llamaindex_emomem.component import part_reader, written_affect, written_part

Conversation = str | Sequence[str | ChatMessage]
"""The turns so far, oldest first: the user's texts, or messages, of which the user's count."""


def _turns(conversation: Conversation | None) -> Sequence[str | ChatMessage]:
    if conversation is None:
        return ()
    turns = [conversation] if isinstance(conversation, str) else conversation
    if not isinstance(turns, Sequence):
        msg = f"conversation is a list of turns, got one {type(turns).__name__}"
        raise TypeError(msg)
    return turns


def _written_turns(conversation: Conversation | None) -> list[Any]:
    return [
        turn if isinstance(turn, str) else turn.model_dump(mode="json")
        for turn in _turns(conversation)
    ]


def _read_turns(turns: Sequence[Any]) -> list[str | ChatMessage]:
    return [turn if isinstance(turn, str) else ChatMessage.model_validate(turn) for turn in turns]


def _read_affect(affect: Any) -> Any:  # noqa: ANN401 - JSON
    return Affect.model_validate(affect) if isinstance(affect, Mapping) else affect


def _written_policy(policy: str | Policy | None) -> Any:  # noqa: ANN401 - JSON
    return None if policy is None else written_part(policy)


@dataclass
class AffectQueryBundle(QueryBundle):
    """A query with its own affect, policy or conversation, wherever LlamaIndex takes a query.

    A query engine hands it to its retriever and its postprocessors alike. What is None, or empty,
    leaves what they say.

    It is written as JSON and read again like any query bundle, unless its affect is a callable.

    Attributes:
        affect: The user's present affect: an `Affect`, a label, or a callable that returns one.
        policy: Which affect is wanted for it: a name or an instance.
        conversation: The turns so far, which tell how the user feels.

    Raises:
        TypeError: The conversation is no list of turns, or a turn is neither a text nor a message.

    Example:
        >>> AffectQueryBundle("that evening", affect="joy", policy="congruent").query_str
        'that evening'
    """

    affect: PresentAffect | None = field(
        default=None, metadata=config(encoder=written_affect, decoder=_read_affect)
    )
    policy: str | Policy | None = field(
        default=None, metadata=config(encoder=_written_policy, decoder=part_reader(resolve_policy))
    )
    conversation: Conversation | None = field(
        default=(), metadata=config(encoder=_written_turns, decoder=_read_turns)
    )

    def __post_init__(self) -> None:
        """Check the conversation."""
        user_turns(self.conversation)


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
        "conversation": user_turns(query.conversation),
    }


def user_turns(conversation: Conversation | None) -> list[str]:
    """The user's own words, oldest first.

    Raises:
        TypeError: It is no list of turns, or a turn is neither a text nor a message.
    """
    return _said(conversation, MessageRole.USER)


def spoken_turns(conversation: Conversation | None) -> list[str]:
    """What the user and the assistant said, oldest first.

    Raises:
        TypeError: As for `user_turns`.
    """
    said = _said(conversation, MessageRole.USER, MessageRole.ASSISTANT)
    return [text for text in said if text.strip()]


def _said(conversation: Conversation | None, *roles: MessageRole) -> list[str]:
    turns = _turns(conversation)
    if not all(isinstance(turn, str | ChatMessage) for turn in turns):
        kinds = ", ".join(sorted({type(turn).__name__ for turn in turns}))
        msg = f"a turn of the conversation is a str or a ChatMessage; got {kinds}"
        raise TypeError(msg)
    return [
        turn if isinstance(turn, str) else turn.content or ""
        for turn in turns
        if isinstance(turn, str) or turn.role in roles
    ]
