"""Negations by their words, in the three languages that are read."""

import re
import unicodedata
from typing import Final

_NEGATED: Final = re.compile(
    r"(?:\b(?:not|never|no|nor|cannot|without)|n['’]t)(?:\s+\w+){0,2}\s+$"
    r"|\b(?:n[ãa]o|nunca|jamais|nem|sem|ningu[ée]m)"
    r"(?:(?:\s+(?:me|te|se|nos|mais))?\s+\w+){0,2}\s+$"
    r"|(?:[不没沒未]|(?<![特区分个级性])别)"
    r"(?:[是很太再会想够能敢曾有要人为让]|觉得|感到|感觉|那么|怎么|这么|什么|特别|非常|真的|任何|完全){0,3}$",
    re.IGNORECASE,
)
"""What ends in a negation: one of these, and up to two words of the same clause behind it."""

_LOOK_BACK: Final = 80
"""Characters before a match in which a negation is looked for; three words fit."""

_PLEASANT: Final = re.compile(
    r"\b(?:feli(?:z|zes|cidade)|alegr\w+|contentes?|animad[oa]s?|orgulh\w+|amo|amor|amava"
    r"|apaixonad[oa]s?)\b"
    r"|[开開]心|高[兴興]|快[乐樂]|幸福|喜[欢歡]|[爱愛]|[兴興][奋奮]|[满滿]意|感[动動]",
    re.IGNORECASE,
)
UNPLEASANT: Final = re.compile(
    r"\b(?:infeli(?:z|zes|cidade)|trist(?:e|es|eza)|[óo]dio|odeio|raivas?|brav[oa]|furios[oa]s?"
    r"|zangad[oa]s?|irritad[oa]s?|chatead[oa]s?|medos?|assustad[oa]s?|preocupad[oa]s?|ansios[oa]s?"
    r"|nervos[oa]s?|nojo|magoad[oa]s?|deprimid[oa]s?|sozinh[oa]s?|vergonha)\b"
    r"|生[气氣]|[愤憤]怒|[发發]火|[难難][过過受]|[伤傷]心|悲[伤傷]|痛苦|害?怕|恐[惧懼]|[讨討][厌厭]|恨"
    r"|[担擔]心|焦[虑慮]|失望|[绝絕]望|[恶惡噁]心|孤[独獨单單]|寂寞|[后後]悔|崩[溃潰]|糟",
    re.IGNORECASE,
)
"""Feelings by their Portuguese and Chinese names."""

_CLAUSE: Final = re.compile(r"[^,.!?;:\n，。！？；：、…]+[,.!?;:\n，。！？；：、…]*")
_TURN: Final = re.compile(r"(?=\b(?:mas|porém)\b)|(?=但是?|可是|不过)", re.IGNORECASE)


def is_negated(text: str, start: int) -> bool:
    """Whether what begins at `start` stands behind a simple negation, two words off at most.

    Example:
        >>> is_negated("it did not fail", 11), is_negated("我不太开心", 3)
        (True, True)
    """
    return _NEGATED.search(text, max(0, start - _LOOK_BACK), start) is not None


def without_denials(text: str) -> str:
    """A Portuguese or Chinese text without the clauses that deny a feeling.

    Who denies a feeling names it, and a model of single words hears the name.

    Example:
        >>> without_denials("Não estou triste, estou cansada.")
        ' estou cansada.'
        >>> without_denials("我不开心")
        ''
    """
    text = unicodedata.normalize("NFC", text)
    clauses = [part for clause in _CLAUSE.findall(text) for part in _TURN.split(clause)]
    kept = [clause for clause in clauses if not _denies(clause)]
    return text if len(kept) == len(clauses) else "".join(kept)


def _denies(clause: str) -> bool:
    return any(
        is_negated(clause, found.start())
        for feelings in (_PLEASANT, UNPLEASANT)
        for found in feelings.finditer(clause)
    )


def named_sign(text: str) -> int:
    """1 where only pleasant feelings are named in a text, -1 where only unpleasant ones are.

    Example:
        >>> named_sign("他背叛了我，我恨他"), named_sign("Que dia feliz"), named_sign("O gato")
        (-1, 1, 0)
    """
    return int(bool(_PLEASANT.search(text))) - int(bool(UNPLEASANT.search(text)))
