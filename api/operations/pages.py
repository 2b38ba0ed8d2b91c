"""`/docs`: the routes for a person with a browser, without scripts, and without a request to another host.

The page needs no token, since it contains nothing but what the project's documents say.
"""

import base64
import hashlib

from fastapi import Request
from fastapi.responses import HTMLResponse

from api.http.endpoints import Router
from api.operations.reference import reference

router = Router(include_in_schema=False)

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
body { color: #222; background: #fff; }
code, pre { font: 0.9em ui-monospace, monospace; background: #f2f2f2; padding: 0.1em 0.3em; }
pre { padding: 0.8em; overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
nav { line-height: 2; } details { margin: 0.3em 0; } summary { cursor: pointer; }
td { border-top: 1px solid #ddd; padding: 0.3em 0.5em; vertical-align: top; }
@media (prefers-color-scheme: dark) {
  body { color: #ddd; background: #181818; } code, pre { background: #2a2a2a; } td { border-color: #444; }
  a { color: #8ab4f8; }
}
"""
STYLE_HASH = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
HEADERS = {
    "Content-Security-Policy": f"default-src 'none'; style-src 'sha256-{STYLE_HASH}'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
}


@router.get("/docs")
def list_routes(request: Request) -> HTMLResponse:
    """Show the reference: each route with what it takes and answers, and each type."""
    return _page("Memory Patrol: routes", reference(request.app.openapi()))


def _page(title: str, body: str) -> HTMLResponse:
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{title}</title>'
    return HTMLResponse(
        f'<!doctype html><html lang="en"><head>{head}<style>{STYLE}</style></head><body>{body}</body></html>',
        headers=HEADERS,
    )
