"""What a deep memory holds, as text and as metadata, and how hits of one memory become one."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Literal, Self, get_args

from pydantic import AfterValidator, ConfigDict, Field

from emomem.affect import Affect
from emomem.asking import Reply
from emomem.jsonextract import objects

EmbedMode = Literal["raw", "json", "fact_motive", "multi"]
"""What of a deep memory is embedded (`Encoded.pieces`)."""

Status = Literal["standard", "deep", "failed", "over_budget"]
"""How a memory was encoded; the last two should be deep and are standard for now."""

PENDING: Final[tuple[Status, ...]] = ("failed", "over_budget")
"""What is worth another try."""

PREFIX: Final = "deep_"
STATUS: Final = f"{PREFIX}status"
RAW: Final = f"{PREFIX}raw"
MEMORY_ID: Final = f"{PREFIX}memory_id"
DIMENSION: Final = f"{PREFIX}dimension"

_MARK: Final = "[深度记忆]"
_STANDARD: Final = "user said: {}"
_MOST_SAID: Final = 300
"""Characters of a dimension that the schema asks for."""
_NOTHING: Final = frozenset({"na", "none", "null", "string", "text"})
"""What a model writes that has nothing to say, or repeats the schema."""
_NO_LETTERS: Final = re.compile(r"[\W\d_]+")


def _clean(value: str) -> str:
    # A model may write what a store cannot hold: halves of characters, and PostgreSQL no NUL.
    value = value.replace("\0", " ").encode("utf-8", "replace").decode().strip()
    if not value:
        msg = "must not be blank"
        raise ValueError(msg)
    return value


def _told(value: str) -> str:
    letters = _NO_LETTERS.sub("", value)
    if len(letters) < 2 or letters.casefold() in _NOTHING:  # noqa: PLR2004
        msg = "must tell what happened"
        raise ValueError(msg)
    if len(value) > _MOST_SAID:
        msg = f"must have at most {_MOST_SAID} characters, got {len(value)}"
        raise ValueError(msg)
    return value


# The bound keeps a model that is held to the schema from rambling.
_Said = Annotated[
    str, AfterValidator(_clean), Field(repr=False, json_schema_extra={"maxLength": _MOST_SAID})
]


class DeepMemory(Reply):
    """The four dimensions of what was said; none is blank, and the repr shows none.

    Attributes:
        fact: What happened, in at most 300 characters; "N/A" and its like are no fact.
        underlying_motive: What the person needs, wants or fears behind it.
        contextual_cues: The people, places, times and things that may bring it back to mind.
        agent_strategy: How a companion should meet it when it comes up again.

    Example:
        >>> memory = DeepMemory(
        ...     fact="The dog died.",
        ...     underlying_motive="To be comforted.",
        ...     contextual_cues="The empty basket.",
        ...     agent_strategy="Listen first.",
        ... )
        >>> DeepMemory.from_text(memory.to_text()) == memory
        True
    """

    model_config = ConfigDict(hide_input_in_errors=True)

    fact: Annotated[_Said, AfterValidator(_told)]
    underlying_motive: _Said
    contextual_cues: _Said
    agent_strategy: _Said

    @classmethod
    def from_text(cls, text: str) -> Self:
        """The memory that its published text form holds.

        Raises:
            ValueError: It is no such text; the message quotes nothing of it.
        """
        marked = text.strip()
        if marked.startswith(_MARK):
            for found in objects(marked.removeprefix(_MARK).lstrip()):
                try:
                    return cls.model_validate(found)
                except ValueError:
                    continue
        msg = f"a deep memory is {_MARK} and a JSON object with {', '.join(DIMENSIONS)}"
        raise ValueError(msg)

    def to_text(self) -> str:
        """The published text form: the mark and the JSON object."""
        return f"{_MARK} {json.dumps(self.model_dump(), ensure_ascii=False)}"


DIMENSIONS: Final = tuple(DeepMemory.model_fields)
"""What a deep memory is told in."""

KEYS: Final = (STATUS, RAW, MEMORY_ID, DIMENSION, *(f"{PREFIX}{name}" for name in DIMENSIONS))
"""Every metadata key that deep encoding may write."""


@dataclass(frozen=True)
class Piece:
    """One text to embed.

    Attributes:
        text: The text.
        metadata: What is stored beside it: flat, of strings alone.
        dimension: The one that it is, where a memory has a vector for each; else None.
    """

    text: str = field(repr=False)
    metadata: dict[str, str] = field(repr=False)
    dimension: str | None = None


@dataclass(frozen=True)
class Encoded:
    """One message as a memory.

    Attributes:
        raw: The words that were said.
        affect: How they feel.
        status: How they were encoded.
        memory: The four dimensions, where the status is "deep".
    """

    raw: str = field(repr=False)
    affect: Affect
    status: Status
    memory: DeepMemory | None = None

    def pieces(self, embed: EmbedMode, memory_id: str) -> list[Piece]:
        """What to embed, each text with the metadata that belongs beside it.

        Args:
            embed: "raw": the words in the standard encoding, deep or not. "json": the published
                text form. "fact_motive": the fact and the motive. "multi": each dimension by
                itself. What is not deep is one piece, in the standard encoding.
            memory_id: What the pieces of one memory share, for "multi".
        """
        metadata = {STATUS: self.status, RAW: self.raw}
        if self.memory is None:
            return [Piece(_STANDARD.format(self.raw), metadata)]
        told = self.memory.model_dump()
        metadata |= {f"{PREFIX}{name}": value for name, value in told.items()}
        if embed == "multi":
            metadata[MEMORY_ID] = memory_id
            return [
                Piece(value, {**metadata, DIMENSION: name}, name) for name, value in told.items()
            ]
        texts = {
            "raw": _STANDARD.format(self.raw),
            "json": self.memory.to_text(),
            "fact_motive": f"{self.memory.fact}\n{self.memory.underlying_motive}",
        }
        return [Piece(texts[embed], metadata)]


def check_embed(embed: EmbedMode) -> None:
    """Refuse what is no way to embed.

    Raises:
        ValueError: It is none; the message lists those that there are.
    """
    if embed not in get_args(EmbedMode):
        msg = f"embed must be one of {', '.join(get_args(EmbedMode))}, got {embed!r}"
        raise ValueError(msg)


def deep_memory(metadata: Mapping[str, Any]) -> DeepMemory | None:
    """The four dimensions that metadata holds; None where it does not hold all of them."""
    try:
        return DeepMemory.model_validate(
            {name: metadata.get(f"{PREFIX}{name}") for name in DIMENSIONS}
        )
    except ValueError:
        return None


def first_of_each(metadatas: Sequence[Mapping[str, Any]]) -> list[int]:
    """The rows of the hits that are the best of their memory, in their order.

    Args:
        metadatas: The metadata of each hit, best first.

    Example:
        >>> first_of_each([{MEMORY_ID: "a"}, {}, {MEMORY_ID: "a"}, {MEMORY_ID: "b"}, {}])
        [0, 1, 3, 4]
    """
    ids = [metadata.get(MEMORY_ID) for metadata in metadatas]
    first = {memory_id: row for row, memory_id in reversed(list(enumerate(ids)))}
    return [row for row, one in enumerate(ids) if one is None or first[one] == row]
