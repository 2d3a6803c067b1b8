"""Fused vectors: meaning and feeling as one question to the store itself.

A document is [s ; B phi ; slack] and a query [(1-w) s_q ; (w/B) psi ; 0], where s is the unit
sentence vector, phi and psi are the square roots of the distributions over the 28 emotions, and
slack keeps the norm of every document at sqrt(1 + B^2). Their product is then
(1-w) cos + w match, the score of `Combination`, so that one nearest-neighbour search gives the
best of the whole store. A query with w = 0 finds what plain retrieval finds, in its order.

A document whose affect is not known has the mean phi of many texts (`mean_phi`), so that it
competes with the match that a document has on average.
"""

import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from emomem.affect import Affect, AffectArray, BoolArray, Float32Array, FloatArray
from emomem.appraisal.weights import checked_file
from emomem.emotions import GOEMOTIONS
from emomem.metadata import decode_emotions, encode_emotions
from emomem.signals import row_products

logger = logging.getLogger(__name__)

BETA: Final = 0.5
"""How much of a document's length is feeling; at 1 an approximate index finds less by meaning."""

EXTRA: Final = len(GOEMOTIONS) + 1
"""How many dimensions a fused vector has beyond those of the sentence vector."""

LENGTH: Final = float(np.sqrt(1 + BETA**2))
"""The length of every document's fused vector."""

_ROUNDING: Final = 1e-3


@dataclass(frozen=True, eq=False)
class Wish:
    """What a recall asks of fused vectors, beside meaning.

    Attributes:
        psi: (28,) square roots of the wanted distribution.
        weight: Above 0 and below 1, how much of the score is feeling.
        exact: Whether the fused score is the one that candidates are ranked by; without, they
            are to be joined by those that are nearest by meaning.
    """

    psi: FloatArray
    weight: float
    exact: bool

    def query(self, semantic: ArrayLike) -> FloatArray:
        """The fused vector (d + 29,) of a query whose sentence vector (d,) is given."""
        return fuse_query(semantic, self.psi, self.weight)

    def match(self, phi: Float32Array) -> FloatArray:
        """(n,) 0..1, the match that stored vectors have whose phi is given (n, 28)."""
        return row_products(phi, self.psi)


def fuse_documents(semantic: ArrayLike, phi: ArrayLike) -> Float32Array:
    """Fused vectors of n documents.

    Args:
        semantic: (n, d) sentence vectors, of any length.
        phi: (n, 28) square roots of each distribution, of length at most one (`AffectArray.phi`);
            whatever is missing to length one goes into the slack.

    Returns:
        (n, d + 29) vectors of length sqrt(1 + BETA^2).

    Raises:
        ValueError: The shapes do not agree, or a row of `phi` is longer than one.
    """
    meaning = _unit(np.atleast_2d(np.asarray(semantic, dtype=float)))
    feeling = BETA * np.atleast_2d(np.asarray(phi, dtype=float))
    if feeling.shape != (len(meaning), len(GOEMOTIONS)):
        expected = (len(meaning), len(GOEMOTIONS))
        msg = f"phi must have shape {expected}, got {feeling.shape}"
        raise ValueError(msg)
    rest = LENGTH**2 - np.square(meaning).sum(1) - np.square(feeling).sum(1)
    if rest.size and not rest.min() >= -_ROUNDING:
        longest = np.sqrt(np.square(feeling).sum(1).max()) / BETA
        msg = f"a row of phi must have a length of at most 1, got {longest:.3f}"
        raise ValueError(msg)
    slack = np.sqrt(np.maximum(rest, 0.0))
    return np.column_stack([meaning, feeling, slack]).astype(np.float32)


def fuse_query(
    semantic: ArrayLike, psi: ArrayLike | None = None, weight: float = 0.0
) -> FloatArray:
    """The fused vector of a query (d + 29,).

    Args:
        semantic: (d,) the query's sentence vector, of any length.
        psi: (28,) square roots of the wanted distribution; None where nothing is wanted.
        weight: 0..1, how much of the score is feeling.

    Raises:
        ValueError: The weight is out of range, or is not 0 and nothing is wanted.
    """
    if not 0 <= weight <= 1:
        msg = f"weight must lie in 0..1, got {weight!r}"
        raise ValueError(msg)
    if psi is None and weight:
        msg = f"a weight of {weight!r} needs a wanted distribution"
        raise ValueError(msg)
    meaning = (1 - weight) * _unit(np.asarray(semantic, dtype=float))
    wanted = np.zeros(len(GOEMOTIONS)) if psi is None else np.asarray(psi, dtype=float)
    return np.concatenate([meaning, (weight / BETA) * wanted, [0.0]])


