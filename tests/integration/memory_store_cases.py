"""What every store of a memory holds to, whatever its engine, its framework and who calls.

A test module imports all of it and has a fixture `store`, a `Caller` of an empty store whose
encoder is `placed(TEXTS)`.
"""

import asyncio
import inspect
import math
import traceback
import uuid

import pytest

from emomem import Affect
from emomem.memory.store import Find, Key, Put, Search
from emomem.memory.unit import NEVER, ConflictContext, MemoryUnit, from_metadata, to_metadata

QUERY = "that evening"
TEXTS = {"near": 0.9, "nearer": 0.95, "far": 0.1, "middle": 0.5, "": 0.2, "it's “40 %” \\ /": 0.3}
USERS = ["ann", "a.b", 'o\'hara "x"', "a/b\\c", "a%2Eb", "ünï-日本-🙂", "x" * 300, "ann%", "an"]


class Caller:
    """Calls a store in sync or in async, by the same names."""

    def __init__(self, store, *, is_async):
        self.store, self.is_async = store, is_async

    def __getattr__(self, name):
        async def call(*args, **kwargs):
            result = getattr(self.store, f"a{name}" if self.is_async else name)(*args, **kwargs)
            return await result if inspect.isawaitable(result) else result

        return call


def unit(text="near", user_id="ann", name="", at=0.0, **more):
    return MemoryUnit(
        text=text,
        user_id=user_id,
        speaker="them",
        created_at=at,
        # Ids are shared by all collections of a PostgreSQL.
        unit_id=f"{name or text}-{uuid.uuid4().hex}",
        **more,
    )


def ids(units):
    return [one.unit_id for one in units]


async def test_a_unit_comes_back_as_it_was(store):
    full = unit(
        "it's “40 %” \\ /",
        affect=Affect.from_emotions([3, 1] + [0] * 25 + [4], confidence=0.7, source="x:y"),
        kind="dream",
        status="superseded",
        experiencer="Sam",
        session_id="s",
        interaction_id="i",
        salience=0.123456,
        superseded_by="other",
        sources=("1", "2"),
        conflicts=(ConflictContext(kind="fact", against="z", parties=("a", "b"), intensity=0.5),),
        times=3,
        last_at=9.5,
        recalled=2,
        recalled_at=8.25,
        suppressed_until=NEVER,
        expires_at=1e10 + 0.5,
        metadata={"order": 5, "paid": True, "rate": 0.5, "name": "ün"},
    )
    await store.put([full, unit("")])

    [back] = await store.list("ann", ids=[full.unit_id])
    # A distribution is kept to a byte each.
    assert back == from_metadata(full.text, to_metadata(full))
    assert back.model_copy(update={"affect": full.affect}) == full
    assert [one.text for one in await store.list("ann", {"kind": "fact"})] == [""]


async def test_a_search_finds_the_nearest_first_with_their_cosines(store):
    await store.put([unit(text) for text in TEXTS])

    hits = await store.search("ann", QUERY, 3)

    assert [hit.unit.text for hit in hits] == ["nearer", "near", "middle"]
    assert [hit.cosine for hit in hits] == pytest.approx([0.95, 0.9, 0.5], abs=1e-5)
    assert len(await store.search("ann", QUERY, 99)) == len(TEXTS)


async def test_a_filter_is_applied_inside(store):
    units = [unit("near", kind="affective"), unit("far", at=1), unit("middle", times=3, at=2)]
    await store.put(units)

    async def texts(where):
        found = {one.text for one in await store.list("ann", where)}
        assert {hit.unit.text for hit in await store.search("ann", QUERY, 3, where)} == found
        return found

    assert await texts({"kind": "fact"}) == {"far", "middle"}
    assert await texts({"times": {"$gt": 1}}) == {"middle"}
    assert await texts({"kind": "fact", "times": {"$gte": 1, "$lt": 3}}) == {"far"}
    assert await texts({"kind": {"$in": ["affective", "dream"]}}) == {"near"}
    assert await texts({"$or": [{"kind": "affective"}, {"times": 3}]}) == {"near", "middle"}
    assert await texts({"in_conflict": True}) == set()
    assert len(await store.search("ann", QUERY, 1, {"times": 3})) == 1


async def test_users_are_kept_apart_whatever_their_names(store):
    units = {user: unit(user_id=user) for user in USERS}
    await store.put(list(units.values()))
    everybody = {"$or": [{"user_id": {"$in": USERS}}, {"times": {"$gte": 0}}]}

    for user, own in units.items():
        others = [one.unit_id for one in units.values() if one is not own]
        assert ids(await store.list(user, everybody)) == [own.unit_id]
        assert [hit.unit for hit in await store.search(user, QUERY, 9, everybody)] == [own]
        assert await store.list(user, ids=others) == []
        assert await store.patch(user, {id_: {"status": "expired"} for id_ in others}) == []
        assert await store.delete(user, others) == []
    assert await store.list("nobody") == []
    assert await store.search("nobody", QUERY) == []
    for user in USERS:
        assert await store.delete(user, None) == [units[user].unit_id]
        assert await store.list(user) == []


