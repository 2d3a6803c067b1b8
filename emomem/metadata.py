"""Affect as flat native scalars in a store's metadata, and back.

A number that is not known is not written, and nothing but str and finite float ever is.
"""

import base64
import binascii
import logging
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, lru_cache
from operator import itemgetter
from types import MappingProxyType
from typing import Any, Final, Self

import numpy as np
from pydantic import BaseModel, ConfigDict, model_validator

from emomem.affect import Affect, AffectArray, Float32Array, FloatArray
from emomem.emotions import GOEMOTIONS, PLUTCHIK, UNKNOWN, is_known_label, projection
from emomem.signals import salience

logger = logging.getLogger(__name__)

_CODE_PREFIX: Final = "g28v1:"
_SAMPLE: Final = np.frombuffer(f"{_CODE_PREFIX}{'A' * 38}==".encode(), dtype=np.uint8)
_DECIMALS: Final = 4
_RANGES: Final[Mapping[str, tuple[float, float]]] = MappingProxyType(
    {
        "valence": (-1.0, 1.0),
        "arousal": (0.0, 1.0),
        "dominance": (-1.0, 1.0),
        "conflict": (0.0, 1.0),
        "confidence": (0.0, 1.0),
        "salience": (0.0, 1.0),
        "importance": (0.0, 1.0),
    }
)


