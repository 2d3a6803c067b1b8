"""Units in a store of LangGraph."""

import secrets
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import count
from typing import Any, Final
from urllib.parse import quote
from weakref import WeakKeyDictionary

from langgraph.store.base import BaseStore, GetOp, Item, Op, PutOp, SearchOp
from langgraph.store.memory import InMemoryStore

from emomem.filters import matches
from emomem.memory.engine import EngineStore, Row, Steps, Vector
from emomem.memory.store import Change, Find, Request, Search, changed, unquoted
from emomem.steps import adrive, drive

_ROOT: Final = "emomem"
_OWN: Final = (_ROOT, "own")
_KEYS: Final = (_ROOT, "keys")
_PAGE: Final = 1000
_TEXT: Final = "text"

_new_keys: Final = WeakKeyDictionary[BaseStore, str]()
"""What this process takes for a store's key where the store has none."""
_lock: Final = threading.Lock()


class LangGraphUnits(EngineStore):
    """Units in any `BaseStore` with an index, one namespace a user.

    With a `PostgresStore` give its index `ann_index_config={"kind": "flat"}`, or pgvector 0.8 with
    iterative scans: an index on vectors is filtered after its scan, and misses the few units of one
    user among many.

    Args:
        store: The store; its index embeds the text.

    Raises:
        ValueError: The store has no index.
    """

    embeds = False

    def __init__(self, store: BaseStore) -> None:
        # An index that is not shown cannot be seen to be missing.
        if getattr(store, "embeddings", store) is None:
            msg = f"{type(store).__name__} has no index; make it with index={{…}} to search it"
            raise ValueError(msg)
        self._store = store

    def batch(self, requests: Sequence[Request]) -> list[Any]:
        """The answer of each request, in order.

        Raises:
            StoreError: PostgreSQL failed.
        """
        with unquoted(*_errors()):
            return drive(self._steps(requests), self._store.batch)

    async def abatch(self, requests: Sequence[Request]) -> list[Any]:
        """`batch` without blocking the event loop."""
        with unquoted(*_errors()):
            return await adrive(self._steps(requests), self._store.abatch)

    def _key(self) -> Steps:
        asked: list[Op] = [GetOp(_OWN, "key")]
        [item] = yield asked
        if item is None:
            key = yield from self._new_key()
            yield [PutOp(_OWN, "key", {"key": key}, index=False)]
            [item] = yield asked
        return bytes.fromhex(item.value["key"])

    def _new_key(self) -> Steps:
        """A key for an empty store, the same for all who start on it together.

        No store puts an item only where none is. But PostgreSQL keeps the time at which an item
        that all put came to be; the key that was put with it is of that time, and there for
        everybody whose own put is done. A store that keeps no such time goes by the earliest that
        is there, so that two processes may still differ if they start at the very same moment.
        """
        with _lock:
            own = _new_keys.setdefault(self._store, secrets.token_hex(32))
        if isinstance(self._store, InMemoryStore):
            return own  # no other process has it
        yield [PutOp(_OWN, "first", {}, index=False), PutOp(_KEYS, own, {}, index=False)]
        first, keys = yield [GetOp(_OWN, "first"), SearchOp(_KEYS, limit=_PAGE)]

        def late(item: Item) -> tuple[bool, datetime, str]:
            return item.created_at != first.created_at, item.created_at, item.key

        return min(keys, key=late).key if keys else own

    def _get(self, request: Find) -> Steps:
        rows: list[Row] = []
        if request.ids is not None:
            for start in range(0, len(request.ids), _PAGE):
                part = request.ids[start : start + _PAGE]
                items = yield [GetOp(_namespace(request.user_id), id_) for id_ in part]
                rows += _passing(filter(None, items), request)
            return rows
        for page in count():
            [items] = yield [_search(request, _PAGE, offset=page * _PAGE)]
            rows += _passing(items, request)
            if len(items) < _PAGE:
                return rows
        return rows

    def _nearest(self, request: Search, vector: Vector | None) -> Steps:
        del vector  # the store makes its own
        limit = request.k
        while True:
            # What equality cannot say is checked here, so that the search has to widen.
            [items] = yield [_search(request, limit, query=request.text)]
            rows = _passing(items, request)
            if len(rows) >= request.k or len(items) < limit:
                return rows[: request.k]
            limit *= 4

    def _write(self, rows: Sequence[Row], *, new: bool) -> Steps:  # noqa: ARG002 - replaces
        for group in _batches(rows) if isinstance(self._store, InMemoryStore) else [rows]:
            yield [_put(row, index=[_TEXT]) for row in group]

    def _patch(self, owned: Find, changes: Mapping[str, Change]) -> Steps:
        rows = yield from self._get(owned)
        new = [Row(row.id, row.text, changed(row.metadata, changes[row.id])) for row in rows]
        if new:
            yield [_put(row, index=False) for row in new]  # the text is as it was, and its vector
        return [row.id for row in rows]

    def _remove(self, owned: Find) -> Steps:
        rows = yield from self._get(owned)
        for start in range(0, len(rows), _PAGE):
            part = rows[start : start + _PAGE]
            yield [PutOp(_namespace(owned.user_id), row.id, None) for row in part]
        return [row.id for row in rows]


def _errors() -> tuple[type[Exception], ...]:
    """Those of psycopg, which quote what was written, where a store has loaded it."""
    psycopg = sys.modules.get("psycopg")
    return () if psycopg is None else (psycopg.Error,)


def _batches(rows: Sequence[Row]) -> list[list[Row]]:
    """Rows in groups of different texts: LangGraph's store in memory embeds each text once only."""
    groups: list[list[Row]] = []
    for row in rows:
        fitting = (group for group in groups if all(row.text != one.text for one in group))
        group = next(fitting, None)
        if group is None:
            groups.append([row])
        else:
            group.append(row)
    return groups


def _namespace(user_id: str) -> tuple[str, ...]:
    # A label may hold no dot; a percent sign is quoted itself, so that no two users share one.
    return (_ROOT, "units", quote(user_id, safe="").replace(".", "%2E"))


def _search(
    request: Find | Search, limit: int, *, query: str | None = None, offset: int = 0
) -> SearchOp:
    scope = request.scope
    parts = scope.get("$and", [scope])
    equal = {k: v for part in parts for k, v in part.items() if isinstance(v, str)}
    # Some stores take a namespace for a prefix of letters, so that the user is named again.
    owner = {**equal, "user_id": request.user_id}
    return SearchOp(_namespace(request.user_id), owner, limit, offset, query or None)


def _passing(items: Iterator[Item] | Sequence[Item], request: Find | Search) -> list[Row]:
    rows = []
    for item in items:
        metadata = {key: value for key, value in item.value.items() if key != _TEXT}
        if matches(request.scope, metadata):
            score = getattr(item, "score", None)
            cosine = None if score is None else max(-1.0, min(1.0, score))
            rows.append(Row(item.key, item.value[_TEXT], metadata, None, cosine))
    return rows


def _put(row: Row, *, index: Any) -> PutOp:  # noqa: ANN401 - LangGraph's own kind
    user = row.metadata["user_id"]
    return PutOp(_namespace(user), row.id, {**row.metadata, _TEXT: row.text}, index=index)
