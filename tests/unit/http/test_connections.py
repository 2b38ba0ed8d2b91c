"""The HTTP server's connections, on raw sockets: kept alive, pipelined, with bodies of every size, and left midway."""

import asyncio
import hashlib
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import closing
from typing import Self

import pytest
import uvicorn

from api.http.connections import MOST_AHEAD_BYTES, PORTION_BYTES, STATE, Connection, Connections
from schemas.settings import Settings
from workers.embedded.processes import wait_until

SECONDS = 20.0
# Around the sizes at which the server parses in portions, stops reading ahead, and has no more room for a body.
SIZES = [0, 1, PORTION_BYTES - 1, PORTION_BYTES + 1, MOST_AHEAD_BYTES, MOST_AHEAD_BYTES + 1, 300_000, 1_000_000]


class Served:
    """A server in a thread of its own, whose application answers with its request's body's length and digest."""

    def __init__(self) -> None:
        self.running: set[str] = set()
        self.gone: set[str] = set()
        self.options: list[int] = []
        self._release = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop
        outer = self

        class Watched(Connection):
            """Notes whether small packets are sent at once."""

            def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
                super().connection_made(transport)
                outer.options.append(
                    transport.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
                )

        config = uvicorn.Config(
            self._app, host="127.0.0.1", port=0, http=Watched, lifespan="on", log_config=None, interface="asgi3"
        )
        # As uvicorn binds the socket that its processes share.
        self._socket = config.bind_socket()
        self.address = self._socket.getsockname()
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, args=[[self._socket]])

    def __enter__(self) -> Self:
        self._thread.start()
        assert wait_until(lambda: self._server.started, SECONDS)
        return self

    def __exit__(self, *_: object) -> None:
        self.release()
        self._server.should_exit = True
        self._thread.join()
        self._socket.close()

    def release(self) -> None:
        """Let answers that are held back come to their end."""
        self._loop.call_soon_threadsafe(self._release.set)

    async def _app(self, scope, receive, send):
        if scope["type"] == "lifespan":
            self._loop = asyncio.get_running_loop()
            scope["state"][STATE] = Connections(Settings())
            await receive()
            await send({"type": "lifespan.startup.complete"})
            await receive()
            await send({"type": "lifespan.shutdown.complete"})
            return
        body = b""
        while (message := await receive())["type"] == "http.request":
            body += message["body"]
            if not message["more_body"]:
                break
        held, told = scope["path"].startswith("/held"), f"{len(body)} {hashlib.sha256(body).hexdigest()}".encode()
        headers = [(b"content-length", str(len(told)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": told, "more_body": held})
        if held:
            self.running.add(scope["path"])
            leaving, released = asyncio.ensure_future(receive()), asyncio.ensure_future(self._release.wait())
            await asyncio.wait({leaving, released}, return_when=asyncio.FIRST_COMPLETED)
            if leaving.done():
                self.gone.add(scope["path"])
            leaving.cancel()
            released.cancel()
            await send({"type": "http.response.body", "body": b"", "more_body": False})


@pytest.fixture
def served() -> Iterator[Served]:
    """A server."""
    with Served() as served:
        yield served


@pytest.fixture
def connection(served) -> Iterator[socket.socket]:
    """A connection to it."""
    with closing(socket.create_connection(served.address, timeout=SECONDS)) as connection:
        yield connection


def request(body: bytes, path: str = "/", *, chunked: bool = False, piece: int = 7000) -> bytes:
    """A request with a body, in one piece or in chunks."""
    if not chunked:
        return b"POST %s HTTP/1.1\r\nHost: here\r\nContent-Length: %d\r\n\r\n%s" % (path.encode(), len(body), body)
    pieces = [body[start : start + piece] for start in range(0, len(body), piece)]
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(each), each) for each in [*pieces, b""])
    return b"POST %s HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n%s" % (path.encode(), chunks)


def body_of(size: int) -> bytes:
    """A body of so many bytes."""
    return (b"%d " % size * (size // 2 + 1))[:size]


def told_of(body: bytes) -> str:
    """The application's answer to a body."""
    return f"{len(body)} {hashlib.sha256(body).hexdigest()}"


def answers_on(connection: socket.socket, count: int) -> list[str]:
    """So many answers' bodies, in the order in which they come."""
    said, found = b"", list[bytes]()
    while len(found) < count:
        some = connection.recv(65536)
        assert some, said
        said += some
        found = re.findall(rb"\r\n\r\n(\d+ [0-9a-f]{64})", said)
    return [each.decode() for each in found]


def said_on(connection: socket.socket) -> bytes:
    """All that is said until the server closes."""
    said = b""
    while some := connection.recv(65536):
        said += some
    return said


def test_an_answer_does_not_wait_for_the_acknowledgement_of_its_head(served, connection):
    connection.sendall(request(b""))
    answers_on(connection, 1)
    assert all(served.options)


@pytest.mark.parametrize("chunked", [False, True])
def test_a_kept_connection_takes_bodies_of_every_size(connection, chunked):
    for size in [*SIZES, *reversed(SIZES)]:
        connection.sendall(request(body_of(size), chunked=chunked))
        assert answers_on(connection, 1) == [told_of(body_of(size))]


@pytest.mark.parametrize("chunked", [False, True])
@pytest.mark.parametrize("size", SIZES)
def test_a_request_sent_before_the_end_of_the_answer_before_it_is_read_whole(served, connection, size, chunked):
    connection.sendall(request(b"first", "/held"))
    # The client has all bytes of the answer, and the application has not ended it.
    assert answers_on(connection, 1) == [told_of(b"first")]
    sending = threading.Thread(target=connection.sendall, args=[request(body_of(size), chunked=chunked)])
    sending.start()
    # A body that does not fit into what is read ahead is sent on only when its turn comes.
    sending.join(0 if size > MOST_AHEAD_BYTES else SECONDS)
    served.release()
    assert answers_on(connection, 1) == [told_of(body_of(size))]
    sending.join(SECONDS)
    connection.sendall(request(b"third"))
    assert answers_on(connection, 1) == [told_of(b"third")]


@pytest.mark.parametrize("chunked", [False, True])
def test_pipelined_requests_of_every_size_are_answered_in_order(connection, chunked):
    bodies = [body_of(size) for size in [5, *SIZES, *reversed(SIZES), 7]]
    sent = b"".join(request(body, chunked=chunked) for body in bodies)
    sending = threading.Thread(target=connection.sendall, args=[sent])
    sending.start()
    assert answers_on(connection, len(bodies)) == [told_of(body) for body in bodies]
    sending.join(SECONDS)


def test_requests_that_come_byte_by_byte_are_answered(connection):
    sent = b"".join(request(body_of(size), chunked=bool(size % 2)) for size in (0, 3, 40, 41))
    for place in range(len(sent)):
        connection.sendall(sent[place : place + 1])
    assert answers_on(connection, 4) == [told_of(body_of(size)) for size in (0, 3, 40, 41)]


@pytest.mark.parametrize("ahead", [0, 1, 40, 30_000, MOST_AHEAD_BYTES - 1000])
def test_a_request_is_told_that_its_client_has_gone_whatever_was_sent_after_it(served, ahead):
    with closing(socket.create_connection(served.address, timeout=SECONDS)) as connection:
        connection.sendall(request(b"first", "/held"))
        answers_on(connection, 1)
        connection.sendall(request(body_of(ahead))[: ahead + 1])
    assert wait_until(lambda: served.gone == {"/held"}, SECONDS)


def test_what_follows_the_request_in_the_same_packet_hides_no_departure_either(served):
    with closing(socket.create_connection(served.address, timeout=SECONDS)) as connection:
        connection.sendall(request(b"first", "/held/1") + request(b"", "/held/2") * 50)
        answers_on(connection, 1)
    assert wait_until(lambda: served.gone == {"/held/1"}, SECONDS)


def test_little_is_read_ahead_of_a_client_that_sends_without_end(connection):
    connection.sendall(request(b"first", "/held"))
    answers_on(connection, 1)
    connection.settimeout(0.5)
    # It blocks when the kernel's buffers are full, since the server reads no more.
    with pytest.raises(TimeoutError):
        connection.sendall(request(body_of(50_000)) * 2000)


@pytest.mark.parametrize(
    "head",
    [
        "POST / HTTP/1.0\r\nTransfer-Encoding: chunked",
        "POST / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked",
        "POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\nTransfer-Encoding: chunked",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked, chunked",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked, identity",
        "POST / HTTP/1.1\r\nTransfer-Encoding: xchunked",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 4",
        "POST / HTTP/1.1\r\nContent-Length: 4\r\nContent-Length: 5",
        "POST / HTTP/1.1\r\nContent-Length: +4",
        "POST / HTTP/1.1\r\nHost: there",
    ],
)
def test_a_body_whose_length_or_host_can_be_read_in_two_ways_is_refused_after_the_requests_before_it(connection, head):
    smuggled = f"{head}\r\nHost: here\r\n\r\n3\r\nabc\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: here\r\n\r\n"
    connection.sendall(request(b"before") + smuggled.encode())
    said = said_on(connection)
    assert told_of(b"before").encode() in said
    assert re.findall(rb"HTTP/1\.1 (\d+)", said) == [b"200", b"400"]


def test_a_request_of_http_1_1_names_a_host(connection):
    connection.sendall(b"POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n")
    assert said_on(connection).startswith(b"HTTP/1.1 400 ")


def test_http_1_0_is_answered_and_closed(connection):
    connection.sendall(b"POST / HTTP/1.0\r\nContent-Length: 3\r\n\r\nabc")
    assert said_on(connection).endswith(told_of(b"abc").encode())
