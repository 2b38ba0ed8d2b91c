"""Threads that a request's work is handed to: whose results, in which order, and what becomes of what is cancelled."""

import asyncio
from contextvars import ContextVar
from threading import Event, current_thread
from threading import enumerate as all_threads

import pytest
from fastapi import FastAPI, Request
from httpx2 import ASGITransport, AsyncClient

from api.http.threads import Threads, in_thread

PATIENCE = 30
asked = ContextVar("asked", default=None)


def test_a_call_returns_or_raises_what_the_function_does_in_the_context_of_the_caller():
    async def run():
        threads = Threads(1)
        asked.set("mira")
        assert await threads.run(lambda word, *, end: word + end, "oven", end="!") == "oven!"
        assert await threads.run(asked.get) == "mira"
        with pytest.raises(LookupError, match="oven"):
            await threads.run(fail, LookupError("oven"))
        with pytest.raises(RuntimeError, match="StopIteration"):
            await threads.run(fail, StopIteration("oven"))
        threads.close()

    asyncio.run(run())


def fail(fault):
    raise fault


def test_calls_take_the_thread_that_was_idle_last_and_wait_in_order_where_all_are_busy():
    async def run():
        threads, leave, order = Threads(2), [Event(), Event()], []
        busy = [asyncio.create_task(threads.run(wait, event)) for event in leave]
        waiting = [asyncio.create_task(threads.run(order.append, number)) for number in range(5)]
        await asyncio.sleep(0)
        waiting[1].cancel()
        leave[1].set()
        last = await busy[1]
        await asyncio.gather(*waiting, return_exceptions=True)
        assert order == [0, 2, 3, 4]
        leave[0].set()
        first = await busy[0]
        assert first is not last
        assert [await threads.run(current_thread) for _ in range(3)] == [first] * 3
        threads.close()
        for thread in (first, last):
            thread.join(PATIENCE)
            assert not thread.is_alive()

    asyncio.run(run())


def wait(event):
    assert event.wait(PATIENCE)
    return current_thread()


def test_a_call_whose_caller_is_cancelled_goes_on_and_gives_its_thread_back():
    async def run():
        threads, leave = Threads(1), Event()
        call = asyncio.create_task(threads.run(wait, leave))
        await asyncio.sleep(0)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        leave.set()
        assert await threads.run(current_thread) in all_threads()
        threads.close()

    asyncio.run(run())


def test_a_plain_endpoint_runs_in_a_thread_and_one_that_is_a_coroutine_does_not():
    app = FastAPI()
    app.state.threads = Threads(1)

    def plain(number: int) -> dict[str, object]:
        return {"number": number, "thread": current_thread().name}

    def with_request(sent: Request) -> dict[str, object]:
        return {"method": sent.method, "thread": current_thread().name}

    async def coroutine(number: int) -> dict[str, object]:
        return {"number": number, "thread": current_thread().name}

    for endpoint in (plain, with_request, coroutine):
        app.get(f"/{endpoint.__name__}")(in_thread(endpoint))

    async def run():
        async with AsyncClient(transport=ASGITransport(app), base_url="http://here") as client:
            answers = [await client.get(path) for path in ("/plain?number=3", "/with_request", "/coroutine?number=4")]
            assert (await client.get("/plain?number=x")).status_code == 422
        app.state.threads.close()
        return [answer.json() for answer in answers]

    plainly, with_its_request, in_the_loop = asyncio.run(run())
    assert plainly == {"number": 3, "thread": "request-1"}
    assert with_its_request == {"method": "GET", "thread": "request-1"}
    assert in_the_loop == {"number": 4, "thread": current_thread().name}
