"""The engines that are measured, each as a LangChain store of fused vectors."""

import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import chromadb
from chromadb.api import ClientAPI
from chromadb.config import Settings as ClientSettings
from langchain_chroma import Chroma
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.vectorstores import VectorStore
from langchain_postgres import PGVector
from pgvector.psycopg import register_vector
from psycopg.types.json import Jsonb
from servers import chroma_server, postgres
from sqlalchemy import Connection, create_engine, text
from vectors import DIMENSIONS, Batch

from emomem.affect import FloatArray
from emomem.fused import EXTRA
from langchain_emomem.affect_embeddings import CHROMA_CONFIGURATION, PGVECTOR_EF_SEARCH

WIDTH: Final = DIMENSIONS + EXTRA

_INDEX: Final = (
    (
        "CREATE INDEX ON langchain_pg_embedding USING hnsw (embedding vector_cosine_ops)"
        " WITH (ef_construction = 200)"
    ),
    "ANALYZE langchain_pg_embedding",
)
_COPY: Final = (
    "COPY langchain_pg_embedding (id, collection_id, embedding, document, cmetadata) "
    "FROM STDIN WITH (FORMAT BINARY)"
)


@dataclass(frozen=True)
class Settings:
    """How an HNSW index is built and searched."""

    chroma: Mapping[str, Any]
    ef_search: int


DEFAULT: Final = Settings({"hnsw": {"space": "cosine"}}, 40)
OURS: Final = Settings(CHROMA_CONFIGURATION, PGVECTOR_EF_SEARCH)


@dataclass(frozen=True)
class Engine:
    """A store, and what else is asked of it.

    Attributes:
        store: The store.
        add: Takes some memories.
        finish: Is called when all are there.
        occupied: How many bytes they take on the disk.
    """

    store: VectorStore
    add: Callable[[Batch], None]
    finish: Callable[[], None]
    occupied: Callable[[], int]

    def find(self, vector: FloatArray, k: int) -> list[int]:
        """The rows of the nearest memories."""
        found = self.store.similarity_search_by_vector(vector.tolist(), k=k)
        return [int(one.id or -1) for one in found]


@contextmanager
def embedded_chroma(folder: Path, settings: Settings = OURS) -> Iterator[Engine]:
    """Chroma in this process."""
    yield _chroma(chromadb.PersistentClient(folder, _silent()), folder, settings)


@contextmanager
def served_chroma(folder: Path, settings: Settings = OURS) -> Iterator[Engine]:
    """A Chroma server."""
    with chroma_server(folder) as port:
        yield _chroma(chromadb.HttpClient("127.0.0.1", port, settings=_silent()), folder, settings)


def _silent() -> ClientSettings:
    return ClientSettings(anonymized_telemetry=False)


def _chroma(client: ClientAPI, folder: Path, settings: Settings) -> Engine:
    store = Chroma(
        f"memories-{uuid.uuid4().hex}",
        client=client,
        collection_configuration=dict(settings.chroma),  # type: ignore[arg-type]
    )

    def add(batch: Batch) -> None:
        store._collection.add(  # noqa: SLF001 - vectors without a second encoding
            ids=batch.ids,
            embeddings=batch.vectors,
            documents=batch.texts,
            metadatas=[dict(tag) for tag in batch.tags],
        )

    def occupied() -> int:
        return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())

    return Engine(store, add, lambda: None, occupied)


@contextmanager
def pgvector(folder: Path, settings: Settings = OURS) -> Iterator[Engine]:  # noqa: ARG001 - it has a folder of its own
    """PostgreSQL with an HNSW index of pgvector."""
    options = f"-c hnsw.ef_search={settings.ef_search} -c maintenance_work_mem=1GB"
    with postgres() as url:
        connections = create_engine(url, connect_args={"options": options})
        store = PGVector(
            DeterministicFakeEmbedding(size=WIDTH),
            connection=connections,
            embedding_length=WIDTH,
            collection_name="memories",
        )
        with store._make_sync_session() as session:  # noqa: SLF001 - no public way
            collection = store.get_collection(session).uuid

        def add(batch: Batch) -> None:
            with connections.begin() as connection:
                _copy(connection, collection, batch)

        def finish() -> None:
            with connections.begin() as connection:
                for statement in _INDEX:
                    connection.execute(text(statement))

        def occupied() -> int:
            with connections.begin() as connection:
                size = text("SELECT pg_total_relation_size('langchain_pg_embedding')")
                return int(connection.execute(size).scalar_one())

        try:
            yield Engine(store, add, finish, occupied)
        finally:
            connections.dispose()


def _copy(connection: Connection, collection: uuid.UUID, batch: Batch) -> None:
    driver: Any = connection.connection.driver_connection
    register_vector(driver)
    with driver.cursor() as cursor, cursor.copy(_COPY) as copy:
        copy.set_types(["varchar", "uuid", "vector", "varchar", "jsonb"])
        for row in zip(batch.ids, batch.vectors, batch.texts, batch.tags, strict=True):
            name, vector, said, tag = row
            copy.write_row((name, collection, vector, said, Jsonb(dict(tag))))


ENGINES: Final[Mapping[str, Callable[[Path, Settings], AbstractContextManager[Engine]]]] = {
    "chroma": embedded_chroma,
    "chroma-server": served_chroma,
    "pgvector": pgvector,
}
