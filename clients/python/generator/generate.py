"""Generates the client's types and routes, and its synchronous half: `python -m generator.generate`.

It runs when the client is built, with the standard library alone.
"""

import keyword
import re
import textwrap
from collections.abc import Mapping
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from generator.document import Field, Operation, operations, read, type_name, types, variants

PACKAGE = Path(__file__).parents[1] / "memory_patrol"
HEAD = '"""{}\n\nGenerated from openapi.json when the client is built; do not edit.\n"""\n\n'
WIDTH = 120
# Differences between the asynchronous source and its synchronous twin.
TWINS = (
    (r"\basync (def|with|for)\b", r"\1"),
    (r"\bawait ", ""),
    (r"\bAsync(MemoryPatrol|Routes|Client|BaseTransport)\b", r"\1"),
    (r"\bAsyncIterator\b", "Iterator"),
    (r"\bAsyncIterable\b", "Iterable"),
    (r"\b__a(enter|exit|iter|next)__\b", r"__\1__"),
    (r"\baclose\b", "close"),
    (r"\baread\b", "read"),
    (r"\baiter_lines\b", "iter_lines"),
    (r"\basyncio\.sleep\b", "time.sleep"),
    (r"^import asyncio$", "import time"),
    (r"\bmemory_patrol\._async\b", "memory_patrol._sync"),
    (r"\basynchronous\b", "synchronous"),
    (r"\b(A|a)n synchronous\b", r"\1 synchronous"),
    (r"\bAwaitable\[(\w+)\]", r"\1"),
)
PLAIN: dict[object, str] = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}


def files() -> dict[Path, str]:
    """Return the generated files with their texts."""
    document = read()
    routes = _routes(list(operations(document)))
    client = (PACKAGE / "_async" / "client.py").read_text(encoding="utf-8")
    return {
        PACKAGE / "types.py": _types(document),
        PACKAGE / "_async" / "routes.py": routes,
        PACKAGE / "_sync" / "__init__.py": '"""The synchronous client, generated from the asynchronous one."""\n',
        PACKAGE / "_sync" / "routes.py": _twin(routes),
        PACKAGE / "_sync" / "client.py": _twin(client),
    }


def write() -> None:
    """Write the generated files, each as a whole: a process that imports one never reads half of it."""
    for path, text in files().items():
        path.parent.mkdir(exist_ok=True)
        with NamedTemporaryFile("w", encoding="utf-8", dir=path.parent, suffix=".new", delete=False) as new:
            new.write(text)
        Path(new.name).chmod(0o644)
        Path(new.name).replace(path)


def hint(schema: Mapping[str, Any], module: str = "") -> str:
    """Return the type hint of a schema; named types are prefixed with `module`."""
    forms = variants(schema)
    if len(forms) > 1:
        listed = " | ".join(dict.fromkeys(hint(form, module) for form in forms))
        return re.sub(r"(Literal\[[^]]*)\] \| Literal\[", r"\1, ", listed)
    form = forms[0]
    if "$ref" in form:
        return module + type_name(form["$ref"])
    if "enum" in form or "const" in form:
        return f"Literal[{', '.join(map(repr, form.get('enum') or [form['const']]))}]"
    match form.get("type"):
        case "array":
            return f"list[{hint(form['items'], module)}]" if "items" in form else "list[Any]"
        case "object":
            inner = next(iter(form.get("patternProperties", {}).values()), form.get("additionalProperties", True))
            return f"dict[str, {hint(inner, module) if isinstance(inner, dict) else 'Any'}]"
        case name:
            return PLAIN.get(name, "Any")


def _types(document: Mapping[str, Any]) -> str:
    parts = [
        HEAD.format("The JSON objects of the API. Times and ids are strings, as they are sent."),
        "from typing import Any, Literal, NotRequired, TypedDict\n\n\n",
    ]
    for one in types(document):
        words = [field for field in one.fields if keyword.iskeyword(field.name)]
        base = f"_{one.name}" if words else "TypedDict"
        if words:
            # A class can't have a field of such a name.
            listed = ", ".join(f'"{field.name}": {_form(field, quoted=True)}' for field in words)
            parts.append(f'{base} = TypedDict("{base}", {{{listed}}})\n\n\n')
        parts.append(f"class {one.name}({base}):\n    {_docstring(one.description or one.name, 4)}\n")
        for field in one.fields:
            if field in words:
                continue
            if not field.name.isidentifier():
                raise ValueError(f"{one.name}.{field.name} is no name in Python")
            parts.append(f"    {field.name}: {_form(field)}\n")
            parts.append(f"    {_docstring(field.description, 4)}\n" if field.description else "")
        parts.append("\n\n")
    return "".join(parts).rstrip() + "\n"


