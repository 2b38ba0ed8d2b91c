"""HTTP requests as bytes on a socket, and their answers as they come, for tests of connections."""

import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

import httpx2

from tests.acceptance.conftest import PATIENCE

Framing = Literal["length", "chunked"]
CHUNK_BYTES = 30_000
_NO_LINGERING = struct.pack("ii", 1, 0)
BODILESS = frozenset({204, 304})


@dataclass(frozen=True)
class Answer:
    """An answer: its status, its headers by their names in small letters, and its body."""

    status: int
    headers: dict[str, str]
    body: bytes


class RawConnection:
    """A connection to the API on which a test writes what it likes.

    Args:
        connection: The socket.
    """

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        self._came = b""

    def send(self, data: bytes) -> None:
        """Send bytes."""
        self._socket.sendall(data)

    def answer(self) -> Answer:
        """Read the next answer, to its end."""
        head = self._until(b"\r\n\r\n").decode("latin-1").split("\r\n")
        status = int(head[0].split(" ")[1])
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)}
        if status // 100 == 1:
            return self.answer()
        if "chunked" in headers.get("transfer-encoding", ""):
            body = b""
            while length := int(self._until(b"\r\n"), 16):
                body += self._exactly(length + 2)[:-2]
            self._until(b"\r\n")
        else:
            body = b"" if status in BODILESS else self._exactly(int(headers["content-length"]))
        return Answer(status, headers, body)

    def wait_for(self, words: bytes) -> None:
        """Read until some words have come."""
        self._until(words)

    def reset(self) -> None:
        """Let the kernel drop what was not sent, and reset the connection when it is closed."""
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGERING)

    def _until(self, end: bytes) -> bytes:
        while end not in self._came:
            self._read()
        said, _, self._came = self._came.partition(end)
        return said

    def _exactly(self, length: int) -> bytes:
        while len(self._came) < length:
            self._read()
        said, self._came = self._came[:length], self._came[length:]
        return said

    def _read(self) -> None:
        more = self._socket.recv(1 << 16)
        assert more, f"The server closed the connection after {self._came[-200:]!r}."
        self._came += more


@contextmanager
def connected(url: str) -> Iterator[RawConnection]:
    """Connect to the API at a URL for the block; leaving it closes the connection, whatever was read of it."""
    where = httpx2.URL(url)
    with socket.create_connection((where.host, where.port), timeout=PATIENCE) as connection:
        yield RawConnection(connection)


def request(
    method: str, path: str, token: str, body: bytes, media: str, framing: Framing = "length", **more: str
) -> bytes:
    """A whole request.

    Args:
        method: The method.
        path: The path.
        token: The header `Authorization`.
        body: The body.
        media: Its type.
        framing: Whether its length is announced.
        more: More headers.
    """
    named = {"host": "here", "authorization": token, "content-type": media}
    named |= {name.replace("_", "-"): value for name, value in more.items()}
    if framing == "length":
        named["content-length"] = str(len(body))
        content = body
    else:
        named["transfer-encoding"] = "chunked"
        chunks = (body[place : place + CHUNK_BYTES] for place in range(0, len(body), CHUNK_BYTES))
        content = b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks) + b"0\r\n\r\n"
    head = "".join(f"{name}: {value}\r\n" for name, value in named.items())
    return f"{method.upper()} {path} HTTP/1.1\r\n{head}\r\n".encode() + content
