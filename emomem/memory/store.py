"""What a memory asks of a store, and everything that can be built on it.

A store has two methods of its own, `batch` and `abatch`; each request names one user, and the
store keeps to that user in its own filter.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from emomem.filters import both, normalise
from emomem.memory.arguments import check_user_id
from emomem.memory.unit import KINDS, MemoryUnit, Scalar

Where = Mapping[str, Any]
"""A filter over the metadata of units, in the grammar of `emomem.filters`."""

Change = Mapping[str, Scalar | None]
"""New values of metadata keys; None takes a key away."""


@dataclass(frozen=True)
class Key:
    """Asks for the store's own key, from which ids are made; the same for everybody who asks."""


@dataclass(frozen=True)
class _OfUser:
    user_id: str

    def __post_init__(self) -> None:
        """Refuse a user id that would not keep users apart."""
        check_user_id(self.user_id, "user_id must be a str that is not blank")


@dataclass(frozen=True)
class _Reading(_OfUser):
    where: Where | None = None

    def __post_init__(self) -> None:
        """Check the filter too, before anything is read."""
        super().__post_init__()
        _ = self.scope

    @cached_property
    def scope(self) -> dict[str, Any]:
        """The filter that the store has to apply: units of this user, and what else is wanted.

        Whatever `where` says, it can only narrow it.
        """
        units = {"kind": {"$in": list(KINDS)}}
        scope = both(normalise({"user_id": self.user_id}), normalise(self.where or units))
        assert scope is not None  # noqa: S101 - it has the user's condition
        return scope


@dataclass(frozen=True)
class Find(_Reading):
    """Asks for every unit that passes `where`, among `ids` where they are given.

    The oldest come first.
    """

    ids: Sequence[str] | None = None