def _form(field: Field, *, quoted: bool = False) -> str:
    form = f'"{hint(field.schema)}"' if quoted else hint(field.schema)
    return form if field.required else f"NotRequired[{form}]"


def _routes(listed: list[Operation]) -> str:
    return (
        HEAD.format("One asynchronous method for each route.")
        + "from collections.abc import AsyncIterator, Mapping, Sequence\nfrom typing import Any, Literal\n\n"
        + "from memory_patrol import types\nfrom memory_patrol._requests import Request, part\n\n\n"
        + "class AsyncRoutes:\n"
        + '    """The routes of the API, by their operation ids."""\n\n'
        + "    async def send(self, request: Request) -> Any:\n"
        + '        """Send a request; returns the JSON of its answer."""\n        raise NotImplementedError\n\n'
        + "    def stream(self, request: Request) -> AsyncIterator[str]:\n"
        + '        """Send a request; returns the lines of its answer."""\n        raise NotImplementedError\n\n'
        + "\n".join(map(_method, listed))
    )


def _method(it: Operation) -> str:
    arguments = [f"{_name(field)}: {hint(field.schema, 'types.')}" for field in it.in_path]
    if it.body is not None:
        arguments.append(f"body: {_sent(it)}")
    optional = it.in_query + it.in_header
    arguments += ["*", *(_argument(field) for field in optional)] if optional else []
    answer = "Iterator[str]" if it.lines else hint(it.answer, "types.") if it.answer else "None"
    request = [repr(it.method), _path(it)]
    if it.in_query:
        request.append("query={" + ", ".join(f"{f.name!r}: {_name(f)}" for f in it.in_query) + "}")
    if it.in_header:
        request.append("headers={" + ", ".join(f"{f.name!r}: {_name(f)}" for f in it.in_header) + "}")
    if it.body is not None:
        request.append("body=body" + (f", media={it.media!r}" if it.media != "application/json" else ""))
    head, answer = ("def", f"Async{answer}") if it.lines else ("async def", answer)
    called, end = ("return self.stream(", "") if it.lines else ("await self.send(", "")
    if not it.lines and it.answer is not None:
        called, end = f"answer: {answer} = {called}", "        return answer\n"
    signature = _listed(f"    {head} {it.name}(", ["self", *arguments], f") -> {answer}:\n")
    text = _docstring(f"{it.summary}\n\n{it.description}".strip(), 8)
    call = _listed(f"        {called}Request(", request, "))\n")
    return f"{signature}        {text}\n{call}{end}"


def _listed(head: str, items: list[str], tail: str) -> str:
    """Return a bracketed list on one line, or with a line for each item where one would be too long."""
    line = f"{head}{', '.join(items)}{tail}"
    margin = " " * (len(head) - len(head.lstrip()))
    each = "".join(f"{margin}    {item},\n" for item in items)
    return line if len(line) <= WIDTH else f"{head}\n{each}{margin}{tail}"


def _sent(it: Operation) -> str:
    if it.media != "application/json":
        return "bytes"
    # A caller's list of one kind of note is no list of any note, but it is a sequence.
    return hint(it.body or {}, "types.").replace("list[", "Sequence[").replace("dict[", "Mapping[")


def _name(field: Field) -> str:
    name = re.sub(r"\W", "_", field.name).lower().removeprefix("x_")
    return f"{name}_" if keyword.iskeyword(name) else name


def _argument(field: Field) -> str:
    form = hint(field.schema, "types.")
    optional = form if form.endswith("| None") or form == "None" else f"{form} | None"
    return f"{_name(field)}: {form}" if field.required else f"{_name(field)}: {optional} = None"


def _path(it: Operation) -> str:
    filled = re.sub(r"{(\w+)}", r"{part(\1)}", it.path)
    return f"f{filled!r}" if filled != it.path else repr(it.path)


def _docstring(text: str, indent: int) -> str:
    """Return a docstring, its paragraphs wrapped and indented."""
    margin, room = " " * indent, 112 - indent
    plain = text.replace("\\", "\\\\").replace('"""', "'''")
    paragraphs = [textwrap.fill(" ".join(each.split()), room) for each in plain.split("\n\n")]
    body = textwrap.indent("\n\n".join(paragraphs), margin).strip()
    return f'"""{body}"""' if "\n" not in body else f'"""{body}\n{margin}"""'


def _twin(source: str) -> str:
    for pattern, replacement in TWINS:
        source = re.sub(pattern, replacement, source, flags=re.MULTILINE)
    return source


if __name__ == "__main__":
    write()
