"""What differs between vector stores: their scores, their filters, their search by vector.

Stores are known by the name of their class, so that none of them has to be installed.
"""

import asyncio
import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, Literal

import numpy as np
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import VectorStore

from emomem.affect import FloatArray
from emomem.filters import OPERATORS, can_match, matches
from emomem.scores import Metric

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
_SCORED_BY_VECTOR: Final = (
    "similarity_search_with_score_by_vector",
    "similarity_search_by_vector_with_relevance_scores",
)
"""What engines call a search by vector that tells its scores; all but Chroma the former."""
_SEARCHES: Final = (
    "similarity_search",
    "similarity_search_with_score",
    "similarity_search_by_vector",
    *_SCORED_BY_VECTOR,
)
"""Every search that a recall may make."""

Hits = list[tuple[Document, float | None]]
"""Documents, best first, with the engine's scores where it gives them."""


def is_kind(store: VectorStore, *names: str) -> bool:
    """Whether a store is of one of some classes, by their names."""
    return any(cls.__name__ in names for cls in type(store).__mro__)


def metric_of(store: VectorStore) -> Metric | None:
    """The metric of a store's scores, where its configuration tells; else None."""
    if is_kind(store, "Chroma"):
        # Not `.configuration`, which builds the collection's embedding function, and warns.
        configuration = store._collection.configuration_json  # type: ignore[attr-defined]  # noqa: SLF001 - no public way
        index = configuration.get("hnsw") or configuration.get("spann") or {}
        return _CHROMA.get(index.get("space", ""))
    if is_kind(store, "PGVector"):
        strategy = store._distance_strategy  # type: ignore[attr-defined]  # noqa: SLF001 - no public way
        return _PGVECTOR.get(getattr(strategy, "value", strategy))
    if is_kind(store, "InMemoryVectorStore"):
        return "cosine_similarity"
    return None


def search_by_vector(
    store: VectorStore,
    vector: Sequence[float] | FloatArray,
    kwargs: Mapping[str, Any],
    *,
    scored: bool,
) -> Hits:
    """The nearest to a vector, with scores where they are wanted and the engine gives them.

    Raises:
        NotImplementedError: The engine cannot search by vector.
    """
    if scored and (name := _scored_by_vector(store)) is not None:
        return list(getattr(store, name)(_floats(vector), **kwargs))
    return unscored(store.similarity_search_by_vector(_floats(vector), **kwargs))


async def asearch_by_vector(
    store: VectorStore,
    vector: Sequence[float] | FloatArray,
    kwargs: Mapping[str, Any],
    *,
    scored: bool,
) -> Hits:
    """`search_by_vector` without blocking the event loop."""
    name = _scored_by_vector(store) if scored else None
    if name is None:
        return unscored(await store.asimilarity_search_by_vector(_floats(vector), **kwargs))
    if hasattr(store, f"a{name}"):
        return list(await getattr(store, f"a{name}")(_floats(vector), **kwargs))
    return list(await asyncio.to_thread(getattr(store, name), _floats(vector), **kwargs))


def _floats(vector: Sequence[float] | FloatArray) -> list[float]:
    floats: list[float] = np.asarray(vector, dtype=float).tolist()
    return floats


def _scored_by_vector(store: VectorStore) -> str | None:
    return next((name for name in _SCORED_BY_VECTOR if hasattr(store, name)), None)


def unscored(documents: Sequence[Document]) -> Hits:
    """Documents of a search that gives no scores."""
    return [(document, None) for document in documents]


def stored_sample(store: VectorStore) -> tuple[str, FloatArray] | None:
    """The text and the vector of one stored document, where the store lets us see one."""
    text: str | None = None
    vector: Any = None
    if is_kind(store, "Chroma"):
        held = store.get(limit=1, include=["documents", "embeddings"])  # type: ignore[attr-defined]
        if held["ids"]:
            text, vector = held["documents"][0], held["embeddings"][0]
    elif is_kind(store, "InMemoryVectorStore"):
        for row in store.store.values():  # type: ignore[attr-defined]
            text, vector = row["text"], row["vector"]
            break
    elif is_kind(store, "PGVector") and not getattr(store, "async_mode", False):
        text, vector = _row_of_pgvector(store)
    return None if text is None or vector is None else (text, np.asarray(vector, dtype=float))


