"""Units in a Chroma collection, embedded or on a server."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from langchain_core.vectorstores import VectorStore

from emomem.filters import matches
from emomem.memory.engine import Row, Steps, Vector
from emomem.memory.store import Change, Find, Search
from langchain_emomem import stores
from langchain_emomem.memory.vectors import BlockingUnits

_SHOWN: Final = ["documents", "metadatas"]
_MOST: Final = 5000  # Chroma takes no more than about that at once


class ChromaUnits(BlockingUnits):
    """Units in the collection of a `langchain_chroma.Chroma`.

    A search is filtered by user inside the engine, and takes longer the more units one user has:
    Chroma looks up all that pass a filter first. What is asked for by its id, which is made from
    the user's, is looked up by that and then checked.

    What is deleted stays in an embedded Chroma's queue until `sync_threshold` writes are done
    (1,000, unless the collection says otherwise), and on the disk until `chroma vacuum` after it.
    """

    def __init__(self, vectorstore: VectorStore) -> None:
        super().__init__(vectorstore)
        self._collection: Any = vectorstore._collection  # type: ignore[attr-defined]  # noqa: SLF001 - no public way
        self._metric = stores.metric_of(vectorstore)

    def _key(self) -> Steps:
        yield from ()
        return self._collection.id.bytes

    def _get(self, request: Find) -> Steps:
        how = {"where": request.scope} if request.ids is None else {"ids": list(request.ids)}
        found = yield partial(self._collection.get, **how, include=_SHOWN)
        rows = map(Row, found["ids"], found["documents"], found["metadatas"])
        return [row for row in rows if request.ids is None or matches(request.scope, row.metadata)]

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
        cosines = stores.cosines(self._metric, distances)
        known = [None] * len(ids) if cosines is None else cosines.tolist()
        columns = zip(ids, texts, metadatas, known, strict=True)
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


def _batches(ids: list[str]) -> list[list[str]]:
    return [ids[start : start + _MOST] for start in range(0, len(ids), _MOST)]
