"""Where in a JSON text a value stands, for errors that a person has to find."""

import json
import re
from collections.abc import Sequence
from typing import Final

_DECODER: Final = json.JSONDecoder()
_SPACE: Final = re.compile(r"\s*")


def line_of(text: str, path: Sequence[str | int]) -> int:
    r"""The line, from 1 on, on which the value at a path begins.

    A step that the text does not have ends the walk: what is missing is missing in the value
    above it.

    Args:
        text: A valid JSON text.
        path: Keys and indices from the outermost value inwards.

    Example:
        >>> line_of('{"a": 1,\n "b": [2,\n 3]}', ["b", 1])
        3
    """
    at = _after_space(text, 0)
    for step in path:
        inner = _inside(text, at, step)
        if inner is None:
            break
        at = inner
    return text.count("\n", 0, at) + 1


def _inside(text: str, at: int, step: str | int) -> int | None:
    """Where one part of the object or list at `at` begins."""
    opening, number = text[at], 0
    if opening not in "{[":
        return None
    at = _after_space(text, at + 1)
    while text[at] not in "}]":
        name: str | int = number
        if opening == "{":
            name, at = _DECODER.raw_decode(text, at)
            at = _after_space(text, _after_space(text, at) + 1)
        if name == step:
            return at
        _, at = _DECODER.raw_decode(text, at)
        at = _after_space(text, at)
        if text[at] == ",":
            at = _after_space(text, at + 1)
        number += 1
    return None


def _after_space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at
