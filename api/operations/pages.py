"""`/` and `/docs`: two pages for a person with a browser, without scripts, and without a request to another host.

They need no token, since they contain nothing but what the project's documents say.
"""

import base64
import hashlib
import re
from html import escape
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from schemas.version import VERSION

router = APIRouter(include_in_schema=False)

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
body { color: #222; background: #fff; }
code, pre { font: 0.9em ui-monospace, monospace; background: #f2f2f2; padding: 0.1em 0.3em; }
pre { padding: 0.8em; overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
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
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}

GREETING = """
<h1>Memory Patrol</h1>
<p>Long-term memory for AI companions. This is its HTTP API, version VERSION.</p>
<ul>
<li><a href="/docs">The routes</a>, and <code>/openapi.json</code> for programs, which needs a token.</li>
<li><a href="/health/ready">Whether this process can serve requests</a>.</li>
<li><code>/mcp</code> is the door for models, by the Model Context Protocol.</li>
</ul>
<h2>First steps</h2>
<p>On the machine where it runs, make a user, a Being and a token:</p>
<pre>./patrol user add NAME
./patrol being add --user NAME SLUG
./patrol token add --user NAME --scope ingest --scope read --scope manage</pre>
<p>Then send what happened, and recall it:</p>
<pre>curl BASEv1/beings/SLUG/notes -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\
  -d '{"type": "scene",
       "content": {"action": "The oven failed.", "actors": ["Mira"], "when": ["2026-03-02"]}}'
curl -X POST BASEv1/beings/SLUG/patrols -H "Authorization: Bearer $TOKEN"
curl BASEv1/beings/SLUG/recall -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\
  -d '{"query": "What went wrong in the bakery?"}'</pre>
"""


@router.get("/")
def greet(request: Request) -> HTMLResponse:
    """Greet a person who opened the API's address in a browser."""
    return _page("Memory Patrol", GREETING.replace("VERSION", VERSION).replace("BASE", escape(str(request.base_url))))


@router.get("/docs")
def list_routes(request: Request) -> HTMLResponse:
    """List the routes with their summaries, as in docs/api.md."""
    document: dict[str, Any] = request.app.openapi()
    parts = [
        '<h1>The routes</h1><p><a href="/">Memory Patrol</a>. Every route but <code>/health/*</code> needs a token.</p>'
    ]
    for tag in document["tags"]:
        rows = "".join(
            f"<tr><td><code>{method.upper()} {escape(path)}</code></td><td>{_text(operation['summary'])}</td></tr>"
            for path, methods in document["paths"].items()
            for method, operation in methods.items()
            if tag["name"] in operation["tags"]
        )
        parts.append(f"<h2>{escape(tag['name'])}</h2><p>{_text(tag['description'])}</p><table>{rows}</table>")
    return _page("Memory Patrol: routes", "".join(parts))


def _text(markdown: str) -> str:
    """Return a line of the document as HTML, with its `code`."""
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", escape(markdown))


def _page(title: str, body: str) -> HTMLResponse:
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{title}</title>'
    return HTMLResponse(
        f'<!doctype html><html lang="en"><head>{head}<style>{STYLE}</style></head><body>{body}</body></html>',
        headers=HEADERS,
    )