class MetadataFields(BaseModel):
    """Where a store keeps affect: the key of each field.

    Every key defaults to `prefix` and the field's name. Name other keys to read a store that
    something else has tagged.

    Attributes:
        prefix: What the keys that are not named begin with.
        valence: Key of valence; so too for the fields that follow.
        importance: Key of the caller's own importance 0..1, which replaces salience where a
            memory has it. It is read and never written; None reads none.
        scales: For a value on another scale, the adapter to this project's range
            (`emomem.scales`, or any callable), by field name. For reading only: such fields
            cannot be written, nor named in conditions on affect.

    Example:
        >>> fields = MetadataFields(valence="sentiment_valence", label="primary_emotion")
        >>> fields.valence, fields.arousal
        ('sentiment_valence', 'affect_arousal')
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    prefix: str = "affect_"
    valence: str = ""
    arousal: str = ""
    dominance: str = ""
    conflict: str = ""
    label: str = ""
    confidence: str = ""
    source: str = ""
    salience: str = ""
    code: str = ""
    importance: str | None = None
    scales: Mapping[str, Callable[[float], float]] = {}

    @model_validator(mode="after")
    def _complete(self) -> Self:
        for name in _WRITTEN:
            if not getattr(self, name):
                object.__setattr__(self, name, f"{self.prefix}{name}")
        keys = self.keys() if self.importance is None else (*self.keys(), self.importance)
        if len(set(keys)) != len(keys) or not all(keys):
            msg = f"every field needs a key of its own, got {sorted(keys)}"
            raise ValueError(msg)
        if not self.prefix.strip():
            msg = (
                f"prefix must not be blank, got {self.prefix!r}: it would claim the user's own keys"
            )
            raise ValueError(msg)
        unknown = sorted(set(self.scales) - set(_RANGES))
        if unknown:
            msg = f"scales may name {sorted(_RANGES)}, got {unknown}"
            raise ValueError(msg)
        return self

    def keys(self) -> tuple[str, ...]:
        """Every key that `encode` may write."""
        return (
            *(getattr(self, name) for name in _WRITTEN),
            *(f"{self.prefix}{x}" for x in PLUTCHIK),
        )


_WRITTEN: Final = (
    "valence", "arousal", "dominance", "conflict", "label", "confidence", "source", "salience",
    "code",
)  # fmt: skip
DEFAULT_FIELDS: Final = MetadataFields()


def encode(affect: Affect, fields: MetadataFields = DEFAULT_FIELDS) -> dict[str, str | float]:
    """Metadata of an affect: native str and finite float only, and no key for the unknown.

    Salience is written as computed from the affect (`emomem.signals.salience`). Numbers are
    rounded to 4 decimals: every store gives back exactly what it was given, and a text that is read
    again in another batch, where sums differ at the seventh, is nearly always written alike.
    """
    numbers: dict[str, float | None] = {
        name: None if (value := getattr(affect, name)) is None else _exact(value)
        for name in ("valence", "arousal", "dominance", "conflict", "confidence")
    }
    # Of the numbers as they are written, so that what is read is written alike again.
    columns = AffectArray.from_affects([affect.model_copy(update=numbers)])
    strength = float(columns.salience[0])
    numbers["salience"] = None if np.isnan(strength) else strength
    metadata: dict[str, str | float] = {
        getattr(fields, name): _exact(value) for name, value in numbers.items() if value is not None
    }
    if affect.label is not None or affect.is_unknown:
        metadata[fields.label] = affect.label or UNKNOWN
    if affect.source is not None:
        metadata[fields.source] = affect.source
    if affect.emotions is not None:
        metadata[fields.code] = encode_emotions(affect.emotions)
        for name, value in (affect.plutchik or {}).items():
            metadata[f"{fields.prefix}{name}"] = _exact(value)
    return metadata


def _exact(value: float) -> float:
    # Chroma keeps 15 significant digits and may change the last bit of a longer number.
    return round(float(value), _DECIMALS)


def strip(metadata: Mapping[str, Any], fields: MetadataFields = DEFAULT_FIELDS) -> dict[str, Any]:
    """A copy of `metadata` without any affect key, so that a new tag leaves none stale."""
    stale = set(fields.keys())
    return {key: value for key, value in metadata.items() if key not in stale}


def decode(metadata: Mapping[str, Any], fields: MetadataFields = DEFAULT_FIELDS) -> Affect:
    """The affect that `metadata` holds; what is missing or unreadable is not known.

    A known label without a code gives its distribution. Values out of range are left out with
    a warning that names the key and never the value's text.
    """
    [phi] = _distributions([metadata], fields)
    label = metadata.get(fields.label)
    source = metadata.get(fields.source)
    return Affect(
        **{
            name: _number(metadata, name, fields)
            for name in ("valence", "arousal", "dominance", "conflict", "confidence")
        },
        emotions=tuple(np.square(phi, dtype=float).tolist()) if phi.any() else None,
        label=label if isinstance(label, str) and label.strip() else None,
        source=source if isinstance(source, str) and source.strip() else None,
    )


def decode_affects(
    metadatas: Sequence[Mapping[str, Any]], fields: MetadataFields = DEFAULT_FIELDS
) -> AffectArray:
    """Columns of the affects of n memories' metadata.

    Their salience is the caller's importance, else the stored salience, else computed from the
    affect; NaN where none of them is known.
    """
    return _StoredAffects(metadatas, fields)


class _StoredAffects(AffectArray):
    """Columns that are decoded when they are first asked for: most strategies ask for few."""

    _metadatas: Sequence[Mapping[str, Any]]
    _fields: MetadataFields

    def __init__(self, metadatas: Sequence[Mapping[str, Any]], fields: MetadataFields) -> None:
        vars(self).update(_metadatas=metadatas, _fields=fields)  # the base is frozen

    def __len__(self) -> int:
        return len(self._metadatas)

    @cached_property
    def valence(self) -> FloatArray:
        return self._numbers("valence")

    @cached_property
    def arousal(self) -> FloatArray:
        return self._numbers("arousal")

    @cached_property
    def dominance(self) -> FloatArray:
        return self._numbers("dominance")

    @cached_property
    def conflict(self) -> FloatArray:
        return self._numbers("conflict")

    @cached_property
    def phi(self) -> Float32Array:
        return _distributions(self._metadatas, self._fields)

    @cached_property
    def salience(self) -> FloatArray:
        strengths = self._numbers("salience")
        if self._fields.importance is not None:
            importance = self._numbers("importance")
            strengths = np.where(np.isnan(importance), strengths, importance)
        if np.isnan(strengths).any():
            computed = salience(self.valence, self.arousal, self.conflict)
            strengths = np.where(np.isnan(strengths), computed, strengths)
        return strengths

    def _numbers(self, name: str) -> FloatArray:
        return _numbers(self._metadatas, name, self._fields)


def encode_emotions(probabilities: Sequence[float] | FloatArray) -> str:
    """`affect_code` of a distribution over the 28: its square roots as base64 of 28 bytes."""
    roots = np.sqrt(np.asarray(probabilities, dtype=float))
    data = np.rint(np.clip(roots, 0.0, 1.0) * 255).astype(np.uint8).tobytes()
    return _CODE_PREFIX + base64.b64encode(data).decode("ascii")


def decode_emotions(code: str) -> Float32Array:
    """(28,) unit-length square roots of the distribution that an `affect_code` holds.

    Raises:
        ValueError: The code is of another version, or is not one.
    """
    return np.asarray(_unit_rows(_code_bytes(code))[0])


def _code_bytes(code: str) -> bytes:
    if not code.startswith(_CODE_PREFIX):
        msg = f"an affect code begins with {_CODE_PREFIX!r}, got {code[:8]!r}"
        raise ValueError(msg)
    data = binascii.a2b_base64(code[len(_CODE_PREFIX) :], strict_mode=True)  # its is a ValueError
    if len(data) != len(GOEMOTIONS) or not any(data):
        msg = f"an affect code holds {len(GOEMOTIONS)} bytes that are not all zero"
        raise ValueError(msg)
    return data


def _unit_rows(data: bytes) -> Float32Array:
    rows = np.frombuffer(data, dtype=np.uint8).reshape(-1, len(GOEMOTIONS)).astype(np.float32)
    return np.asarray(rows / np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None])


@lru_cache(maxsize=256)
def _phi_of_label(label: str) -> Float32Array | None:
    if not is_known_label(label):
        return None
    return np.asarray(np.sqrt(projection([label])[0]), dtype=np.float32)


@lru_cache(maxsize=256)
def _warn_once(key: str, expected: str) -> None:
    logger.warning("metadata key %r is not %s in every memory; ignored where not", key, expected)


def _number(metadata: Mapping[str, Any], name: str, fields: MetadataFields) -> float | None:
    key = getattr(fields, name)
    value = metadata.get(key)
    if value is None or isinstance(value, bool | np.bool_):
        return None
    try:
        number = float(fields.scales.get(name, float)(value))
    except (TypeError, ValueError, ArithmeticError, LookupError):
        number = float("nan")
    low, high = _RANGES[name]
    if not low <= number <= high:
        _warn_once(key, f"a number in {low:g}..{high:g}")
        return None
    return number


def _values(metadatas: Sequence[Mapping[str, Any]], key: str) -> list[Any]:
    """The value of a key in every metadata, None where it is missing."""
    try:
        return list(map(itemgetter(key), metadatas))  # faster by a third where all have it
    except KeyError:
        return [metadata.get(key) for metadata in metadatas]


def _numbers(
    metadatas: Sequence[Mapping[str, Any]], name: str, fields: MetadataFields
) -> FloatArray:
    """(n,) `_number` of every metadata, NaN where not known.

    In one go where all are floats in range and on this project's scale, as tags are.
    """
    values = _values(metadatas, getattr(fields, name))
    kinds = set(map(type, values))
    if kinds <= {type(None)}:
        return np.full(len(values), np.nan)
    if name not in fields.scales and kinds <= {float, type(None)}:
        whole = kinds == {float}
        numbers = np.fromiter(values, float) if whole else np.array(values, dtype=float)
        low, high = _RANGES[name]
        if not ((numbers < low) | (numbers > high)).any():
            return numbers
    return np.array([_number(metadata, name, fields) for metadata in metadatas], dtype=float)


def _distributions(metadatas: Sequence[Mapping[str, Any]], fields: MetadataFields) -> Float32Array:
    """(n, 28) unit-length square roots of each distribution; a zero row where none is known."""
    codes = _values(metadatas, fields.code)
    decoded = _decoded(codes)
    if decoded is not None:
        return decoded
    phi = np.zeros((len(metadatas), len(GOEMOTIONS)), dtype=np.float32)
    coded: dict[int, bytes] = {}
    for row, (code, metadata) in enumerate(zip(codes, metadatas, strict=True)):
        label = metadata.get(fields.label)
        if isinstance(code, str):
            try:
                coded[row] = _code_bytes(code)
                continue
            except ValueError:
                _warn_once(fields.code, "an affect code")
        known = _phi_of_label(label) if isinstance(label, str) else None
        if known is not None:
            phi[row] = known
    if coded:
        phi[list(coded)] = _unit_rows(b"".join(coded.values()))
    return phi


def _decoded(codes: Sequence[Any]) -> Float32Array | None:
    """(n, 28) what n codes hold, in one go; None where one of them is no code."""
    if not codes:
        return None
    try:
        letters = np.frombuffer("".join(codes).encode("ascii"), dtype=np.uint8)
        rows = letters.reshape(len(codes), len(_SAMPLE)).copy()
        start = len(_CODE_PREFIX)
        if (rows[:, :start] != _SAMPLE[:start]).any() or (rows[:, -2:] != _SAMPLE[-2:]).any():
            return None
        # Without the padding at the end of each they are one text.
        rows[:, -2:] = ord("A")
        data = binascii.a2b_base64(rows[:, start:].tobytes(), strict_mode=True)
    except (TypeError, ValueError):
        return None
    values = np.frombuffer(data, dtype=np.uint8).reshape(len(codes), -1)[:, : len(GOEMOTIONS)]
    phi = values.astype(np.float32)
    squares = np.einsum("ij,ij->i", phi, phi)
    if not squares.all():
        return None
    phi /= np.sqrt(squares)[:, None]
    return phi
