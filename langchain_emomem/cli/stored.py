"""Opening the stores that a command reads: a folder of Chroma, a database of PostgreSQL."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import VectorStore

from emomem.encoding.record import first_of_each
from langchain_emomem.cli.errors import CommandError, UsageError, first_line
from langchain_emomem.paging import all_documents

DATABASE: Final = "chroma.sqlite3"
"""The file by which a folder of Chroma is known."""
_BATCH: Final = 1_000


@dataclass(frozen=True)
class Opened:
    """A collection that is open.

    Attributes:
        name: What to call it.
        with_encoder: The collection as a vector store with an encoder, or with none to read it.
    """

    name: str
    with_encoder: Callable[[Embeddings | None], VectorStore]

    def documents(self) -> list[Document]:
        """Every document that has a text."""
        return [one for batch in all_documents(self.with_encoder(None), _BATCH) for one in batch]


def stored(folder: Path, collection: str | None = None) -> tuple[str, list[Document]]:
    """The memories of a Chroma store, each once however many vectors it has, and their source.

    Args:
        folder: The folder of the store.
        collection: Its name; not needed where there is one alone.

    Raises:
        UsageError: There is no such collection, or several and no name.
        CommandError: The folder holds no Chroma store, or langchain-chroma is not installed.
    """
    with open_chroma(folder, collection) as opened:
        documents = opened.documents()
    if not documents:
        name = opened.name.removeprefix(f"{folder}, collection ")
        msg = f"the collection {name} in {folder} holds no text"
        raise CommandError(msg)
    whole = first_of_each([document.metadata for document in documents])
    return opened.name, [documents[row] for row in whole]


@contextmanager
def open_chroma(folder: Path, collection: str | None = None) -> Iterator[Opened]:
    """A collection of a Chroma store on this machine.

    Args:
        folder: The folder of the store.
        collection: Its name; not needed where there is one alone.

    Raises:
        UsageError: There is no such collection, or several and no name.
        CommandError: The folder holds no Chroma store, or langchain-chroma is not installed.
    """
    if not (folder / DATABASE).is_file():
        msg = f"no Chroma store in {folder}: it holds no {DATABASE}"
        raise CommandError(msg)
    try:
        from chromadb import PersistentClient  # noqa: PLC0415 - heavy
        from chromadb.config import Settings  # noqa: PLC0415 - heavy
        from chromadb.errors import ChromaError  # noqa: PLC0415 - heavy
        from langchain_chroma import Chroma  # noqa: PLC0415 - heavy
    except ImportError:
        msg = "a Chroma store needs langchain-chroma: pip install 'emomem[chroma]'"
        raise CommandError(msg) from None
    try:
        client: Any = PersistentClient(str(folder), Settings(anonymized_telemetry=False))
    except ChromaError as error:
        msg = f"the Chroma store in {folder} cannot be opened: {first_line(error)}"
        raise CommandError(msg) from None
    try:
        name = _name([one.name for one in client.list_collections()], str(folder), collection)
        yield Opened(
            f"{folder}, collection {name}",
            lambda encoder: Chroma(
                name, encoder, client=client, create_collection_if_not_exists=False
            ),
        )
    finally:
        client.close()


@contextmanager
def open_postgres(url: str, collection: str | None = None) -> Iterator[Opened]:
    """A collection of a `PGVector` of LangChain; nothing is created in the database.

    Args:
        url: The database, as `postgresql://user:password@host/name`.
        collection: Its name; not needed where there is one alone.

    Raises:
        UsageError: There is no such collection, or several and no name.
        CommandError: The database does not answer or holds no collection of LangChain, or
            langchain-postgres is not installed.
    """
    try:
        from langchain_postgres import PGVector  # noqa: PLC0415 - heavy
        from sqlalchemy import create_engine, make_url, text  # noqa: PLC0415 - heavy
        from sqlalchemy.exc import ArgumentError, SQLAlchemyError  # noqa: PLC0415 - heavy
    except ImportError:
        msg = "a PostgreSQL store needs langchain-postgres: pip install langchain-postgres"
        raise CommandError(msg) from None
    try:
        address = make_url(url).set(drivername="postgresql+psycopg")
    except (ArgumentError, ValueError):  # a port that is no number
        msg = "the URL of the database cannot be read; it is postgresql://user:password@host/name"
        raise UsageError(msg) from None  # its own message holds the password
    engine = create_engine(address)
    place = f"PostgreSQL database {address.database}" if address.database else "PostgreSQL"
    try:
        try:
            with engine.connect() as connection:
                found = connection.execute(text("select name from langchain_pg_collection"))
                names = [name for (name,) in found]
        except SQLAlchemyError as error:
            own = getattr(error, "orig", None)
            msg = f"{place} cannot be read: {first_line(own or error)}"
            raise CommandError(msg) from None
        name = _name(names, place, collection)
        yield Opened(
            f"{place}, collection {name}",
            lambda encoder: PGVector(
                encoder, connection=engine, collection_name=name, create_extension=False
            ),
        )
    finally:
        engine.dispose()


def _name(there: Sequence[str], place: str, collection: str | None) -> str:
    names = sorted(there)
    if collection in names or (collection is None and len(names) == 1):
        return collection or names[0]
    wanted = "a --collection" if collection is None else f"the --collection {collection}"
    msg = f"{wanted} must be one of those in {place}: {', '.join(names) or 'there are none'}"
    raise UsageError(msg)
