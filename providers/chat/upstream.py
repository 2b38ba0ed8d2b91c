"""Passes requests on to upstreams: the one place with asynchronous requests.

An open stream waits nearly all of its time. As a coroutine it costs some kilobytes; as a thread, a stack and a place in
the pool. So the relay of bytes is asynchronous, and everything that reads or writes memory is not.
"""

import re
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from http import HTTPStatus

import httpx2

from providers import tls
from providers.statuses import may_refuse_an_option
from schemas.proxy.upstreams import Upstream, WireName
from schemas.settings import Settings

# Headers of an answer that are passed on. Others are about the upstream's connection, or would set its cookies here.
_PASSED = frozenset(
    {"content-type", "content-encoding", "content-length", "retry-after", "retry-after-ms"}
    | {"x-should-retry", "request-id", "x-request-id"}
)
_PASSED_PREFIXES = ("openai-", "x-ratelimit-", "anthropic-", "x-openai-")
# Of Anthropic's wire, for a client that names none.
ANTHROPIC_VERSION = "2023-06-01"
CONNECT_SECONDS = 10.0
# Its list of models comes in pages.
_ALL = "?limit=1000"
MOST_LIST_BYTES = 4 * 1024 * 1024
# The bytes of an error that are read before it is passed on, and words that refuse to report the usage of a stream.
MOST_ERROR_BYTES = 16 * 1024
_ABOUT_USAGE = re.compile(rb"stream_options|include_usage")
# Statuses of success without a body.
_EMPTY = frozenset({HTTPStatus.NO_CONTENT, HTTPStatus.RESET_CONTENT})


class UpstreamFailed(Exception):
    """An upstream gave no answer; the message says so without its address.

    Args:
        message: The fault.
        timed_out: Whether it was silent for too long.
        perhaps_paid: Whether the request may have been sent.
    """

    def __init__(self, message: str, *, timed_out: bool = False, perhaps_paid: bool = False) -> None:
        super().__init__(message)
        self.timed_out = timed_out
        self.perhaps_paid = perhaps_paid


@dataclass(frozen=True)
class UpstreamAnswer:
    """An upstream's answer; its body is read piece by piece.

    Attributes:
        status: The HTTP status.
        headers: The headers to pass on.
        chunks: The body, byte for byte; raises `UpstreamFailed` if it breaks off.
    """

    status: int
    headers: list[tuple[bytes, bytes]]
    chunks: AsyncIterator[bytes]

    def header(self, name: str) -> str | None:
        """Return a header's value."""
        return next((value.decode("latin-1") for key, value in self.headers if key == name.encode()), None)


