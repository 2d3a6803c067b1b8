"""Finishing or dropping what a crash cut off."""

import logging
from collections.abc import Sequence
from functools import partial

from emomem.memory.forgetting import erase, prove
from emomem.memory.operations import Operation, State, user_reference
from emomem.memory.parts import Parts, Steps
from emomem.memory.saving import mirrored
from emomem.memory.store import Delete, Find, Patch
from emomem.memory.unit import conflict_change

logger = logging.getLogger(__name__)


def recover(parts: Parts, user_id: str) -> Steps:
    """Settle a user's operations that were begun and not done, before anything else is.

    What they make is in the store whole or not at all: in the first case the rest is done, in
    the second the operation is dropped.
    """
    user = user_reference(user_id, (yield from parts.key()))
    if parts.cut_off is None:
        logged = yield from parts.logged(parts.log.read)
        parts.cut_off = {operation.user for operation in logged if operation.state == "begun"}
    if user in parts.cut_off:
        yield from parts.in_turn(user_id, _recover(parts, user_id, user))


def _recover(parts: Parts, user_id: str, user: str) -> Steps:
    logged = yield from parts.logged(partial(parts.log.read, user))
    for place, operation in enumerate(logged):
        if operation.state == "begun":
            state = yield from _settle(parts, user_id, operation, logged[place + 1 :])
            logger.warning("an operation, %s, was cut off; now it is %s", operation.kind, state)
            yield from parts.logged(partial(parts.log.write, operation, state))
    if parts.cut_off is not None:
        parts.cut_off.discard(user)


def _settle(parts: Parts, user_id: str, operation: Operation, after: Sequence[Operation]) -> Steps:
    if operation.kind == "forget":
        # What was said again since then is not what was to be forgotten.
        again = {id_ for one in after if one.kind == "create" for id_ in one.changes}
        gone = operation.changes.keys() - again
        [units] = yield from parts.ask(Find(user_id))
        yield from erase(parts, user_id, units, gone)
        yield from prove(parts, user_id, gone, everything=False)
        return "done"
    needed = _needed(operation)
    [units] = yield from parts.ask(Find(user_id, ids=sorted(needed)))
    whole = needed == {unit.unit_id for unit in units}
    state: State = "done" if whole else "dropped"
    if operation.kind != "create":
        yield from parts.write(Patch(user_id, operation.changes if whole else {}))
    elif not whole:
        yield from parts.write(Delete(user_id, [unit.unit_id for unit in units]))
    else:
        pairs = [(unit, context) for unit in units for context in unit.conflicts]
        notes = {context.against: mirrored(unit, context) for unit, context in pairs}
        [others] = yield from parts.ask(Find(user_id, ids=sorted(notes)))
        changes = {one.unit_id: conflict_change(one, [notes[one.unit_id]]) for one in others}
        yield from parts.write(Patch(user_id, changes))
    return state


def _needed(operation: Operation) -> set[str]:
    """The units that have to be there for an operation to be carried out."""
    successors = {
        str(change["superseded_by"])
        for change in operation.changes.values()
        if change.get("superseded_by")
    }
    return successors or set(operation.changes)
