"""Units in PostgreSQL, in a collection of PGVector."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.vectorstores import VectorStore
from sqlalchemy import ARRAY, Select, String, any_, cast, delete, literal, select, update
from sqlalchemy.dialects.postgresql import JSONB, insert
from sqlalchemy.sql import Executable

from emomem.memory.engine import EmbedDocuments, EmbedQuery, EngineStore, Row, Steps, Vector
from emomem.memory.store import Change, Find, Request, Search
from emomem.scores import cosines
from emomem.steps import adrive, drive
from langchain_emomem import stores
from langchain_emomem.memory.vectors import aembed, embed, encoder

Call = EmbedQuery | EmbedDocuments | Executable


class PGVectorUnits(EngineStore):
    """Units in the collection of a `langchain_postgres.PGVector`.

    Each batch is one transaction. A search measures the distance of every unit of the user that
    passes the filter, found by the index on the metadata: an index on vectors would be filtered
    after its scan, and miss the few units of one user among many.

    What is deleted stays in the table's file until `vacuum full`, and in PostgreSQL's write-ahead
    log and backups for as long as the server keeps them.
    """

    def __init__(self, vectorstore: VectorStore) -> None:
        self._vectorstore: Any = vectorstore
        self._encoder = encoder(vectorstore)
        self._metric = stores.metric_of(vectorstore)
        self._starting = asyncio.Lock()

    def batch(self, requests: Sequence[Request]) -> list[Any]:
        """The answer of each request, in order.

        Raises:
            RuntimeError: The store was made with `async_mode=True`.
        """
        self._check_mode(is_async=False)
        with self._vectorstore._make_sync_session() as session:  # noqa: SLF001 - no public way

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
            RuntimeError: The store was made with `async_mode=False`.
        """
        self._check_mode(is_async=True)
        async with self._starting:  # it takes the second caller before the first is done
            await self._vectorstore.__apost_init__()
        async with self._vectorstore._make_async_session() as session:  # noqa: SLF001 - the same

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
            raise RuntimeError(msg)

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
        table = self._vectorstore.EmbeddingStore
        owned: Select[Any] = select(table.id, table.document, table.cmetadata, table.embedding)
        mine = owned.where(*self._conditions(request)).cte("mine").prefix_with("MATERIALIZED")
        measure = getattr(mine.c.embedding, self._vectorstore.distance_strategy.__name__)
        distance = measure(vector).label("distance")
        nearest = select(mine.c.id, mine.c.document, mine.c.cmetadata, distance)
        found = yield nearest.order_by(distance).limit(request.k)
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
        yield written.on_conflict_do_update(index_elements=["id"], set_=after)

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
