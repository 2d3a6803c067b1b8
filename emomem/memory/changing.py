"""What may be changed of a memory by hand: silence, weight, strength; each a logged operation."""

import math
from collections.abc import Mapping, Sequence

from emomem.memory.arguments import check_ids
from emomem.memory.dynamics import check_share, faded, reinforced
from emomem.memory.operations import OperationKind
from emomem.memory.parts import Parts, Steps
from emomem.memory.recalling import saliences
from emomem.memory.running import Running
from emomem.memory.store import Change, Find, Patch
from emomem.memory.unit import NEVER, MemoryUnit, Scalar, affect_change, salience_change

Ids = Sequence[str]


class Changing(Running):
    """Changes of single units of a memory. Each returns the ids of the units that were there."""

    def suppress(self, ids: Ids, seconds: float = NEVER, *, user_id: str | None = None) -> Ids:
        """Keep units out of recall for a time; 0 ends a suppression at once.

        Args:
            ids: The units, by their `unit_id`; the rest of their interactions goes with them.
            seconds: For how long, >= 0.
            user_id: Whose.
        """
        user = self._user(user_id)
        done: Ids = self._run(user, suppress(self._parts, user, ids, seconds))
        return done

    async def asuppress(
        self, ids: Ids, seconds: float = NEVER, *, user_id: str | None = None
    ) -> Ids:
        """`suppress` without blocking the event loop."""
        user = self._user(user_id)
        done: Ids = await self._arun(user, suppress(self._parts, user, ids, seconds))
        return done

    def reweight(self, saliences: Mapping[str, float], *, user_id: str | None = None) -> Ids:
        """Give units another salience than their affect says.

        Args:
            saliences: The new salience, 0..1, by `unit_id`.
            user_id: Whose.

        Raises:
            TypeError: It is no mapping of ids to numbers.
            ValueError: A number is outside 0..1.
        """
        user = self._user(user_id)
        done: Ids = self._run(user, reweight(self._parts, user, saliences))
        return done

    async def areweight(self, saliences: Mapping[str, float], *, user_id: str | None = None) -> Ids:
        """`reweight` without blocking the event loop."""
        user = self._user(user_id)
        done: Ids = await self._arun(user, reweight(self._parts, user, saliences))
        return done

    def reinforce(
        self, ids: Ids, rate: float = 0.1, fading: float = 0.0, *, user_id: str | None = None
    ) -> Ids:
        """Make units easier to recall because they were of use; their decay begins anew.

        Args:
            ids: The units, by their `unit_id`.
            rate: 0..1, how much of what is missing to a salience of 1 is gained.
            fading: 0..1, how far the feeling itself goes towards neutral.
            user_id: Whose.
        """
        user = self._user(user_id)
        done: Ids = self._run(user, reinforce(self._parts, user, ids, rate, fading))
        return done

    async def areinforce(
        self, ids: Ids, rate: float = 0.1, fading: float = 0.0, *, user_id: str | None = None
    ) -> Ids:
        """`reinforce` without blocking the event loop."""
        user = self._user(user_id)
        done: Ids = await self._arun(user, reinforce(self._parts, user, ids, rate, fading))
        return done


def suppress(parts: Parts, user_id: str, ids: Ids, seconds: float) -> Steps:
    """Keep units out of recall for a time; what is no longer so stays as it is."""
    if not seconds >= 0:
        msg = f"seconds must be >= 0, got {seconds!r}"
        raise ValueError(msg)
    return (yield from parts.in_turn(user_id, _suppress(parts, user_id, ids, seconds)))


def _suppress(parts: Parts, user_id: str, ids: Ids, seconds: float) -> Steps:
    now = parts.now()
    units = yield from _among(parts, user_id, ids)
    if linked := [unit.interaction_id for unit in units if unit.interaction_id]:
        [whole] = yield from parts.ask(Find(user_id, {"interaction_id": {"$in": linked}}))
        units = {unit.unit_id: unit for unit in (*units, *whole)}.values()
    changes = {
        unit.unit_id: _silence(unit, seconds, now)
        for unit in units
        if unit.status_at(now) in ("current", "suppressed")
    }
    return (yield from _changed(parts, user_id, "suppress", changes))


def _silence(unit: MemoryUnit, seconds: float, now: float) -> Change:
    change: dict[str, Scalar | None] = {}
    if unit.status == "superseded":  # for a time that is over
        change["superseded_by"] = None
    if seconds:
        return {**change, "status": "suppressed", "suppressed_until": min(NEVER, now + seconds)}
    was = unit.status == "suppressed" and unit.is_replaced
    return {**change, "status": "superseded" if was else "current", "suppressed_until": 0.0}


def reweight(parts: Parts, user_id: str, new: Mapping[str, float]) -> Steps:
    """Give units another salience."""
    if not isinstance(new, Mapping) or not all(isinstance(id_, str) for id_ in new):
        msg = "saliences must be a mapping of ids to numbers in 0..1"
        raise TypeError(msg)
    check_share(**new)
    return (yield from parts.in_turn(user_id, _reweight(parts, user_id, new)))


def _reweight(parts: Parts, user_id: str, new: Mapping[str, float]) -> Steps:
    units = yield from _among(parts, user_id, list(new))
    changes: dict[str, Change] = {
        unit.unit_id: salience_change(new[unit.unit_id]) for unit in units
    }
    return (yield from _changed(parts, user_id, "reweight", changes))


def reinforce(parts: Parts, user_id: str, ids: Ids, rate: float, fading: float) -> Steps:
    """Strengthen units and let their feeling fade."""
    check_share(rate=rate, fading=fading)
    return (yield from parts.in_turn(user_id, _reinforce(parts, user_id, ids, rate, fading)))


def _reinforce(parts: Parts, user_id: str, ids: Ids, rate: float, fading: float) -> Steps:
    units = yield from _among(parts, user_id, ids)
    now = parts.now()
    gained = reinforced(saliences(units, now, None), rate).tolist()
    changes: dict[str, Change] = {}
    for unit, strength in zip(units, gained, strict=True):
        change: dict[str, Scalar | None] = {"recalled": unit.recalled + 1, "recalled_at": now}
        if fading:
            change |= affect_change(unit, faded(unit.affect, fading))
        if not math.isnan(strength):  # how it felt is known
            change |= salience_change(strength)
        changes[unit.unit_id] = change
    return (yield from _changed(parts, user_id, "reweight", changes))


def _among(parts: Parts, user_id: str, ids: Ids) -> Steps:
    check_ids(ids)
    [units] = yield from parts.ask(Find(user_id, ids=list(ids)))
    return units


def _changed(
    parts: Parts, user_id: str, kind: OperationKind, changes: Mapping[str, Change]
) -> Steps:
    if not changes:
        return []
    [done] = yield from parts.change(user_id, {kind: changes}, Patch(user_id, changes))
    return done
