"""The embedder is loaded by the first request that may need it, and by no probe."""

from threading import Event
from types import SimpleNamespace

import anyio
import pytest

from api.http.load.embedder_load import EmbedderLoad
from providers.errors import Misconfigured
from tests.conftest import PATIENCE


class Loading:
    """Embedders that say that they are loaded, and whether that fails."""

    def __init__(self, *, fails=False) -> None:
        self.loads = 0
        self.loaded = Event()
        self._fails = fails

    @property
    def wanted(self):
        """Load."""
        self.loads += 1
        self.loaded.set()
        if self._fails:
            raise Misconfigured("There is no such model.")
        return SimpleNamespace(model="some")


def requests(embedders, *paths):
    """Send requests; return the paths that were served."""
    served = []

    async def serve(scope, _receive, _send):
        served.append(scope["path"])

    async def send_all():
        load = EmbedderLoad(serve)
        state = SimpleNamespace(resources=SimpleNamespace(embedders=embedders))
        for path in paths:
            await load({"type": "http", "path": path, "app": SimpleNamespace(state=state)}, None, None)

    anyio.run(send_all)
    return served


def test_probes_and_pages_load_nothing():
    paths = ["/health/ready", "/metrics", "/memory"]
    embedders = Loading()

    assert requests(embedders, *paths) == paths
    assert embedders.loads == 0


@pytest.mark.parametrize("path", ["/v1/beings", "/openai/v1/chat/completions", "/mcp"])
def test_the_first_request_of_a_user_loads_it_once(path):
    embedders = Loading()
    requests(embedders, path, path)

    assert embedders.loaded.wait(PATIENCE)
    assert embedders.loads == 1


def test_a_model_that_can_t_be_loaded_fails_no_request():
    embedders = Loading(fails=True)

    assert requests(embedders, "/v1/beings") == ["/v1/beings"]
    assert embedders.loaded.wait(PATIENCE)
