"""What a memory has to do with the people who matter to somebody."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from emomem.signals import FloatArray

STRONGEST: Final = 10.0
"""The weight of the strongest relation, of love or of hate."""

RELATION: Final = 0.1
"""How much a memory of the person with the strongest relation gains.

Chosen on the scenarios for tuning (`emomem.evaluation.suites.crr.TUNING`): among a person's own
memories it changes little up to there, in a bank of other people's it finds more of them.
"""

_WITHOUT_SPACES: Final = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af]")
"""Scripts that set no space between words."""


def relation_strengths(texts: Sequence[str], relations: Mapping[str, float]) -> FloatArray:
    """(n,) 0..1, the strongest relation to anybody whom each text names; 0 where it names nobody.

    A person is named by the whole name or by its last word ("Aunty Ngozi", "Ngozi"); a "he" is
    nobody.

    Args:
        texts: The texts.
        relations: What each person means, by name: -10 (hated) .. 10 (loved).

    Raises:
        ValueError: A weight is out of range.

    Example:
        >>> relation_strengths(["Ngozi came.", "It rained."], {"Aunty Ngozi": -6}).tolist()
        [0.6, 0.0]
    """
    check_relations(relations)
    strengths = np.zeros(len(texts))
    for name, weight in relations.items():
        found = _naming(name)
        named = np.array([found.search(text) is not None for text in texts], dtype=bool)
        strengths = np.maximum(strengths, named * abs(weight) / STRONGEST)
    return strengths


def related_salience(salience: FloatArray, strengths: FloatArray) -> FloatArray:
    """(n,) 0..1, salience raised by whom a memory is about: clip(salience + 0.1 strength).

    Args:
        salience: (n,) 0..1, NaN where not known, which stays so.
        strengths: (n,) 0..1, as `relation_strengths` gives them.
    """
    return np.asarray(np.clip(salience + RELATION * strengths, 0.0, 1.0))


def check_relations(relations: Mapping[str, float]) -> None:
    """Refuse what is no relation.

    Raises:
        ValueError: A name is blank, or a weight is out of range.
    """
    for name, weight in relations.items():
        if not name.strip():
            msg = f"a relation is to somebody with a name, got {name!r}"
            raise ValueError(msg)
        if not -STRONGEST <= weight <= STRONGEST:
            msg = f"the weight of a relation must lie in -10..10, got {weight!r} for {name!r}"
            raise ValueError(msg)


def _naming(name: str) -> re.Pattern[str]:
    if _WITHOUT_SPACES.search(name):
        return re.compile(re.escape(name.strip()))
    last = name.rsplit(maxsplit=1)[-1]
    return re.compile(rf"(?<!\w){re.escape(last)}(?!\w)")
