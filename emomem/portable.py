"""Copies and pickles of what holds a lock, a cache or a loaded model."""

from abc import ABC, abstractmethod
from typing import Any


class Portable(ABC):
    """What may be copied, and sent to another process, without what belongs to this one alone.

    A copy carries every attribute but those that `_renew` sets, which it sets itself.
    """

    @abstractmethod
    def _renew(self) -> None:
        """Set what is not carried, as it is at first; `__init__` calls it too."""

    def __getstate__(self) -> dict[str, Any]:
        """What is carried."""
        fresh = object.__new__(type(self))
        fresh._renew()
        return {name: value for name, value in vars(self).items() if name not in vars(fresh)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """What was carried, and the rest anew."""
        self._renew()
        vars(self).update(state)
