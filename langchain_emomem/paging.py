"""Reading a collection from end to end."""

from collections.abc import Iterator
from typing import Any

from langchain_core.documents import Document
from langchain_core.vectorstores import VectorStore

from langchain_emomem import stores


def all_documents(store: VectorStore, size: int) -> Iterator[list[Document]]:
    """Every document of a store, in batches. What has no text is left out.

    Args:
        store: A store of Chroma, of PGVector in sync mode, or LangChain's in memory.
        size: How many documents a batch has at most.

    Raises:
        TypeError: The store is none of these.
        RuntimeError: It is a PGVector store for async calls.
    """
    if stores.is_kind(store, "Chroma"):
        return _of_chroma(store, size)
    if stores.is_kind(store, "PGVector"):
        stores.check_mode(store, is_async=False)
        return _of_pgvector(store, size)
    if stores.is_kind(store, "InMemoryVectorStore"):
        return _in_memory(store, size)
    msg = (
        f"{type(store).__name__} cannot be read from end to end here, but Chroma, PGVector and "
        "InMemoryVectorStore can; give its documents in batches"
    )
    raise TypeError(msg)


def held_by_others(store: VectorStore, ids: list[str]) -> bool:
    """Whether a PGVector store's database has one of the ids in another collection."""
    if not stores.is_kind(store, "PGVector"):
        return False
    engine: Any = store
    table = engine.EmbeddingStore
    with engine._make_sync_session() as session:  # noqa: SLF001 - no public way
        own = engine.get_collection(session)
        rows = session.query(table.id).filter(table.id.in_(ids))
        return rows.filter(table.collection_id != own.uuid).first() is not None


def _of_chroma(store: Any, size: int) -> Iterator[list[Document]]:  # noqa: ANN401 - an engine's
    offset = 0
    while (held := store.get(limit=size, offset=offset))["ids"]:
        rows = zip(held["ids"], held["documents"], held["metadatas"], strict=True)
        yield [_document(*row) for row in rows if row[1] is not None]
        offset += len(held["ids"])


def _of_pgvector(store: Any, size: int) -> Iterator[list[Document]]:  # noqa: ANN401 - the same
    table, last = store.EmbeddingStore, ""
    while True:
        with store._make_sync_session() as session:  # noqa: SLF001 - no public way
            collection = store.get_collection(session)
            rows = session.query(table.id, table.document, table.cmetadata)
            rows = rows.filter(table.collection_id == collection.uuid, table.id > last)
            page = rows.order_by(table.id).limit(size).all()
        if not page:
            return
        yield [_document(*row) for row in page if row[1] is not None]
        last = page[-1][0]


def _in_memory(store: Any, size: int) -> Iterator[list[Document]]:  # noqa: ANN401 - the same
    rows = list(store.store.values())
    for start in range(0, len(rows), size):
        page = rows[start : start + size]
        yield [_document(row["id"], row["text"], row["metadata"]) for row in page]


def _document(id_: str, text: str, metadata: dict[str, Any] | None) -> Document:
    return Document(text, id=id_, metadata=metadata or {})
