"""What the adapters of vector stores share: the encoder, and calls that may block."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import VectorStore

from emomem.memory.engine import EmbedDocuments, EmbedQuery, EngineStore
from emomem.memory.store import Request
from emomem.steps import adrive, drive
from langchain_emomem.stores import encoder_of

Call = EmbedQuery | EmbedDocuments | Callable[[], Any]


class BlockingUnits(EngineStore):
    """Units in a vector store whose engine blocks, so that async calls of it get a thread.

    Args:
        vectorstore: The store.

    Raises:
        ValueError: The store shows no encoder.
    """

    def __init__(self, vectorstore: VectorStore) -> None:
        self._encoder = encoder(vectorstore)

    def batch(self, requests: Sequence[Request]) -> list[Any]:
        """The answer of each request, in order."""
        return drive(self._steps(requests), self._answer)

    async def abatch(self, requests: Sequence[Request]) -> list[Any]:
        """`batch` without blocking the event loop."""
        return await adrive(self._steps(requests), self._aanswer)

    def _answer(self, call: Call) -> Any:  # noqa: ANN401 - of any kind of call
        return call() if callable(call) else embed(self._encoder, call)

    async def _aanswer(self, call: Call) -> Any:  # noqa: ANN401 - of any kind of call
        if callable(call):
            return await asyncio.to_thread(call)
        return await aembed(self._encoder, call)


def encoder(vectorstore: VectorStore) -> Embeddings:
    """The store's encoder.

    Raises:
        ValueError: It shows none.
    """
    found = encoder_of(vectorstore)
    if found is None:
        msg = f"{type(vectorstore).__name__} shows no encoder; make it with one"
        raise ValueError(msg)
    return found


def embed(encoder: Embeddings, call: EmbedQuery | EmbedDocuments) -> Any:  # noqa: ANN401
    """The vector of a query, or those of documents."""
    if isinstance(call, EmbedQuery):
        return encoder.embed_query(call.text)
    return encoder.embed_documents(list(call.texts))


async def aembed(encoder: Embeddings, call: EmbedQuery | EmbedDocuments) -> Any:  # noqa: ANN401
    """`embed` without blocking the event loop."""
    if isinstance(call, EmbedQuery):
        return await encoder.aembed_query(call.text)
    return await encoder.aembed_documents(list(call.texts))
