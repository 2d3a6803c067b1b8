"""Units in a Chroma collection, embedded or on a server, for any framework."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import Any, Final

from emomem.filters import matches
from emomem.memory.engine import EngineStore, Row, Steps, Vector
from emomem.memory.nearest import REACH, Worthwhile, is_broad
from emomem.memory.store import Change, Find, Request, Search, check_same_owner
from emomem.memory.unit import KINDS, is_made_id, owner_mark
from emomem.scores import Metric, cosines

KEY: Final = "emomem_key"
"""The name of a key in a collection's metadata; a collection without it goes by its UUID."""

_LACKING: Final = ("$not", "$exists")
_SHOWN: Final = ["documents", "metadatas"]
_MOST: Final = 5000  # Chroma takes no more than about that at once
_LARGE: Final = 2000
"""How many documents a collection has from where a filter costs more than a look at the nearest."""
_SPACE: Final = "hnsw:space"
_FORGOTTEN: Final = 1000
"""After how many searches users of few units are no longer known."""


class ChromaCollection(EngineStore):
    """Units in a collection of `chromadb`; who makes it tells the collection and its metric.

    Chroma looks up all that pass a filter before it searches, which takes longer the more units
    one user has. So in a large collection it is asked for the ids of the nearest of all, and for
    nothing else of them; an id tells whose unit it is (`owner_mark`), and only the user's own are
    read and held against the very filter. Where too few of the nearest pass, and of a user for
    whom that was so, the engine's own filter decides: whoever has few units among many does not
    wait for it. It decides too for whoever has units whose ids do not tell that, since they were
    made in another collection; whether that is so is looked up once a user and process.

    What is asked for by its id, which is made from the user's, is looked up by that and then
    checked, as Chroma too looks up all that pass a filter beside ids.

    What is deleted stays in an embedded Chroma's queue until `sync_threshold` writes are done
    (1,000, unless the collection says otherwise), and on the disk until `chroma vacuum` after it.
    """

    _collection: Any
    _metric: Metric | None

    @cached_property
    def _worthwhile(self) -> Worthwhile:
        return Worthwhile()

    @cached_property
    def _few(self) -> set[str]:
        """Users of whom too few units were among the nearest of all; a hint and no more."""
        return set()

    @cached_property
    def _told_by_ids(self) -> dict[str, bool]:
        """Of which users every id tells whose it is."""
        return {}

    def _steps(self, requests: Sequence[Request]) -> Steps:
        for request in requests:
            if isinstance(request, Find | Search) and (name := _refused(request.where)):
                msg = f"Chroma's filters have no {name}; use $ne or $nin on a key that all have"
                raise ValueError(msg)
        return (yield from super()._steps(requests))

    def _key(self) -> Steps:
        yield from ()
        return key_of(self._collection)

    def _get(self, request: Find) -> Steps:
        if request.ids is None:
            found = yield partial(self._collection.get, where=request.scope, include=_SHOWN)
            return list(_rows(found))
        rows: list[Row] = []
        for part in _batches(list(request.ids)):
            found = yield partial(self._collection.get, ids=part, include=_SHOWN)
            rows += [row for row in _rows(found) if matches(request.scope, row.metadata)]
        return rows

    def _nearest(self, request: Search, vector: Vector | None) -> Steps:
        few_enough = request.k * REACH <= _MOST
        if few_enough and is_broad(request) and (yield from self._large()):
            if self._worthwhile.searches % _FORGOTTEN == 0:
                self._few.clear()  # who had few may have many by now
            if request.user_id not in self._few:
                rows = yield from self._of_all(request, vector)
                if rows is not None:
                    return rows
                self._few.add(request.user_id)
        found = yield partial(
            self._collection.query,
            query_embeddings=[vector],
            n_results=request.k,
            where=request.scope,
            include=[*_SHOWN, "distances"],
        )
        columns = ("ids", "documents", "metadatas", "distances")
        ids, texts, metadatas, distances = (found[column][0] for column in columns)
        return self._measured(ids, texts, metadatas, distances)

    def _large(self) -> Steps:
        """Whether the collection is large; counting takes its time."""
        return self._worthwhile.steps(self._collection.count, lambda count: count >= _LARGE)

    def _of_all(self, request: Search, vector: Vector | None) -> Steps:
        """Those of the nearest of all that pass; None where they are too few to know."""
        reach = REACH * request.k
        found = yield partial(
            self._collection.query,
            query_embeddings=[vector],
            n_results=reach,
            include=["distances"],
        )
        ids: list[str] = found["ids"][0]
        if not all(map(is_made_id, ids)):
            return None  # an id of somebody's own does not tell whose it is
        mark = owner_mark(request.user_id, (yield from self._key()))
        own = [id_ for id_ in ids if id_.startswith(mark)]
        if len(own) < request.k or not (yield from self._all_tell(request.user_id, mark)):
            return None
        passing: list[Row] = []
        for start in range(0, len(own), 2 * request.k):
            part = own[start : start + 2 * request.k]
            held = yield partial(self._collection.get, ids=part, include=_SHOWN)
            by_id = {row.id: row for row in _rows(held)}
            there = (by_id[id_] for id_ in part if id_ in by_id)  # not deleted meanwhile
            passing += [row for row in there if matches(request.scope, row.metadata)]
            if len(passing) >= request.k:
                break
        else:
            return None
        away = dict(zip(ids, found["distances"][0], strict=True))
        chosen = passing[: request.k]
        return self._measured(
            [row.id for row in chosen],
            [row.text for row in chosen],
            [row.metadata for row in chosen],
            [away[row.id] for row in chosen],
        )

    def _all_tell(self, user_id: str, mark: str) -> Steps:
        """Whether every id of a user's begins with a mark; one that does not would be missed."""
        if user_id not in self._told_by_ids:
            scope = Find(user_id).scope
            held = yield partial(self._collection.get, where=scope, include=[])
            self._told_by_ids[user_id] = all(id_.startswith(mark) for id_ in held["ids"])
        return self._told_by_ids[user_id]

    def _measured(
        self,
        ids: Sequence[str],
        texts: Sequence[str],
        metadatas: Sequence[Mapping[str, Any]],
        distances: Sequence[float],
    ) -> list[Row]:
        known = cosines(self._metric, distances)
        measured = [None] * len(ids) if known is None else known.tolist()
        columns = zip(ids, texts, metadatas, measured, strict=True)
        return [Row(id_, text, metadata, cosine=cosine) for id_, text, metadata, cosine in columns]

    def _write(self, rows: Sequence[Row], *, new: bool) -> Steps:
        ids = [row.id for row in rows]
        stale: dict[str, dict[str, None]] = {}
        if not new:
            # An upsert keeps the keys that the new metadata do not name.
            held = yield partial(self._collection.get, ids=ids, include=["metadatas"])
            there = {
                id_: metadata or {}
                for id_, metadata in zip(held["ids"], held["metadatas"], strict=True)
            }
            check_same_owner(there.items(), {row.id: row.metadata["user_id"] for row in rows})
            stale = {id_: dict.fromkeys(metadata) for id_, metadata in there.items()}
        yield partial(
            self._collection.upsert,
            ids=ids,
            documents=[row.text for row in rows],
            embeddings=[row.vector for row in rows],
            metadatas=[{**stale.get(row.id, {}), **row.metadata} for row in rows],
        )

    def _patch(self, owned: Find, changes: Mapping[str, Change]) -> Steps:
        ids = [row.id for row in (yield from self._get(owned))]
        for part in _batches(ids):
            metadatas = [dict(changes[id_]) for id_ in part]
            yield partial(self._collection.update, ids=part, metadatas=metadatas)
        return ids

    def _remove(self, owned: Find) -> Steps:
        ids = [row.id for row in (yield from self._get(owned))]
        for part in _batches(ids):
            yield partial(self._collection.delete, ids=part)
        return ids


