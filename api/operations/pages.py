"""`/docs`: the routes for a person with a browser, without scripts, and without a request to another host.

The page needs no token, since it contains nothing but the project's documents.
"""

import base64
import hashlib
import re
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

from fastapi import Request
from fastapi.responses import HTMLResponse

from api.http.endpoints import Router

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
    """Show the reference: each route with its parameters and its answer, and each type."""
    return _page("Memory Patrol: routes", reference(request.app.openapi()))


def _page(title: str, body: str) -> HTMLResponse:
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{title}</title>'
    return HTMLResponse(
        f'<!doctype html><html lang="en"><head>{head}<style>{STYLE}</style></head><body>{body}</body></html>',
        headers=HEADERS,
    )


HEAD = """<h1>The routes</h1>
<p><a href="/">Memory Patrol</a>. Every route but <code>/health/*</code> needs a token. A click on a route shows what it
takes and answers.</p>
"""


def reference(document: Mapping[str, Any]) -> str:
    """Return the reference as the contents of an HTML page. All its links lead to places in it, and it has no scripts.

    Args:
        document: The OpenAPI document.
    """
    tags = document["tags"]
    places = " · ".join(f'<a href="#{_place(tag["name"])}">{escape(tag["name"])}</a>' for tag in tags)
    schemas = sorted(document["components"]["schemas"].items())
    return HEAD + "".join(
        (
            f'<nav>{places} · <a href="#types">Types</a></nav>',
            *(_section(document, tag) for tag in tags),
            '<h2 id="types">Types</h2>',
            *(_type(name, schema) for name, schema in schemas),
        )
    )


def text(markdown: str) -> str:
    """Return a line of the document as HTML, with its `code`."""
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", escape(markdown))


def _section(document: Mapping[str, Any], tag: Mapping[str, str]) -> str:
    routes = "".join(
        _route(method, path, operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
        if tag["name"] in operation["tags"]
    )
    return f'<h2 id="{_place(tag["name"])}">{escape(tag["name"])}</h2><p>{text(tag["description"])}</p>{routes}'


def _route(method: str, path: str, operation: Mapping[str, Any]) -> str:
    about = "".join(f"<p>{text(each)}</p>" for each in operation["description"].split("\n\n") if each)
    name = operation["operationId"]
    return (
        f'<details id="{escape(name)}"><summary><code>{method.upper()} {escape(path)}</code> '
        f"{text(operation['summary'])}</summary>{about}<p><code>{escape(name)}</code></p>"
        f"{_table(_takes(operation))}{_table(_answers(operation))}</details>"
    )


def _takes(operation: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    for each in operation.get("parameters", ()):
        required = ", required" if each.get("required") and each["in"] != "path" else ""
        place = f"<code>{escape(each['name'])}</code> ({each['in']}{required})"
        yield place, _form(each["schema"]), text(each.get("description", ""))
    for media, content in operation.get("requestBody", {}).get("content", {}).items():
        yield "body", _form(content["schema"]), f"<code>{escape(media)}</code>"


def _answers(operation: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    for status, answer in operation["responses"].items():
        forms = [_form(content["schema"]) for content in answer.get("content", {}).values() if "schema" in content]
        yield f"<code>{status}</code>", " or ".join(forms), text(answer["description"])


def _type(name: str, schema: Mapping[str, Any]) -> str:
    required = schema.get("required", ())
    fields = (
        (
            f"<code>{escape(field)}</code>{'' if field in required else ' (optional)'}",
            _form(form),
            text(form.get("description", "")),
        )
        for field, form in schema.get("properties", {}).items()
    )
    return (
        f'<h3 id="type-{escape(name)}">{escape(name)}</h3><p>{text(schema.get("description", ""))}</p>{_table(fields)}'
    )


def _form(schema: Mapping[str, Any]) -> str:
    """Return the short form of a schema, in which named types are links."""
    if "$ref" in schema:
        name = escape(schema["$ref"].rpartition("/")[2])
        return f'<a href="#type-{name}">{name}</a>'
    for several in ("anyOf", "oneOf"):
        if several in schema:
            return " or ".join(dict.fromkeys(map(_form, schema[several])))
    if "enum" in schema or "const" in schema:
        return " or ".join(f"<code>{escape(str(value))}</code>" for value in schema.get("enum", [schema.get("const")]))
    match schema.get("type"):
        case "array":
            return f"list of {_form(schema.get('items', {}))}"
        case "object":
            return "object"
        case kind:
            bounds = [f"{sign} {schema[key]:g}" for key, sign in (("minimum", "≥"), ("maximum", "≤")) if key in schema]
            return escape(" ".join([str(schema.get("format", kind or "any")), *bounds]))


def _table(rows: Iterator[tuple[str, str, str]]) -> str:
    return "<table>" + "".join(f"<tr><td>{a}</td><td>{b}</td><td>{c}</td></tr>" for a, b, c in rows) + "</table>"


def _place(tag: str) -> str:
    return f"tag-{escape(tag.lower())}"
