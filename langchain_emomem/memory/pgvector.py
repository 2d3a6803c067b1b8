"""Units in PostgreSQL, in a collection of PGVector."""

import asyncio
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from langchain_core.vectorstores import VectorStore
from sqlalchemy import ARRAY, String, any_, cast, delete, literal, select, text, update
from sqlalchemy.dialects.postgresql import JSONB, insert
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.sql import Executable

from emomem.memory.engine import EmbedDocuments, EmbedQuery, EngineStore, Row, Steps, Vector
from emomem.memory.nearest import HNSW_INDEXES, REACH, Worthwhile, hnsw_like, hnsw_reach, is_broad
from emomem.memory.store import OTHERS, Change, Find, ModeError, Request, Search, unquoted
from emomem.scores import cosines
from emomem.steps import adrive, drive
from langchain_emomem import stores
from langchain_emomem.memory.vectors import aembed, embed, encoder

Call = EmbedQuery | EmbedDocuments | Executable

_OPERATORS: Final = MappingProxyType(
    {
        "cosine_distance": "vector_cosine_ops",
        "l2_distance": "vector_l2_ops",
        "max_inner_product": "vector_ip_ops",
    }
)
"""What an index has to be of for a distance of pgvector."""


class PGVectorUnits(EngineStore):
    """Units in the collection of a `langchain_postgres.PGVector`.

    Each batch is one transaction. Where the table has an HNSW index of the store's distance, a
    search for facts or affective units first looks among the nearest of all, and takes no longer
    the more units a user has. The index is filtered after its scan and would miss the few units of
    one user among many: where fewer pass than are asked for, and without such an index, the
    distance of every unit of the user that passes the filter is measured, found by the index on
    the metadata.

    What is deleted stays in the table's file until `vacuum full`, and in PostgreSQL's write-ahead
    log and backups for as long as the server keeps them.
    """

    def __init__(self, vectorstore: VectorStore) -> None:
        self._vectorstore: Any = vectorstore
        self._encoder = encoder(vectorstore)
        self._metric = stores.metric_of(vectorstore)
        self._starting = asyncio.Lock()
        self._worthwhile = Worthwhile()

    def batch(self, requests: Sequence[Request]) -> list[Any]:
        """The answer of each request, in order.

        Raises:
            ModeError: The store was made with `async_mode=True`.
            StoreError: The database failed.
        """
        self._check_mode(is_async=False)
        made = self._vectorstore._make_sync_session()  # noqa: SLF001 - no public way
        with unquoted(SQLAlchemyError), made as session:

            def answer(call: Call) -> Any:  # noqa: ANN401 - of any kind of call
                if isinstance(call, EmbedQuery | EmbedDocuments):
                    return embed(self._encoder, call)
                return _rows(session.execute(call))

            answers: list[Any] = drive(self._steps(requests), answer)
            session.commit()
        return answers

    async def abatch(self, requests: Sequence[Request]) -> list[Any]:
        """`batch` without blocking the event loop.

        Raises:
            ModeError: The store was made with `async_mode=False`.
            StoreError: The database failed.
        """
        self._check_mode(is_async=True)
        async with self._starting:  # it takes the second caller before the first is done
            await self._vectorstore.__apost_init__()
        made = self._vectorstore._make_async_session()  # noqa: SLF001 - the same
        with unquoted(SQLAlchemyError):
            return await self._answers(made, requests)

    async def _answers(self, made: Any, requests: Sequence[Request]) -> list[Any]:  # noqa: ANN401
        async with made as session:

            async def answer(call: Call) -> Any:  # noqa: ANN401 - of any kind of call
                if isinstance(call, EmbedQuery | EmbedDocuments):
                    return await aembed(self._encoder, call)
                return _rows(await session.execute(call))

            answers: list[Any] = await adrive(self._steps(requests), answer)
            await session.commit()
        return answers

    def _check_mode(self, *, is_async: bool) -> None:
        if self._vectorstore.async_mode != is_async:
            use = "the methods that" + (" do not" if is_async else "") + " begin with an a"
            msg = f"this PGVector store was made with async_mode={not is_async}; call {use}"
            raise ModeError(msg)

    @property
    def _collection(self) -> Any:  # noqa: ANN401 - a scalar of SQLAlchemy
        collections = self._vectorstore.CollectionStore
        name = self._vectorstore.collection_name
        return select(collections.uuid).where(collections.name == name).scalar_subquery()

    def _conditions(self, request: Find | Search) -> list[Any]:
        table = self._vectorstore.EmbeddingStore
        owner = {"user_id": request.user_id}
        conditions = [
            table.collection_id == self._collection,
            table.cmetadata.contains(owner),  # the form that the index serves
            self._vectorstore._create_filter_clause(request.scope),  # noqa: SLF001 - no public way
        ]
        ids = request.ids if isinstance(request, Find) else None
        # One parameter, whatever their number: a statement takes 65,535.
        return (
            conditions
            if ids is None
            else [*conditions, table.id == any_(literal(list(ids), ARRAY(String)))]
        )

    def _key(self) -> Steps:
        collection = yield from self._uuid()
        return collection.bytes

    def _uuid(self) -> Steps:
        [(found,)] = yield select(self._collection)
        if found is None:
            msg = f"there is no collection {self._vectorstore.collection_name!r}"
            raise RuntimeError(msg)
        return found

    def _get(self, request: Find) -> Steps:
        table = self._vectorstore.EmbeddingStore
        columns = select(table.id, table.document, table.cmetadata)
        found = yield columns.where(*self._conditions(request))
        return [Row(*row) for row in found]

    def _nearest(self, request: Search, vector: Vector | None) -> Steps:
        if is_broad(request) and (yield from self._has_index()):
            rows = yield from self._of_all(request, vector)
            if len(rows) == request.k:
                return rows
        table, distance = self._distance(vector)
        owned = select(table.id, distance).where(*self._conditions(request))
        mine = owned.cte("mine").prefix_with("MATERIALIZED")  # not by an index on vectors
        best = select(mine).order_by(mine.c.distance).limit(request.k).subquery()
        columns = select(table.id, table.document, table.cmetadata, best.c.distance)
        found = yield columns.join(best, best.c.id == table.id).order_by(best.c.distance)
        return self._measured(found)

    def _distance(self, vector: Vector | None) -> tuple[Any, Any]:
        """The table, and the distance of its rows to a vector."""
        table = self._vectorstore.EmbeddingStore
        measure = getattr(table.embedding, self._vectorstore.distance_strategy.__name__)
        return table, measure(vector).label("distance")

    def _has_index(self) -> Steps:
        """Whether vectors are indexed."""
        operators = _OPERATORS[self._vectorstore.distance_strategy.__name__]
        name = self._vectorstore.EmbeddingStore.__tablename__
        named = text(HNSW_INDEXES).bindparams(name=name, like=hnsw_like(operators))
        return self._worthwhile.steps(named)

    def _of_all(self, request: Search, vector: Vector | None) -> Steps:
        """Those of the nearest of all that pass the filter."""
        yield text(hnsw_reach(request.k))
        table, distance = self._distance(vector)
        near = select(table.id, distance).order_by(distance).limit(REACH * request.k)
        among = near.cte("near").prefix_with("MATERIALIZED")
        columns = select(table.id, table.document, table.cmetadata, among.c.distance)
        passing = columns.join(among, among.c.id == table.id).where(*self._conditions(request))
        found = yield passing.order_by(among.c.distance).limit(request.k)
        return self._measured(found)

    def _measured(self, found: Sequence[Any]) -> list[Row]:
        known = cosines(self._metric, [row[3] for row in found])
        measured = [None] * len(found) if known is None else known.tolist()
        return [
            Row(id_, text, metadata, cosine=cosine)
            for (id_, text, metadata, _), cosine in zip(found, measured, strict=True)
        ]

    def _write(self, rows: Sequence[Row], *, new: bool) -> Steps:
        table = self._vectorstore.EmbeddingStore
        collection = yield from self._uuid()
        written = insert(table).values(
            [
                {
                    "id": row.id,
                    "collection_id": collection,
                    "embedding": row.vector,
                    "document": row.text,
                    "cmetadata": dict(row.metadata),
                }
                for row in rows
            ]
        )
        del new  # what is there is replaced
        names = ("embedding", "document", "cmetadata")
        after = {name: written.excluded[name] for name in names}
        # Of another user's unit nothing is changed, and nothing of this transaction stays.
        mine = table.cmetadata["user_id"] == written.excluded.cmetadata["user_id"]
        done = yield written.on_conflict_do_update(
            index_elements=["id"], set_=after, where=mine
        ).returning(table.id)
        if len(done) < len({row.id for row in rows}):
            raise ValueError(OTHERS)

    def _patch(self, owned: Find, changes: Mapping[str, Change]) -> Steps:
        table = self._vectorstore.EmbeddingStore
        ids = []
        for id_ in sorted(changes):  # in one order everywhere, so that no two wait for each other
            new = {key: value for key, value in changes[id_].items() if value is not None}
            metadata = table.cmetadata.concat(cast(new, JSONB))
            for gone in changes[id_].keys() - new.keys():
                metadata = metadata - gone
            one = Find(owned.user_id, owned.where, [id_])
            changing = update(table).where(*self._conditions(one)).values(cmetadata=metadata)
            ids += [row[0] for row in (yield _told(changing.returning(table.id)))]
        return ids

    def _remove(self, owned: Find) -> Steps:
        table = self._vectorstore.EmbeddingStore
        deleting = delete(table).where(*self._conditions(owned))
        return [row[0] for row in (yield _told(deleting.returning(table.id)))]


def _told(statement: Any) -> Any:  # noqa: ANN401 - a statement of SQLAlchemy
    # No object of the session has to follow.
    return statement.execution_options(synchronize_session=False)


def _rows(result: Any) -> list[Any]:  # noqa: ANN401 - a result of SQLAlchemy
    # Only a result that might have none says whether it has rows.
    return list(result.all()) if getattr(result, "returns_rows", True) else []
