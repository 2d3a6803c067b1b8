"""A store over an engine that somebody else keeps: one algorithm for sync and async."""

import logging
from abc import abstractmethod
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from emomem.memory.store import (
    BaseMemoryStore,
    Change,
    Delete,
    Find,
    Hit,
    Key,
    Patch,
    Put,
    Request,
    Search,
    check_owner,
    in_order,
)
from emomem.memory.unit import MemoryUnit, from_metadata, to_metadata
from emomem.mixing import mixed, query_parts

logger = logging.getLogger(__name__)

Vector = Sequence[float]
Steps = Generator[Any, Any, Any]
"""Yields calls of the engine and is sent their results."""


@dataclass(frozen=True)
class Row:
    """One document of an engine."""

    id: str
    text: str
    metadata: Mapping[str, Any]
    vector: Vector | None = None
    cosine: float | None = None


@dataclass(frozen=True)
class EmbedQuery:
    """A call of the encoder."""

    text: str


@dataclass(frozen=True)
class EmbedDocuments:
    """A call of the encoder."""

    texts: Sequence[str]


class EngineStore(BaseMemoryStore):
    """What the stores over engines share; each tells how its engine is called."""

    embeds: bool = True
    """Whether vectors are made here; an engine that makes its own is given the text alone."""

    @abstractmethod
    def _key(self) -> Steps:
        """The store's key, as bytes."""

    @abstractmethod
    def _get(self, request: Find) -> Steps:
        """The rows that pass `request.scope`, in any order; `ids` is None or not empty."""

    @abstractmethod
    def _nearest(self, request: Search, vector: Vector | None) -> Steps:
        """The k nearest rows that pass `request.scope`, best first."""

    @abstractmethod
    def _write(self, rows: Sequence[Row], *, new: bool) -> Steps:
        """Write rows, all or none; of those that are not `new`, an older one may be there."""

    @abstractmethod
    def _patch(self, owned: Find, changes: Mapping[str, Change]) -> Steps:
        """Change the rows that pass `owned.scope`; the ids that were there."""

    @abstractmethod
    def _remove(self, owned: Find) -> Steps:
        """Delete the rows that pass `owned.scope`; the ids that were there."""

    def _steps(self, requests: Sequence[Request]) -> Steps:
        """The answers of all requests."""
        vectors: dict[str, Vector] = {}
        answers = []
        for request in requests:
            match request:
                case Key():
                    answer = yield from self._key()
                case Search():
                    vector = yield from self._vector(request, vectors)
                    rows = yield from self._nearest(request, vector)
                    units = _units(rows, request.user_id)
                    answer = [Hit(units[row.id], row.cosine) for row in rows if row.id in units]
                case Find(ids=ids):
                    rows = (yield from self._get(request)) if _some(ids) else []
                    answer = in_order(_units(rows, request.user_id).values())
                case Put():
                    answer = (yield from self._put(request)) if request.units else None
                case Patch(user_id=user_id, changes=changes):
                    owned = Find(user_id, ids=list(changes))
                    answer = (yield from self._patch(owned, changes)) if changes else []
                case Delete(user_id=user_id, ids=ids):
                    owned = Find(user_id, ids=ids)
                    answer = (yield from self._remove(owned)) if _some(ids) else []
            answers.append(answer)
        return answers

    def _vector(self, search: Search, known: dict[str, Vector]) -> Steps:
        """What a search asks for: its texts, mixed; each is kept in those that are known.

        Its cues are many, and like what is stored: they are made in one call, as documents are.
        """
        if not self.embeds:
            return None
        asked = query_parts(search.text, search.turns)
        for text in asked:
            if text not in known:
                known[text] = yield EmbedQuery(text)
        cues = [text for text in dict.fromkeys(search.cues) if text not in known]
        if cues:
            known |= dict(zip(cues, (yield EmbedDocuments(cues)), strict=True))
        parts = [known[text] for text in (*asked, *search.cues)]
        return parts[0] if len(parts) == 1 else mixed(parts).tolist()

    def _put(self, request: Put) -> Steps:
        units = request.units
        texts = list(dict.fromkeys(unit.text for unit in units))
        vectors = (yield EmbedDocuments(texts)) if self.embeds else [None] * len(texts)
        by_text = dict(zip(texts, vectors, strict=True))
        rows = [Row(u.unit_id, u.text, to_metadata(u), by_text[u.text]) for u in units]
        yield from self._write(rows, new=request.new)


def _some(ids: Sequence[str] | None) -> bool:
    return ids is None or len(ids) > 0


def _units(rows: Sequence[Row], user_id: str) -> dict[str, MemoryUnit]:
    """The units of rows by their ids; what is no unit is passed over."""
    units: dict[str, MemoryUnit] = {}
    for row in rows:
        try:
            units[row.id] = from_metadata(row.text, row.metadata)
        except ValueError as error:
            logger.warning("%s; passed over", error)
    check_owner(list(units.values()), user_id)
    return units