class UpstreamClient:
    """The connections of one process to all upstreams. It follows no redirect, and uses no proxy of the environment.

    A connection carries one answer: bytes that an upstream sends beyond its end would be read as the answer to the next
    request, which may be another user's.

    Args:
        settings: The timeouts.
    """

    def __init__(self, settings: Settings) -> None:
        silence = settings.proxy_silence_timeout.total_seconds()
        self._client = httpx2.AsyncClient(
            verify=tls.trusted(),
            timeout=httpx2.Timeout(silence, connect=CONNECT_SECONDS),
            limits=httpx2.Limits(max_connections=None, max_keepalive_connections=0),
            trust_env=False,
        )
        self._without_usage: set[str] = set()

    def tells_usage(self, upstream: Upstream) -> bool:
        """Whether an upstream may be asked for the usage of a stream: it has not refused that yet."""
        return upstream.base_url not in self._without_usage

    async def close(self) -> None:
        """Close every connection."""
        await self._client.aclose()

    @asynccontextmanager
    async def send(
        self,
        wire: WireName,
        upstream: Upstream,
        key: str | None,
        method: str,
        path: str,
        body: bytes,
        headers: Mapping[str, str],
        *,
        plain: Callable[[], bytes] | None = None,
    ) -> AsyncIterator[UpstreamAnswer]:
        """Send a request; leaving the block closes the connection if the answer is unfinished.

        Args:
            wire: The wire of the request.
            upstream: The upstream.
            key: The key that pays; None for a server that asks for none.
            method: The HTTP method.
            path: The path behind the upstream's base URL, with the query.
            body: The request's body.
            headers: Further headers.
            plain: Writes the body without the question for a stream's usage, which is sent if the upstream refuses
                that; None: the refusal is passed on.

        Raises:
            UpstreamFailed: It can't be reached, was silent for too long, or answered with a status that is neither a
                success with a body nor an error.
        """

        def request_of(body: bytes) -> httpx2.Request:
            has_body = body or method != "GET"
            length = {"content-length": str(len(body))} if has_body else {}
            return self._client.build_request(
                method,
                f"{upstream.base_url}{path}",
                content=_sent_once(body) if has_body else None,
                headers={**_headers(wire, key), **length, **headers},
            )

        request = request_of(body)
        # It may hold megabytes of images, and the answer may take minutes.
        del body
        response = await self._sent(request)
        try:
            begun, chunks = b"", _chunks(response)
            if plain is not None and may_refuse_an_option(response.status_code):
                begun = await _beginning(chunks)
                if _ABOUT_USAGE.search(begun):
                    await response.aclose()
                    response = await self._sent(request_of(plain()))
                    begun, chunks = b"", _chunks(response)
                    if response.status_code == HTTPStatus.OK:
                        self._without_usage.add(upstream.base_url)
            del plain
            if not _is_answer(response.status_code):
                reason = (
                    f"The upstream answered with the status {response.status_code}, which is no answer to a request."
                )
                raise UpstreamFailed(reason, perhaps_paid=True)
            passed = [
                (name.lower(), value)
                for name, value in response.headers.raw
                if (word := name.decode("latin-1").lower()) in _PASSED or word.startswith(_PASSED_PREFIXES)
            ]
            yield UpstreamAnswer(response.status_code, passed, _behind(begun, chunks))
        finally:
            await response.aclose()

    async def models(self, wire: WireName, upstream: Upstream, key: str | None, seconds: float) -> tuple[int, bytes]:
        """Ask for the list of models; returns status and body.

        Raises:
            UpstreamFailed: It can't be reached, was too slow, or sent more than `MOST_LIST_BYTES`.
        """
        path = "/models" + (_ALL if wire == "messages" else "")
        request = self._client.build_request(
            "GET", f"{upstream.base_url}{path}", headers=_headers(wire, key), timeout=seconds
        )
        response = await self._sent(request)
        try:
            body = bytearray()
            async for chunk in response.aiter_raw():
                body += chunk
                if len(body) > MOST_LIST_BYTES:
                    raise UpstreamFailed(f"The upstream's list of models is longer than {MOST_LIST_BYTES} bytes.")
            return response.status_code, bytes(body)
        except httpx2.TransportError as fault:
            raise _failure(fault) from None
        finally:
            await response.aclose()

    async def _sent(self, request: httpx2.Request) -> httpx2.Response:
        try:
            return await self._client.send(request, stream=True)
        except (httpx2.TransportError, httpx2.InvalidURL) as fault:
            raise _failure(fault) from None


async def _sent_once(body: bytes) -> AsyncIterator[bytes]:
    """Yield a body, to which nothing refers any more once it is sent."""
    yield body


async def _chunks(response: httpx2.Response) -> AsyncIterator[bytes]:
    try:
        async for chunk in response.aiter_raw():
            yield chunk
    except httpx2.TransportError as fault:
        raise _failure(fault) from None


async def _beginning(chunks: AsyncIterator[bytes]) -> bytes:
    """Read the beginning of an error."""
    begun = b""
    async for chunk in chunks:
        begun += chunk
        if len(begun) >= MOST_ERROR_BYTES:
            break
    return begun


async def _behind(begun: bytes, chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    if begun:
        yield begun
    async for chunk in chunks:
        yield chunk


def _is_answer(status: int) -> bool:
    category = status // 100
    return (category == 2 and status not in _EMPTY) or category in {4, 5}  # noqa: PLR2004  # as HTTP numbers them


def _headers(wire: WireName, key: str | None) -> dict[str, str]:
    # Uncompressed, so that the answer can be read beside being passed on.
    wanted = {"accept-encoding": "identity", "connection": "close", "user-agent": "memory-patrol"}
    if wire == "messages":
        wanted |= {"anthropic-version": ANTHROPIC_VERSION}
        return wanted if key is None else {**wanted, "x-api-key": key}
    return wanted if key is None else {**wanted, "authorization": f"Bearer {key}"}


def _failure(fault: Exception) -> UpstreamFailed:
    match fault:
        case httpx2.ConnectTimeout() | httpx2.ConnectError() | httpx2.UnsupportedProtocol() | httpx2.InvalidURL():
            return UpstreamFailed("The upstream can't be reached.")
        case httpx2.TimeoutException():
            return UpstreamFailed("The upstream was silent for too long.", timed_out=True, perhaps_paid=True)
    return UpstreamFailed("The upstream closed the connection before its answer was complete.", perhaps_paid=True)
