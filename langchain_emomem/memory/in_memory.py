"""Units in LangChain's own store in memory."""

import secrets
import threading
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from langchain_core.vectorstores import InMemoryVectorStore

from emomem.filters import matches
from emomem.memory.engine import Row, Steps, Vector
from emomem.memory.store import Change, Find, Search, changed, check_same_owner
from langchain_emomem.memory.vectors import BlockingUnits
from langchain_emomem.stores import DocumentTest

_KEY: Final = "_emomem_key"
_lock: Final = threading.RLock()


class InMemoryVectorUnits(BlockingUnits):
    """Units in an `InMemoryVectorStore`; they go when the process ends."""

    def __init__(self, vectorstore: InMemoryVectorStore) -> None:
        super().__init__(vectorstore)
        self._vectorstore = vectorstore
        with _lock:
            # With the store, since every memory over it has to make the same ids.
            self._own_key: bytes = vars(vectorstore).setdefault(_KEY, secrets.token_bytes(32))

    def _key(self) -> Steps:
        yield from ()
        return self._own_key

    def _get(self, request: Find) -> Steps:
        yield from ()
        return self._passing(request)

    def _nearest(self, request: Search, vector: Vector | None) -> Steps:
        search = self._vectorstore.similarity_search_with_score_by_vector
        scope = DocumentTest(request.scope)
        hits = yield partial(search, list(vector or ()), request.k, filter=scope)
        return [
            Row(
                str(found.id), found.page_content, found.metadata, None, max(-1.0, min(1.0, cosine))
            )
            for found, cosine in hits
        ]

    def _write(self, rows: Sequence[Row], *, new: bool) -> Steps:  # noqa: ARG002 - replaces
        yield from ()
        users = {row.id: row.metadata["user_id"] for row in rows}
        with _lock:
            held: dict[str, dict[str, Any]] = self._vectorstore.store
            there = {id_: held[id_]["metadata"] for id_ in users if id_ in held}
            check_same_owner(there.items(), users)
            self._vectorstore.store |= {
                row.id: {
                    "id": row.id,
                    "vector": row.vector,
                    "text": row.text,
                    "metadata": dict(row.metadata),
                }
                for row in rows
            }

    def _patch(self, owned: Find, changes: Mapping[str, Change]) -> Steps:
        yield from ()
        with _lock:
            ids = [row.id for row in self._passing(owned)]
            for id_ in ids:
                held = self._vectorstore.store[id_]
                metadata = changed(held["metadata"], changes[id_])
                self._vectorstore.store[id_] = {**held, "metadata": metadata}
        return ids

    def _remove(self, owned: Find) -> Steps:
        yield from ()
        with _lock:
            ids = [row.id for row in self._passing(owned)]
            for id_ in ids:
                del self._vectorstore.store[id_]
        return ids

    def _passing(self, request: Find) -> list[Row]:
        with _lock:
            held: dict[str, dict[str, Any]] = self._vectorstore.store
            ids = list(held) if request.ids is None else [id_ for id_ in request.ids if id_ in held]
            rows = [Row(id_, held[id_]["text"], held[id_]["metadata"]) for id_ in ids]
        return [row for row in rows if matches(request.scope, row.metadata)]
