"""Reading the memories of a store on this machine."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from langchain_core.documents import Document

from emomem.encoding.record import first_of_each
from langchain_emomem.cli.errors import CommandError, UsageError
from langchain_emomem.paging import all_documents

if TYPE_CHECKING:
    from chromadb.api import ClientAPI

_DATABASE: Final = "chroma.sqlite3"
_BATCH: Final = 1_000


def stored(folder: Path, collection: str | None = None) -> tuple[str, list[Document]]:
    """The memories of a Chroma store, each once however many vectors it has, and their source.

    Args:
        folder: The folder of the store.
        collection: Its name; not needed where there is one alone.

    Raises:
        UsageError: There is no such collection, or several and no name.
        CommandError: The folder holds no Chroma store, or langchain-chroma is not installed.
    """
    if not (folder / _DATABASE).is_file():
        msg = f"no Chroma store in {folder}: it holds no {_DATABASE}"
        raise CommandError(msg)
    try:
        from chromadb import PersistentClient  # noqa: PLC0415 - heavy
        from chromadb.config import Settings  # noqa: PLC0415 - heavy
        from langchain_chroma import Chroma  # noqa: PLC0415 - heavy
    except ImportError:
        msg = "--chroma needs langchain-chroma: pip install 'emomem[chroma]'"
        raise CommandError(msg) from None
    client: Any = PersistentClient(str(folder), Settings(anonymized_telemetry=False))
    try:
        name = _name(client, folder, collection)
        store = Chroma(name, client=client, create_collection_if_not_exists=False)
        documents = [one for batch in all_documents(store, _BATCH) for one in batch]
    finally:
        client.close()
    if not documents:
        msg = f"the collection {name} in {folder} holds no text"
        raise CommandError(msg)
    whole = first_of_each([document.metadata for document in documents])
    return f"{folder}, collection {name}", [documents[row] for row in whole]


def _name(client: "ClientAPI", folder: Path, collection: str | None) -> str:
    names = sorted(one.name for one in client.list_collections())
    if collection in names or (collection is None and len(names) == 1):
        return collection or names[0]
    wanted = "a --collection" if collection is None else f"the --collection {collection}"
    msg = f"{wanted} must be one of those in {folder}: {', '.join(names) or 'there are none'}"
    raise UsageError(msg)
