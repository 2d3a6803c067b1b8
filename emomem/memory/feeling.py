"""What a memory says of how its user is."""

from typing import TYPE_CHECKING, TypeVar

from emomem.affect import Affect
from emomem.memory.compression import Compression, Summarise, compress, listed
from emomem.memory.dynamics import HOUR
from emomem.memory.monitor import Monitor, Report
from emomem.memory.mood import MoodTracker, mood_of
from emomem.memory.parts import Parts, Steps
from emomem.memory.provenance import provenance
from emomem.memory.recombination import Recombination, dream, dreams
from emomem.memory.running import Running
from emomem.memory.store import Find
from emomem.memory.unit import MemoryUnit

if TYPE_CHECKING:
    import networkx as nx

_HALF_LIVES = 10
_Kind = TypeVar("_Kind", MoodTracker, Monitor)


class Feeling(Running):
    """Mood and monitor of a memory's users, its compression and its provenance."""

    def mood(self, tracker: MoodTracker | None = None, *, user_id: str | None = None) -> Affect:
        """The mood of a user now, from what the user felt; a source of the present affect.

        Args:
            tracker: How fast feelings lose weight; a half-life of a day where not given.
            user_id: Whose.

        Returns:
            The affect; unknown where nothing was felt of late.
        """
        user = self._user(user_id)
        found: Affect = self._run(user, mood(self._parts, user, _of(tracker, MoodTracker)))
        return found

    async def amood(
        self, tracker: MoodTracker | None = None, *, user_id: str | None = None
    ) -> Affect:
        """`mood` without blocking the event loop."""
        user = self._user(user_id)
        found: Affect = await self._arun(user, mood(self._parts, user, _of(tracker, MoodTracker)))
        return found

    def monitor(self, monitor: Monitor | None = None, *, user_id: str | None = None) -> Report:
        """The affect of each of a user's days, and alerts; it reads all affective memories."""
        user = self._user(user_id)
        found: Report = self._run(user, watch(self._parts, user, _of(monitor, Monitor)))
        return found

    async def amonitor(
        self, monitor: Monitor | None = None, *, user_id: str | None = None
    ) -> Report:
        """`monitor` without blocking the event loop."""
        user = self._user(user_id)
        found: Report = await self._arun(user, watch(self._parts, user, _of(monitor, Monitor)))
        return found

    def consolidate(
        self,
        compression: Compression | None = None,
        summarise: Summarise = listed,
        *,
        user_id: str | None = None,
    ) -> list[MemoryUnit]:
        """Put one summary in the place of many small good moments of long ago.

        Args:
            compression: Which belong together.
            summarise: Makes one text of several, for example by a chat model; where it is not
                given they stand one after the other.
            user_id: Whose.

        Returns:
            The summaries; what they were made from is kept and no longer recalled.
        """
        user = self._user(user_id)
        steps = compress(self._parts, user, compression or Compression(), summarise)
        made: list[MemoryUnit] = self._run(user, steps)
        return made

    async def aconsolidate(
        self,
        compression: Compression | None = None,
        summarise: Summarise = listed,
        *,
        user_id: str | None = None,
    ) -> list[MemoryUnit]:
        """`consolidate` without blocking the event loop."""
        user = self._user(user_id)
        steps = compress(self._parts, user, compression or Compression(), summarise)
        made: list[MemoryUnit] = await self._arun(user, steps)
        return made

    def dream(
        self, recombination: Recombination, *, user_id: str | None = None
    ) -> MemoryUnit | None:
        """Make one symbolic scene of a user's last day, which expires by itself.

        Args:
            recombination: Through which model, and of whom.
            user_id: Whose.

        Returns:
            The dream; None where there was nothing to dream of, or the model made none, or some
            of what it was made of was forgotten meanwhile.
        """
        user = self._user(user_id)
        steps = dream(self._parts, user, _checked(recombination))
        found: MemoryUnit | None = self._run(user, steps)
        return found

    async def adream(
        self, recombination: Recombination, *, user_id: str | None = None
    ) -> MemoryUnit | None:
        """`dream` without blocking the event loop."""
        user = self._user(user_id)
        steps = dream(self._parts, user, _checked(recombination))
        found: MemoryUnit | None = await self._arun(user, steps)
        return found

    def dreams(self, *, user_id: str | None = None) -> list[MemoryUnit]:
        """The dreams that have not expired, the oldest first."""
        user = self._user(user_id)
        found: list[MemoryUnit] = self._run(user, dreams(self._parts, user))
        return found

    async def adreams(self, *, user_id: str | None = None) -> list[MemoryUnit]:
        """`dreams` without blocking the event loop."""
        user = self._user(user_id)
        found: list[MemoryUnit] = await self._arun(user, dreams(self._parts, user))
        return found

    def provenance(self, *, user_id: str | None = None) -> "nx.MultiDiGraph[str]":
        """The graph of what was made from what, contradicts what and replaced what."""
        user = self._user(user_id)
        return provenance(self._run(user, everything(self._parts, user)), self._parts.now)

    async def aprovenance(self, *, user_id: str | None = None) -> "nx.MultiDiGraph[str]":
        """`provenance` without blocking the event loop."""
        user = self._user(user_id)
        return provenance(await self._arun(user, everything(self._parts, user)), self._parts.now)


def everything(parts: Parts, user_id: str) -> Steps:
    """Every unit of a user."""
    [units] = yield from parts.ask(Find(user_id))
    return units


def mood(parts: Parts, user_id: str, tracker: MoodTracker) -> Steps:
    """The mood of a user, from what still counts at all."""
    now = parts.now()
    since = now - _HALF_LIVES * tracker.half_life * HOUR
    recent = {"kind": "affective", "last_at": {"$gt": since}}
    [units] = yield from parts.ask(Find(user_id, recent))
    return mood_of(units, user_id, tracker, now)


def watch(parts: Parts, user_id: str, monitor: Monitor) -> Steps:
    """A monitor's report of what a user felt."""
    [units] = yield from parts.ask(Find(user_id, {"kind": "affective", "experiencer": user_id}))
    return monitor.report(units)


def _checked(given: Recombination) -> Recombination:
    if not isinstance(given, Recombination):
        msg = f"expected a Recombination, got {type(given).__name__}"
        raise TypeError(msg)
    return given


def _of(given: _Kind | None, kind: type[_Kind]) -> _Kind:
    if given is None:
        return kind()
    if not isinstance(given, kind):
        msg = f"expected a {kind.__name__}, got {type(given).__name__}"
        raise TypeError(msg)
    return given
