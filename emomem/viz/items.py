"""What can be drawn: anything that has an affect."""

from collections.abc import Iterable
from typing import Any

from emomem.affect import Affect
from emomem.metadata import DEFAULT_FIELDS, MetadataFields, decode
from emomem.ranking.explain import Explanation

Memory = Any
"""An `Affect`, a text with its affect as a tuple, a `MemoryUnit`, a document or node of a framework
with affect in its metadata, or an `Explanation` of one."""


def listed(items: Iterable[Any], kind: type = object, source: str = "") -> list[Any]:
    """What is to be drawn, as a list.

    Args:
        items: What was given.
        kind: What each must be.
        source: Where such ones come from, to be told.

    Raises:
        TypeError: It is one alone, or one in it is of another kind.
    """
    if isinstance(items, Affect) or hasattr(items, "metadata"):
        # A model of pydantic can be looped over too: by its fields.
        msg = f"what is to be drawn stands in a list, got one {type(items).__name__} alone"
        raise TypeError(msg)
    found = list(items)
    for one in found:
        if not isinstance(one, kind):
            wanted = f"a list of {kind.__name__} is drawn, as {source} gives it"
            msg = f"{wanted}; in it is one {type(one).__name__}"
            raise TypeError(msg)
    return found


def affects_of(memories: Iterable[Memory], fields: MetadataFields = DEFAULT_FIELDS) -> list[Affect]:
    """The affect of each memory.

    Raises:
        TypeError: One is nothing that has an affect, or it is one alone.
    """
    return [_affect(one, fields) for one in listed(memories)]


def text_of(memory: Memory) -> str:
    """The text of a memory; empty where it has none."""
    if isinstance(memory, Explanation):
        return text_of(memory.document)
    if isinstance(memory, tuple):
        memory = memory[0]
    if isinstance(memory, str):
        return memory
    for name in ("page_content", "text"):
        if isinstance(found := getattr(memory, name, None), str):
            return found
    return ""


def _affect(memory: Memory, fields: MetadataFields) -> Affect:
    if isinstance(memory, Affect):
        return memory
    if isinstance(memory, Explanation):
        return _affect(memory.document, fields)
    affect = memory[-1] if isinstance(memory, tuple) and memory else getattr(memory, "affect", None)
    if isinstance(affect, Affect):
        return affect
    if (metadata := getattr(memory, "metadata", None)) is not None:
        return decode(metadata, fields)
    msg = f"a memory has an affect or metadata with one, got a {type(memory).__name__}"
    raise TypeError(msg)
