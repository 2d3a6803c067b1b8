"""A server on this machine alone, over which the page is live: it searches and forgets."""

import hmac
import json
import secrets
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Annotated, Any, Final, Protocol

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from emomem.emotions import GOEMOTIONS
from emomem.inspection.page import page
from emomem.ranking import POLICIES

HOST: Final = "127.0.0.1"
_LARGEST: Final = 1_000_000
"""Bytes of a request that are read."""
_LONGEST: Final = 4_000
"""Characters of a query."""

_IN_WORDS: Final = {"string_pattern_mismatch": "it must hold some text"}
"""What pydantic tells in the words of a programmer."""

_HEADERS: Final = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class RefusedError(Exception):
    """What is not done, and why; its words are shown, and hold no memory's text."""


class _Body(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class Asked(_Body):
    """A search.

    Attributes:
        query: What for.
        feeling: The present affect, by its label; None is read from the query.
        policy: Which affect is wanted.
        k: How many memories come back.
    """

    query: Annotated[str, Field(max_length=_LONGEST, pattern=r"\S", repr=False)]
    feeling: str | None = None
    policy: str = "auto"
    k: Annotated[int, Field(ge=1, le=100)] = 5

    def check(self) -> None:
        """Refuse names that are not known.

        Raises:
            ValueError: One is not.
        """
        for name, value, known in (
            ("feeling", self.feeling or GOEMOTIONS[0], GOEMOTIONS),
            ("policy", self.policy, tuple(POLICIES)),
        ):
            if value not in known:
                msg = f"{name} must be one of {', '.join(known)}"
                raise ValueError(msg)


class _Doomed(_Body):
    ids: Annotated[tuple[str, ...], Field(min_length=1, max_length=10_000)] | None


class Inspected(Protocol):
    """What the page looks into."""

    def view(self) -> dict[str, Any]:
        """What it shows."""
        ...

    def search(self, asked: Asked) -> dict[str, Any]:
        """The rankings with and without affect."""
        ...

    def forget(self, ids: Sequence[str] | None) -> dict[str, Any]:
        """Forget some memories, or all that is shown; what was forgotten, as a scan proved.

        Raises:
            RefusedError: It cannot be done here.
        """
        ...


class InspectionServer(ThreadingHTTPServer):
    """Serves the page to whoever has its address, on this machine; the calls take turns.

    The page itself holds no memory: it gets them with a token that stands in the address behind
    the `#`, which a browser sends to nobody. Another site's page in the same browser has no
    token, and a name that leads here from elsewhere is refused.

    Args:
        inspected: What it looks into.
        port: Where; 0 takes a free one.

    Raises:
        OSError: The port is taken.

    Attributes:
        url: The address, with the token.
    """

    daemon_threads = True

    def __init__(self, inspected: Inspected, port: int = 0) -> None:
        super().__init__((HOST, port), _Handler)
        self.inspected = inspected
        self.token = secrets.token_urlsafe(32)
        self.turn = threading.Lock()
        self.html = page(None).encode()
        self.origin = f"{HOST}:{self.server_port}"
        self.url = f"http://{self.origin}/#{self.token}"

    def call(self, path: str, body: bytes) -> Callable[[], Mapping[str, Any]] | None:
        """What a request asks for, to be called in turn; None where there is no such path.

        Raises:
            ValueError: The request is none.
        """
        if path == "/api/view":
            return self.inspected.view
        if path == "/api/search":
            asked = Asked.model_validate_json(body)
            asked.check()
            return partial(self.inspected.search, asked)
        if path == "/api/forget":
            return partial(self.inspected.forget, _Doomed.model_validate_json(body).ids)
        return None

    def handle_error(self, request: object, client_address: object) -> None:
        """Nothing is told of a browser that went away."""


class _Handler(BaseHTTPRequestHandler):
    server: InspectionServer
    server_version = "emomem"
    sys_version = ""
    timeout = 30

    def do_GET(self) -> None:
        if not self._is_for_us():
            self._tell(HTTPStatus.FORBIDDEN, "this server answers its own address alone")
        elif self.path == "/":
            self._send(HTTPStatus.OK, self.server.html, "text/html; charset=utf-8")
        else:
            self._tell(HTTPStatus.NOT_FOUND, "there is nothing here")

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        given = self.headers.get("Authorization", "").encode()
        if not self._is_for_us() or not hmac.compare_digest(
            given, f"Bearer {self.server.token}".encode()
        ):
            self._tell(HTTPStatus.FORBIDDEN, "open the whole address that the command printed")
        elif not length.isdecimal() or int(length) > _LARGEST:
            self._tell(HTTPStatus.BAD_REQUEST, "the request is too large, or tells no size")
        else:
            self._answer(self.rfile.read(int(length)))

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - of the base
        """No line a request on a terminal that somebody reads."""

    def _is_for_us(self) -> bool:
        names = (self.server.origin, f"localhost:{self.server.server_port}")
        return self.headers.get("Host") in names

    def _answer(self, body: bytes) -> None:
        try:
            call = self.server.call(self.path, body)
        except ValidationError as error:
            fault = error.errors(include_url=False, include_input=False, include_context=False)[0]
            place = ".".join(map(str, fault["loc"]))
            what = _IN_WORDS.get(fault["type"], fault["msg"])
            self._tell(HTTPStatus.BAD_REQUEST, f"{place}: {what}".removeprefix(": "))
            return
        except ValueError as error:
            self._tell(HTTPStatus.BAD_REQUEST, str(error))
            return
        if call is None:
            self._tell(HTTPStatus.NOT_FOUND, "there is nothing here")
            return
        try:
            with self.server.turn:
                found = json.dumps(call(), allow_nan=False).encode()
        except RefusedError as error:
            self._tell(HTTPStatus.CONFLICT, str(error))
        except Exception as error:  # noqa: BLE001 - its message may quote a memory
            self._tell(HTTPStatus.INTERNAL_SERVER_ERROR, f"it failed with {type(error).__name__}")
        else:
            self._send(HTTPStatus.OK, found, "application/json")

    def _tell(self, status: HTTPStatus, what: str) -> None:
        self._send(status, json.dumps({"error": what}).encode(), "application/json")

    def _send(self, status: HTTPStatus, body: bytes, kind: str) -> None:
        self.send_response(status)
        for name, value in {**_HEADERS, "Content-Type": kind}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
