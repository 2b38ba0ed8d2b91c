"""Limits the HTTP server's connections in number and in time.

uvicorn has a timeout between two requests and none within one. This module extends its protocol class: request line and
headers have a deadline, a connection whose client does not read the answer is closed, and a process has a maximum
number of connections. (The deadline of a body is in `bodies`, where it can be answered.) It is used as
`uvicorn --http api.http.connections:Connection`; the application passes its `Connections` through the lifespan's state.

Each limit keeps clients that stall, flood or send malformed requests from holding resources that other clients
need. None is for speed.
"""

import asyncio
import logging
import socket
import struct
from collections import Counter, deque
from collections.abc import Callable
from http import HTTPStatus
from time import monotonic
from typing import Any

import structlog
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from api.http.problems import RETRY_AFTER_SECONDS, Rejection, answer
from schemas.settings import Settings

log = structlog.get_logger()

STATE = "connections"
LOGGED_EVERY_SECONDS = 10.0
# Each chunk takes time, even one of a single byte. So the parser gets received bytes in portions, and a body whose
# chunks have more framing than content is refused; trailers count as framing.
PORTION_BYTES = 16 * 1024
MOST_FRAME_BYTES = 16 * 1024
# The parser itself takes a request line and headers of any length.
MOST_HEAD_BYTES = 64 * 1024
# Of the requests that a client sends ahead of its answers, this much is read, and one read more; the kernel holds the
# rest.
MOST_AHEAD_BYTES = 64 * 1024
# The most bytes of a body that are read and dropped after the answer has been sent.
MOST_DROPPED_BYTES = 32 * 1024 * 1024

# Malformed requests are counted by `Connections`; uvicorn would log a line for each.
_FAULTS = logging.getLogger("uvicorn.error.faults")
_FAULTS.setLevel(logging.ERROR)


_NO_LINGERING = struct.pack("ii", 1, 0)


class Connections:
    """The connections of one process.

    Args:
        settings: The limits in number and time.
        now: A monotonic clock, in seconds.
    """

    def __init__(self, settings: Settings, now: Callable[[], float] = monotonic) -> None:
        self.most = settings.api_connections
        self.header_seconds = settings.api_header_timeout.total_seconds()
        self.answer_seconds = settings.api_answer_timeout.total_seconds()
        self.keep_alive_seconds = settings.api_keep_alive.total_seconds()
        # The server ends once every request is answered: requests that wait for a change are answered now.
        self.is_stopping = False
        # Idle connections: those that wait for a request, or for their client to close, the longest idle first.
        self.idle: dict[Connection, None] = {}
        self._now = now
        self._logged_at = -LOGGED_EVERY_SECONDS
        self._closed: Counter[str] = Counter()

    def make_room(self) -> bool:
        """Close the connection that has been idle longest; returns False if all are busy."""
        longest = next(iter(self.idle), None)
        if longest is None:
            return False
        self.count("pushed_out")
        longest.abort()
        return True

    def count(self, reason: str) -> None:
        """Count a closed or refused connection; the counts are logged at most every 10 s."""
        self._closed[reason] += 1
        if self._now() - self._logged_at >= LOGGED_EVERY_SECONDS:
            log.warning("http.connections_closed", **self._closed)
            self._closed.clear()
            self._logged_at = self._now()


