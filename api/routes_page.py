"""Renders docs/api.md from the OpenAPI document: `python -m api.routes_page`."""

import re
import sys
from typing import Any

from api.app import create_app
from schemas.settings import Settings

HEAD = """# The HTTP API

A **user** is one person, and a **Being** is one companion of that person: what is learnt about the person is known to
all of that user's Beings. If your application serves many people, create one user for each (`POST /v1/users`, with an
operator's token), not one Being for each.

This page is generated from the OpenAPI 3.1 document at `GET /openapi.json` (which needs a token), where every body has
examples and every route its errors. `patrol token add` creates a token; send it as `Authorization: Bearer patrol_…`.
Every error is an RFC 9457 problem whose `detail` says what to do. `{being}` is the id or the slug of a Being.

```
an operator's token ── POST /v1/users ──► user ── POST /v1/users/{user_id}/tokens ──► the user's token
                                           │
                     one person, with one's facts and keys
                                           │
                          POST /v1/beings ──► Being: a companion with memories, a diary and a vault
                                                │
                          POST …/messages ──► conversation: messages of one chat, in sessions
```

On one's own machine `patrol user add` and `patrol being add` do the same. Beside each route stands the method of the
[clients](clients.md) in Python; that in TypeScript has the same name as `camelCase`.
"""
SCOPES = re.compile(r"Scopes? `(\w+)`(?: and `(\w+)`)?")


def page() -> str:
    """Return the page as Markdown."""
    document = create_app(Settings()).openapi()
    return HEAD + "".join(f"\n## {tag['name']}\n\n{_section(document, tag)}" for tag in document["tags"])


def _section(document: dict[str, Any], tag: dict[str, str]) -> str:
    rows = (
        f"| `{method.upper()} {path}` | `{operation['operationId']}` | {_scope(operation)} | {operation['summary']} |\n"
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
        if tag["name"] in operation["tags"]
    )
    return f"{tag['description']}\n\n| route | method | scope | |\n|---|---|---|---|\n" + "".join(rows)


def _scope(operation: dict[str, Any]) -> str:
    if "An operator's token." in operation["description"]:
        return "operator"
    found = SCOPES.match(operation["description"])
    return ", ".join(filter(None, found.groups())) if found else "–"


if __name__ == "__main__":
    sys.stdout.write(page())
