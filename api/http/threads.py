"""Threads that the event loop hands a request's work to.

A call in one of them and its result are each one wake-up. anyio's threads, the framework's own, take two turns of the
loop more and 0.2 ms longer where the processor's caches hold other things, as they do after each scan of vectors.
"""

import asyncio
import functools
import inspect
from collections import deque
from collections.abc import Callable
from contextvars import copy_context
from queue import SimpleQueue
from threading import Thread
from typing import Any, NamedTuple, TypeVar

from fastapi import Request

from api.http.endpoints import stand_for

T = TypeVar("T")
Endpoint = Callable[..., Any]


class _Call(NamedTuple):
    function: Callable[[], Any]
    outcome: "asyncio.Future[Any]"


_Inbox = SimpleQueue[_Call | None]


class Threads:
    """Threads of one event loop. A call is made by the one that was idle last, whose stack the caches may still hold.

    Args:
        most: The most threads. A call that finds all busy waits for one, in the order of the calls.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._started = 0
        self._idle: list[_Inbox] = []
        self._waiting: deque[_Call] = deque()

    async def run(self, function: Callable[..., T], *args: Any, **kwargs: Any) -> T:
        """Return what a function returns in a thread, in the caller's context; raises what it raises.

        A call that has begun goes on when its caller is cancelled.
        """
        outcome = asyncio.get_running_loop().create_future()
        call = _Call(functools.partial(copy_context().run, function, *args, **kwargs), outcome)
        if self._idle:
            self._idle.pop().put(call)
        elif self._started < self._most:
            self._started += 1
            inbox = _Inbox()
            inbox.put(call)
            Thread(target=self._serve, args=[inbox], name=f"request-{self._started}", daemon=True).start()
        else:
            self._waiting.append(call)
        result: T = await outcome
        return result

    def close(self) -> None:
        """End the threads that are idle; the others end with the process."""
        while self._idle:
            self._idle.pop().put(None)

    def _serve(self, inbox: _Inbox) -> None:
        while (call := inbox.get()) is not None:
            try:
                settle = functools.partial(call.outcome.set_result, call.function())
            except StopIteration as fault:
                # A future can't raise it.
                settle = functools.partial(call.outcome.set_exception, RuntimeError(repr(fault)))
            except BaseException as fault:  # noqa: BLE001  # it is the caller's
                settle = functools.partial(call.outcome.set_exception, fault)
            loop = call.outcome.get_loop()
            # A server that stops does not wait for ever for its handlers.
            if not loop.is_closed():
                loop.call_soon_threadsafe(self._end, call.outcome, settle, inbox)
            # An idle thread keeps no request's data.
            del call, settle

    def _end(self, outcome: "asyncio.Future[Any]", settle: Callable[[], None], inbox: _Inbox) -> None:
        """Settle a call and give its thread the next; runs in the event loop, as all that changes the pool does."""
        if not outcome.done():
            settle()
        while self._waiting:
            call = self._waiting.popleft()
            if not call.outcome.done():
                inbox.put(call)
                return
        self._idle.append(inbox)


def threads_of(app: Any) -> Threads:
    """Return the threads that an application has made at its start."""
    threads: Threads = app.state.threads
    return threads


def in_thread(endpoint: Endpoint) -> Endpoint:
    """Return an endpoint that runs a plain function in the application's threads; one that is a coroutine, as it is."""
    if inspect.iscoroutinefunction(endpoint):
        return endpoint
    parameters = inspect.signature(endpoint).parameters.values()
    takes = next((each.name for each in parameters if each.annotation is Request), None)
    sender = inspect.Parameter("sent", inspect.Parameter.KEYWORD_ONLY, annotation=Request)

    async def handle(**arguments: Any) -> Any:
        sent: Request = arguments[takes] if takes else arguments.pop(sender.name)
        return await threads_of(sent.app).run(endpoint, **arguments)

    stand_for(handle, endpoint, *([] if takes else [sender]))
    return handle