@dataclass(frozen=True)
class Search(_Reading):
    """Asks for the k units that pass `where` and are nearest by meaning.

    Attributes:
        text: To what.
        k: How many, >= 1.
        turns: The conversation so far, oldest first, which is mixed into the text
            (`emomem.mixing`).
        cues: What is mixed in besides, each as much as the text, and embedded as what is stored
            is, all in one call. An engine that makes its own vectors goes by the text alone.
    """

    text: str = field(default="", repr=False)
    k: int = 10
    turns: tuple[str, ...] = field(default=(), repr=False)
    cues: tuple[str, ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        """Check k as well."""
        super().__post_init__()
        if self.k < 1:
            msg = f"k must be >= 1, got {self.k!r}"
            raise ValueError(msg)


@dataclass(frozen=True)
class Put:
    """Writes units, all or none of them; one whose id is there is replaced.

    A store that keeps all users' ids in one place raises where an id is another user's.

    Attributes:
        units: The units.
        new: Whether none of the ids is there, so that nothing of an older unit has to be cleared.
    """

    units: Sequence[MemoryUnit]
    new: bool = False

    def __post_init__(self) -> None:
        """Refuse a unit without an id."""
        if any(not unit.unit_id for unit in self.units):
            msg = "a unit needs a unit_id before it is stored"
            raise ValueError(msg)


@dataclass(frozen=True)
class Patch(_OfUser):
    """Changes metadata of units by their ids; an id that is not this user's is passed over."""

    changes: Mapping[str, Change]


@dataclass(frozen=True)
class Delete(_OfUser):
    """Deletes units by their ids, none where there are none; `ids=None` is all of the user's."""

    ids: Sequence[str] | None


Request = Key | Find | Search | Put | Patch | Delete


@dataclass(frozen=True)
class Hit:
    """A unit that a search found, and its cosine to the text; None where it is not known."""

    unit: MemoryUnit
    cosine: float | None


class StoreError(RuntimeError):
    """An engine failed; it is named by the type of its error, which itself may quote a memory."""


class ModeError(RuntimeError):
    """A store was asked in sync that answers in async alone, or the other way round."""


@contextmanager
def unquoted(*errors: type[Exception]) -> Iterator[None]:
    """Put a `StoreError` in place of an engine's errors, whose messages hold what was written."""
    try:
        yield
    except errors as error:
        own = getattr(error, "orig", None)  # what SQLAlchemy wraps
        names = [type(one).__name__ for one in (error, own) if one is not None]
        msg = f"the store failed with {' of '.join(names)}"
        raise StoreError(msg) from None


Units = list[MemoryUnit]
Hits = list[Hit]
Ids = list[str]


class BaseMemoryStore(ABC):
    """A store that has only to answer requests.

    Raises:
        ValueError: A user id is blank, a filter is no filter, or a unit has no id.
    """

    @abstractmethod
    def batch(self, requests: Sequence[Request]) -> list[Any]:
        """The answer of each request, in order."""

    @abstractmethod
    async def abatch(self, requests: Sequence[Request]) -> list[Any]:
        """`batch` without blocking the event loop."""

    def list(
        self, user_id: str, where: Where | None = None, ids: Sequence[str] | None = None
    ) -> Units:
        """Every unit of a user that passes `where`, the oldest first."""
        [units] = self.batch([Find(user_id, where, ids)])
        return units  # type: ignore[no-any-return]

    async def alist(
        self, user_id: str, where: Where | None = None, ids: Sequence[str] | None = None
    ) -> Units:
        """`list` without blocking the event loop."""
        [units] = await self.abatch([Find(user_id, where, ids)])
        return units  # type: ignore[no-any-return]

    def search(self, user_id: str, text: str, k: int = 10, where: Where | None = None) -> Hits:
        """The k units of a user that pass `where` and are nearest to `text`, best first."""
        [hits] = self.batch([Search(user_id, where, text, k)])
        return hits  # type: ignore[no-any-return]

    async def asearch(
        self, user_id: str, text: str, k: int = 10, where: Where | None = None
    ) -> Hits:
        """`search` without blocking the event loop."""
        [hits] = await self.abatch([Search(user_id, where, text, k)])
        return hits  # type: ignore[no-any-return]

    def put(self, units: Sequence[MemoryUnit]) -> None:
        """Write units, all or none of them.

        Raises:
            ValueError: An id is there and another user's.
        """
        self.batch([Put(units)])

    async def aput(self, units: Sequence[MemoryUnit]) -> None:
        """`put` without blocking the event loop."""
        await self.abatch([Put(units)])

    def patch(self, user_id: str, changes: Mapping[str, Change]) -> Ids:
        """Change metadata of a user's units by their ids.

        Returns:
            The ids that were there.
        """
        [changed] = self.batch([Patch(user_id, changes)])
        return changed  # type: ignore[no-any-return]

    async def apatch(self, user_id: str, changes: Mapping[str, Change]) -> Ids:
        """`patch` without blocking the event loop."""
        [changed] = await self.abatch([Patch(user_id, changes)])
        return changed  # type: ignore[no-any-return]

    def delete(self, user_id: str, ids: Sequence[str] | None) -> Ids:
        """Delete a user's units by their ids; None deletes all of the user's.

        Returns:
            The ids that were there.
        """
        [deleted] = self.batch([Delete(user_id, ids)])
        return deleted  # type: ignore[no-any-return]

    async def adelete(self, user_id: str, ids: Sequence[str] | None) -> Ids:
        """`delete` without blocking the event loop."""
        [deleted] = await self.abatch([Delete(user_id, ids)])
        return deleted  # type: ignore[no-any-return]


def in_order(units: Iterable[MemoryUnit]) -> list[MemoryUnit]:
    """Units by the time that they are from, the oldest first; of one time, the facts."""
    return sorted(units, key=lambda unit: (unit.created_at, KINDS.index(unit.kind), unit.unit_id))


def check_owner(units: Sequence[MemoryUnit], user_id: str) -> None:
    """Make sure that an engine kept to its filter.

    Raises:
        RuntimeError: It returned another user's unit; nothing of it is shown.
    """
    if any(unit.user_id != user_id for unit in units):
        msg = "the store did not keep to its filter on user_id, so nothing of it is shown"
        raise RuntimeError(msg)


OTHERS: Final = "a unit_id is there already and another user's; nothing was written"


def check_same_owner(
    there: Iterable[tuple[str, Mapping[str, Any]]], users: Mapping[str, object]
) -> None:
    """Refuse to write over another user's units.

    Args:
        there: Id and metadata of what an engine holds under the ids that are to be written.
        users: Whose unit is to be written, by id.

    Raises:
        ValueError: An id is another user's.
    """
    if any(metadata.get("user_id") != users[id_] for id_, metadata in there):
        raise ValueError(OTHERS)


def changed(metadata: Mapping[str, Any], change: Change) -> dict[str, Any]:
    """Metadata after a change."""
    return {key: value for key, value in {**metadata, **change}.items() if value is not None}