def key_of(collection: Any) -> bytes:  # noqa: ANN401 - a collection of chromadb
    """What the ids of a collection's units are made from.

    Raises:
        ValueError: Its metadata hold something else as its key.
    """
    written = (collection.metadata or {}).get(KEY, collection.id.hex)
    try:
        return bytes.fromhex(written)
    except (TypeError, ValueError):
        msg = f"{KEY!r} in a collection's metadata must be a str of hexadecimal digits alone"
        raise ValueError(msg) from None


def hand_over_key(source: Any, target: Any) -> None:  # noqa: ANN401 - the same
    """Give a collection the key of another whose units it is to hold, by the same ids.

    A target that holds units keeps the key that theirs are made from.

    Raises:
        ValueError: Chroma cannot write the key, since the target's metadata name its space.
    """
    key, there = key_of(source), target.metadata or {}
    if key == key_of(target) or not _has_units(source) or _has_units(target):
        return
    if _SPACE in there:
        msg = (
            f"the target's metadata have {_SPACE!r}, beside which Chroma writes no key of a "
            "memory; make the target with its space in collection_configuration, or with "
            f"{KEY!r} in its metadata"
        )
        raise ValueError(msg)
    target.modify(metadata={**there, KEY: key.hex()})  # it replaces all of them


def _has_units(collection: Any) -> bool:  # noqa: ANN401 - the same
    where = {"kind": {"$in": list(KINDS)}}
    return bool(collection.get(where=where, limit=1, include=[])["ids"])


def _refused(node: object) -> str | None:
    """The first operator of a filter that Chroma has not."""
    if isinstance(node, Mapping):
        own = next((key for key in node if key in _LACKING), None)
        return own or next(filter(None, map(_refused, node.values())), None)
    if isinstance(node, list | tuple):
        return next(filter(None, map(_refused, node)), None)
    return None


def _rows(found: Mapping[str, Any]) -> Iterator[Row]:
    return map(Row, found["ids"], found["documents"], found["metadatas"])


def _batches(ids: list[str]) -> list[list[str]]:
    return [ids[start : start + _MOST] for start in range(0, len(ids), _MOST)]