def _row_of_pgvector(store: Any) -> tuple[str | None, Any]:  # noqa: ANN401 - it is not typed
    table = store.EmbeddingStore
    with store._make_sync_session() as session:  # noqa: SLF001 - no public way
        collection = store.get_collection(session)
        if collection is None:
            return None, None
        rows = session.query(table.document, table.embedding)
        row = rows.filter(table.collection_id == collection.uuid).first()
        return (None, None) if row is None else (row[0], row[1])


def collection_of(store: VectorStore) -> Any:  # noqa: ANN401 - each engine has its own
    """What is the same for two stores of one collection alone; None where that cannot be seen."""
    engine: Any = store
    if is_kind(store, "Chroma"):
        return engine._collection.id  # noqa: SLF001 - no public way
    if is_kind(store, "InMemoryVectorStore"):
        return id(engine.store)
    if is_kind(store, "PGVector") and not getattr(store, "async_mode", False):
        with engine._make_sync_session() as session:  # noqa: SLF001 - no public way
            own = engine.get_collection(session)
            return None if own is None else own.uuid
    return None


def held_by_others(store: VectorStore, ids: list[str]) -> bool:
    """Whether a PGVector store's database has one of the ids in another collection."""
    if not is_kind(store, "PGVector"):
        return False
    engine: Any = store
    table = engine.EmbeddingStore
    with engine._make_sync_session() as session:  # noqa: SLF001 - no public way
        own = engine.get_collection(session)
        rows = session.query(table.id).filter(table.id.in_(ids))
        return rows.filter(table.collection_id != own.uuid).first() is not None


FilterSupport = Literal["grammar", "named", "keywords", "none"]


def filter_support(store: VectorStore | None) -> FilterSupport:
    """What becomes of a `filter` that a store is given.

    "grammar": applied inside the engine, in the shared grammar. "named": a parameter of each of
    the store's searches, in a grammar of its own. "keywords": one of them may swallow it unread.
    "none": one of them cannot be given it.
    """
    if store is None:
        return "none"
    if is_kind(store, "Chroma", "PGVector", "PGVectorStore", "InMemoryVectorStore"):
        return "grammar"
    return _taken_by(type(store))


@cache
def _taken_by(kind: type[VectorStore]) -> FilterSupport:
    """`filter_support` as the signatures of a class tell it."""
    # A search that is LangChain's own is one that the engine does not have.
    own = [
        name
        for name in _SEARCHES
        if getattr(kind, name, None) is not getattr(VectorStore, name, None)
    ]
    searches = [inspect.signature(getattr(kind, name)).parameters for name in own]
    if all("filter" in parameters for parameters in searches):
        return "named"
    swallows = all(
        "filter" in parameters or any(one.kind is one.VAR_KEYWORD for one in parameters.values())
        for parameters in searches
    )
    return "keywords" if swallows else "none"


def native_filter(store: VectorStore, where: Mapping[str, Any]) -> Any:  # noqa: ANN401 - engine's
    """A normalised filter as the store takes it."""
    return DocumentTest(where) if is_kind(store, "InMemoryVectorStore") else dict(where)


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
    if not is_kind(store, "PGVector"):
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


def shown_encoder(store: VectorStore) -> Embeddings:
    """The store's encoder.

    Raises:
        ValueError: The store does not show one.
    """
    encoder = encoder_of(store)
    if encoder is None:
        msg = f"{type(store).__name__} does not show its encoder, which a search by vector needs"
        raise ValueError(msg)
    return encoder
