"""Below a path of a reverse proxy: API, page, MCP and the wires, with the lines for nginx that docs/proxy.md shows."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from tests.acceptance.conftest import PATIENCE
from tests.acceptance.proxy.conftest import secret_of
from tests.fakes.upstream import Reply
from tests.fakes.wire_answers import streamed_response
from tests.ports import free_port
from tests.processes.programs import program
from workers.embedded.processes import wait_until

DOCUMENT = Path(__file__).parents[3] / "docs" / "proxy.md"
STREAMS = {"Accept": "application/json, text/event-stream"}
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


@pytest.fixture(scope="module")
def prefixed(proxy_process, tmp_path_factory) -> Iterator[str]:
    """The address of the path that nginx serves the API below."""
    folder, port = tmp_path_factory.mktemp("nginx"), free_port()
    (shown,) = re.findall(r"```nginx\n(.+?)```", DOCUMENT.read_text("utf-8"), re.DOTALL)
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    paths = "".join(f"{kind}_temp_path {folder}/{kind};\n" for kind in kinds)
    location = shown.replace("http://127.0.0.1:8765", proxy_process.url)
    (folder / "nginx.conf").write_text(
        f"daemon off;\npid {folder}/pid;\nerror_log stderr;\nevents {{}}\n"
        f"http {{\naccess_log off;\n{paths}server {{\nlisten 127.0.0.1:{port};\n{location}\n}}\n}}\n"
    )
    with subprocess.Popen([program("nginx"), "-e", "stderr", "-p", folder, "-c", folder / "nginx.conf"]) as process:
        url = f"http://127.0.0.1:{port}/memory"
        wait_until(lambda: _answers(url), PATIENCE)
        yield url
        process.terminate()


def _answers(url: str) -> bool:
    try:
        return httpx2.get(f"{url}/health/live", timeout=PATIENCE).is_success
    except httpx2.TransportError:
        return False


def test_api_page_mcp_and_wires_work_below_a_path(prefixed, proxy, person):
    proxy.upstream.replies += [streamed_response("Good ", "day."), Reply.stream("Hello")]
    headers = {"Authorization": f"Bearer {secret_of(person)}"}
    with httpx2.Client(headers=headers, timeout=PATIENCE) as client:
        assert client.get(f"{prefixed}/v1/beings").json()["beings"][0]["slug"] == "mira"
        page = client.get(f"{prefixed}/")
        files = re.findall(r'(?:src|href)="(page/[^"]+)"', page.text)
        assert files
        assert not re.findall(r'(?:src|href)="/[^"]*"', page.text)
        assert {client.get(f"{prefixed}/{file}").status_code for file in files if file != "page/session"} == {200}
        for path in ("mcp", "mcp/"):
            told = client.post(
                f"{prefixed}/{path}", json=HELLO, headers={"Accept": "application/json, text/event-stream"}
            )
            assert "serverInfo" in told.text
        body = {"model": "fake-1", "input": "Hello.", "stream": True}
        assert "response.completed" in client.post(f"{prefixed}/openai/v1/responses", json=body).text
        body = {"model": "fake-1", "messages": [{"role": "user", "content": "Hi."}], "stream": True}
        assert "Hello" in client.post(f"{prefixed}/openai/v1/chat/completions", json=body).text
        body = {"model": "fake-1", "max_tokens": 9, "messages": [{"role": "user", "content": "Hi."}]}
        assert client.post(f"{prefixed}/anthropic/v1/messages", json=body).json()["type"] == "message"
