"""The clients as users install them: built, and installed from the built file; and a proxy that loses answers."""

import importlib
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from types import ModuleType
from urllib.parse import urlsplit

import pytest

from tests.acceptance.conftest import Person, Stack
from tests.documents.cloned import cloned


@pytest.fixture(scope="session")
def python_client(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory that the Python client's wheel was installed in."""
    folder = tmp_path_factory.mktemp("python-client")
    source = cloned(folder / "clone", "clients/python", "openapi.json") / "clients" / "python"
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", folder / "dist", source]
    subprocess.run(build, check=True, capture_output=True)
    assert len([*folder.glob("dist/*.tar.gz")]) == 1
    (wheel,) = folder.glob("dist/*.whl")
    # A wheel of Python alone is installed by being unpacked.
    shutil.unpack_archive(wheel, folder / "site", "zip")
    return folder / "site"


@pytest.fixture(scope="session")
def patrol(python_client: Path) -> Iterator[ModuleType]:
    """The Python client's package, imported from where it was installed."""
    sys.path.insert(0, str(python_client))
    module = importlib.import_module("memory_patrol")
    assert Path(str(module.__file__)).is_relative_to(python_client)
    yield module
    sys.path.remove(str(python_client))


def secret_of(person: Person) -> str:
    """The secret of a person's token."""
    return person.client.headers["authorization"].removeprefix("Bearer ")


class LossyProxy:
    """Passes connections on to the API, but keeps back the answers to the first requests and cuts their connections.

    Args:
        target: The API's URL.

    Attributes:
        losses: How many answers are still to be lost; each was complete when it reached the proxy.
        lost: How many were lost.
    """

    def __init__(self, target: str) -> None:
        address = urlsplit(target)
        self._target = (str(address.hostname), int(address.port or 80))
        self._server = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._server.getsockname()[1]}"
        self.losses = self.lost = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Accept no more connections."""
        self._server.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._server.accept()
                threading.Thread(target=self._serve, args=[client], daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with ExitStack() as stack, suppress(OSError):
            stack.enter_context(client)
            server = stack.enter_context(socket.create_connection(self._target))
            upward = threading.Thread(target=self._pass_on, args=[client, server], daemon=True)
            upward.start()
            while answer := server.recv(1 << 16):
                if self.losses:
                    # The API answers when it has committed. The first half of the answer arrives, the rest never.
                    self.losses -= 1
                    self.lost += 1
                    client.sendall(answer[: len(answer) // 2])
                    break
                client.sendall(answer)
            for end in (client, server):
                # The other thread waits on them, so that closing alone would end nothing.
                with suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)

    @staticmethod
    def _pass_on(client: socket.socket, server: socket.socket) -> None:
        with suppress(OSError):
            while sent := client.recv(1 << 16):
                server.sendall(sent)
            server.shutdown(socket.SHUT_WR)


@pytest.fixture
def lossy(stack: Stack) -> Iterator[LossyProxy]:
    """A proxy before the API; set its `losses`."""
    proxy = LossyProxy(stack.url)
    yield proxy
    proxy.close()
