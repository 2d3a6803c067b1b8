"""What a memory has to do with the people who matter to somebody."""

import re
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Final
from unicodedata import normalize

import numpy as np

from emomem.checks import check_texts
from emomem.signals import FloatArray

STRONGEST: Final = 10.0
"""The weight of the strongest relation, of love or of hate."""

RELATION: Final = 0.2
"""How much a memory of the person with the strongest relation gains.

Chosen on the people of `training/people` who are held out: among a person's own memories it
changes little up to there, in a bank of other people's it finds more of them.
"""

_UNSPACED: Final = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uac00-\ud7af\U00020000-\U0003ffff"
)
"""Characters of scripts that set no space between words, or join particles to them: Thai, Lao,
Burmese, Khmer, Chinese, Japanese, Korean."""
_IN_UNSPACED: Final = re.compile(f"[{_UNSPACED}]")
_LETTER: Final = rf"[^\W{_UNSPACED}]"


def relation_strengths(texts: Sequence[str], relations: Mapping[str, float]) -> FloatArray:
    """(n,) 0..1, the strongest relation to anybody whom each text names; 0 where it names nobody.

    A person is named by the whole name or by its last word (`is_named`); a
    "he" is nobody.

    Args:
        texts: The texts.
        relations: What each person means, by name: -10 (hated) .. 10 (loved).

    Raises:
        TypeError: The texts, or the relations, are none.
        ValueError: A name is blank, or a weight is out of range.

    Example:
        >>> relation_strengths(["Ngozi came.", "It rained."], {"Aunty Ngozi": -6}).tolist()
        [0.6, 0.0]
    """
    check_texts(texts, "relation_strengths")
    check_relations(relations)
    strengths = np.zeros(len(texts))
    plain = [_plain(text) for text in texts]
    for name, weight in relations.items():
        found = _naming(name)
        named = np.array([found.search(text) is not None for text in plain], dtype=bool)
        strengths = np.maximum(strengths, named * abs(weight) / STRONGEST)
    return strengths


def related_salience(salience: FloatArray, strengths: FloatArray) -> FloatArray:
    """(n,) 0..1, salience raised by whom a memory is about: clip(salience + 0.2 strength).

    Args:
        salience: (n,) 0..1, NaN where not known, which stays so.
        strengths: (n,) 0..1, as `relation_strengths` gives them.
    """
    return np.asarray(np.clip(salience + RELATION * strengths, 0.0, 1.0))


def check_relations(relations: Mapping[str, float]) -> None:
    """Refuse what is no relation.

    Raises:
        TypeError: They are no mapping from names to numbers.
        ValueError: A name is blank, or a weight is out of range.
    """
    if not isinstance(relations, Mapping):
        msg = f"relations is a mapping from names to weights, got {type(relations).__name__}"
        raise TypeError(msg)
    for name, weight in relations.items():
        if not isinstance(name, str) or not isinstance(weight, Real) or isinstance(weight, bool):
            msg = f"a relation is a name and a number -10..10, got {name!r}: {weight!r}"
            raise TypeError(msg)
        if not name.strip():
            msg = f"a relation is to somebody with a name, got {name!r}"
            raise ValueError(msg)
        if not -STRONGEST <= weight <= STRONGEST:
            msg = f"the weight of a relation must lie in -10..10, got {weight!r} for {name!r}"
            raise ValueError(msg)


def is_named(name: str, text: str) -> bool:
    """Whether a text names somebody: by the whole name in any case, or by its last word as written.

    Where words are not set apart it is found within others too.

    Example:
        >>> is_named("Aunty Ngozi", "Then Ngozi came."), is_named("Aunt Rose", "The sun rose.")
        (True, False)
    """
    return _naming(name).search(_plain(text)) is not None


def _naming(name: str) -> re.Pattern[str]:
    plain = _plain(name).strip()
    whole = re.escape(plain)
    if _IN_UNSPACED.search(plain):
        return re.compile(whole)
    last = re.escape(plain.rsplit(maxsplit=1)[-1])
    return re.compile(rf"(?<!{_LETTER})(?:(?i:{whole})|{last})(?!{_LETTER})")


def _plain(text: str) -> str:
    """A text whose characters are written in one way alone: accents composed, no full width."""
    return normalize("NFKC", text)
