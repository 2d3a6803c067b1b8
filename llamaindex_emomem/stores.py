"""What differs between LlamaIndex's vector stores: their scores, their filters, their async form.

Stores are known by the name of their class, so that none of them has to be installed.
"""

import inspect
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.indices.vector_store import VectorIndexRetriever
from llama_index.core.vector_stores.types import (
    BasePydanticVectorStore,
    FilterCondition,
    FilterOperator,
    MetadataFilters,
)
from llama_index.core.vector_stores.utils import build_metadata_filter_fn

from emomem.scores import Metric

_FILTERING: Final = ("SimpleVectorStore", "ChromaVectorStore", "PGVectorStore")
"""Stores that surely apply every filter that they are given, or refuse it."""

_CHROMA: Final[Mapping[str, Metric]] = MappingProxyType(
    {
        "cosine": "exp_cosine_distance",
        "l2": "exp_squared_l2_distance",
        "ip": "exp_inner_product_distance",
    }
)


def _is(store: object, *names: str) -> bool:
    return any(cls.__name__ in names for cls in type(store).__mro__)


def metric_of(store: BasePydanticVectorStore) -> Metric | None:
    """What a store's scores are, where its kind or its configuration tells; else None."""
    if _is(store, "SimpleVectorStore", "PGVectorStore"):
        return "cosine_similarity"
    if _is(store, "ChromaVectorStore"):
        configuration = store.client.configuration_json
        index = configuration.get("hnsw") or configuration.get("spann") or {}
        return _CHROMA.get(index.get("space", ""))
    return None


def surely_filters(store: BasePydanticVectorStore) -> bool:
    """Whether a filter need not be checked on what the store returns."""
    return _is(store, *_FILTERING)


def check_filters(filters: MetadataFilters | None) -> None:
    """Refuse a filter that compares with None, as a user id that was never set would.

    Raises:
        ValueError: The value of a filter is None.
    """
    for one in filters.filters if filters is not None else ():
        if isinstance(one, MetadataFilters):
            check_filters(one)
        elif one.value is None and one.operator is not FilterOperator.IS_EMPTY:
            msg = f"the filter on {one.key!r} has the value None; nothing can equal it"
            raise ValueError(msg)


def passes(filters: MetadataFilters | None, metadata: Mapping[str, Any]) -> bool:
    """Whether metadata passes the filters, by LlamaIndex's own test of each."""
    if filters is None or not filters.filters:
        return True
    passed = [
        passes(one, metadata)
        if isinstance(one, MetadataFilters)
        else build_metadata_filter_fn(lambda _: metadata, MetadataFilters(filters=[one]))("")
        for one in filters.filters
    ]
    if filters.condition is FilterCondition.OR:
        return any(passed)
    return not any(passed) if filters.condition is FilterCondition.NOT else all(passed)


def is_async(retriever: BaseRetriever) -> bool:
    """Whether a retriever's async form awaits something.

    The one that LlamaIndex gives to a retriever, or to a store, without its own blocks the loop.
    """
    if isinstance(retriever, VectorIndexRetriever):
        store = retriever._vector_store  # noqa: SLF001 - no public way
        return _own(store, BasePydanticVectorStore, "aquery")
    return _own(retriever, BaseRetriever, "_aretrieve")


def _own(thing: object, base: type, name: str) -> bool:
    method, inherited = getattr(type(thing), name), getattr(base, name)
    return inspect.unwrap(method) is not inspect.unwrap(inherited)
