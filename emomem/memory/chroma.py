"""Units in a Chroma collection, embedded or on a server, for any framework."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from emomem.filters import matches
from emomem.memory.engine import EngineStore, Row, Steps, Vector
from emomem.memory.store import Change, Find, Search
from emomem.scores import Metric, cosines

_SHOWN: Final = ["documents", "metadatas"]
_MOST: Final = 5000  # Chroma takes no more than about that at once


class ChromaCollection(EngineStore):
    """Units in a collection of `chromadb`; who makes it tells the collection and its metric.

    A search is filtered by user inside the engine, and takes longer the more units one user has:
    Chroma looks up all that pass a filter first. What is asked for by its id, which is made from
    the user's, is looked up by that and then checked.

    What is deleted stays in an embedded Chroma's queue until `sync_threshold` writes are done
    (1,000, unless the collection says otherwise), and on the disk until `chroma vacuum` after it.
    """

    _collection: Any
    _metric: Metric | None

    def _key(self) -> Steps:
        yield from ()
        return self._collection.id.bytes

    def _get(self, request: Find) -> Steps:
        if request.ids is None:
            found = yield partial(self._collection.get, where=request.scope, include=_SHOWN)
            return list(_rows(found))
        rows: list[Row] = []
        for part in _batches(list(request.ids)):
            found = yield partial(self._collection.get, ids=part, include=_SHOWN)
            rows += [row for row in _rows(found) if matches(request.scope, row.metadata)]
        return rows

    def _nearest(self, request: Search, vector: Vector | None) -> Steps:
        found = yield partial(
            self._collection.query,
            query_embeddings=[vector],
            n_results=request.k,
            where=request.scope,
            include=[*_SHOWN, "distances"],
        )
        ids, texts, metadatas, distances = (
            found[column][0] for column in ("ids", "documents", "metadatas", "distances")
        )
        known = cosines(self._metric, distances)
        measured = [None] * len(ids) if known is None else known.tolist()
        columns = zip(ids, texts, metadatas, measured, strict=True)
        return [Row(id_, text, metadata, cosine=cosine) for id_, text, metadata, cosine in columns]

    def _write(self, rows: Sequence[Row], *, new: bool) -> Steps:
        ids = [row.id for row in rows]
        stale: dict[str, dict[str, None]] = {}
        if not new:
            # An upsert keeps the keys that the new metadata do not name.
            held = yield partial(self._collection.get, ids=ids, include=["metadatas"])
            pairs = zip(held["ids"], held["metadatas"], strict=True)
            stale = {id_: dict.fromkeys(metadata or {}) for id_, metadata in pairs}
        yield partial(
            self._collection.upsert,
            ids=ids,
            documents=[row.text for row in rows],
            embeddings=[row.vector for row in rows],
            metadatas=[{**stale.get(row.id, {}), **row.metadata} for row in rows],
        )

    def _patch(self, owned: Find, changes: Mapping[str, Change]) -> Steps:
        ids = [row.id for row in (yield from self._get(owned))]
        for part in _batches(ids):
            metadatas = [dict(changes[id_]) for id_ in part]
            yield partial(self._collection.update, ids=part, metadatas=metadatas)
        return ids

    def _remove(self, owned: Find) -> Steps:
        ids = [row.id for row in (yield from self._get(owned))]
        for part in _batches(ids):
            yield partial(self._collection.delete, ids=part)
        return ids


def _rows(found: Mapping[str, Any]) -> Iterator[Row]:
    return map(Row, found["ids"], found["documents"], found["metadatas"])


def _batches(ids: list[str]) -> list[list[str]]:
    return [ids[start : start + _MOST] for start in range(0, len(ids), _MOST)]
