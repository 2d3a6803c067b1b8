"""Checks of arguments that components share.

The components hide pydantic's own echo of an input, which may be a document; a number may be named.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any


def check_texts(texts: Sequence[str], what: str) -> None:
    """Refuse what is no list of texts; nothing of it is quoted.

    Args:
        texts: The texts; they are counted and read by position.
        what: What takes them.

    Raises:
        TypeError: It is one string, has no order, or holds something that is not a string.
    """
    ordered = hasattr(texts, "__len__") and hasattr(texts, "__getitem__")
    if not ordered or isinstance(texts, str | bytes | Mapping):
        msg = f"{what} takes a list of texts, got one {type(texts).__name__}"
        raise TypeError(msg)
    for text in texts:
        if not isinstance(text, str):
            msg = f"a text must be a str, got {type(text).__name__}"
            raise TypeError(msg)


def given_texts(rule: str, given: Iterable[str]) -> tuple[str, ...]:
    """The texts, of a list or of what gives them one by one.

    Args:
        rule: What they are, for the error.
        given: The texts.

    Raises:
        TypeError: They are none.
    """
    if isinstance(given, str | bytes | Mapping | AbstractSet) or not isinstance(given, Iterable):
        msg = f"{rule}; got one {type(given).__name__}"
        raise TypeError(msg)
    texts = tuple(given)
    for one in texts:
        if not isinstance(one, str):
            msg = f"{rule}; got a {type(one).__name__} in it"
            raise TypeError(msg)
    return texts


def check_kinds(optional: Collection[str] = (), /, **parts: tuple[object, Any]) -> None:
    """Refuse a part that is none of its kind.

    Args:
        optional: The names of those that may be None.
        **parts: Each part and its kind, by name; a class is no part.

    Raises:
        TypeError: One is none.
    """
    for name, (part, kind) in parts.items():
        may_be_none = name in optional and part is None
        if not may_be_none and (isinstance(part, type) or not isinstance(part, kind)):
            msg = f"{name} must be a {kind.__name__}, got {type(part).__name__}"
            raise TypeError(msg)


def not_blank(value: str) -> str:
    """A text as it is, as pydantic checks one.

    Raises:
        ValueError: It is blank.
    """
    if not value.strip():
        msg = "must not be blank"
        raise ValueError(msg)
    return value


def stripped(value: str) -> str:
    """A text without the space around it, as pydantic checks one.

    Raises:
        ValueError: It is blank.
    """
    return not_blank(value).strip()


def check_at_least_one(**counts: int | None) -> None:
    """Refuse a count below 1; None is no count.

    Raises:
        ValueError: A count is below 1, or no int.
    """
    for name, count in counts.items():
        if count is not None and (type(count) is not int or count < 1):
            msg = f"{name} must be >= 1, got {count!r}"
            raise ValueError(msg)
