"""Generates the TypeScript client's types and routes: `python -m clients.generate_typescript`."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from clients.document import CHECKOUT, Field, Operation, operations, read, type_name, types, variants

SOURCES = CHECKOUT / "clients" / "typescript" / "src"
HEAD = "// {}\n// Generated from openapi.json by `make docs`; do not edit.\n\n"
PLAIN: dict[object, str] = {
    "string": "string",
    "integer": "number",
    "number": "number",
    "boolean": "boolean",
    "null": "null",
}


def files() -> dict[Path, str]:
    """Return the generated files with their texts."""
    document = read()
    return {
        SOURCES / "types.ts": _types(document),
        SOURCES / "routes.ts": _routes(list(operations(document))),
    }


def hint(schema: Mapping[str, Any], module: str = "") -> str:
    """Return the type of a schema; named types are prefixed with `module`."""
    forms = variants(schema)
    if len(forms) > 1:
        return " | ".join(dict.fromkeys(hint(form, module) for form in forms))
    form = forms[0]
    if "$ref" in form:
        return module + type_name(form["$ref"])
    if "enum" in form or "const" in form:
        return " | ".join(json.dumps(value) for value in form.get("enum") or [form["const"]])
    match form.get("type"):
        case "array":
            inner = hint(form["items"], module) if "items" in form else "unknown"
            return f"({inner})[]" if "|" in inner else f"{inner}[]"
        case "object":
            inner = form.get("additionalProperties", True)
            return f"Record<string, {hint(inner, module) if isinstance(inner, dict) else 'unknown'}>"
        case name:
            return PLAIN.get(name, "unknown")


def _types(document: Mapping[str, Any]) -> str:
    parts = [HEAD.format("The JSON objects of the API. Times and ids are strings, as they are sent.")]
    for one in types(document):
        parts.append(f"{_comment(one.description, '')}export interface {one.name} {{\n")
        for field in one.fields:
            mark = "" if field.required else "?"
            parts.append(f"{_comment(field.description, '  ')}  {field.name}{mark}: {hint(field.schema)};\n")
        parts.append("}\n\n")
    return "".join(parts).rstrip() + "\n"


def _routes(listed: list[Operation]) -> str:
    return (
        HEAD.format("One method for each route.")
        + 'import { part, type Request } from "./requests.js";\nimport type * as types from "./types.js";\n\n'
        + "/** The routes of the API, by their operation ids. */\nexport abstract class Routes {\n"
        + "  /** Sends a request; resolves to the JSON of its answer. */\n"
        + "  abstract send(request: Request): Promise<unknown>;\n\n"
        + "  /** Sends a request; yields the lines of its answer. */\n"
        + "  abstract stream(request: Request): AsyncIterable<string>;\n\n"
        + "\n".join(map(_method, listed))
        + "}\n"
    )


def _method(it: Operation) -> str:
    arguments = [f"{camel(field.name)}: {hint(field.schema, 'types.')}" for field in it.in_path]
    if it.body is not None:
        arguments.append(f"body: {hint(it.body, 'types.') if it.media == 'application/json' else 'string'}")
    optional = it.in_query + it.in_header
    request = [f"method: {json.dumps(it.method)}", f"path: {_path(it)}"]
    if optional:
        named = " ".join(f"{_option(field)};" for field in optional)
        arguments.append(f"options: {{ {named} }} = {{}}")
    for kind, fields in (("query", it.in_query), ("headers", it.in_header)):
        if fields:
            pairs = ", ".join(f"{json.dumps(field.name)}: options.{camel(field.name)}" for field in fields)
            request.append(f"{kind}: {{ {pairs} }}")
    if it.body is not None:
        request.append("body")
        if it.media != "application/json":
            request.append(f"media: {json.dumps(it.media)}")
    call = f"{{ {', '.join(request)} }}"
    head = f"{_comment(f'{it.summary} {it.description}', '  ')}  {camel(it.name)}({', '.join(arguments)})"
    if it.lines:
        return f"{head}: AsyncIterable<string> {{\n    return this.stream({call});\n  }}\n"
    answer = hint(it.answer, "types.") if it.answer else "void"
    return f"{head}: Promise<{answer}> {{\n    return this.send({call}) as Promise<{answer}>;\n  }}\n"


def _option(field: Field) -> str:
    return f"{camel(field.name)}?: {hint(field.schema, 'types.')} | undefined"


def camel(name: str) -> str:
    """Return a method's or parameter's name, as `listKeptNotes` of `list_kept_notes`."""
    first, *rest = re.split(r"[_\W]+", name.removeprefix("X-"))
    return first[:1].lower() + first[1:] + "".join(each[:1].upper() + each[1:] for each in rest)


def _path(it: Operation) -> str:
    return "`" + re.sub(r"{(\w+)}", lambda found: f"${{part({camel(found[1])})}}", it.path) + "`"


def _comment(text: str, margin: str) -> str:
    return f"{margin}/** {' '.join(text.replace('*/', '* /').split())} */\n" if text else ""


if __name__ == "__main__":
    for path, text in files().items():
        path.write_text(text, encoding="utf-8")
