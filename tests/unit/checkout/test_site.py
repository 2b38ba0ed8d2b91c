"""The documents build as a site whose links work, and which can be searched without any other host."""

import shutil
import subprocess
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from schemas.settings import CHECKOUT


class Quiet(SimpleHTTPRequestHandler):
    """Serves files without a line for each."""

    def log_message(self, *_):
        pass


def build(folder):
    command = [sys.executable, "-m", "zensical", "build", "--strict"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site, built from the documents."""
    project = tmp_path_factory.mktemp("site")
    (project / "zensical.toml").write_text((CHECKOUT / "zensical.toml").read_text("utf-8"))
    shutil.copytree(CHECKOUT / "docs", project / "docs")
    built = build(project)
    assert built.returncode == 0, built.stdout + built.stderr
    return project / ".site"


def test_every_document_is_a_page_and_nothing_else_is_published(site):
    documents = {path.relative_to(CHECKOUT / "docs").with_suffix(".html") for path in (CHECKOUT / "docs").rglob("*.md")}
    pages = {path.relative_to(site) for path in site.rglob("*.html")}
    assert {path.with_name("index.html") if path.name == "README.html" else path for path in documents} <= pages
    assert list(site.rglob("*.py")) == []


def test_the_site_is_searched_without_another_host(site, open_page):
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=site)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        origin = f"http://127.0.0.1:{server.server_port}"
        page = open_page()
        asked = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(f"{origin}/index.html")
        page.keyboard.press("/")
        page.keyboard.type("consolidates", delay=20)
        page.get_by_role("link", name="Concepts").last.wait_for()
        server.shutdown()
    assert [url for url in asked if not url.startswith((origin, "blob:", "data:"))] == []


def test_a_broken_link_fails_the_build(tmp_path):
    (tmp_path / "zensical.toml").write_text((CHECKOUT / "zensical.toml").read_text("utf-8"))
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text("# A page\n\nSee [another](gone.md).\n")
    assert build(tmp_path).returncode != 0
