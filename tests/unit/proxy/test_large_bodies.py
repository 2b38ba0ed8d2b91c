"""Bodies of megabytes: few at a time, and fewer of one user, for each is held several times while it is read."""

import asyncio
from contextlib import AsyncExitStack, asynccontextmanager
from uuid import uuid4

import pytest
from starlette.datastructures import Headers

from api.http.problems import Rejection
from api.http.request_metrics import RequestMetrics
from api.http.user_loads import UserLoads
from api.proxy.proxy import LARGE_AT_ONCE, LARGE_BYTES, LARGE_OF_ONE_USER, Proxy
from schemas.settings import Settings
from workers.runtime.resources import Resources

ANN, BEN = uuid4(), uuid4()
SMALL = Headers({"content-length": "2"})
LARGE = [Headers({"content-length": str(LARGE_BYTES + 1)}), Headers({"transfer-encoding": "chunked"})]


async def receive():
    return {"type": "http.request", "body": b"{}", "more_body": False}


@asynccontextmanager
async def running_proxy():
    proxy = Proxy(Resources(Settings(), None, None, None), UserLoads(1, 1.0), RequestMetrics())
    yield proxy
    await proxy.close()


@pytest.mark.parametrize("large", LARGE)
def test_a_users_large_bodies_at_a_time_are_limited(large):
    async def run():
        async with running_proxy() as proxy:
            async with AsyncExitStack() as stack:
                for _ in range(LARGE_OF_ONE_USER):
                    assert await stack.enter_async_context(proxy.body(receive, large, ANN)) == [b"{}"]
                with pytest.raises(Rejection, match="large bodies"):
                    await stack.enter_async_context(proxy.body(receive, large, ANN))
                for headers, user_id in [(SMALL, ANN), (large, BEN)]:
                    assert await stack.enter_async_context(proxy.body(receive, headers, user_id)) == [b"{}"]
            async with proxy.body(receive, large, ANN) as content:
                assert content == [b"{}"]

    asyncio.run(run())


def test_large_bodies_of_many_users_wait_for_their_turn():
    async def run():
        async with running_proxy() as proxy:
            async with AsyncExitStack() as stack:
                for _ in range(LARGE_AT_ONCE):
                    await stack.enter_async_context(proxy.body(receive, LARGE[0], uuid4()))
                waiting = asyncio.ensure_future(proxy.body(receive, LARGE[0], ANN).__aenter__())
                async with proxy.body(receive, SMALL, BEN):
                    # Many more turns of the loop than a body takes that needs not wait.
                    for _ in range(100):
                        await asyncio.sleep(0)
                    assert not waiting.done()
            assert await waiting == [b"{}"]

    asyncio.run(run())
