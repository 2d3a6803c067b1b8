"""What stands on a memory and keeps something of it, as an agent does, and forgets with it."""

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Final
from weakref import WeakMethod

from emomem.memory.forgetting import Purge
from emomem.memory.parts import Parts, Steps
from emomem.memory.store import Find

KeeperPurge = Callable[[str, bool, Sequence[str]], object]
"""Drops what was kept of a user: everything, or what names some texts."""


class Keepers:
    """The keepers of one memory.

    Args:
        parts: The memory's parts.
    """

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._purges: Final[list[WeakMethod[KeeperPurge]]] = []

    def add(self, purge: KeeperPurge) -> None:
        """Have a method called before anything is forgotten, as long as its object lives."""
        self._purges.append(WeakMethod(purge, self._purges.remove))

    def purges(self, user_id: str, *, everything: bool) -> list[Purge]:
        """What is to be called with the texts of a user that are forgotten."""
        living = [purge for one in list(self._purges) if (purge := one())]
        return [partial(purge, user_id, everything) for purge in living]

    def in_turn(
        self, user_id: str, ids: Collection[str], steps: Callable[[frozenset[str]], Steps]
    ) -> Steps:
        """The result of steps while nothing else changes a user's units, or forgets one.

        Args:
            user_id: Whose.
            ids: Units that were read before.
            steps: Are given those of them that are gone.
        """

        def told() -> Steps:
            return (yield from steps((yield from gone(self._parts, user_id, ids))))

        return (yield from self._parts.in_turn(user_id, told()))


def gone(parts: Parts, user_id: str, ids: Collection[str]) -> Steps:
    """Those of some units that were forgotten since they were read; asked in the user's turn.

    What a crash has left of a forgetting is gone by then: a turn begins with that.
    """
    [units] = yield from parts.ask(Find(user_id, ids=sorted(ids)))
    return frozenset(ids) - {unit.unit_id for unit in units}
