"""Incoming bodies of chat completions, whose memory is counted by the bytes received, and by user.

A body of megabytes is held several times while it is read and written, so few of them have a place at once, and a body
takes one only when it is complete: a client that sends slowly makes no other wait. The bytes of incomplete bodies are
bounded too. Above it, the oldest incomplete body of the user who holds most is refused.
"""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from uuid import UUID

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.types import Receive

from api.http.bodies import limited
from api.http.problems import Rejection, too_many
from schemas.settings import Settings

LARGE_BYTES = 1024 * 1024
LARGE_AT_ONCE = 4
LARGE_OF_ONE_USER = 2
RETRY_SECONDS = 1.0


@dataclass(eq=False)
class _Body:
    """A body: the bytes received, and its least length."""

    least: int
    pieces: list[bytes] = field(default_factory=list)
    bytes: int = 0
    complete: bool = False
    refused: bool = False
    patience: asyncio.Timeout = field(default_factory=lambda: asyncio.timeout(None))

    @property
    def is_large(self) -> bool:
        return max(self.least, self.bytes) > LARGE_BYTES

    def refuse(self) -> None:
        """End the wait for the rest, and release the received bytes."""
        self.refused, self.bytes = True, 0
        self.pieces.clear()
        self.patience.reschedule(asyncio.get_running_loop().time())


class Bodies:
    """The bodies that one process receives and reads. It is used from the event loop only.

    Args:
        settings: The limits of one body; all together hold at most as many bytes as `LARGE_AT_ONCE` of the largest.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._most_bytes = LARGE_AT_ONCE * settings.proxy_body_bytes
        self._places = asyncio.Semaphore(LARGE_AT_ONCE)
        # By user, the oldest first.
        self._open: defaultdict[UUID, list[_Body]] = defaultdict(list)
        self._bytes = 0

    @asynccontextmanager
    async def read(self, receive: Receive, headers: Headers, user_id: UUID) -> AsyncIterator[list[bytes]]:
        """Read a body, the only item of a list, so that its reader can let go of it; large ones wait for a place.

        Args:
            receive: The ASGI function that receives it.
            headers: The request's headers.
            user_id: The user in whose memory share it counts.

        Raises:
            Rejection: It is too long or too slow, or the user sends too many large ones, or too much at a time.
        """
        announced = headers.get("content-length", "")
        body = _Body(int(announced[:18]) if announced.isdecimal() else 0)
        self._open[user_id].append(body)
        try:
            self._check_number(user_id, body)
            content = await self._whole(user_id, body, receive, headers)
            if not body.is_large:
                yield content
                return
            async with self._places:
                yield content
        finally:
            self._bytes -= body.bytes
            self._open[user_id].remove(body)
            if not self._open[user_id]:
                del self._open[user_id]

    async def _whole(self, user_id: UUID, body: _Body, receive: Receive, headers: Headers) -> list[bytes]:
        receive = limited(receive, headers, self._settings.proxy_body_bytes, self._settings)
        try:
            async with body.patience:
                while not body.complete:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise ClientDisconnect
                    self._add(user_id, body, message.get("body", b""))
                    body.complete = not message.get("more_body")
        except TimeoutError:
            raise _too_much() from None
        if body.refused:
            raise _too_much()
        content = [b"".join(body.pieces)]
        body.pieces.clear()
        return content

    def _add(self, user_id: UUID, body: _Body, piece: bytes) -> None:
        """Keep a piece, and refuse bodies as long as all hold too much."""
        was_large = body.is_large
        body.pieces.append(piece)
        body.bytes += len(piece)
        self._bytes += len(piece)
        if not was_large:
            self._check_number(user_id, body)
        while self._bytes > self._most_bytes:
            yielding = self._yielding()
            if yielding is None or yielding is body:
                raise _too_much()
            self._bytes -= yielding.bytes
            yielding.refuse()

    def _check_number(self, user_id: UUID, body: _Body) -> None:
        if body.is_large and sum(one.is_large for one in self._open[user_id]) > LARGE_OF_ONE_USER:
            raise too_many(f"You send {LARGE_OF_ONE_USER} large bodies already: send one after another.", RETRY_SECONDS)

    def _yielding(self) -> _Body | None:
        """The oldest incomplete body with any bytes of the user whose bodies hold most."""
        by_user = sorted(self._open.values(), key=lambda bodies: sum(one.bytes for one in bodies), reverse=True)
        return next((one for bodies in by_user for one in bodies if one.bytes and not one.complete), None)


def _too_much() -> Rejection:
    return too_many("The bodies that you send take too much memory: send fewer at a time, or faster.", RETRY_SECONDS)
