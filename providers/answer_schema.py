"""The JSON schema of an answer, within the part of JSON Schema that providers can hold a model to.

Both Anthropic and OpenAI compile a schema into a grammar, and take the same core of the language: types, enums,
objects whose fields are all named, required and closed, lists, unions, and references. Other keywords are refused or
ignored; here they become words in the description, for the model to read, and pydantic checks them afterwards.
"""

from typing import Any

from pydantic import BaseModel

Schema = dict[str, Any]

_KEPT = ("type", "enum", "const", "$ref")
_SAID_ELSEWHERE = frozenset({"title", "description", "default", "required", "additionalProperties", "discriminator"})


def answer_schema(answer: type[BaseModel]) -> Schema:
    """Derive the schema of an answer; its title is the model's name.

    Args:
        answer: The form of the answer.

    Raises:
        TypeError: A field is a mapping with free keys, which no provider can hold a model to.
    """
    whole = answer.model_json_schema()
    definitions: Schema = whole.get("$defs", {})
    # A form that refers to itself stands among the definitions, but providers want an object at the root.
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
            raise TypeError("The answer has a field with free keys; a list of pairs can be held to a form.")
        strict["properties"] = {name: _strict(field) for name, field in schema.get("properties", {}).items()}
        strict["required"] = list(strict["properties"])
        strict["additionalProperties"] = False
        taken.add("properties")
    limits = [f"{key}: {value}" for key, value in schema.items() if key not in taken | _SAID_ELSEWHERE]
    if described := " ".join([*filter(None, [schema.get("description")]), *(f"({limit})" for limit in limits)]):
        strict["description"] = described
    if "$ref" in strict and len(strict) > 1:
        # A reference stands alone, or it is not taken; a union of one may have words beside it.
        strict["anyOf"] = [{"$ref": strict.pop("$ref")}]
    return strict
