"""The gate: how much affect may count for one query."""

import re
from typing import Final

from emomem.affect import Affect

_QUESTION: Final = re.compile(
    r"""^\W*(?:
        who|whom|whose|what(?!\s+an?\b)|where|which|why|how
        |when(?!\s+(?:i|you|he|she|it|we|they|my|your|his|her|our|their|the)\b)
        |(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would)
            \s+(?:i|you|he|she|it|we|they|there|this|that|these|those|any\w*)
        |(?:is|are|do|does|can|could|will|would)\s+(?:my|your|his|her|our|their|the)
        |list|show|find|name|tell\s+me|give\s+me|look\s+up|remind\s+me
        |quem|quando|onde|qual|quais|quant[oa]s?|como|o\s+que|por\s+que
    )\b
    |^(?!.*\b(?:i|my|we|our)\b.*[,;:]).*[?？]\s*$
    |什么|什麼|谁|誰|哪|几点|幾點|多少|何时|何時|怎么样|吗\s*[?？]?\s*$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_SENTENCE_END: Final = re.compile(r"(?<=[.!?。！？])\s+|(?<=[。！？])|\n+")
_LONGEST: Final = 300
"""Characters of a sentence beyond which it is no look-up."""

_FEELING: Final = re.compile(
    r"""\b(?:
        feel\w*|felt|emotion\w*|mood|cope|coping|bear|stand\s+it|cheer\w*|comfort\w*
        |love[ds]?|hat(?:e[ds]?|ing)|happy|happi\w+|joy\w*|glad|excit\w+|proud|grateful|thankful
        |hope\w*|reliev\w+|sad\w*|griev\w+|grief|cry\w*|cried|tears|depress\w+|lonel\w+|alone
        |miss(?:ed|ing)?|hurt\w*|heartbroken|devastat\w+|miserable|hopeless|worthless
        |ang(?:ry|er)|furious|mad|annoy\w+|frustrat\w+|upset|disappoint\w+|betray\w+|unfair
        |afraid|fear\w*|scared|terrif\w+|anxi\w+|worr\w+|nervous|stress\w*|panic\w*|overwhelm\w+
        |asham\w+|guilt\w*|embarrass\w+|regret\w*|sorry|disgust\w*|jealous\w*|tired\s+of|sick\s+of
        |sint\w+|senti\w*|triste\w*|feliz|raiva|medo|saudade\w*|sozinh[oa]|chor\w+
    )\b
    |感觉|感覺|难过|難過|伤心|傷心|开心|開心|高兴|高興|生气|生氣|害怕|孤独|孤獨|担心|擔心|想哭|痛苦
    """,
    re.IGNORECASE | re.VERBOSE,
)
_DELIBERATION: Final = re.compile(
    r"\b(?:(?:should|shall|can|could|must)\s+(?:i|we)|what\s+(?:do|can)\s+i\s+do|why\s+(?:me|am\s+i))\b",
    re.IGNORECASE,
)


def is_factual(query: str) -> bool:
    """Whether a query asks for a fact, so that feeling has nothing to say.

    The rule: each of its sentences has the form of a question or a look-up (a question word, an
    auxiliary verb before its subject, or a verb like "list" in front, or a question mark at the
    end of what is not first a statement of one's own), none names a feeling, and none asks what
    one should do. "What a day", "My dog died. Why?" and "I lost my job, can you believe it?" are
    not factual. English, with the commonest forms of Portuguese and Chinese.

    Example:
        >>> is_factual("When did I last see the dentist?")
        True
        >>> is_factual("Why do I feel so alone?"), is_factual("I hate this job")
        (False, False)
    """
    sentences = [part for part in _SENTENCE_END.split(query) if part.strip()]
    return (
        bool(sentences)
        and all(len(sentence) <= _LONGEST and _QUESTION.search(sentence) for sentence in sentences)
        and not _FEELING.search(query)
        and not _DELIBERATION.search(query)
    )


def gate(present: Affect, *, factual: bool = False) -> float:
    """How much affect may count, 0..1: confidence (1 - p(neutral)), and 0 for a factual query.

    A confidence that is not given is 1: a person stated the affect. An unknown affect gives 0.
    """
    if factual or present.is_unknown:
        return 0.0
    confidence = 1.0 if present.confidence is None else present.confidence
    return confidence * (1.0 - present.neutrality)
