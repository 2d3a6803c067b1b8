"""What is asked again in another way, and what is learned from it."""

import copy
import pickle
from types import SimpleNamespace

import pytest

from emomem.attempts import Attempts

WAYS = ("calm", "own", "plain")


class Server:
    """Raises what it is to raise at each way, and remembers which were tried."""

    def __init__(self, **errors):
        self.errors = errors
        self.asked = []

    def __call__(self, way):
        self.asked.append(way)
        if way in self.errors:
            raise self.errors[way]
        return way


class APIError(Exception):
    def __init__(self, **told):
        super().__init__("no")
        vars(self).update(told)


class APITimeoutError(Exception):
    pass


def wrapped(cause):
    error = RuntimeError("no")
    error.__cause__ = cause
    return error


@pytest.fixture(params=["sync", "async"])
def ask(request):
    async def run(attempts, server, schema=None):
        async def aserver(way):
            return server(way)

        if request.param == "async":
            return await attempts.aask(WAYS, aserver, schema)
        return attempts.ask(WAYS, server, schema)

    return run


@pytest.mark.parametrize(
    "refusal",
    [
        APIError(status_code=400),
        APIError(code=422),
        APIError(status_code=404),
        APIError(code="bad", response=SimpleNamespace(status_code=400)),
        wrapped(APIError(status_code=400)),
    ],
)
async def test_a_way_that_was_refused_is_not_tried_again(ask, refusal):
    attempts, server = Attempts(), Server(calm=refusal)
    assert await ask(attempts, server) == await ask(attempts, server) == "own"
    assert server.asked == ["calm", "own", "own"]


def carried(value):
    return pickle.loads(pickle.dumps(value))  # noqa: S301 - our own


@pytest.mark.parametrize("other", [copy.copy, copy.deepcopy, carried])
async def test_a_copy_knows_what_was_learned(ask, other):
    attempts, server = Attempts(), Server(calm=APIError(status_code=400))
    await ask(attempts, server)
    await ask(other(attempts), server)
    assert server.asked == ["calm", "own", "own"]


@pytest.mark.parametrize(
    "error",
    [
        *(APIError(status_code=status) for status in (401, 403, 408, 429, 500, 503)),
        *(TimeoutError(), ConnectionRefusedError(), APITimeoutError()),
        wrapped(APITimeoutError()),
    ],
)
async def test_what_would_fail_in_every_way_is_raised_at_once(ask, error):
    server = Server(calm=error)
    with pytest.raises(type(error)):
        await ask(Attempts(), server)
    assert server.asked == ["calm"]


@pytest.mark.parametrize("error", [ValueError(), TypeError(), APIError(status_code=-1)])
async def test_from_an_error_without_a_status_nothing_is_learned(ask, error):
    attempts, server = Attempts(), Server(calm=error)
    assert await ask(attempts, server) == await ask(attempts, server) == "own"
    assert server.asked == ["calm", "own", "calm", "own"]


async def test_a_way_that_was_taken_once_stays_the_first(ask):
    attempts, server = Attempts(), Server()
    await ask(attempts, server)
    server.errors["calm"] = APIError(status_code=400)
    assert await ask(attempts, server) == "own"
    del server.errors["calm"]
    assert await ask(attempts, server) == "calm"


async def test_where_every_way_is_refused_the_last_raises_and_nothing_is_learned(ask):
    last = APIError(status_code=400)
    attempts, server = Attempts(), Server(**dict.fromkeys(WAYS, last))
    with pytest.raises(APIError):
        await ask(attempts, server)
    server.errors.clear()
    assert await ask(attempts, server) == "calm"


async def test_each_schema_is_learned_by_itself(ask):
    attempts, server = Attempts(), Server(calm=APIError(status_code=400))
    await ask(attempts, server, {"title": "Record"})
    server.errors.clear()
    assert await ask(attempts, server, {"title": "Record"}) == "own"
    assert await ask(attempts, server, {"title": "Other"}) == "calm"
    assert await ask(attempts, server) == "calm"
