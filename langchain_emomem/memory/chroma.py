"""Units in a Chroma collection, embedded or on a server."""

from langchain_core.vectorstores import VectorStore

from emomem.memory.chroma import ChromaCollection
from langchain_emomem import stores
from langchain_emomem.memory.vectors import BlockingUnits


class ChromaUnits(ChromaCollection, BlockingUnits):
    """Units in the collection of a `langchain_chroma.Chroma`."""

    def __init__(self, vectorstore: VectorStore) -> None:
        super().__init__(vectorstore)
        self._collection = vectorstore._collection  # type: ignore[attr-defined]  # noqa: SLF001 - no public way
        self._metric = stores.metric_of(vectorstore)
