"""A user's server that receives deliveries, for tests."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread


class Receiver:
    """The requests that a server took, and how it answers.

    Attributes:
        url: Its address.
        took: The path, headers and body of each delivery.
        statuses: The statuses of its next answers; after these it answers 204.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self.took: list[tuple[str, dict[str, str], bytes]] = []
        self.statuses: list[int] = []


@contextmanager
def running_receiver() -> Iterator[Receiver]:
    """Run a server on a free port for the duration of the block."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            receiver.took.append((self.path, dict(self.headers.items()), body))
            self.send_response(receiver.statuses.pop(0) if receiver.statuses else 204)
            self.send_header("Location", f"{receiver.url}/elsewhere")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        receiver = Receiver(f"http://127.0.0.1:{server.server_port}")
        Thread(target=server.serve_forever, daemon=True).start()
        yield receiver
        server.shutdown()
