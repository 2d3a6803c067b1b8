"""Forgetting: out of the store, the log and what else was made of it, and the proof of it."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from emomem.encoder import clear_caches
from emomem.memory.operations import Operation, OperationKind, loggable, user_reference
from emomem.memory.parts import Parts, Steps
from emomem.memory.reviving import made_whole, without
from emomem.memory.store import Change, Delete, Find, Patch, Put
from emomem.memory.unit import MemoryUnit, to_metadata

Purge = Callable[[Sequence[str]], object]
"""Drops what was kept of some texts: a cache, a queue."""


@dataclass(frozen=True)
class Forgotten:
    """What was forgotten; a scan afterwards found none of it left.

    Attributes:
        units: How many units were deleted, what was made from them among them.
        operations: How many operations of the log were changed or dropped.
    """

    units: int
    operations: int


def forget(
    parts: Parts, user_id: str, ids: Sequence[str] | None, purges: Sequence[Purge] = ()
) -> Steps:
    """Forget units of a user, the rest of their interactions, and what was made from them.

    Args:
        parts: The memory's parts.
        user_id: Whose.
        ids: Which; None is everything of the user's, mood and goals with it.
        purges: What else keeps something of a text; they go first, and where one raises nothing
            is forgotten.

    Returns:
        A `Forgotten`.

    Raises:
        RuntimeError: A scan afterwards found something left.
    """
    return (yield from parts.in_turn(user_id, _forget(parts, user_id, ids, purges)))


def _forget(
    parts: Parts, user_id: str, ids: Sequence[str] | None, purges: Sequence[Purge]
) -> Steps:
    [units] = yield from parts.ask(Find(user_id))
    gone = {unit.unit_id for unit in units} if ids is None else _with_theirs(units, set(ids))
    user = user_reference(user_id, (yield from parts.key()))
    # First, so that one that raises leaves everything as it was, to be forgotten by another call.
    texts = [unit.text for unit in units if unit.unit_id in gone]
    for purge in purges:
        yield from parts.logged(partial(purge, texts))
    begun = Operation(
        kind="forget", user=user, at=parts.now(), changes={id_: {} for id_ in sorted(gone)}
    )
    if gone or ids is None:
        yield from parts.logged(partial(parts.log.write, begun, "begun"))
    yield from erase(parts, user_id, units, None if ids is None else gone)
    return (yield from prove(parts, user_id, gone, everything=ids is None))


def erase(
    parts: Parts, user_id: str, units: Sequence[MemoryUnit], gone: Collection[str] | None
) -> Steps:
    """Delete units, and change those that stay so that they name nothing that is gone.

    What the encoders of this process keep of any text goes too.

    Args:
        parts: The memory's parts.
        user_id: Whose.
        units: All of the user's.
        gone: Which to delete, by their ids; None is everything of the user's.
    """
    clear_caches()
    changes: dict[str, Change] = {}
    made: list[MemoryUnit] = []
    if gone is not None:
        changes = without(units, gone)
        made = yield from made_whole(parts, [u for u in units if u.unit_id not in gone], changes)
    told = loggable(changes)
    again = {id_: change for id_, change in told.items() if change}
    new = loggable({unit.unit_id: to_metadata(unit) for unit in made})
    user = user_reference(user_id, (yield from parts.key()))
    kinds: dict[OperationKind, Mapping[str, Change]] = {"create": new, "consolidate": again}
    # Before the write: after it nothing tells any more what counts again. What a crash cuts off
    # here is done once more, with the same values.
    for kind, values in kinds.items():
        if values:
            one = Operation(kind=kind, user=user, at=parts.now(), changes=values)
            yield from parts.logged(partial(parts.log.record, one))
    doomed = None if gone is None else sorted(gone)
    puts = [Put(made, new=True)] if made else []
    yield from parts.write(*puts, Patch(user_id, changes), Delete(user_id, doomed))


def prove(parts: Parts, user_id: str, gone: Collection[str], *, everything: bool) -> Steps:
    """Take what was deleted out of the log, and scan store and log for it.

    Returns:
        A `Forgotten`.

    Raises:
        RuntimeError: Something is left.
    """
    user = user_reference(user_id, (yield from parts.key()))
    scope = None if everything else gone
    redacted = yield from parts.logged(partial(parts.log.redact, user, scope))
    told = Operation(kind="forget", user="", at=parts.now(), count=len(gone))
    yield from parts.logged(partial(parts.log.record, told))
    [left] = yield from parts.ask(Find(user_id, ids=None if everything else sorted(gone)))
    logged = yield from parts.logged(partial(parts.log.read, user, scope))
    if left or logged:
        msg = f"{len(left)} units and {len(logged)} operations are left of what was forgotten"
        raise RuntimeError(msg)
    # The operation that began the forgetting is one of those that were taken out.
    return Forgotten(len(gone), max(0, redacted - 1))


def _with_theirs(units: Sequence[MemoryUnit], ids: set[str]) -> set[str]:
    """The ids, the other units of their interactions, and what was made from any of them."""
    linked = {unit.interaction_id for unit in units if unit.unit_id in ids} - {None}
    gone = {unit.unit_id for unit in units if unit.unit_id in ids or unit.interaction_id in linked}
    while made := {
        unit.unit_id
        for unit in units
        if unit.unit_id not in gone and not gone.isdisjoint(unit.sources)
    }:
        gone |= made
    return gone
