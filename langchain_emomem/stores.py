"""What differs between vector stores: their scores and their filters.

Stores are known by the name of their class, so that none of them has to be installed.
"""

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import VectorStore

from emomem.affect import FloatArray
from emomem.filters import OPERATORS, can_match, matches

Metric = Literal[
    "cosine_similarity",
    "cosine_distance",
    "squared_l2_distance",
    "l2_distance",
    "inner_product",
    "inner_product_distance",
    "negative_inner_product",
]
"""What a store's score is; `inner_product_distance` is 1 - inner product."""

_CHROMA: Final[dict[str, Metric]] = {
    "cosine": "cosine_distance",
    "l2": "squared_l2_distance",
    "ip": "inner_product_distance",
}
_PGVECTOR: Final[dict[str, Metric]] = {
    "cosine": "cosine_distance",
    "l2": "l2_distance",
    "inner": "negative_inner_product",
}
_TOLERANCE: Final = 1e-3


def _is(store: VectorStore, *names: str) -> bool:
    return any(cls.__name__ in names for cls in type(store).__mro__)


def metric_of(store: VectorStore) -> Metric | None:
    """The metric of a store's scores, where its configuration tells; else None."""
    if _is(store, "Chroma"):
        # Not `.configuration`, which builds the collection's embedding function, and warns.
        configuration = store._collection.configuration_json  # type: ignore[attr-defined]  # noqa: SLF001 - no public way
        index = configuration.get("hnsw") or configuration.get("spann") or {}
        return _CHROMA.get(index.get("space", ""))
    if _is(store, "PGVector"):
        strategy = store._distance_strategy  # type: ignore[attr-defined]  # noqa: SLF001 - no public way
        return _PGVECTOR.get(getattr(strategy, "value", strategy))
    if _is(store, "InMemoryVectorStore"):
        return "cosine_similarity"
    return None


def needs_unit_vectors(metric: Metric | None) -> bool:
    """Whether a metric tells cosines only of vectors of length one."""
    return metric is not None and not metric.startswith("cosine")


def is_unit(vector: Sequence[float]) -> bool:
    """Whether a vector has length one."""
    return abs(float(np.linalg.norm(vector)) - 1.0) < _TOLERANCE


def cosines(metric: Metric | None, scores: Sequence[float | None]) -> FloatArray | None:
    """(n,) cosines -1..1 from a store's scores; None where the scores do not tell.

    A metric that needs vectors of length one is taken to have them.
    """
    if metric is None or any(score is None for score in scores):
        return None
    values = np.array(scores, dtype=float)
    if metric in ("cosine_distance", "inner_product_distance"):
        values = 1 - values
    elif metric == "negative_inner_product":
        values = -values
    elif metric == "squared_l2_distance":
        values = 1 - values / 2
    elif metric == "l2_distance":
        values = 1 - np.square(values) / 2
    # A value outside the range says that the metric is not what it seemed: then the order counts.
    if not (np.abs(values) <= 1 + _TOLERANCE).all():
        return None
    return np.asarray(np.clip(values, -1.0, 1.0))


FilterSupport = Literal["grammar", "named", "keywords", "none"]


def filter_support(store: VectorStore | None) -> FilterSupport:
    """What becomes of a `filter` that a store is given.

    "grammar": applied inside the engine, in the shared grammar. "named": a parameter of the
    store's search, in a grammar of its own. "keywords": it may be swallowed unread. "none": the
    search cannot be given one.
    """
    if store is None:
        return "none"
    if _is(store, "Chroma", "PGVector", "PGVectorStore", "InMemoryVectorStore"):
        return "grammar"
    parameters = inspect.signature(store.similarity_search).parameters
    if "filter" in parameters:
        return "named"
    swallows = any(one.kind is one.VAR_KEYWORD for one in parameters.values())
    return "keywords" if swallows else "none"


def native_filter(store: VectorStore, where: Mapping[str, Any]) -> Any:  # noqa: ANN401 - engine's
    """A normalised filter as the store takes it."""
    return DocumentTest(where) if _is(store, "InMemoryVectorStore") else dict(where)


@dataclass(frozen=True)
class DocumentTest:
    """A normalised filter as a test of one document; unlike a closure it can be pickled.

    Raises:
        ValueError: The filter has an operator that works only inside an engine.
    """

    where: Mapping[str, Any]

    def __post_init__(self) -> None:
        """Check that the filter can be applied here."""
        if not can_match(self.where):
            known = ", ".join(OPERATORS)
            msg = f"{self.where!r} has an operator that works only inside an engine; here: {known}"
            raise ValueError(msg)

    def __call__(self, document: Document) -> bool:
        """Whether the document passes."""
        return matches(self.where, document.metadata)


def check_mode(store: VectorStore, *, is_async: bool) -> None:
    """Refuse a PGVector store that was made for the other mode.

    Raises:
        RuntimeError: The store cannot be called this way; the message says how it can.
    """
    if not _is(store, "PGVector"):
        return
    store_is_async = bool(getattr(store, "async_mode", False))
    if store_is_async != is_async:
        made, use = (
            ("async_mode=True", "ainvoke") if store_is_async else ("async_mode=False", "invoke")
        )
        msg = f"this PGVector store was made with {made}; call {use}"
        raise RuntimeError(msg)


def encoder_of(store: VectorStore) -> Embeddings | None:
    """The store's encoder, where it shows one."""
    embeddings = store.embeddings
    return embeddings if isinstance(embeddings, Embeddings) else None