@pytest.mark.parametrize("user_id", ["", " ", None, 3])
async def test_no_user_is_no_way_in(store, user_id):
    await store.put([unit()])
    for name, args in {"list": (), "search": (QUERY,), "patch": ({},), "delete": (None,)}.items():
        with pytest.raises(ValueError, match="user_id must be"):
            await getattr(store, name)(user_id, *args)


async def test_a_patch_changes_adds_and_takes_away_keys_and_nothing_else(store):
    first, second = unit("near", session_id="s"), unit("far", session_id="s")
    await store.put([first, second])

    changes = {first.unit_id: {"status": "superseded", "superseded_by": "x", "session_id": None}}
    assert await store.patch("ann", {**changes, "missing": {"times": 2}}) == [first.unit_id]

    found = {one.text: one for one in await store.list("ann")}
    update = {"status": "superseded", "superseded_by": "x", "session_id": None}
    assert found == {"near": first.model_copy(update=update), "far": second}
    assert [hit.unit.text for hit in await store.search("ann", QUERY, 9)] == ["near", "far"]
    assert await store.patch("ann", {}) == []


async def test_a_unit_that_is_put_again_is_replaced_whole(store):
    first = unit("near", session_id="s", metadata={"n": 1})
    await store.put([first])
    again = first.model_copy(update={"session_id": None, "metadata": {}, "times": 2})
    await store.put([again])
    await store.put([])
    assert await store.list("ann") == [again]


async def test_deleting_none_deletes_none(store):
    units = [unit("near"), unit("far", at=1)]
    await store.put(units)
    assert await store.delete("ann", []) == []
    assert await store.delete("ann", ["missing"]) == []
    assert ids(await store.list("ann", ids=[])) == []
    assert await store.delete("ann", [units[0].unit_id, "missing"]) == [units[0].unit_id]
    assert await store.list("ann") == [units[1]]
    assert await store.delete("nobody", None) == []


async def test_any_number_of_ids_may_be_named(store):
    one = unit("near")
    await store.put([one])
    many = [*(f"missing-{row}" for row in range(70_000)), one.unit_id]
    assert await store.list("ann", ids=many) == [one]
    assert await store.delete("ann", many) == [one.unit_id]
    assert await store.list("ann") == []


async def test_a_batch_answers_in_order_and_lists_the_oldest_first(store):
    units = [unit("near", at=3), unit("far", at=1), unit("middle", at=2)]
    requests = [Put(units), Find("ann"), Search("ann", None, QUERY, 1), Key(), Key()]

    done, listed, hits, key, again = await store.batch(requests)

    assert done is None
    assert [one.text for one in listed] == ["far", "middle", "near"]
    assert [hit.unit.text for hit in hits] == ["near"]
    assert key == again
    assert len(key) >= 16


async def test_what_is_no_filter_raises(store):
    for where in ({"kind": None}, {"$or": []}, {"kind": {}}):
        with pytest.raises(ValueError, match=r"kind|or"):
            await store.list("ann", where)


async def test_fifty_saves_at_once_are_fifty_units(store):
    units = [unit("near", name=str(row)) for row in range(50)]
    await asyncio.gather(*(store.put([one]) for one in units))
    assert sorted(ids(await store.list("ann"))) == sorted(ids(units))


async def test_a_unit_is_never_written_over_anothers(store):
    mine = unit("near")
    await store.put([mine])
    theirs = unit("far", user_id="bob").model_copy(update={"unit_id": mine.unit_id})
    raised = None
    try:
        await store.put([unit("middle", user_id="bob"), theirs])
    except ValueError as error:
        raised = str(error)
    held = await store.list("bob")
    # Where ids are each user's own there is nothing to refuse.
    assert held == [] and "another user's" in raised if raised else theirs in held
    assert await store.list("ann") == [mine]


async def test_what_an_engine_refuses_is_not_quoted(store):
    one = unit(metadata={"note": "my secret", "rate": math.nan})
    try:
        await store.put([one])
    except Exception as error:  # noqa: BLE001 - each engine refuses in its own way, or takes it
        told = "".join(traceback.format_exception(error))
        assert "secret" not in told


async def test_a_filter_that_an_engine_lacks_is_one_clear_error(store):
    await store.put([unit(kind="fact")])
    for where in ({"$not": {"kind": "goal"}}, {"kind": {"$exists": True}}):
        for call in (store.list("ann", where), store.search("ann", QUERY, 1, where)):
            try:
                assert len(await call) == 1
            except ValueError as error:
                assert "filters have no $" in str(error)  # noqa: PT017 - some engines have it
