"""Units in PostgreSQL, in the table of a PGVectorStore."""

import json
import secrets
import threading
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any, Final

from sqlalchemy import (
    String,
    any_,
    cast,
    delete,
    func,
    insert,
    literal,
    literal_column,
    select,
    text,
    update,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB, JSONPATH
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.sql import Executable

from emomem.filters import OPERATORS
from emomem.memory.engine import Row, Steps, Vector
from emomem.memory.nearest import (
    HNSW_INDEXES,
    REACH,
    Worthwhile,
    hnsw_like,
    hnsw_reach,
    is_broad,
)
from emomem.memory.store import Change, Find, Request, Search, unquoted
from emomem.scores import cosines
from emomem.steps import drive
from llamaindex_emomem.memory.vectors import ThreadedUnits

_KEY: Final = "_emomem_key"
_NEVER: Final = "1 == 0"
_COMPARISONS: Final = MappingProxyType(
    {"$eq": "==", "$ne": "!=", "$lt": "<", "$lte": "<=", "$gt": ">", "$gte": ">="}
)
_lock: Final = threading.Lock()


class PGVectorUnits(ThreadedUnits):
    """Units in the table of a `PGVectorStore`, by statements of our own.

    The filters of LlamaIndex's store write a value into the statement as it is, quotes and all,
    which cannot keep users apart; here every value is a parameter.

    Each batch is one transaction. Where the table has an HNSW index (`hnsw_kwargs`), a search for
    facts or affective units first looks among the nearest of all, and takes no longer the more
    units a user has. The index is filtered after its scan and would miss the few units of one user
    among many: where fewer pass than are asked for, and without such an index, the distance of
    every unit of the user that passes the filter is measured. Make the store with `use_jsonb=True`
    and `indexed_metadata_keys={("user_id", "text")}`, so that these are found by an index.

    What is deleted stays in the table's file until `vacuum full`, and in PostgreSQL's write-ahead
    log and backups for as long as the server keeps them.
    """

    def batch(self, requests: Sequence[Request]) -> list[Any]:
        """The answer of each request, in order.

        Raises:
            StoreError: The database failed.
        """
        with _lock:
            self._vector_store._initialize()  # noqa: SLF001 - no public way
        made = self._vector_store._session()  # noqa: SLF001 - the same
        with unquoted(SQLAlchemyError), made as session, session.begin():

            def answer(call: Any) -> Any:  # noqa: ANN401 - of any kind of call
                if not isinstance(call, Executable):
                    return self._answer(call)
                result = session.execute(call)
                return list(result.all()) if result.returns_rows else []

            answers: list[Any] = drive(self._steps(requests), answer)
        return answers

    @property
    def _table(self) -> Any:  # noqa: ANN401 - a table of SQLAlchemy
        return self._vector_store._table_class.__table__  # noqa: SLF001 - no public way

    @property
    def _metadata(self) -> Any:  # noqa: ANN401 - an expression of SQLAlchemy
        return cast(self._table.c.metadata_, JSONB)

    @property
    def _owner(self) -> Any:  # noqa: ANN401 - the same
        # The form that the index of `indexed_metadata_keys` serves.
        return cast(self._table.c.metadata_.op("->>")(literal_column("'user_id'")), String)

    def _conditions(self, request: Find | Search) -> list[Any]:
        values: list[Any] = []
        path = f"$ ? ({_predicate(request.scope, values)})"
        named = cast({f"v{row}": value for row, value in enumerate(values)}, JSONB)
        conditions = [
            self._owner == request.user_id,
            func.jsonb_path_exists(self._metadata, cast(path, JSONPATH), named),
        ]
        ids = request.ids if isinstance(request, Find) else None
        if ids is None:
            return conditions
        # One parameter, whatever their number: a statement takes 65,535.
        among = any_(literal(list(ids), ARRAY(String)))
        return [*conditions, self._table.c.node_id == among]

    def _locked(self, names: Iterable[str]) -> Executable:
        """Makes whoever asks for one of the same names wait until this transaction is done."""
        full = [f"{self._table.fullname}:{name}" for name in sorted(set(names))]
        asked = func.unnest(cast(full, ARRAY(String))).table_valued("name")
        return select(func.pg_advisory_xact_lock(func.hashtextextended(asked.c.name, 0)))

    def _key(self) -> Steps:
        yield self._locked([_KEY])
        found = yield select(self._table.c.text).where(self._table.c.node_id == _KEY)
        if not found:
            # With the table, since every memory over it has to make the same ids.
            found = [(secrets.token_hex(32),)]
            own = {"node_id": _KEY, "text": found[0][0], "metadata_": {}}
            yield insert(self._table).values(own)
        return bytes.fromhex(found[0][0])

    def _get(self, request: Find) -> Steps:
        columns = self._table.c
        found = yield select(columns.node_id, columns.text, self._metadata).where(
            *self._conditions(request)
        )
        return [Row(*row) for row in found]

    def _nearest(self, request: Search, vector: Vector | None) -> Steps:
        if is_broad(request) and (yield from self._has_index()):
            rows = yield from self._of_all(request, vector)
            if len(rows) == request.k:
                return rows
        owned = select(self._table.c.id, self._distance(vector)).where(*self._conditions(request))
        mine = owned.cte("mine").prefix_with("MATERIALIZED")  # not by an index on vectors
        best = select(mine).order_by(mine.c.distance).limit(request.k).subquery()
        return (yield from self._told(best))

    def _distance(self, vector: Vector | None) -> Any:  # noqa: ANN401 - of SQLAlchemy
        return self._table.c.embedding.cosine_distance(list(vector or ())).label("distance")

    @cached_property
    def _worthwhile(self) -> Worthwhile:
        return Worthwhile()

    def _has_index(self) -> Steps:
        """Whether vectors are indexed."""
        named = {"name": self._table.name, "like": hnsw_like("vector_cosine_ops")}
        return self._worthwhile.steps(text(HNSW_INDEXES).bindparams(**named))

    def _of_all(self, request: Search, vector: Vector | None) -> Steps:
        """Those of the nearest of all that pass the filter."""
        yield text(hnsw_reach(request.k))
        near = select(self._table.c.id, self._distance(vector)).order_by("distance")
        among = near.limit(REACH * request.k).cte("near").prefix_with("MATERIALIZED")
        rows = yield from self._told(among, *self._conditions(request))
        return rows[: request.k]

    def _told(self, among: Any, *conditions: Any) -> Steps:  # noqa: ANN401 - of SQLAlchemy
        """The rows of some ids with distances that pass conditions, the nearest first."""
        columns = self._table.c
        shown = (columns.node_id, columns.text, self._metadata, among.c.distance)
        joined = select(*shown).join(among, among.c.id == columns.id).where(*conditions)
        found = yield joined.order_by(among.c.distance)
        known = cosines("cosine_distance", [row[3] for row in found])
        measured = [None] * len(found) if known is None else known.tolist()
        return [
            Row(id_, said, metadata, cosine=cosine)
            for (id_, said, metadata, _), cosine in zip(found, measured, strict=True)
        ]

    def _write(self, rows: Sequence[Row], *, new: bool) -> Steps:
        del new  # the table itself does not keep ids unique, so nobody else may write meanwhile
        owners = sorted({row.metadata["user_id"] for row in rows})
        yield self._locked(owners)
        same = self._table.c.node_id.in_([row.id for row in rows])
        yield delete(self._table).where(self._owner.in_(owners), same)
        yield insert(self._table).values(
            [
                {
                    "node_id": row.id,
                    "text": row.text,
                    "metadata_": dict(row.metadata),
                    "embedding": row.vector,
                }
                for row in rows
            ]
        )

    def _patch(self, owned: Find, changes: Mapping[str, Change]) -> Steps:
        columns = self._table.c
        ids = []
        for id_ in sorted(changes):  # in one order everywhere, so that no two wait for each other
            new = {key: value for key, value in changes[id_].items() if value is not None}
            metadata = self._metadata.concat(cast(new, JSONB))
            for gone in changes[id_].keys() - new.keys():
                metadata = metadata - gone
            one = Find(owned.user_id, owned.where, [id_])
            changing = update(self._table).where(*self._conditions(one))
            after = changing.values(metadata_=cast(metadata, columns.metadata_.type))
            ids += [row[0] for row in (yield after.returning(columns.node_id))]
        return ids

    def _remove(self, owned: Find) -> Steps:
        deleting = delete(self._table).where(*self._conditions(owned))
        return [row[0] for row in (yield deleting.returning(self._table.c.node_id))]


def _predicate(where: Mapping[str, Any], values: list[Any]) -> str:
    """A normalised filter as a predicate of jsonpath; its values are put into `values`."""

    def equal(field: str, wanted: Any, sign: str = "==") -> str:  # noqa: ANN401 - a value
        values.append(wanted)
        return f"{field} {sign} $v{len(values) - 1}"

    ((key, value),) = where.items()
    if key in ("$and", "$or"):
        sign = " && " if key == "$and" else " || "
        return sign.join(f"({_predicate(part, values)})" for part in value)
    if key == "$not":
        return f"!({_predicate(value, values)})"
    name, wanted = next(iter(value.items())) if isinstance(value, Mapping) else ("$eq", value)
    field = f"@.{json.dumps(key)}"
    if name == "$exists":
        return f"exists ({field})" if wanted else f"!(exists ({field}))"
    if name in ("$in", "$nin"):
        among = " || ".join(equal(field, one) for one in wanted) or _NEVER
        return among if name == "$in" else f"exists ({field}) && !({among})"
    if name not in _COMPARISONS:
        msg = f"operator {name!r} is none of {', '.join(OPERATORS)}"
        raise ValueError(msg)
    return equal(field, wanted, _COMPARISONS[name])
