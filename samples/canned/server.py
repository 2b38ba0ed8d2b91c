"""A small threaded HTTP server that hands each request to one function and leaves nothing behind."""

import json
import socket
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class Reply:
    """The response; a `stream` comes piece by piece in the place of the content, and ends with the connection."""

    status: int
    content: bytes
    headers: Mapping[str, str] = field(default_factory=dict)
    stream: Iterable[bytes] | None = None

    @classmethod
    def json(cls, status: int, body: Any, headers: Mapping[str, str] | None = None) -> Self:
        """A reply with a JSON body."""
        return cls(status, json.dumps(body).encode(), headers or {})

    @classmethod
    def events(cls, pieces: Iterable[bytes]) -> Self:
        """A reply of server-sent events."""
        return cls(200, b"", {"content-type": "text/event-stream", "connection": "close"}, pieces)


Answering = Callable[[str, str, str | None, bytes], Reply | None]
"""Takes method, path, API key and content; None closes the connection without a word."""


class Server:
    """Serves from its own threads while it is entered."""

    def __init__(self, port: int, answering: Answering) -> None:
        self._http = _Listener(
            ("127.0.0.1", port), type("Handler", (_Handler,), {"answering": staticmethod(answering)})
        )
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self.url = f"http://127.0.0.1:{self._http.server_port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.hang_up()
        self._http.server_close()
        self._thread.join()


class _Listener(ThreadingHTTPServer):
    daemon_threads = False
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler]) -> None:
        self._open: set[socket.socket] = set()
        super().__init__(address, handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._open.discard(request)
        super().shutdown_request(request)

    def hang_up(self) -> None:
        """Wake the threads that wait for a client's next request."""
        for connection in list(self._open):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    answering: Answering

    def _reply(self) -> None:
        content = self.rfile.read(int(self.headers.get("content-length", 0)))
        key = self.headers.get("x-api-key") or self.headers.get("authorization", "").removeprefix("Bearer ") or None
        reply = self.answering(self.command, self.path, key, content)
        if reply is None:
            self.close_connection = True
            return
        self.send_response(reply.status)
        for name, value in {"content-type": "application/json", **reply.headers}.items():
            self.send_header(name, value)
        if reply.stream is None:
            self.send_header("content-length", str(len(reply.content)))
        self.end_headers()
        self.close_connection = self.close_connection or reply.stream is not None
        for piece in [reply.content] if reply.stream is None else reply.stream:
            self.wfile.write(piece)

    do_GET = do_POST = _reply  # noqa: N815 - the names that http.server looks for

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name that http.server gives it
        """Log nothing: requests hold people's messages."""
