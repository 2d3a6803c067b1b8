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
    MetadataFilter,
    MetadataFilters,
)
from llama_index.core.vector_stores.utils import build_metadata_filter_fn

from emomem.scores import Metric

_FILTERING: Final = ("SimpleVectorStore", "ChromaVectorStore")
"""Stores that surely apply every filter that they are given, or refuse it.

PGVectorStore is none: it compares what looks like numbers as numbers, so that "7" finds "007"."""

_LISTS: Final = (FilterOperator.IN, FilterOperator.NIN, FilterOperator.ANY, FilterOperator.ALL)
_OF_LISTS: Final = (FilterOperator.CONTAINS, FilterOperator.ANY, FilterOperator.ALL)

_CHROMA: Final[Mapping[str, Metric]] = MappingProxyType(
    {
        "cosine": "exp_cosine_distance",
        "l2": "exp_squared_l2_distance",
        "ip": "exp_inner_product_distance",
    }
)


def is_kind(store: object, *names: str) -> bool:
    """Whether a store is of one of some classes, by their names."""
    return any(cls.__name__ in names for cls in type(store).__mro__)


def metric_of(store: BasePydanticVectorStore) -> Metric | None:
    """What a store's scores are, where its kind or its configuration tells; else None."""
    if is_kind(store, "SimpleVectorStore", "PGVectorStore"):
        return "cosine_similarity"
    if is_kind(store, "ChromaVectorStore"):
        configuration = store.client.configuration_json
        index = configuration.get("hnsw") or configuration.get("spann") or {}
        return _CHROMA.get(index.get("space", ""))
    return None


def surely_filters(store: BasePydanticVectorStore) -> bool:
    """Whether a filter need not be checked on what the store returns."""
    return is_kind(store, *_FILTERING)


def check_filters(
    filters: MetadataFilters | None, store: BasePydanticVectorStore | None = None
) -> None:
    """Refuse a filter that would let through what nobody meant.

    Args:
        filters: The filters.
        store: What they go to, where it is known.

    Raises:
        TypeError: They are no `MetadataFilters`.
        ValueError: A value is None (a user id that was never set), an operator over a list has
            none, filters within others are empty, or a key or value has a quote, which
            PGVectorStore would write into its SQL as it is.
    """
    if filters is not None and not isinstance(filters, MetadataFilters):
        msg = f"filters must be MetadataFilters, got {type(filters).__name__}"
        raise TypeError(msg)
    for one in filters.filters if filters is not None else ():
        if not isinstance(one, MetadataFilters):
            _check_filter(one, quotes=store is None or not is_kind(store, "PGVectorStore"))
        elif one.filters:
            check_filters(one, store)
        else:
            msg = "filters within others must not be empty: beside an OR they let everything pass"
            raise ValueError(msg)


def _check_filter(one: MetadataFilter, *, quotes: bool) -> None:
    if one.operator is FilterOperator.IS_EMPTY:
        values: list[Any] = []
    elif one.operator not in _LISTS:
        values = [one.value]
    elif isinstance(one.value, list):
        values = one.value
    else:
        msg = f"{one.operator.value} on {one.key!r} needs a list of values, got {one.value!r}"
        raise ValueError(msg)
    if None in values:
        msg = f"the filter on {one.key!r} has the value None; nothing can equal it"
        raise ValueError(msg)
    if not quotes and any("'" in str(part) for part in (one.key, *values)):
        msg = (
            f"the filter on {one.key!r} has a quote, which PGVectorStore writes into its SQL as it "
            "is; keep ids without quotes"
        )
        raise ValueError(msg)


def passes(filters: MetadataFilters | None, metadata: Mapping[str, Any]) -> bool:
    """Whether metadata passes the filters, by LlamaIndex's own test of each.

    A value that cannot be compared passes none, and part of a text is no member of a list.
    """
    if filters is None or not filters.filters:
        return True
    passed = [
        passes(one, metadata) if isinstance(one, MetadataFilters) else _passes(one, metadata)
        for one in filters.filters
    ]
    if filters.condition is FilterCondition.OR:
        return any(passed)
    return not any(passed) if filters.condition is FilterCondition.NOT else all(passed)


def _passes(one: MetadataFilter, metadata: Mapping[str, Any]) -> bool:
    if one.operator in _OF_LISTS and isinstance(metadata.get(one.key), str):
        return False
    test = build_metadata_filter_fn(lambda _: metadata, MetadataFilters(filters=[one]))
    try:
        return test("")
    except TypeError:
        return False


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