def fused_scores(cosines: ArrayLike, query: ArrayLike) -> FloatArray:
    """(n,) (1-w) cos + w match, from the cosines (n,) that a store computes for a fused query."""
    return np.asarray(cosines, dtype=float) * (LENGTH * float(np.linalg.norm(np.asarray(query))))


def meaning_of(scores: ArrayLike, match: ArrayLike, weight: float) -> FloatArray:
    """(n,) the cosine of the sentence vectors in fused scores (n,), given each match (n,).

    Raises:
        ValueError: The weight is not in 0..1, or is 1, when no meaning is left in the score.
    """
    if not 0 <= weight < 1:
        msg = f"weight must lie in 0..1 and below 1, got {weight!r}"
        raise ValueError(msg)
    rest = np.asarray(scores, dtype=float) - weight * np.asarray(match, dtype=float)
    return np.clip(rest / (1 - weight), -1.0, 1.0)


def looks_fused(vector: ArrayLike) -> bool:
    """Whether a vector has the form of a document's fused vector with this BETA."""
    values = np.asarray(vector, dtype=float)
    if len(values) <= EXTRA:
        return False
    feeling = np.square(values[-EXTRA:]).sum()
    meaning = np.square(values[:-EXTRA]).sum()
    # Where the encoder gave a vector of zeros the slack has the rest.
    whole = 0.0 if meaning < _ROUNDING else 1.0
    return bool(
        values[-EXTRA:].min() >= -_ROUNDING
        and abs(meaning - whole) < _ROUNDING
        and abs(feeling - (LENGTH**2 - whole)) < _ROUNDING
    )


@cache
def mean_phi() -> Float32Array:
    """(28,) the mean phi of GoEmotions' development split, as the shipped model reads it.

    Its length is below one. It is read-only.
    """
    stored = json.loads(checked_file("mean_phi.json").read_text(encoding="utf-8"))
    phi = np.array([stored[name] for name in GOEMOTIONS], dtype=np.float32)
    phi.setflags(write=False)
    return phi


def document_phi(affects: Sequence[Affect]) -> Float32Array:
    """(n, 28) the phi of documents with these affects, exactly as `affect_code` keeps it.

    Where no distribution is known it is the mean phi.
    """
    read = [one for one in affects if not one.is_unknown]
    if read and all(one.emotions is None for one in read):
        _warn_no_distribution()
    rows = [
        mean_phi() if one.emotions is None else decode_emotions(encode_emotions(one.emotions))
        for one in affects
    ]
    return np.stack(rows) if rows else np.empty((0, len(GOEMOTIONS)), dtype=np.float32)


@cache
def _warn_no_distribution() -> None:
    logger.warning(
        "the appraiser gives no distribution over emotions, so that fused vectors hold no feeling "
        "of their own; give one that does, as the default (said once a process)"
    )


def nothing_known(affects: AffectArray) -> BoolArray:
    """(n,) of which neither a distribution nor a number is known, conflict aside."""
    return np.asarray(~affects.has_emotions & np.isnan(affects.vad).all(axis=1))


def with_rows(affects: AffectArray, rows: Sequence[int], read: AffectArray) -> AffectArray:
    """The affects (n) with those of `read` (m) in m rows."""
    columns = {column.name: getattr(affects, column.name).copy() for column in fields(affects)}
    for name, column in columns.items():
        column[rows] = getattr(read, name)
    return AffectArray(**columns)


def with_mean(affects: AffectArray, rows: BoolArray) -> AffectArray:
    """The affects with the mean phi in some rows."""
    if not rows.any():
        return affects
    phi = np.where(rows[:, None], mean_phi(), affects.phi)
    return AffectArray(affects.valence, affects.arousal, affects.dominance, affects.conflict, phi)


def _unit(vectors: FloatArray) -> FloatArray:
    if not np.isfinite(vectors).all():
        msg = "a sentence vector must hold finite numbers, got NaN or infinity"
        raise ValueError(msg)
    norms = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.where(norms == 0, 1.0, norms))
