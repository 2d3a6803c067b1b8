"""What the adapters of vector stores share: the encoder, and calls that may block."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.vector_stores.types import BasePydanticVectorStore

from emomem.memory.engine import EmbedDocuments, EmbedQuery, EngineStore
from emomem.memory.store import Request
from emomem.steps import drive

Call = EmbedQuery | EmbedDocuments | Callable[[], Any]


class ThreadedUnits(EngineStore):
    """Units in a vector store; async batches of it get a thread, whatever the engine.

    LlamaIndex runs the sync form of its memory in a new event loop each time, and the async
    connections of an engine live in one loop.

    Args:
        vector_store: The store.
        embed_model: What embeds texts and queries.
    """

    def __init__(self, vector_store: BasePydanticVectorStore, embed_model: BaseEmbedding) -> None:
        self._vector_store: Any = vector_store
        self._embed_model = embed_model

    def batch(self, requests: Sequence[Request]) -> list[Any]:
        """The answer of each request, in order."""
        return drive(self._steps(requests), self._answer)

    async def abatch(self, requests: Sequence[Request]) -> list[Any]:
        """`batch` in a thread."""
        return await asyncio.to_thread(self.batch, requests)

    def _answer(self, call: Call) -> Any:  # noqa: ANN401 - of any kind of call
        if isinstance(call, EmbedQuery):
            return self._embed_model.get_query_embedding(call.text)
        if isinstance(call, EmbedDocuments):
            return self._embed_model.get_text_embedding_batch(list(call.texts))
        return call()
