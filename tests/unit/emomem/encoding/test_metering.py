"""What calls cost, when they end, and how a busy server is waited for."""

import asyncio
import copy
import threading

import pytest

from emomem.encoding import metering
from emomem.encoding.metering import BudgetSpentError, Cost, MeteredChatModel, Tokens, is_busy

QUESTION = [{"role": "system", "content": "a" * 7}, {"role": "user", "content": "b" * 8}]


class RateLimitError(Exception):
    pass


class RefusedError(Exception):
    def __init__(self, **told):
        super().__init__("secret")
        vars(self).update(told)


class Scripted:
    """Gives its lines in turn; an exception among them is raised."""

    def __init__(self, *lines):
        self.lines = list(lines)

    def complete(self, messages, schema=None):
        line = self.lines.pop(0)
        if isinstance(line, BaseException):
            raise line
        return line

    async def acomplete(self, messages, schema=None):
        return self.complete(messages, schema)


class Telling(Scripted):
    """Tells the tokens of each call."""

    def complete_told(self, messages, schema=None):
        return self.complete(messages, schema)

    async def acomplete_told(self, messages, schema=None):
        return self.complete(messages, schema)


@pytest.fixture(params=["sync", "async"])
def complete(request):
    async def run(model):
        if request.param == "async":
            return await model.acomplete(QUESTION)
        return model.complete(QUESTION)

    return run


@pytest.fixture
def pauses(monkeypatch):
    waited = []

    async def asleep(seconds):
        waited.append(seconds)

    monkeypatch.setattr(metering.time, "sleep", waited.append)
    monkeypatch.setattr(metering.asyncio, "sleep", asleep)
    return waited


async def test_tokens_are_the_models_own_where_it_tells_them_else_estimated(complete):
    model = MeteredChatModel(Telling(("x", Tokens(100, 20)), ("abcd", None)))
    assert [await complete(model), await complete(model)] == ["x", "abcd"]
    # Of the second: 7 and 8 bytes asked, 4 answered, one for four bytes and one more each.
    assert model.cost == Cost(2, 100 + (7 // 4 + 1) + (8 // 4 + 1), 20 + 4 // 4 + 1, estimated=1)


async def test_a_budget_ends_calls_and_counts_those_that_fail(complete):
    model = MeteredChatModel(Scripted("a", ValueError(), "b", "c"), budget=3)
    assert await complete(model) == "a"
    with pytest.raises(ValueError, match=r"^$"):
        await complete(model)
    assert await complete(model) == "b"
    with pytest.raises(BudgetSpentError, match="3 calls"):
        await complete(model)
    assert (model.cost.calls, model.cost.estimated) == (3, 2)


@pytest.mark.parametrize(
    "error", [RateLimitError(), RefusedError(status_code=429), RefusedError(code=429)]
)
async def test_a_busy_server_is_asked_again_after_longer_and_longer(error, complete, pauses):
    model = MeteredChatModel(Scripted(error, error, "at last"))
    assert await complete(model) == "at last"
    assert pauses == [1.0, 4.0]
    assert model.cost.calls == 3


async def test_a_server_that_stays_busy_fails_in_the_end(complete, pauses):
    model = MeteredChatModel(Scripted(*[RateLimitError()] * 4, "too late"))
    with pytest.raises(RateLimitError):
        await complete(model)
    assert pauses == [1.0, 4.0, 16.0]


async def test_waiting_does_not_outlast_the_budget(complete, pauses):
    model = MeteredChatModel(Scripted(*[RateLimitError()] * 4), budget=2)
    with pytest.raises(BudgetSpentError):
        await complete(model)
    assert model.cost.calls == 2


@pytest.mark.parametrize(
    "error",
    [TimeoutError(), ValueError("429"), RefusedError(status_code=400), RefusedError(code="rate"),
     RefusedError(status_code=429, code="insufficient_quota")],
)  # fmt: skip
async def test_any_other_failure_is_not_waited_for(error, complete, pauses):
    assert not is_busy(error)
    with pytest.raises(type(error)):
        await complete(MeteredChatModel(Scripted(error, "no")))
    assert pauses == []


def test_threads_may_share_it_and_never_pass_the_budget():
    count, budget = 32, 20
    model = MeteredChatModel(Scripted(*["x"] * count), budget=budget)
    spent = []

    def one():
        try:
            model.complete(QUESTION)
        except BudgetSpentError:
            spent.append(1)

    threads = [threading.Thread(target=one) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (model.cost.calls, model.cost.estimated, len(spent)) == (budget, budget, count - budget)


def test_a_copy_carries_the_count():
    model = MeteredChatModel(Scripted("a", "b"), budget=2)
    model.complete(QUESTION)
    again = copy.deepcopy(model)
    assert again.complete(QUESTION) == "b"
    assert (model.cost.calls, again.cost.calls) == (1, 2)


def test_an_interruption_is_not_held_up():
    with pytest.raises(KeyboardInterrupt):
        MeteredChatModel(Scripted(KeyboardInterrupt(), "no")).complete(QUESTION)
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(MeteredChatModel(Scripted(asyncio.CancelledError())).acomplete(QUESTION))


@pytest.mark.parametrize("budget", [-1, 1.5, True, "9"])
def test_a_wrong_budget_raises(budget):
    with pytest.raises(ValueError, match="budget"):
        MeteredChatModel(Scripted(), budget)
