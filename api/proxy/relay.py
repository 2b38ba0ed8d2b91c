"""Passes an upstream's answer on byte for byte, until it ends, breaks off, or the client goes away."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from starlette.types import Receive, Send

from providers.chat.answer_so_far import AnswerEvents
from providers.chat.chat_answer import AnswerReader, ChatAnswer
from providers.chat.hidden_usage import WithoutUsage
from providers.chat.upstream import UpstreamAnswer, UpstreamFailed

T = TypeVar("T")


class ClientGone(Exception):
    """The client closed its connection."""


async def while_connected(receive: Receive, work: Coroutine[Any, Any, T]) -> T:
    """Run work until it is done or the client goes away, which cancels it.

    Raises:
        ClientGone: The client went away.
    """
    working = asyncio.ensure_future(work)
    watching = asyncio.ensure_future(_disconnected(receive))
    try:
        await asyncio.wait({working, watching}, return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
        raise ClientGone
    finally:
        for task in (working, watching):
            task.cancel()
        await asyncio.gather(working, watching, return_exceptions=True)


async def relay(
    answer: UpstreamAnswer,
    headers: list[tuple[bytes, bytes]],
    reader: AnswerReader | None,
    send: Send,
    *,
    hides_usage: bool = False,
) -> bytes:
    """Send an answer's head and body; returns the end of the body, which the caller sends.

    With a `Content-Length` the end is the last piece: a client that has all bytes of an answer sends its next request.
    Without one it is empty.

    Args:
        answer: The upstream's answer.
        headers: Headers to add.
        reader: Reads the answer beside; None: nothing does.
        send: The ASGI function.
        hides_usage: Whether the client did not ask for the usage of a stream.

    Raises:
        UpstreamFailed: The answer broke off.
    """
    without = WithoutUsage() if hides_usage and reader and reader.is_plain else None
    passed = [(name, value) for name, value in answer.headers if without is None or name != b"content-length"]
    await send({"type": "http.response.start", "status": answer.status, "headers": [*passed, *headers]})
    left = next((int(value) for name, value in passed if name == b"content-length"), None)
    async for chunk in answer.chunks:
        if reader:
            reader.feed(chunk)
        shown = without.feed(chunk) if without else chunk
        if left is not None:
            left -= len(shown)
            if left == 0:
                return shown
        if shown:
            await send({"type": "http.response.body", "body": shown, "more_body": True})
    return without.rest() if without else b""


async def relay_answer(
    answer: UpstreamAnswer,
    headers: list[tuple[bytes, bytes]],
    receive: Receive,
    send: Send,
    events: Callable[[], AnswerEvents],
    *,
    hides_usage: bool = False,
) -> tuple[ChatAnswer, bytes | None]:
    """Relay an answer; returns the part that was read, and the end of the body, not yet sent; None: it broke off."""
    reader = AnswerReader(events, answer.header("content-encoding"))
    try:
        end = await while_connected(receive, relay(answer, headers, reader, send, hides_usage=hides_usage))
    except (UpstreamFailed, ClientGone):
        return reader.answer(ended=False), None
    return reader.answer(ended=True), end


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
