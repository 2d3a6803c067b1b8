"""A store in this process's memory, for tests, small programs, and other stores to learn from."""

import asyncio
import secrets
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from emomem.encoder import default_encoder
from emomem.filters import matches
from emomem.memory.engine import EmbedDocuments, EmbedQuery, EngineStore, Row, Steps, Vector
from emomem.memory.store import Change, Find, Request, Search, changed, check_same_owner
from emomem.signals import cosines
from emomem.steps import drive

Embed = Callable[[Sequence[str]], ArrayLike]
"""Sentence vectors (n, d) of n texts."""


class InMemoryStore(EngineStore):
    """Units in a dictionary, searched exactly; they go when the process ends.

    Args:
        embed: Sentence vectors of texts; None is the embedded model.

    Example:
        >>> from emomem.memory.unit import MemoryUnit
        >>> store = InMemoryStore(embed=lambda texts: [[len(text), 1.0] for text in texts])
        >>> unit = MemoryUnit(text="tea", user_id="a", speaker="a", created_at=0, unit_id="1")
        >>> store.put([unit])
        >>> store.search("a", "tee")[0].unit.text, store.search("b", "tee")
        ('tea', [])
    """

    def __init__(self, embed: Embed | None = None) -> None:
        self._embed = default_encoder().embed if embed is None else embed
        self._own_key = secrets.token_bytes(32)
        self._rows: dict[str, Row] = {}
        self._lock = threading.RLock()

    def batch(self, requests: Sequence[Request]) -> list[Any]:
        """The answer of each request, in order."""
        return drive(self._steps(requests), self._answer)

    async def abatch(self, requests: Sequence[Request]) -> list[Any]:
        """`batch` in a thread."""
        return await asyncio.to_thread(self.batch, requests)

    def _answer(self, call: EmbedQuery | EmbedDocuments) -> Any:  # noqa: ANN401 - of either kind
        if isinstance(call, EmbedQuery):
            return np.asarray(self._embed([call.text]), dtype=float)[0]
        return np.asarray(self._embed(call.texts), dtype=float)

    def _key(self) -> Steps:
        yield from ()
        return self._own_key

    def _get(self, request: Find) -> Steps:
        yield from ()
        return self._passing(request)

    def _nearest(self, request: Search, vector: Vector | None) -> Steps:
        yield from ()
        return nearest(self._passing(request), vector, request.k)

    def _write(self, rows: Sequence[Row], *, new: bool) -> Steps:  # noqa: ARG002 - replaces
        yield from ()
        users = {row.id: row.metadata["user_id"] for row in rows}
        with self._lock:
            there = {id_: self._rows[id_].metadata for id_ in users if id_ in self._rows}
            check_same_owner(there.items(), users)
            self._rows |= {row.id: row for row in rows}

    def _patch(self, owned: Find, changes: Mapping[str, Change]) -> Steps:
        yield from ()
        with self._lock:
            found = self._passing(owned)
            for row in found:
                metadata = changed(row.metadata, changes[row.id])
                self._rows[row.id] = replace(row, metadata=metadata)
        return [row.id for row in found]

    def _remove(self, owned: Find) -> Steps:
        yield from ()
        with self._lock:
            found = self._passing(owned)
            for row in found:
                del self._rows[row.id]
        return [row.id for row in found]

    def _passing(self, request: Find | Search) -> list[Row]:
        ids = request.ids if isinstance(request, Find) else None
        with self._lock:
            rows = self._rows
            among = rows.values() if ids is None else [rows[id_] for id_ in ids if id_ in rows]
            return [row for row in among if matches(request.scope, row.metadata)]


def nearest(rows: Sequence[Row], vector: Vector | None, k: int) -> list[Row]:
    """The k of some rows that are nearest to a vector, best first, with their cosines."""
    if not rows or vector is None:
        return []
    scores = cosines(vector, np.stack([np.asarray(row.vector) for row in rows]))
    best = np.argsort(-scores, kind="stable")[:k]
    return [replace(rows[index], cosine=float(scores[index])) for index in best]
