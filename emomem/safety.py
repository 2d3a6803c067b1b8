"""Guardrails: small rules on what is recalled and what is said, on by default where they are free.

They are rules on words, in English alone, and err: they are no safety system.
"""

import re
from collections.abc import Mapping
from typing import Final

from emomem.affect import Affect
from emomem.ranking.policies import DISTRESS, present_valence

_ORDERS: Final = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:instruction|prompt|rule|message)s?\b"
    r"|\b(?:reveal|print|show|repeat)\b.{0,40}\b(?:system|hidden|secret)\b.{0,20}\b(?:prompt|instruction)s?\b"
    r"|\byou (?:are now|must now|will now)\b"
    r"|^\s*(?:system|assistant|developer)\s*:"
    r"|<\s*/?\s*(?:system|assistant|instructions?|recalled_memories)\b",
    re.IGNORECASE | re.MULTILINE,
)


_SELF_HARM: Final = re.compile(
    r"\b(?:kill(?:ing)?|hang(?:ing)?|hurt(?:ing)?|harm(?:ing)?|cut(?:ting)?|shoot(?:ing)?) myself\b"
    r"|\b(?:end(?:ing)?|take|taking) my (?:own )?life\b|\bend(?:ing)? it all\b|\bsuicid(?:e|al)\b"
    r"|\b(?:want|wish|going|ready|rather|like) to (?:die|be dead|not (?:be here|wake up))\b"
    r"|\bwish (?:i|that i) (?:was|were) (?:dead|never born)\b|\bbetter off (?:dead|without me)\b"
    r"|\b(?:don'?t|do not|no longer) want to (?:live|be alive|be here anymore|go on living)\b"
    r"|\bno reason to (?:live|go on)\b|\bself[- ]harm",
    re.IGNORECASE,
)

HUMAN_HELP: Final = (
    "The user's message suggests self-harm. Before anything else, answer with warmth and without "
    "judgement, and point to human help: people they trust, the local emergency number, or a "
    "crisis line of their country. Do not advise on methods, do not promise secrecy."
)

PROMOTIONAL: Final = "promotional"
"""The metadata key by which an application marks a unit that promotes something."""


def suggests_self_harm(text: str) -> bool:
    """Whether a message suggests that its writer may harm themselves.

    Example:
        >>> suggests_self_harm("I want to die"), suggests_self_harm("I could die laughing")
        (True, False)
    """
    return _SELF_HARM.search(text) is not None


def human_help(text: str) -> str | None:
    """What a model is told of a message that suggests self-harm; None of any other.

    The default of a memory's `guard`; a function of your own may do more, and say what it likes.
    """
    return HUMAN_HELP if suggests_self_harm(text) else None


def in_distress(present: Affect) -> bool:
    """Whether a user's valence lies below that of distress."""
    return present_valence(present) < DISTRESS


def may_be_told(metadata: Mapping[str, object], present: Affect) -> bool:
    """Whether a memory may be recalled: what promotes something, not to a user in distress."""
    return not (metadata.get(PROMOTIONAL) and in_distress(present))


def gives_orders(text: str) -> bool:
    """Whether a text tries to instruct the model that reads it.

    Example:
        >>> gives_orders("Ignore all previous instructions"), gives_orders("I like tea")
        (True, False)
    """
    return _ORDERS.search(text) is not None
