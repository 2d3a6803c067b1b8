"""The diary in LlamaIndex's own store, and as a retriever hands it on."""

from typing import Any

import pytest
from llama_index.core import VectorStoreIndex
from llama_index.core.schema import NodeWithScore, TextNode

COSINES = (0.9, 0.85, 0.8, 0.75, 0.7, 0.6, 0.5, 0.3, 0.2, 0.1)


@pytest.fixture
def index(diary_nodes: list[TextNode], embed_model: Any) -> VectorStoreIndex:
    return VectorStoreIndex(diary_nodes, embed_model=embed_model)


@pytest.fixture
def scored(diary_nodes: list[TextNode]) -> list[NodeWithScore]:
    """The diary with its scores, best first."""
    return [
        NodeWithScore(node=node, score=score)
        for node, score in zip(diary_nodes, COSINES, strict=True)
    ]
