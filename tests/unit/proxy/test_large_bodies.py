"""Bodies of megabytes: few at a time, and fewer of one user; slow ones make no other wait."""

import asyncio
from contextlib import AsyncExitStack
from uuid import uuid4

import pytest
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect

from api.http.problems import Rejection
from api.proxy.counted_bodies import LARGE_AT_ONCE, LARGE_BYTES, LARGE_OF_ONE_USER, Bodies
from schemas.settings import Settings

ANN, BEN, CAT = uuid4(), uuid4(), uuid4()
MOST = 2 * LARGE_BYTES
# A body that waits for a place that none gives up waits for ever.
PATIENCE = 60
SMALL, CHUNKED = Headers({"content-length": "2"}), Headers({"transfer-encoding": "chunked"})
LARGE = Headers({"content-length": str(LARGE_BYTES + 1)})
# A body that announces much, and one that has come.
LARGE_ONES = [(LARGE, b"{}"), (CHUNKED, b" " * (LARGE_BYTES + 1))]


def body_of(content):
    async def receive():
        return {"type": "http.request", "body": content, "more_body": False}

    return receive


class Slow:
    """A client that has sent some bytes, and waits."""

    def __init__(self, size):
        self.pieces = [b" " * size]
        self.goes_on, self.waits = asyncio.Event(), asyncio.Event()

    async def __call__(self):
        if self.pieces:
            return {"type": "http.request", "body": self.pieces.pop(), "more_body": True}
        self.waits.set()
        await self.goes_on.wait()
        return {"type": "http.request", "body": b"", "more_body": False}

    async def begin(self, bodies, stack, user_id, headers=CHUNKED):
        """Send as much as there is; returns what becomes of the body."""
        reading = asyncio.ensure_future(stack.enter_async_context(bodies.read(self, headers, user_id)))
        await self.waits.wait()
        return reading


def run(test):
    async def with_bodies():
        async with asyncio.timeout(PATIENCE), AsyncExitStack() as stack:
            await test(Bodies(Settings(proxy_body_bytes=MOST)), stack)

    asyncio.run(with_bodies())


@pytest.mark.parametrize(("headers", "content"), LARGE_ONES, ids=["announced", "chunked"])
def test_a_users_large_bodies_at_a_time_are_limited(headers, content):
    async def test(bodies, stack):
        async with AsyncExitStack() as opened:
            for _ in range(LARGE_OF_ONE_USER):
                assert await opened.enter_async_context(bodies.read(body_of(content), headers, ANN)) == [content]
            with pytest.raises(Rejection, match="large bodies"):
                await opened.enter_async_context(bodies.read(body_of(content), headers, ANN))
            for other, user_id in [(SMALL, ANN), (CHUNKED, ANN), (headers, BEN)]:
                assert await opened.enter_async_context(bodies.read(body_of(b"{}"), other, user_id)) == [b"{}"]
        assert await stack.enter_async_context(bodies.read(body_of(content), headers, ANN)) == [content]

    run(test)


def test_large_bodies_of_many_users_wait_for_their_turn():
    async def test(bodies, stack):
        async with AsyncExitStack() as opened:
            for _ in range(LARGE_AT_ONCE):
                await opened.enter_async_context(bodies.read(body_of(b"{}"), LARGE, uuid4()))
            waiting = asyncio.ensure_future(stack.enter_async_context(bodies.read(body_of(b"{}"), LARGE, ANN)))
            async with bodies.read(body_of(b"{}"), SMALL, BEN):
                # Many more turns of the loop than a body takes that needs not wait.
                for _ in range(100):
                    await asyncio.sleep(0)
                assert not waiting.done()
        assert await waiting == [b"{}"]

    run(test)


def test_slow_large_bodies_take_no_place():
    async def test(bodies, stack):
        slow = [Slow(LARGE_BYTES + 1) for _ in range(2 * LARGE_OF_ONE_USER)]
        users = [ANN, ANN, BEN, BEN]
        readings = [await one.begin(bodies, stack, user_id) for one, user_id in zip(slow, users, strict=True)]
        async with bodies.read(body_of(b"{}"), LARGE, CAT) as content:
            assert content == [b"{}"]
        for one, reading in zip(slow, readings, strict=True):
            one.goes_on.set()
            assert len((await reading)[0]) == LARGE_BYTES + 1

    run(test)


def test_the_user_whose_bodies_hold_most_yields():
    async def test(bodies, stack):
        share = LARGE_BYTES
        # With the next they hold more than all may.
        slow = [Slow(share) for _ in range(LARGE_AT_ONCE * MOST // share - 1)]
        most = [await one.begin(bodies, stack, ANN) for one in slow[1:]]
        few = await slow[0].begin(bodies, stack, BEN)
        async with bodies.read(body_of(b" " * (share + 1)), CHUNKED, CAT) as content:
            assert len(content[0]) == share + 1
            with pytest.raises(Rejection, match="too much memory"):
                await most[0]
            assert not few.done()
            assert not any(one.done() for one in most[1:])
        slow[0].goes_on.set()
        assert len((await few)[0]) == share
        for one, reading in zip(slow[2:], most[1:], strict=True):
            one.goes_on.set()
            assert len((await reading)[0]) == share

    run(test)


def test_a_body_that_breaks_off_holds_nothing():
    async def test(bodies, stack):
        async def gone():
            return {"type": "http.disconnect"}

        for _ in range(LARGE_OF_ONE_USER + 1):
            with pytest.raises(ClientDisconnect):
                await stack.enter_async_context(bodies.read(gone, LARGE, ANN))

    run(test)
