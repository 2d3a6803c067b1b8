"""Reading a collection from end to end."""

import logging
from collections.abc import Iterable, Iterator
from typing import Any

from langchain_core.documents import Document
from langchain_core.vectorstores import VectorStore

from langchain_emomem import stores

logger = logging.getLogger(__name__)

_Row = tuple[str, str | None, dict[str, Any] | None]


def all_documents(store: VectorStore, size: int) -> Iterator[list[Document]]:
    """Every document of a store, in batches. What has no text is left out and counted in a log.

    Args:
        store: A store of Chroma, of PGVector in sync mode, or LangChain's in memory.
        size: How many documents a batch has at most.

    Raises:
        TypeError: The store is none of these.
        RuntimeError: It is a PGVector store for async calls.
    """
    if stores.is_kind(store, "Chroma"):
        return _with_text(_of_chroma(store, size))
    if stores.is_kind(store, "PGVector"):
        stores.check_mode(store, is_async=False)
        return _with_text(_of_pgvector(store, size))
    if stores.is_kind(store, "InMemoryVectorStore"):
        return _with_text(_in_memory(store, size))
    msg = (
        f"{type(store).__name__} cannot be read from end to end here, but Chroma, PGVector and "
        "InMemoryVectorStore can; give its documents in batches"
    )
    raise TypeError(msg)


def _of_chroma(store: Any, size: int) -> Iterator[list[_Row]]:  # noqa: ANN401 - an engine's
    offset = 0
    while (held := store.get(limit=size, offset=offset))["ids"]:
        yield list(zip(held["ids"], held["documents"], held["metadatas"], strict=True))
        offset += len(held["ids"])


def _of_pgvector(store: Any, size: int) -> Iterator[list[_Row]]:  # noqa: ANN401 - the same
    table, last = store.EmbeddingStore, ""
    while True:
        with store._make_sync_session() as session:  # noqa: SLF001 - no public way
            collection = store.get_collection(session)
            rows = session.query(table.id, table.document, table.cmetadata)
            rows = rows.filter(table.collection_id == collection.uuid, table.id > last)
            page = rows.order_by(table.id).limit(size).all()
        if not page:
            return
        yield [tuple(row) for row in page]
        last = page[-1][0]


def _in_memory(store: Any, size: int) -> Iterator[list[_Row]]:  # noqa: ANN401 - the same
    rows = list(store.store.values())
    for start in range(0, len(rows), size):
        page = rows[start : start + size]
        yield [(row["id"], row["text"], row["metadata"]) for row in page]


def _with_text(pages: Iterable[list[_Row]]) -> Iterator[list[Document]]:
    left_out = 0
    for page in pages:
        rows = [(name, text, metadata) for name, text, metadata in page if text is not None]
        yield [Document(text, id=name, metadata=metadata or {}) for name, text, metadata in rows]
        left_out += len(page) - len(rows)
    if left_out:
        logger.warning("%d rows of the collection have no text and were left out", left_out)
