"""The files of the memory page, read once at the start: HTML, style sheets and scripts, unchanged from `static/`.

The HTML names each file below a path that holds a hash of all of them, so that browsers keep the files without asking,
and an upgrade shows at once. The Content-Security-Policy allows this server's own content and nothing else: no inline
script or style, no other host, no frame, and no string that becomes markup (Trusted Types without any policy).
"""

import gzip
from hashlib import sha256
from http import HTTPStatus
from pathlib import Path
from typing import NamedTuple

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from api.http.problems import Rejection

FOLDER = Path(__file__).parent / "static"
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Vary": "Accept-Encoding, Cookie",
}
KEPT = "public, max-age=31536000, immutable"
CHECKED = "no-cache"


class File(NamedTuple):
    """A file of the page, also compressed."""

    content: bytes
    compressed: bytes
    media_type: str
    tag: str


def _file(content: bytes, media_type: str) -> File:
    return File(content, gzip.compress(content, mtime=0), media_type, f'"{sha256(content).hexdigest()[:32]}"')


def _read() -> tuple[str, dict[str, File]]:
    paths = sorted(path for path in FOLDER.rglob("*") if path.suffix in TYPES)
    contents = {path.relative_to(FOLDER).as_posix(): path.read_bytes() for path in paths}
    edition = sha256(b"\0".join(contents.values())).hexdigest()[:16]
    for name in contents:
        # Without a slash before them: a reverse proxy may serve the page below a path of its own.
        named = f'"page/{name}"'.encode()
        contents["index.html"] = contents["index.html"].replace(named, f'"page/{edition}/{name}"'.encode())
    return edition, {name: _file(content, TYPES[Path(name).suffix]) for name, content in contents.items()}


EDITION, FILES = _read()


class Page:
    """Serves the files from memory, in the event loop: there is nothing to wait for."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with the named file, or with the HTML where none is named.

        Raises:
            Rejection: There is no such file, or it is of another edition.
        """
        path = scope["path_params"].get("path", "index.html")
        edition, _, within = path.partition("/")
        file = FILES.get(within if edition == EDITION else path)
        if file is None:
            raise Rejection(HTTPStatus.NOT_FOUND, "not-found", "The memory page has no such file.")
        cache = KEPT if edition == EDITION else CHECKED
        await _answer(Headers(scope=scope), file, cache)(scope, receive, send)


def _answer(requested: Headers, file: File, cache: str) -> Response:
    headers = {**HEADERS, "ETag": file.tag, "Cache-Control": cache}
    if file.tag in requested.get("if-none-match", ""):
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    if "gzip" in requested.get("accept-encoding", ""):
        return Response(file.compressed, headers={**headers, "Content-Encoding": "gzip"}, media_type=file.media_type)
    return Response(file.content, headers=headers, media_type=file.media_type)


ROUTES = [Route(path, Page(), methods=["GET"]) for path in ("/", "/page/{path:path}")]
