"""What a memory has to do with the people who matter to somebody."""

import re
from collections.abc import Callable, Mapping, Sequence
from numbers import Real
from typing import Final
from unicodedata import category, normalize

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
_LETTER: Final = re.compile(rf"[^\W{_UNSPACED}]")
_PIECE: Final = re.compile(r"\S{1,200}|\s+")
"""What is normalised at once: many marks on one letter take a time that grows by their square."""
_ONE_WAY: Final = str.maketrans({"\u2019": "'", "\u02bc": "'", "\u2010": "-", "\u2011": "-"})
"""Apostrophes and hyphens that stand for another."""


def relation_strengths(texts: Sequence[str], relations: Mapping[str, float]) -> FloatArray:
    """(n,) 0..1, the strongest relation to anybody whom each text names; 0 where it names nobody.

    A person is named by the whole name or by its last word (`is_named`); a "he" is nobody, and
    May is not in what "may" be.

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
    plain = [_plain(text) for text in texts] if relations else []
    for name, weight in relations.items():
        names = _naming(name)
        named = np.array([names(text) for text in plain], dtype=bool)
        strengths = np.maximum(strengths, named * abs(float(weight)) / STRONGEST)
    return strengths


def related_salience(salience: FloatArray, strengths: FloatArray) -> FloatArray:
    """(n,) 0..1, salience raised by whom a memory names: the strongest relation doubles its odds.

    s (1 + r) / (1 + s r) for a salience s and a strength r: what weighs nothing by itself weighs no
    more for the one whom it names. Among a person's own memories this changes little, in a bank of
    other people's it finds more of them (`python -m training.cues`).

    Args:
        salience: (n,) 0..1, NaN where not known, which stays so.
        strengths: (n,) 0..1, as `relation_strengths` gives them.

    Example:
        >>> related_salience(np.array([0.5, 0.5, 0.0]), np.array([0.0, 1.0, 1.0])).round(2).tolist()
        [0.5, 0.67, 0.0]
    """
    return np.asarray(salience * (1 + strengths) / (1 + salience * strengths))


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

    A name of one word with a capital may be a common word too, as May and Will are, and is not
    found in small letters; "mum" is found in any. Where words are not set apart a name is found
    within others too.

    Raises:
        TypeError: One of them is no text.
        ValueError: The name is blank.

    Example:
        >>> is_named("Aunty Ngozi", "Then Ngozi came."), is_named("Aunt Rose", "The sun rose.")
        (True, False)
    """
    check_relations({name: 0})
    check_texts([text], "is_named")
    return _naming(name)(_plain(text))


def _naming(name: str) -> Callable[[str], bool]:
    """What says whether a text that was made plain names somebody."""
    words = _plain(name).split()
    last = words[-1]
    if _IN_UNSPACED.search(name):
        forms = [r"\s*".join(map(re.escape, words)), *([re.escape(last)] if last[1:] else [])]
        found = re.compile("|".join(forms))
        return lambda text: found.search(text) is not None
    whole = re.compile(re.escape(" ".join(words)), re.IGNORECASE)
    patterns = (whole, re.compile(re.escape(last)))
    has_capital = len(words) == 1 and last != last.lower()
    return lambda text: any(
        _stands_alone(text, *hit.span()) and not (has_capital and hit[0].islower())
        for one in patterns
        for hit in one.finditer(text)
    )


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether no letter of another word is beside a part of a text."""
    before, after = text[max(0, start - 1) : start], text[end : end + 1]
    goes_on = after and category(after).startswith("M")  # a vowel sign, or an accent
    return not (goes_on or _LETTER.match(before) or _LETTER.match(after))


def _plain(text: str) -> str:
    """A text whose characters are written in one way alone: accents composed, no full width."""
    if text.isascii():
        return text
    return "".join(normalize("NFKC", part) for part in _PIECE.findall(text)).translate(_ONE_WAY)
