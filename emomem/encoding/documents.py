"""Deep encoding of documents of any framework: what is read of each, and what is written."""

import copy
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, NamedTuple, TypeVar
from uuid import NAMESPACE_OID, uuid5

from emomem.affect import Affect
from emomem.encoding.encoder import DeepEncoder
from emomem.encoding.record import (
    KEYS,
    PENDING,
    RAW,
    STATUS,
    EmbedMode,
    Encoded,
    Piece,
    check_embed,
    deep_memory,
    first_of_each,
)
from emomem.metadata import DEFAULT_FIELDS, MetadataFields, decode, encode, strip

D = TypeVar("D")

PENDING_FILTER: Final[Mapping[str, Any]] = {STATUS: {"$in": list(PENDING)}}
"""A store's filter for what is worth another try."""


class Row(NamedTuple):
    """What a document holds: its text, its metadata, and its id where it has one."""

    text: str
    metadata: Mapping[str, Any]
    id: str | None


@dataclass(frozen=True)
class DocumentEncoder(Generic[D]):
    """A deep encoder of one framework's documents.

    A document that carries affect keeps it; any other is tagged on the way. What is a deep memory
    already stays as it is, anything else that was encoded before is encoded anew from its words.

    Args:
        encoder: Encodes what was said.
        read: What a document holds.
        make: A copy of a document that holds something else.
        embed: What of a deep memory is embedded (`Encoded.pieces`).
        fields: Where affect is read and written.

    Raises:
        ValueError: `embed` is no way to embed, or `fields` cannot be written.
    """

    encoder: DeepEncoder
    read: Callable[[D], Row]
    make: Callable[[D, Row], D]
    embed: EmbedMode = "json"
    fields: MetadataFields = DEFAULT_FIELDS

    def __post_init__(self) -> None:
        """Check the arguments."""
        check_embed(self.embed)
        if self.fields.scales:
            msg = "fields.scales are for reading a store that something else has tagged"
            raise ValueError(msg)

    def encoded(self, documents: Sequence[D], *, pending: bool = False) -> list[D]:
        """The memories of the documents, in their order.

        Args:
            documents: The documents.
            pending: Whether to leave all as they are but those that are worth another try.
        """
        batch = self._batch(documents, pending=pending)
        return self._placed(batch, self.encoder.encode(*self._asked(batch)))

    async def aencoded(self, documents: Sequence[D], *, pending: bool = False) -> list[D]:
        """`encoded` without blocking the event loop."""
        batch = self._batch(documents, pending=pending)
        return self._placed(batch, await self.encoder.aencode(*self._asked(batch)))

    def merged(self, documents: Sequence[D], k: int | None = None) -> list[D]:
        """One document a memory, best first, each deep one in the published text form.

        Args:
            documents: What was recalled, best first.
            k: How many memories at most; None for all.
        """
        rows = [self.read(document) for document in documents]
        first = first_of_each([row.metadata for row in rows])
        return [self._whole(documents[row], rows[row]) for row in first[:k]]

    def _batch(self, documents: Sequence[D], *, pending: bool) -> list[tuple[D, Row, bool]]:
        """Each document, what it holds, and whether it is to be encoded."""
        rows = [self.read(document) for document in documents]
        return [
            (document, row, _is_pending(row) if pending else row.metadata.get(STATUS) != "deep")
            for document, row in zip(documents, rows, strict=True)
        ]

    def _asked(self, batch: Sequence[tuple[D, Row, bool]]) -> tuple[list[str], list[Affect | None]]:
        chosen = [row for _, row, is_chosen in batch if is_chosen]
        return [_said(row) for row in chosen], [self._felt(row) for row in chosen]

    def _placed(self, batch: Sequence[tuple[D, Row, bool]], encoded: Sequence[Encoded]) -> list[D]:
        made = iter(encoded)
        placed: list[D] = []
        for document, row, is_chosen in batch:
            if is_chosen:
                placed += self._memories(document, row, next(made))
            else:
                placed.append(self.make(document, row._replace(metadata=_copied(row.metadata))))
        return placed

    def _memories(self, document: D, row: Row, encoded: Encoded) -> list[D]:
        own = {key: value for key, value in row.metadata.items() if key not in KEYS}
        kept = _copied(own)
        if self._felt(row) is None:
            kept = {**strip(kept, self.fields), **encode(encoded.affect, self.fields)}
        return [
            self.make(
                document, Row(piece.text, {**_copied(kept), **piece.metadata}, _id(row.id, piece))
            )
            for piece in encoded.pieces(self.embed, row.id or _digest(encoded.raw, own))
        ]

    def _felt(self, row: Row) -> Affect | None:
        affect = decode(row.metadata, self.fields)
        return None if affect.is_unknown else affect

    def _whole(self, document: D, row: Row) -> D:
        memory = deep_memory(row.metadata)
        return (
            document if memory is None else self.make(document, row._replace(text=memory.to_text()))
        )


def _is_pending(row: Row) -> bool:
    return row.metadata.get(STATUS) in PENDING


def _said(row: Row) -> str:
    """The words that were said, whether it was encoded before or not."""
    raw = row.metadata.get(RAW)
    return raw if isinstance(raw, str) else row.text


def _copied(metadata: Mapping[str, Any]) -> dict[str, Any]:
    return copy.deepcopy(dict(metadata))


def _digest(text: str, metadata: Mapping[str, Any]) -> str:
    """What stands for the id of a document without one: the same for the same document."""
    whole = repr((text, sorted(metadata.items(), key=str)))
    return hashlib.blake2b(whole.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _id(id_: str | None, piece: Piece) -> str | None:
    """The document's id; where it becomes several, a UUID each, as some stores want them."""
    if id_ is None or piece.dimension is None:
        return id_
    return str(uuid5(NAMESPACE_OID, f"{id_}#{piece.dimension}"))
