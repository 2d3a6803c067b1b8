"""Forgetting: out of the store, the log and what else was made of it, and the proof of it."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial

from emomem.encoder import LocalEncoder
from emomem.memory.operations import Operation, loggable, user_reference
from emomem.memory.parts import Parts, Steps
from emomem.memory.store import Change, Delete, Find, Patch
from emomem.memory.unit import MemoryUnit, resolved_change
from emomem.protocols import Appraiser

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


def caches_of(appraiser: Appraiser) -> list[Purge]:
    """The purges of what the embedded model keeps of texts: hashes, vectors and readings."""
    encoder = getattr(appraiser, "_encoder", None)
    return [lambda _: encoder.clear()] if isinstance(encoder, LocalEncoder) else []


def forget(
    parts: Parts, user_id: str, ids: Sequence[str] | None, purges: Sequence[Purge] = ()
) -> Steps:
    """Forget units of a user, the rest of their interactions, and what was made from them.

    Args:
        parts: The memory's parts.
        user_id: Whose.
        ids: Which; None is everything of the user's, mood and goals with it.
        purges: What else keeps something of a text.

    Returns:
        A `Forgotten`.

    Raises:
        RuntimeError: A scan afterwards found something left.
    """
    [units] = yield from parts.ask(Find(user_id))
    gone = {unit.unit_id for unit in units} if ids is None else _with_theirs(units, set(ids))
    user = user_reference(user_id, (yield from parts.key()))
    begun = Operation(
        kind="forget", user=user, at=parts.now(), changes={id_: {} for id_ in sorted(gone)}
    )
    yield from parts.logged(partial(parts.log.write, begun, "begun"))
    changes = _without(units, gone)
    yield from parts.ask(
        Patch(user_id, changes), Delete(user_id, None if ids is None else sorted(gone))
    )
    texts = [unit.text for unit in units if unit.unit_id in gone]
    for purge in purges:
        yield from parts.logged(partial(purge, texts))
    forgotten = yield from prove(parts, user_id, gone, everything=ids is None)
    again = {id_: change for id_, change in loggable(changes).items() if "status" in change}
    if again and ids is not None:
        told = Operation(kind="consolidate", user=user, at=parts.now(), changes=again)
        yield from parts.logged(partial(parts.log.record, told))
    return forgotten


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


def _without(units: Sequence[MemoryUnit], gone: Collection[str]) -> dict[str, Change]:
    """The changes by which what stays names nothing that is gone.

    What a summary stood for counts again when the summary goes; what was contradicted does not.
    """
    summed = {source for unit in units if unit.unit_id in gone for source in unit.sources}
    linked = {unit.interaction_id for unit in units if unit.unit_id in summed} - {None}
    changes: dict[str, Change] = {}
    for unit in units:
        if unit.unit_id in gone:
            continue
        change: Change = {}
        if any(context.against in gone for context in unit.conflicts):
            change = resolved_change(unit, gone)
        if unit.superseded_by in gone:
            change = {**change, "superseded_by": None}
            if unit.unit_id in summed or unit.interaction_id in linked:
                change = {**change, "status": "current"}
        if change:
            changes[unit.unit_id] = change
    return changes
