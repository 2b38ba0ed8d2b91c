"""The JSON schema of an answer, reduced to the subset of JSON Schema that providers support in structured output.

Anthropic and OpenAI compile a schema into a grammar and support the same core: types, enums, closed objects with all
fields required, lists, unions, and references. They refuse or ignore other keywords; here those are written
into the description for the model to read, and pydantic validates them afterwards.
"""

import json
from typing import Any

from pydantic import BaseModel

Schema = dict[str, Any]

_derived: dict[type[BaseModel], Schema] = {}
_KEPT = ("type", "enum", "const", "$ref")
_SAID_ELSEWHERE = frozenset({"title", "description", "default", "required", "additionalProperties", "discriminator"})


def answer_schema(answer: type[BaseModel]) -> Schema:
    """Derive the schema of an answer, once for each class; its title is the class's name.

    Args:
        answer: The answer's class.

    Returns:
        The schema, which all callers share and none may change.

    Raises:
        TypeError: A field is a mapping with free keys, which no provider supports.
    """
    if answer not in _derived:
        _derived[answer] = _schema_of(answer)
    return _derived[answer]


def described(answer: type[BaseModel]) -> str:
    """Describe the schema of an answer in words to a model, as its server may not enforce it."""
    return (
        "Answer with one JSON object and nothing else. It follows this JSON schema:\n"
        f"{json.dumps(answer_schema(answer), ensure_ascii=False)}"
    )


def _schema_of(answer: type[BaseModel]) -> Schema:
    whole = answer.model_json_schema()
    definitions: Schema = whole.get("$defs", {})
    # Pydantic puts a recursive class among the definitions, but providers need an object at the root.
    root = definitions[answer.__name__] if "$ref" in whole else whole
    schema = {"title": root["title"], **_strict(root)}
    if definitions:
        schema["$defs"] = {name: _strict(definition) for name, definition in definitions.items()}
    return schema


def _strict(schema: Schema) -> Schema:
    strict = {key: schema[key] for key in _KEPT if key in schema}
    taken = {*_KEPT, "$defs"}
    for union in ("anyOf", "oneOf", "allOf"):
        if union in schema:
            strict["anyOf"] = [_strict(choice) for choice in schema[union]]
            taken.add(union)
    if "items" in schema:
        strict["items"] = _strict(schema["items"])
        taken.add("items")
    if schema.get("type") == "object":
        if "properties" not in schema and schema.get("additionalProperties") is not False:
            raise TypeError("A field has free keys, which structured output does not support: use a list of pairs.")
        strict["properties"] = {name: _strict(field) for name, field in schema.get("properties", {}).items()}
        strict["required"] = list(strict["properties"])
        strict["additionalProperties"] = False
        taken.add("properties")
    limits = [f"{key}: {value}" for key, value in schema.items() if key not in taken | _SAID_ELSEWHERE]
    if described := " ".join([*filter(None, [schema.get("description")]), *(f"({limit})" for limit in limits)]):
        strict["description"] = described
    if "$ref" in strict and len(strict) > 1:
        # Providers refuse a reference with siblings, but accept a union of one with a description.
        strict["anyOf"] = [{"$ref": strict.pop("$ref")}]
    return strict
