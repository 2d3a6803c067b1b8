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


def related_salience(
    salience: FloatArray, strengths: FloatArray, weight: float = 1.0
) -> FloatArray:
    """(n,) 0..1, salience raised by whom a memory names: the strongest relation doubles its odds.

    s (1 + r) / (1 + s r) for a salience s and a strength r: what weighs nothing by itself weighs no
    more for the one whom it names. Among a person's own memories this changes little, in a bank of
    other people's it finds more of them (`python -m training.cues`).

    Args:
        salience: (n,) 0..1, NaN where not known, which stays so.
        strengths: (n,) 0..1, as `relation_strengths` gives them.
        weight: What the strengths are multiplied with.

    Example:
        >>> related_salience(np.array([0.5, 0.5, 0.0]), np.array([0.0, 1.0, 1.0])).round(2).tolist()
        [0.5, 0.67, 0.0]
    """
    raised = weight * strengths
    return np.asarray(salience * (1 + raised) / (1 + salience * raised))


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
