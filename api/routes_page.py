"""Renders docs/api.md from the OpenAPI document: `python -m api.routes_page`."""

import re
import sys
from typing import Any, NamedTuple

from api.app import create_app
from schemas.settings import Settings

HEAD = """# The HTTP API

A **user** is one person, and a **Being** is one companion of that person. All Beings of a user know the facts about
the person. If your application serves many people, create one user for each (`POST /v1/users`, with an
operator's token), not one Being for each.

This page is generated from the OpenAPI 3.1 document at `GET /openapi.json` (which needs a token), where every body has
examples and every route its errors. `patrol token add` creates a token; send it as `Authorization: Bearer patrol_…`.
Every error is an RFC 9457 problem; its `detail` has the remedy. `{being}` is the id or the slug of a Being.

```
an operator's token ── POST /v1/users ──► user ── POST /v1/users/{user_id}/tokens ──► the user's token
                                           │
                     one person, with facts and keys
                                           │
                          POST /v1/beings ──► Being: a companion with memories, a diary and a vault
                                                │
                          POST …/messages ──► conversation: messages of one chat, in sessions
```

On the system's own machine `patrol user add` and `patrol being add` do the same. The second column is the method of the
Python [client](clients.md); the TypeScript method has the same name in `camelCase`.

**Required** are the fields that a body must have: `content.action` is the field `action` of `content`, and
`messages[].role` that of each item of `messages`. All other fields are optional, with the defaults in
`openapi.json`. A route without required fields takes an empty body, or none; a `PATCH` changes the given fields only.
"""
SCOPES = re.compile(r"Scopes? `(\w+)`(?: and `(\w+)`)?")


def page() -> str:
    """Return the page as Markdown."""
    document = create_app(Settings()).openapi()
    return HEAD + "".join(f"\n## {tag['name']}\n\n{_section(document, tag)}" for tag in document["tags"])


def _section(document: dict[str, Any], tag: dict[str, str]) -> str:
    rows = (
        f"| `{method.upper()} {path}` | `{operation['operationId']}` | {_scope(operation)} |"
        f" {_required(document, operation)} | {operation['summary']} |\n"
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
        if tag["name"] in operation["tags"]
    )
    return f"{tag['description']}\n\n| route | method | scope | required | |\n|---|---|---|---|---|\n" + "".join(rows)


def _required(document: dict[str, Any], operation: dict[str, Any]) -> str:
    """Return the fields that a body must have; where it may be of several types, for each of them."""
    contents = operation.get("requestBody", {}).get("content", {})
    needs = [need for content in contents.values() for need in _needs(document, content["schema"])]
    if len(needs) == 1:
        return _listed(needs[0].fields)
    return "; ".join(f"{need.type}: {_listed(need.fields)}" for need in needs if need.fields)


def _listed(fields: list[str]) -> str:
    return ", ".join(f"`{field}`" for field in fields)


class _RequiredFields(NamedTuple):
    """The fields that an object of one type must have; the type is empty where there is only one."""

    type: str
    fields: list[str]


def _needs(document: dict[str, Any], schema: dict[str, Any]) -> list[_RequiredFields]:
    """Return the required fields of each type of object that a schema allows, alone or in a list."""
    schema = _resolved(document, schema)
    if "items" in schema:
        return _needs(document, schema["items"])
    if alternatives := schema.get("oneOf") or schema.get("anyOf"):
        needs = [need for each in alternatives for need in _needs(document, each)]
        return [need for place, need in enumerate(needs) if need not in needs[:place]]
    properties = schema.get("properties", {})
    fields = [field for name in schema.get("required", ()) for field in _field(document, name, properties[name])]
    kind = properties.get("type", {}).get("const", "")
    return [_RequiredFields(kind, fields)] if properties else []


def _field(document: dict[str, Any], name: str, schema: dict[str, Any]) -> list[str]:
    """Return a required field: by its own required fields where it may be an object, or is a list of objects."""
    schema = _resolved(document, schema)
    listed = "items" in schema
    if listed and "properties" not in _resolved(document, schema["items"]):
        return [name]
    inner = _needs(document, schema)
    if len(inner) != 1 or not inner[0].fields:
        return [name]
    return [f"{name}{'[]' if listed else ''}.{field}" for field in inner[0].fields]


def _resolved(document: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema, or the one that it refers to."""
    name = schema.get("$ref", "").rpartition("/")[2]
    found: dict[str, Any] = document["components"]["schemas"][name] if name else schema
    return found


def _scope(operation: dict[str, Any]) -> str:
    if "An operator's token." in operation["description"]:
        return "operator"
    found = SCOPES.match(operation["description"])
    return ", ".join(filter(None, found.groups())) if found else "–"


if __name__ == "__main__":
    sys.stdout.write(page())
