"""Units in a Chroma collection, embedded or on a server."""

from typing import cast

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.vector_stores.types import BasePydanticVectorStore

from emomem.memory.chroma import ChromaCollection
from emomem.scores import Metric
from llamaindex_emomem.memory.vectors import ThreadedUnits
from llamaindex_emomem.stores import metric_of


class ChromaUnits(ChromaCollection, ThreadedUnits):
    """Units in the collection of a `ChromaVectorStore`, as any framework's memory keeps them."""

    def __init__(self, vector_store: BasePydanticVectorStore, embed_model: BaseEmbedding) -> None:
        super().__init__(vector_store, embed_model)
        self._collection = vector_store.client
        # The collection itself gives the distance, and LlamaIndex's store its exponential.
        metric = metric_of(vector_store)
        self._metric = None if metric is None else cast("Metric", metric.removeprefix("exp_"))
