"""The JSON objects in what a chat model says."""

import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, Final, get_args

from emomem.prompts import Tag

_DECODER: Final = json.JSONDecoder(strict=False)  # models leave line breaks in their strings

_THOUGHTS: Final = ("think", "thinking", "thought", "reasoning", "reflection")
_NO_ANSWER: Final = f"(?:{'|'.join([*_THOUGHTS, *get_args(Tag)])})>"
_OPENING: Final = re.compile(f"<{_NO_ANSWER}", re.IGNORECASE)
_CLOSING: Final = re.compile(f"</{_NO_ANSWER}", re.IGNORECASE)

_STRING: Final = r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\''
_BRACES: Final = re.compile(_STRING + r"|[{}]", re.DOTALL)
_REPAIRABLE: Final = re.compile(_STRING + r"|,(?=\s*[}\]])|\b(?:True|False|None)\b", re.DOTALL)
_ESCAPE_OR_QUOTE: Final = re.compile(r'\\.|"', re.DOTALL)
_REPAIRS: Final = {",": "", "True": "true", "False": "false", "None": "null"}
_REQUOTED: Final = {'"': '\\"', "\\'": "'"}

# A model that repeats itself can write thousands of braces; an answer stands at one of the first,
_MOST_STARTS: Final = 50
# and what is longer than any answer is not repaired.
_LONGEST_REPAIRED: Final = 20_000


def objects(answer: str) -> Iterator[dict[str, Any]]:
    r"""The JSON objects in an answer, whatever stands around them; each before what it holds.

    Prose, code fences, thoughts (`<think>`, finished or not) and echoes of what was quoted to the
    model (`<text>`) are passed over; an object in a list is found too. Trailing commas, single
    quotes, Python's `True`, `False` and `None`, and line breaks within strings are forgiven. What
    is cut off is not completed.

    Example:
        >>> list(objects("Sure! ```json\n{'affect': {'valence': 0.5,}}\n```"))
        [{'affect': {'valence': 0.5}}, {'valence': 0.5}]
    """
    text = answer if answer.lstrip().startswith("{") else _without_thoughts_and_echoes(answer)
    for brace in islice(re.finditer("{", text), _MOST_STARTS):
        found = _decoded(text, brace.start()) or _decoded(_repaired(text, brace.start()), 0)
        if found is not None:
            yield found


def _decoded(text: str, start: int) -> dict[str, Any] | None:
    try:
        found: dict[str, Any] = _DECODER.raw_decode(text, start)[0]
    except (ValueError, RecursionError):
        return None
    return found


def _without_thoughts_and_echoes(answer: str) -> str:
    """What follows the last of them, and comes before one that never ends."""
    ends = [0, *(closing.end() for closing in _CLOSING.finditer(answer))]
    rest = answer[ends[-1] :]
    unfinished = _OPENING.search(rest)
    return rest[: unfinished.start()] if unfinished else rest


def _repaired(text: str, start: int) -> str:
    """The braces at `start` and what they hold, as JSON; empty where they never close."""
    depth = 0
    for part in _BRACES.finditer(text, start, start + _LONGEST_REPAIRED):
        depth += {"{": 1, "}": -1}.get(part[0], 0)
        if depth == 0:
            return _REPAIRABLE.sub(_repair, text[start : part.end()])
    return ""


def _repair(part: re.Match[str]) -> str:
    found = part[0]
    if not found.startswith("'"):
        return _REPAIRS.get(found, found)
    inner = _ESCAPE_OR_QUOTE.sub(lambda one: _REQUOTED.get(one[0], one[0]), found[1:-1])
    return f'"{inner}"'
