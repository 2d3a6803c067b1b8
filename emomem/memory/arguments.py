"""Checks of what a caller gives a memory, so that it is refused before an engine sees it.

An engine that refuses something itself may quote the memory that was to be written.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

_ENGINES_OWN: Final = ("$", "chroma:")
"""How the keys begin that an engine reads as its own."""
_LARGEST: Final = 2**63
"""What an engine's whole numbers stay below."""


def is_portable(text: str) -> bool:
    """Whether every engine can keep a text: no NUL and no half of a surrogate pair."""
    return "\0" not in text and not any("\ud800" <= letter <= "\udfff" for letter in text)


def check_user_id(user_id: object, message: str) -> None:
    """Refuse what would not keep users apart in every engine.

    Args:
        user_id: The user's id.
        message: What is said of one that is blank or no str, before the id.

    Raises:
        ValueError: It is blank, no str, or holds what an engine cannot keep.
    """
    if not isinstance(user_id, str) or not user_id.strip():
        msg = f"{message}, got {user_id!r}"
        raise ValueError(msg)
    if not is_portable(user_id):
        msg = f"a user id holds neither NUL nor half of a surrogate pair, got {user_id!r}"
        raise ValueError(msg)


def check_ids(ids: object) -> None:
    """Refuse what is no list of unit ids.

    Raises:
        TypeError: It is one str, or holds what is no str.
    """
    if isinstance(ids, str) or not isinstance(ids, Sequence | set | frozenset):
        msg = f"ids is a list of ids, got one {type(ids).__name__}"
        raise TypeError(msg)
    for one in ids:
        if not isinstance(one, str):
            msg = f"an id is a str, got {type(one).__name__}"
            raise TypeError(msg)


def check_metadata(metadata: object) -> None:
    """Refuse metadata that an engine cannot keep; the message names keys and no text.

    Raises:
        TypeError: They are no mapping.
        ValueError: A key is none, or a value is no finite flat one.
    """
    if not isinstance(metadata, Mapping):
        msg = f"metadata must be a mapping, got {type(metadata).__name__}"
        raise TypeError(msg)
    for key, value in metadata.items():
        if not isinstance(key, str) or not key.strip() or not is_portable(key):
            msg = f"a key of metadata is a str that is not blank and holds no NUL, got {key!r}"
            raise ValueError(msg)
        if key.startswith(_ENGINES_OWN):
            msg = f"a key of metadata begins with none of {', '.join(_ENGINES_OWN)}, got {key!r}"
            raise ValueError(msg)
        if fault := _fault(value):
            msg = f"metadata[{key!r}] must be {fault}"
            raise ValueError(msg)


def _fault(value: Any) -> str:  # noqa: ANN401 - anything that a caller gives
    """What a value should be and is not; "" for one that is right."""
    if isinstance(value, bool | str):
        return ""
    if isinstance(value, int):
        return "" if -_LARGEST <= value < _LARGEST else "a whole number of at most 64 bits"
    if isinstance(value, float):
        return "" if math.isfinite(value) else f"a finite number, got {value!r}"
    return f"a str, int, float or bool, got {type(value).__name__}"
