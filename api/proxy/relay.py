"""Passes an upstream's answer on byte for byte, until it ends, breaks off, or the client goes away."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from starlette.types import Receive, Send

from providers.chat_answer import AnswerReader, ChatAnswer
from providers.upstream import UpstreamAnswer, UpstreamFailed

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


async def relay(answer: UpstreamAnswer, headers: list[tuple[bytes, bytes]], reader: AnswerReader, send: Send) -> None:
    """Send an answer's head and body, all but the end of the body.

    Args:
        answer: The upstream's answer.
        headers: Headers to add.
        reader: Reads the answer beside.
        send: The ASGI function.

    Raises:
        UpstreamFailed: The answer broke off.
    """
    await send({"type": "http.response.start", "status": answer.status, "headers": [*answer.headers, *headers]})
    async for chunk in answer.chunks:
        reader.feed(chunk)
        await send({"type": "http.response.body", "body": chunk, "more_body": True})


async def relayed(
    answer: UpstreamAnswer, headers: list[tuple[bytes, bytes]], receive: Receive, send: Send
) -> tuple[ChatAnswer, bool]:
    """Relay an answer; returns what was read of it, and whether the client got all of it but the end of the body."""
    reader = AnswerReader(answer.header("content-encoding"))
    try:
        await while_connected(receive, relay(answer, headers, reader, send))
    except (UpstreamFailed, ClientGone):
        return reader.answer(ended=False), False
    return reader.answer(ended=True), True


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
