"""What changed between two texts in Chinese or in Portuguese, by the frames of each language."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from emomem.appraisal.language import detect_language
from emomem.memory.conflict import ConflictKind
from emomem.memory.detectors.differences import Difference
from emomem.memory.detectors.frames import GRAMMARS, About, Grammar

_LONGEST: Final = 1000
"""Characters of a text that are looked at."""
_DOUBTFUL: Final = "pt"
"""The language whose frames are tried on a text too short to tell."""
_DAY: Final = re.compile(
    "周|星期|礼拜|月|日|号|segunda|terça|quarta|quinta|sexta|sábado|domingo|dia|janeiro|fevereiro"
    "|março|abril|maio|junho|julho|agosto|setembro|outubro|novembro|dezembro"
)
_FIRST_PERSON: Final = ("", "我", "我们", "eu", "nós", "a gente")
_KINDS: Final[dict[About, ConflictKind]] = {
    "likes": "evaluative",
    "does": "preference_change",
}


@dataclass(frozen=True)
class _Statement:
    about: About
    who: str
    matter: str
    value: str
    sign: int
    changed: bool


def said_otherwise(new: str, old: str) -> Difference | None:
    """What a text says otherwise than an older one of its language; None in any other language."""
    # A short text may be taken for English; the other one tells then, and both must fit a frame.
    found = {detect_language(text) or _DOUBTFUL for text in (new, old)} - {"en"}
    known = found - {_DOUBTFUL} or found
    if len(known) != 1:
        return None
    grammar = GRAMMARS[known.pop()]
    others = list(_statements(old, grammar))
    for one in _statements(new, grammar) if others else ():
        for other in others:
            if one.about == other.about and one.who == other.who and _differs(one, other):
                kind = _KINDS.get(one.about, "fact_update")
                detail = f"{one.matter}{one.value}, formerly {other.matter}{other.value}"
                return Difference(_reason(one), detail, kind)
    return None


def _reason(one: _Statement) -> str:
    if one.about == "likes":
        return "the feeling about one thing is the opposite"
    return "one side denies what the other says" if not one.value else "the value differs"


def _statements(text: str, grammar: Grammar) -> Iterator[_Statement]:
    for sentence in _sentences(text[:_LONGEST].lower()):
        if grammar.left_out.search(sentence):
            continue
        for clause in filter(None, map(str.strip, grammar.clause.split(sentence))):
            if grammar.past.search(clause):
                continue
            for frame in grammar.frames:
                if (found := frame.pattern.match(clause)) is None:
                    continue
                given = {"w": "", "k": "", "v": "", **found.groupdict("")}
                who = "" if given["w"] in _FIRST_PERSON else given["w"]
                matter, value = (_plain(given[name], grammar) for name in "kv")
                changed = grammar.changed.search(clause) is not None
                yield _Statement(frame.about, who, matter, value, frame.sign, changed)
                break


def _sentences(text: str) -> list[str]:
    """The sentences of a text, each with its mark."""
    for mark in "。！？.!?\n":
        text = text.replace(mark, f"{mark}\0")
    return text.split("\0")


def _plain(text: str, grammar: Grammar) -> str:
    return " ".join(grammar.noise.sub(" ", text).split())


def _differs(new: _Statement, old: _Statement) -> bool:
    if new.about == "bond":
        return new.sign != old.sign
    if new.about in ("likes", "does"):
        is_one = bool(new.matter) and new.matter == old.matter
        return is_one and new.sign != old.sign and (new.about == "likes" or new.changed)
    if new.matter != old.matter or not new.value or not old.value or not new.changed:
        return False
    if bool(_DAY.search(new.value)) != bool(_DAY.search(old.value)) and new.about == "when":
        return False  # a day and an hour may both hold
    return new.value not in old.value and old.value not in new.value
