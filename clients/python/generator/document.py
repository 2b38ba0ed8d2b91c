"""Reads from openapi.json the input of a client's generator: named object types, and operations with parameters."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DOCUMENT = Path(__file__).parents[3] / "openapi.json"
LINES = "application/x-ndjson"
# A client sends it with every POST by itself.
IDEMPOTENCY_KEY = "idempotency-key"


@dataclass(frozen=True)
class Field:
    """A property of a type, or a parameter or body of an operation."""

    name: str
    schema: Mapping[str, Any]
    required: bool
    description: str


@dataclass(frozen=True)
class ObjectType:
    """A JSON object with a name."""

    name: str
    description: str
    fields: list[Field]


@dataclass(frozen=True)
class Operation:
    """A method and path, with its parameters, body and answer.

    Attributes:
        media: The media type of the body; empty without a body.
        answer: The schema of the answer; None without a body.
        lines: Whether the answer is lines of JSON or other text.
    """

    name: str
    method: str
    path: str
    summary: str
    description: str
    in_path: list[Field]
    in_query: list[Field]
    in_header: list[Field]
    body: Mapping[str, Any] | None
    media: str
    answer: Mapping[str, Any] | None
    lines: bool


def read() -> dict[str, Any]:
    """Return the document of the repository.

    Raises:
        FileNotFoundError: These sources are in no clone of the repository.
    """
    document: dict[str, Any] = json.loads(DOCUMENT.read_text(encoding="utf-8"))
    return document


def type_name(reference: str) -> str:
    """Return the name of the type that a reference or a schema's name stands for."""
    return reference.rpartition("/")[2].replace("-", "")


def types(document: Mapping[str, Any]) -> Iterator[ObjectType]:
    """Yield the named types, each after the types that it refers to.

    Raises:
        ValueError: A schema is no object, or refers to itself: the generators know neither.
    """
    schemas = document["components"]["schemas"]
    waiting = dict(sorted(schemas.items()))
    while waiting:
        ready = [name for name, schema in waiting.items() if not references(schema) & waiting.keys()]
        if not ready:
            raise ValueError(f"these schemas refer to each other: {', '.join(waiting)}")
        for name in ready:
            schema = waiting.pop(name)
            if schema.get("type") != "object" or "properties" not in schema:
                raise ValueError(f"{name} is no object with properties, and the generators know nothing else by name")
            required = schema.get("required", ())
            fields = [
                Field(each, form, each in required, form.get("description", ""))
                for each, form in schema["properties"].items()
            ]
            yield ObjectType(type_name(name), schema.get("description", ""), fields)


def references(part: Any) -> set[str]:
    """Return the names of the schemas that a part of the document refers to."""
    match part:
        case {"$ref": str(reference)}:
            return {reference.rpartition("/")[2]}
        case dict():
            return set[str]().union(*map(references, part.values()))
        case list():
            return set[str]().union(*map(references, part))
    return set()


def operations(document: Mapping[str, Any]) -> Iterator[Operation]:
    """Yield the operations, in the document's order."""
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            sent = operation.get("requestBody", {}).get("content", {})
            media = next(iter(sent), "")
            answered = next(
                content
                for status, answer in operation["responses"].items()
                if status < "300"
                for content in [answer.get("content", {})]
            )
            json_answer = answered.get("application/json", {}).get("schema")
            fields = [
                (
                    each["in"],
                    Field(each["name"], each["schema"], each.get("required", False), each.get("description", "")),
                )
                for each in operation.get("parameters", ())
            ]
            yield Operation(
                operation["operationId"],
                method.upper(),
                path,
                operation["summary"],
                operation["description"],
                sorted(
                    (field for place, field in fields if place == "path"),
                    key=lambda field: path.index(f"{{{field.name}}}"),
                ),
                [field for place, field in fields if place == "query"],
                [field for place, field in fields if place == "header" and field.name != IDEMPOTENCY_KEY],
                sent[media]["schema"] if media else None,
                media,
                json_answer,
                lines=bool(answered) and json_answer is None,
            )


def variants(schema: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the alternatives of a schema: itself, if it has none."""
    found: list[Mapping[str, Any]] = schema.get("anyOf") or schema.get("oneOf") or [schema]
    return found
