"""Finishing or dropping what a crash cut off."""

import logging
from functools import partial

from emomem.memory.forgetting import prove
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
        begun = yield from parts.logged(partial(_begun, parts))
        parts.cut_off = {operation.user for operation in begun}
    if user not in parts.cut_off:
        return
    for operation in (yield from parts.logged(partial(_begun, parts))):
        if operation.user == user:
            state = yield from _settle(parts, user_id, operation)
            logger.warning("an operation, %s, was cut off; now it is %s", operation.kind, state)
            if operation.kind != "forget":
                yield from parts.logged(partial(parts.log.settle, operation, state))
    parts.cut_off.discard(user)


def _begun(parts: Parts) -> list[Operation]:
    return [operation for operation in parts.log.read() if operation.state == "begun"]


def _settle(parts: Parts, user_id: str, operation: Operation) -> Steps:
    if operation.kind == "forget":
        gone = list(operation.changes)
        yield from parts.ask(Delete(user_id, gone))
        yield from prove(parts, user_id, gone, everything=False)
        return "done"
    needed = _needed(operation)
    [units] = yield from parts.ask(Find(user_id, ids=sorted(needed)))
    whole = needed == {unit.unit_id for unit in units}
    state: State = "done" if whole else "dropped"
    if operation.kind != "create":
        yield from parts.ask(Patch(user_id, operation.changes if whole else {}))
    elif not whole:
        yield from parts.ask(Delete(user_id, [unit.unit_id for unit in units]))
    else:
        pairs = [(unit, context) for unit in units for context in unit.conflicts]
        notes = {context.against: mirrored(unit, context) for unit, context in pairs}
        [others] = yield from parts.ask(Find(user_id, ids=sorted(notes)))
        changes = {one.unit_id: conflict_change(one, [notes[one.unit_id]]) for one in others}
        yield from parts.ask(Patch(user_id, changes))
    return state


def _needed(operation: Operation) -> set[str]:
    """The units that have to be there for an operation to be carried out."""
    successors = {
        str(change["superseded_by"])
        for change in operation.changes.values()
        if change.get("superseded_by")
    }
    return successors or set(operation.changes)
