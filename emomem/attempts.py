"""Asking a server in one way after another, where it may refuse some of them."""

from collections.abc import Awaitable, Callable, Generator, Sequence
from typing import Any, Final, TypeVar

from emomem.encoding.metering import is_busy
from emomem.protocols import JsonSchema
from emomem.steps import adrive, drive

_REFUSED: Final = frozenset({400, 404, 405, 415, 422, 501})
"""Statuses by which servers say that they cannot do it: 404 of a tool, 501 of a schema."""
_STATUSES: Final = range(100, 600)  # other numbers are a client's own
_AWAY: Final = ("timeout", "connect")

Way = TypeVar("Way")


class Attempts:
    """Asks in the first way that a server takes, and begins there from then on.

    Where the server refuses a request (status 400, 422 and the like) it is asked in the next way.
    An error without a status is tried so too, for a client may raise anything, but nothing is
    learned from it. Where the key is wrong, or the server busy, broken or out of reach, the next
    way would fare no better, and the error is raised at once. It may be shared by threads, copied
    and pickled.
    """

    def __init__(self) -> None:
        self._taken: dict[str, int] = {}  # by the schema's title: another one may be refused

    def ask(
        self, ways: Sequence[Way], ask: Callable[[Way], str], schema: JsonSchema | None = None
    ) -> str:
        """The answer in the first way that is taken.

        Args:
            ways: The ways, the best first; the same with every call for a schema.
            ask: Asks in one of them.
            schema: What the answer should be.

        Raises:
            Exception: What the last way that was tried raises.
        """

        def answer(way: Way) -> str | Exception:
            try:
                return ask(way)
            except Exception as error:  # noqa: BLE001 - `_steps` judges it
                return error

        return drive(self._steps(ways, schema), answer)

    async def aask(
        self,
        ways: Sequence[Way],
        ask: Callable[[Way], Awaitable[str]],
        schema: JsonSchema | None = None,
    ) -> str:
        """`ask` without blocking the event loop."""

        async def answer(way: Way) -> str | Exception:
            try:
                return await ask(way)
            except Exception as error:  # noqa: BLE001 - the same
                return error

        return await adrive(self._steps(ways, schema), answer)

    def _steps(
        self, ways: Sequence[Way], schema: JsonSchema | None
    ) -> Generator[Way, str | Exception, str]:
        """Yields the way to ask in; is sent what that gave or raised."""
        title = "" if schema is None else str(schema.get("title"))
        last = len(ways) - 1
        number, is_known = min(self._taken.get(title, 0), last), True
        while isinstance(given := (yield ways[number]), Exception):
            refused = _is_refused(given)
            if number == last or refused is False:
                raise given
            number, is_known = number + 1, is_known and refused is True
        if is_known:  # for good: what was taken once is refused later only for what a text says
            self._taken.setdefault(title, number)
        return given


def _is_refused(error: Exception) -> bool | None:
    """Whether an error says that a server refused what was asked; None where it does not say."""
    causes: list[BaseException] = [error]
    while (cause := causes[-1].__cause__) is not None:
        causes.append(cause)
    for one in causes:
        for told in (one, getattr(one, "response", None)):
            if (status := _status(told)) is not None:
                return status in _REFUSED
    kinds = [kind.__name__.lower() for one in causes for kind in type(one).__mro__]
    is_away = any(word in kind for kind in kinds for word in _AWAY)
    return False if is_away or is_busy(error) else None


def _status(told: Any) -> int | None:  # noqa: ANN401 - any client's error or response
    found = (getattr(told, name, None) for name in ("status_code", "status", "code"))
    return next((one for one in found if isinstance(one, int) and one in _STATUSES), None)
