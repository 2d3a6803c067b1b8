"""Units in LlamaIndex's own store in memory."""

import secrets
import threading
from collections.abc import Mapping, Sequence
from typing import Any, Final

from emomem.filters import matches
from emomem.memory.engine import Row, Steps, Vector
from emomem.memory.in_memory import nearest
from emomem.memory.store import Change, Find, Search, changed, check_same_owner
from llamaindex_emomem.memory.vectors import ThreadedUnits

_KEY: Final = "_emomem_key"
_TEXT: Final = "_emomem_text"
_lock: Final = threading.RLock()


class SimpleUnits(ThreadedUnits):
    """Units in a `SimpleVectorStore`, searched exactly.

    The store keeps no texts of its own, so that they stand among the metadata; with these they
    are kept by its `persist`.
    """

    @property
    def _data(self) -> Any:  # noqa: ANN401 - the store's, which its `clear` replaces
        return self._vector_store.data

    def _key(self) -> Steps:
        yield from ()
        with _lock:
            # With the data, since every memory over them has to make the same ids.
            held: str = self._data.metadata_dict.setdefault(_KEY, secrets.token_hex(32))
        return bytes.fromhex(held)

    def _get(self, request: Find) -> Steps:
        yield from ()
        return self._passing(request)

    def _nearest(self, request: Search, vector: Vector | None) -> Steps:
        yield from ()
        return nearest(self._passing(request), vector, request.k)

    def _write(self, rows: Sequence[Row], *, new: bool) -> Steps:  # noqa: ARG002 - replaces
        yield from ()
        users = {row.id: row.metadata["user_id"] for row in rows}
        with _lock:
            held = self._data.metadata_dict
            check_same_owner([(id_, held[id_]) for id_ in users if id_ in held], users)
            for row in rows:
                self._data.embedding_dict[row.id] = list(row.vector or ())
                self._data.text_id_to_ref_doc_id[row.id] = "None"  # as the store writes it
                self._data.metadata_dict[row.id] = {**row.metadata, _TEXT: row.text}

    def _patch(self, owned: Find, changes: Mapping[str, Change]) -> Steps:
        yield from ()
        with _lock:
            ids = [row.id for row in self._passing(owned)]
            for id_ in ids:
                held = self._data.metadata_dict[id_]
                self._data.metadata_dict[id_] = changed(held, changes[id_])
        return ids

    def _remove(self, owned: Find) -> Steps:
        yield from ()
        with _lock:
            ids = [row.id for row in self._passing(owned)]
            if ids:
                self._vector_store.delete_nodes(ids)
        return ids

    def _passing(self, request: Find | Search) -> list[Row]:
        ids = request.ids if isinstance(request, Find) else None
        rows = []
        with _lock:
            vectors, metadatas = self._data.embedding_dict, self._data.metadata_dict
            for id_ in list(vectors) if ids is None else ids:
                metadata = dict(metadatas.get(id_) or {})
                text = metadata.pop(_TEXT, None)
                if text is not None and id_ in vectors and matches(request.scope, metadata):
                    rows.append(Row(id_, text, metadata, vectors[id_]))
        return rows
