"""Finishing or dropping what a crash cut off."""

import asyncio
import logging
import time
from collections.abc import Sequence
from functools import partial
from typing import Final

from emomem.memory.forgetting import erase, prove
from emomem.memory.operations import Operation, State, user_reference
from emomem.memory.parts import Call, Parts, Steps
from emomem.memory.saving import mirrored
from emomem.memory.store import Change, Delete, Find, Patch
from emomem.memory.turns import turn_of
from emomem.memory.unit import conflict_change

_PAUSE: Final = 0.01
"""Seconds after which it is asked again whether another process is done."""

logger = logging.getLogger(__name__)


def recover(parts: Parts, user_id: str) -> Steps:
    """Settle a user's operations that were begun and not done, before anything else is.

    What they make is in the store whole or not at all: in the first case the rest is done, in
    the second the operation is dropped.
    """
    user = user_reference(user_id, (yield from parts.key()))
    begun = yield from parts.logged(partial(parts.log.begun, user))
    if begun and not turn_of(user).settled:
        yield from parts.in_turn(user_id, _nothing())


def settle(parts: Parts, user_id: str, user: str) -> Steps:
    """Settle them in the user's turn, and claim the user until its end.

    Whoever changes units has claimed their user, in whichever process. So what is begun is cut off
    where nobody else has; else it may just be done, and is left to a later call.
    """
    log = parts.log
    while True:
        begun = yield from parts.logged(partial(log.begun, user))
        if begun and (yield from parts.logged(partial(log.claims.take, user, alone=True))):
            yield from _settle_all(parts, user_id, user)
            return
        if (yield from parts.logged(partial(log.claims.take, user, alone=False))):
            return
        # Another process is settling them.
        yield Call(partial(time.sleep, _PAUSE), partial(asyncio.sleep, _PAUSE))


def _nothing() -> Steps:
    yield from ()


def _settle_all(parts: Parts, user_id: str, user: str) -> Steps:
    logged = yield from parts.logged(partial(parts.log.read, user))
    for place, operation in enumerate(logged):
        if operation.state == "begun":
            state = yield from _settle(parts, user_id, operation, logged[place + 1 :])
            logger.warning("an operation, %s, was cut off; now it is %s", operation.kind, state)
            yield from parts.logged(partial(parts.log.write, operation, state))
    parts.log.settled(user)


def _settle(parts: Parts, user_id: str, operation: Operation, after: Sequence[Operation]) -> Steps:
    # What was said again since then is neither what was to be forgotten nor what was cut off.
    again = {id_ for one in after if one.kind == "create" for id_ in one.changes}
    if operation.kind == "forget":
        gone = operation.changes.keys() - again
        [units] = yield from parts.ask(Find(user_id))
        yield from erase(parts, user_id, units, gone)
        yield from prove(parts, user_id, gone, everything=False)
        return "done"
    needed = _needed(operation)
    [units] = yield from parts.ask(Find(user_id, ids=sorted(needed)))
    whole = needed == {unit.unit_id for unit in units}
    if operation.kind != "create":
        yield from parts.write(Patch(user_id, _still_so(operation, after) if whole else {}))
    elif not whole:
        yield from parts.write(Delete(user_id, sorted(needed - again)))
    else:
        pairs = [(unit, context) for unit in units for context in unit.conflicts]
        notes = {context.against: mirrored(unit, context) for unit, context in pairs}
        [others] = yield from parts.ask(Find(user_id, ids=sorted(notes)))
        changes = {one.unit_id: conflict_change(one, [notes[one.unit_id]]) for one in others}
        yield from parts.write(Patch(user_id, changes))
    state: State = "done" if whole else "dropped"
    return state


def _still_so(operation: Operation, after: Sequence[Operation]) -> dict[str, Change]:
    """The changes of an operation, but for the values that what was done after it has set."""
    done = [one.changes for one in after if one.state == "done"]
    kept = {
        id_: {
            key: value
            for key, value in change.items()
            if not any(key in changes.get(id_, {}) for changes in done)
        }
        for id_, change in operation.changes.items()
    }
    return {id_: change for id_, change in kept.items() if change}


def _needed(operation: Operation) -> set[str]:
    """The units that have to be there for an operation to be carried out."""
    successors = {
        str(change["superseded_by"])
        for change in operation.changes.values()
        if change.get("superseded_by")
    }
    return successors or set(operation.changes)
