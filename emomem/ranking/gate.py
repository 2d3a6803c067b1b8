"""The gate: how much affect may count for one query."""

import re
from typing import Final

import numpy as np

from emomem.affect import Affect
from emomem.appraisal.negation import UNPLEASANT
from emomem.ranking.policies import present_valence
from emomem.sentences import sentences

FULL: Final = 0.25
"""The feeling, 0..1, from which on the gate is fully open."""

_QUESTION: Final = re.compile(
    r"""^\W*(?:
        who|whom|whose|what(?!\s+an?\b)|where|which|why|how
        |when(?!\s+(?:i|you|he|she|it|we|they|my|your|his|her|our|their|the)\b)
        |(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would)
            \s+(?:i|you|he|she|it|we|they|there|this|that|these|those|any\w*)
        |(?:is|are|do|does|can|could|will|would)\s+(?:my|your|his|her|our|their|the)
        |answer|list|show|find|name|tell\s+me|give\s+me|look\s+up|remind\s+me
        |quem|quando(?!.*,)|onde|qual|quais|quant[oa]s?|o\s+que|por\s+que
        |como(?!\s+(?:eu\s+)?(?:estou|sou|d[óo]i|sinto|me\s+sinto)\b)
    )\b
    |^(?!.*\b(?:i|my|we|our)\b.*[,;:]).*[?？]\s*$
    |(?:(?<![没沒凭憑])什[么麼]|[谁誰]|哪|多少)(?!\w{0,3}[都也])
    |[几幾][点點]|何[时時]|怎[么麼][样樣]|[吗嗎]\s*[?？]?\s*$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_LONGEST: Final = 300
"""Characters of a sentence beyond which it is no look-up."""

_COURTESY: Final = re.compile(
    r"""^\W*(?:(?:
        (?:hi|hello|hey|oi|ol[áa])(?:\s+\w+)?|good\s+(?:morning|afternoon|evening|day)
        |(?:many\s+)?thanks(?:\s+(?:a\s+lot|so\s+much|again))?
        |thank\s+you(?:\s+(?:so|very)\s+much|\s+again)?
        |ok(?:ay)?|bom\s+dia|boa\s+(?:tarde|noite)|(?:muito\s+)?obrigad[oa](?:\s+mesmo)?
        |[你您]好|早上好|晚上好|(?:[谢謝]{2}|多[谢謝])[你您]?|好的
    )\b\W*){1,3}$
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""A sentence that only greets, thanks or agrees, so that it says nothing of what is asked."""

_FEELING: Final = re.compile(
    r"""\b(?:
        feel\w*|felt|emotion\w*|mood|cope|coping|bear|stand\s+it|cheer\w*|comfort\w*
        |love[ds]?|hat(?:e[ds]?|ing)|happy|happi\w+|joy\w*|glad|excit\w+|proud|grateful|thankful
        |hope\w*|reliev\w+|sad\w*|griev\w+|grief|cry\w*|cried|tears|depress\w+|lonel\w+|alone
        |miss(?:ed|ing)?|hurt\w*|heartbroken|devastat\w+|miserable|hopeless|worthless
        |ang(?:ry|er)|furious|mad|annoy\w+|frustrat\w+|upset|disappoint\w+|betray\w+|unfair
        |afraid|fear\w*|scared|terrif\w+|anxi\w+|worr\w+|nervous|stress\w*|panic\w*|overwhelm\w+
        |asham\w+|guilt\w*|embarrass\w+|regret\w*|sorry|disgust\w*|jealous\w*|tired\s+of|sick\s+of
        |sint[oa]\w*|sent(?:e[ms]?|i(?:r|a|u|do|mos|ndo|mento\w*)?)|triste\w*
        |feliz|saudade\w*|chor\w+
    )\b
    |感[觉覺]|[开開]心|高[兴興]|想[哭死]
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""Feelings by their names, next to those of `UNPLEASANT`."""

_DELIBERATION: Final = re.compile(
    r"""\b(?:
        (?:should|shall|must)\s+(?:i|we)
        |what(?:\s+else)?\s+(?:do|can|could)\s+(?:i|we)\s+(?:do|have\s+done)
        |how\s+(?:can|could|do)\s+(?:i|we)\s+(?:ever\s+)?
            (?:do\s+this|go\s+on|carry\s+on|live\s+with(?:out)?|die|survive|forgive|face|get\s+over
            |(?:trust|help)\s+(?:my|him|her|them|any\w*))
        |how\s+could\s+(?:i|we)\s+(?:be|let|forget|not)
        |why\s+(?:me|am\s+i)
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)
"""What one should do, or how to go on: "can I" and "can we" by themselves ask for a fact."""

_OF_ONESELF: Final = re.compile(
    r"""\b(?:
        i|i['’]\w+|me|my|mine|myself|we|us|our|ourselves
        |eu|mim|comigo|meus?|minhas?|nós|noss[oa]s?|estou|sou|tenho|sinto|senti|fico|fiquei|odeio
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)
_OF_KIN: Final = re.compile(
    r"""\bmy\s+(?:\w+\s+)?(?:
        mum|mom|mother|dad|father|parents?|sisters?|brothers?|sons?|daughters?|kids?|children
        |wife|husband|partner|boyfriend|girlfriend|(?:best\s+)?friends?|aunt|uncle|cousins?
        |grand\w+|neighbou?rs?|boss|colleagues?|teachers?
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)
_OF_OTHERS: Final = re.compile(
    r"\b(?:(?i:he|she|they|him|her|his|hers|them|their|theirs)|(?<=[\w,'’] )(?!I\b)[A-Z][a-z]+)\b"
)


def _asks_of_others(query: str) -> bool:
    """Whether a question is about other people alone: named, or he, she and they, and kin."""
    rest, kin = _OF_KIN.subn("", query)
    return not _OF_ONESELF.search(rest) and bool(kin or _OF_OTHERS.search(rest))


def is_factual(query: str) -> bool:
    """Whether a query asks for a fact, so that feeling has nothing to say.

    The rule: each of its sentences but greetings and thanks has the form of a question or a
    look-up (a question word, an auxiliary verb before its subject, or a verb like "list" in front,
    or a question mark at the end of what is not first a statement of one's own), none names a
    feeling but of other people alone, and none asks what one should do. "What a day", "My dog
    died. Why?" and "I lost my job, can you believe it?" are not factual; "Hi! Can I park here?"
    is, and so is "How did Anna feel about the move?": what she felt is a fact. English, with the
    commonest forms of Portuguese and Chinese.

    Example:
        >>> is_factual("When did I last see the dentist?"), is_factual("Was Anna sad?")
        (True, True)
        >>> is_factual("Why do I feel so alone?"), is_factual("I hate this job")
        (False, False)
    """
    said = [part for part in sentences(query) if not _COURTESY.match(part)]
    return (
        bool(said)
        and all(len(sentence) <= _LONGEST and _QUESTION.search(sentence) for sentence in said)
        and (_asks_of_others(query) or not (_FEELING.search(query) or UNPLEASANT.search(query)))
        and not _DELIBERATION.search(query)
    )


def gate(present: Affect, *, conversing: bool = False) -> float:
    """How much affect may count, 0..1: as much as feeling was read.

    Feeling is confidence (1 - p(neutral)); the gate is fully open where it is `FULL` or more. A
    confidence that is not given is 1: a person stated the affect. An unknown affect gives 0.

    In a conversation the gate opens half as far as something weighs on the user: by max(-valence,
    conflict) / 2, and not at all for one who is at ease. There the turns before already tell
    meaning what is wanted.

    Found on the halves for tuning. EmpatheticDialogues (one turn): congruence gains as much where
    little feeling is read as where much is, for a doubtful distribution is flat and pulls less by
    itself. MADial-Bench (conversations): full congruence costs most with users at ease; opened
    only so far, affect costs nothing there.

    Args:
        present: The user's affect.
        conversing: Whether the affect was read from more than the query: a conversation.
    """
    if present.is_unknown:
        return 0.0
    confidence = 1.0 if present.confidence is None else present.confidence
    opening = min(1.0, confidence * (1.0 - present.neutrality) / FULL)
    if not conversing:
        return opening
    valence = present_valence(present)
    negativity = 0.0 if np.isnan(valence) else -valence
    return opening * max(0.0, negativity, present.conflict or 0.0) / 2