class Connection(HttpToolsProtocol):
    """One connection of a client.

    It is busy from the end of a request's headers until its answer is complete, and idle otherwise. Requests that a
    client sends before the answer to an earlier one wait for it, and are read on only then; a connection whose client
    goes away meanwhile is noticed, as long as the client has sent little in advance.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.logger = _FAULTS
        self._all: Connections = self.app_state[STATE]
        self.timeout_keep_alive = self._all.keep_alive_seconds
        self._wire: asyncio.Transport
        self._deadline: asyncio.TimerHandle | None = None
        self._answer_deadline: asyncio.TimerHandle | None = None
        # Requests whose headers have come and whose answer is incomplete; the first is being answered.
        self._requests: deque[RequestResponseCycle] = deque()
        self._unparsed = bytearray()
        # Where the parser is: in a request's line and headers, in its body, or behind one.
        self._in_head = self._in_body = self._is_whole = False
        self._received = self._draining = self._malformed = False
        self._head_bytes = self._body_bytes = self._content_bytes = self._dropped_bytes = 0

    @property
    def is_closing(self) -> bool:
        """Whether the connection is closing or closed."""
        return self._draining or self._wire.is_closing()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's own
        """Wait for a request, or answer 503 if too many connections are busy."""
        self._wire = transport
        # asyncio does so only for sockets whose protocol number is given, and uvicorn's, which several processes share,
        # is not. Without it an answer's body waits for the client's delayed acknowledgement of its head: a read alone
        # takes 54 ms instead of 20, p95 (`make bench`, `reads`, 2026-11-27, on a busy machine).
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        full = len(self.connections) >= self._all.most and not self._all.make_room()
        super().connection_made(_Closing(transport, self))  # type: ignore[arg-type]  # it has a transport's methods
        self._wait_for_headers()
        if full:
            self._all.count("refused")
            detail = "Too many connections are open: try again after `Retry-After` seconds."
            self._refuse(HTTPStatus.SERVICE_UNAVAILABLE, "unavailable", detail)

    def connection_lost(self, exc: Exception | None) -> None:
        """Drop the connection, and notify its requests."""
        self._all.idle.pop(self, None)
        self._stop_deadline()
        self._stop_answer_deadline()
        self._disconnect()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take received bytes, and parse them unless a request waits for the answer to an earlier one."""
        if self._draining:
            self._dropped_bytes += len(data)
            if self._dropped_bytes > MOST_DROPPED_BYTES:
                self.abort()
            return
        self._unparsed += data
        self._parse()

    def pause_writing(self) -> None:
        """Start the deadline by which the client must read."""
        super().pause_writing()
        self._answer_deadline = self.loop.call_later(self._all.answer_seconds, self._give_up, "unread_answer")

    def resume_writing(self) -> None:
        """Stop that deadline and continue the answer."""
        super().resume_writing()
        self._stop_answer_deadline()

    def on_message_begin(self) -> None:
        """Read a request's line and headers."""
        self._in_head, self._is_whole = True, False
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Keep a header; trailers are dropped."""
        if self._in_head:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Answer the request, or let it wait for the answer to the one before.

        Raises:
            ValueError: A proxy in front might read the body's length otherwise: HTTP/1.0 has no codings, and `chunked`
                is the only one here. Or it might read another host: HTTP/1.1 has exactly one. The parser takes it for a
                malformed request.
        """
        codings = [value.strip().lower() for name, value in self.headers if name == b"transfer-encoding"]
        if codings and (codings != [b"chunked"] or self.parser.get_http_version() != "1.1"):
            raise ValueError
        hosts = sum(name == b"host" for name, _ in self.headers)
        if hosts > 1 or (hosts == 0 and self.parser.get_http_version() == "1.1"):
            raise ValueError
        self._in_head, self._in_body = False, True
        self._head_bytes = 0
        self._stop_deadline()
        self._all.idle.pop(self, None)
        super().on_headers_complete()
        self._requests.append(self.cycle)

    def on_body(self, body: bytes) -> None:
        """Keep a piece of a body for the application."""
        self._content_bytes += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """End a request."""
        self._in_body, self._is_whole = False, True
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Answer the request that waits, or wait for the next."""
        self._requests.popleft()
        super().on_response_complete()
        if self.is_closing:
            return
        if not self._requests:
            self._received = self._in_head
            self._all.idle[self] = None
        self._refuse_malformed_in_turn()
        self._parse()

    def send_400_response(self, msg: str) -> None:
        """Answer a malformed request, after those before it."""
        del msg
        self._malformed = True
        self._all.count("no_request")
        self._refuse_malformed_in_turn()

    def shutdown(self) -> None:
        """Close after the answer to the current request."""
        self._all.is_stopping = True
        if self._draining:
            self.abort()
        elif not self._wire.is_closing():
            super().shutdown()

    def abort(self) -> None:
        """Close at once and drop unsent bytes."""
        self._all.idle.pop(self, None)
        self._wire.abort()

    def close(self) -> None:
        """Close when all is sent; the client must read it within the header timeout.

        Until then, received bytes are read and dropped: closing a socket with unread bytes resets the connection, and
        the client would lose the answer.
        """
        if self.is_closing:
            return
        self._stop_deadline()
        self._all.idle[self] = None
        self._deadline = self.loop.call_later(self._all.header_seconds, self.abort)
        if self._is_whole and not self._malformed and not self._unparsed and not self.pipeline:
            self._wire.close()
        else:
            self._draining = True
            self._unparsed.clear()
            self._wire.write_eof()
            self._wire.resume_reading()

    def _parse(self) -> None:
        """Parse received bytes in portions, as long as no request waits for the answer to an earlier one."""
        while self._unparsed and len(self._requests) <= 1 and not self._malformed and not self.is_closing:
            self._received = True
            portion = bytes(self._unparsed[:PORTION_BYTES])
            del self._unparsed[:PORTION_BYTES]
            request = self.cycle
            super().data_received(portion)
            if self.cycle is not request:
                # A portion with the end of a head counts for no body.
                self._body_bytes = self._content_bytes = 0
            elif self._in_body:
                self._body_bytes += len(portion)
            if self._in_head:
                self._head_bytes += len(portion)
            self._check_sizes()
        if self.is_closing:
            return
        if len(self._requests) > 1:
            # asyncio does not notify a transport that does not read when its client has gone.
            if len(self._unparsed) < MOST_AHEAD_BYTES:
                self.flow.resume_reading()
            else:
                self.flow.pause_reading()
        elif not self._requests and self._received and self._deadline is None:
            self._wait_for_headers()

    def _check_sizes(self) -> None:
        """Refuse a request with too much that is no content."""
        if self._body_bytes > MOST_FRAME_BYTES + 2 * self._content_bytes:
            self._all.count("small_chunks")
            self._refuse(HTTPStatus.BAD_REQUEST, "bad-request", "The body's chunks are too small.")
        elif self._head_bytes > MOST_HEAD_BYTES:
            self._all.count("long_headers")
            detail = f"The request's line and headers are longer than {MOST_HEAD_BYTES} bytes."
            self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "bad-request", detail)

    def _wait_for_headers(self) -> None:
        self._all.idle[self] = None
        self._deadline = self.loop.call_later(self._all.header_seconds, self._headers_are_late)

    def _headers_are_late(self) -> None:
        if self._received:
            self._all.count("slow_headers")
            self._refuse(HTTPStatus.REQUEST_TIMEOUT, "too-slow", "The request's headers did not arrive in time.")
        else:
            self._give_up("silent")

    def _give_up(self, reason: str) -> None:
        """Close without an answer; the kernel drops unsent bytes at once."""
        self._all.count(reason)
        if self._wire.get_write_buffer_size():
            self._wire.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGERING)
        self.abort()

    def _refuse(self, status: HTTPStatus, kind: str, detail: str) -> None:
        """Answer instead of the application, and close."""
        answering = self._requests[0] if self._requests else None
        self._disconnect()
        if answering is not None and answering.response_started:
            self.abort()
        if self.is_closing:
            return
        headers = {"Connection": "close"}
        if status == HTTPStatus.SERVICE_UNAVAILABLE:
            headers["Retry-After"] = str(RETRY_AFTER_SECONDS)
        path = "/" if answering is None else answering.scope["path"]
        response = answer({"path": path}, Rejection(status, kind, detail, headers=headers))
        lines = [f"HTTP/1.1 {status.value} {status.phrase}".encode()]
        lines += [name + b": " + value for name, value in response.raw_headers]
        self._wire.write(b"\r\n".join([*lines, b"", bytes(response.body)]))
        self.close()

    def _refuse_malformed_in_turn(self) -> None:
        """Answer a malformed request once all whole requests before it are answered."""
        if self._malformed and len(self._requests) == self._in_body:
            self._refuse(HTTPStatus.BAD_REQUEST, "bad-request", "This is not a valid HTTP request.")

    def _disconnect(self) -> None:
        """Mark the requests as disconnected: none of their answers will be sent."""
        for request in self._requests:
            request.disconnected = True
            request.message_event.set()

    def _stop_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _stop_answer_deadline(self) -> None:
        if self._answer_deadline is not None:
            self._answer_deadline.cancel()
            self._answer_deadline = None


class _Closing:
    """A transport whose `close` calls the connection's, as uvicorn sees it.

    Args:
        connection: The connection that it belongs to.
    """

    def __init__(self, transport: asyncio.Transport, connection: Connection) -> None:
        self._transport = transport
        self._connection = connection

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def close(self) -> None:
        """Close when all is sent."""
        self._connection.close()

    def is_closing(self) -> bool:
        """Whether the connection is closing or closed."""
        return self._connection.is_closing
