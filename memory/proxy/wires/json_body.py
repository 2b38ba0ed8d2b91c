"""A request's JSON: read, and changed at single places without writing the rest anew.

A body may carry megabytes of images, and fields that this program does not know. So it is not parsed and serialised
again: single values are replaced in the text as the client sent it.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memory.text.errors import InvalidRequest
from memory.text.json_spans import elements, next_token

_DECODER = json.JSONDecoder()
# The data of pictures does not count as text, since each picture counts as media; other data of a part may be text.
_PICTURE = "data:image/"

# A request says by it that it is off the record; it is the proxy's own, and no upstream knows it.
OFF_THE_RECORD = "off_the_record"

Span = tuple[int, int]
Change = tuple[Span, str]


@dataclass(frozen=True)
class JsonBody:
    """A JSON object.

    Attributes:
        text: The JSON as the client sent it.
        fields: Its parsed value.
        spans: The place of each field's value in the text.
        mark: The place of the field by which the request is off the record, with a comma; None without it.
    """

    text: str
    fields: dict[str, Any]
    spans: dict[str, Span]
    mark: Span | None = None

    @property
    def model(self) -> str:
        """The model, as the client names it."""
        return str(self.fields["model"])

    def bytes_of(self, name: str) -> int:
        """Return the size of a field's JSON in UTF-8; 0 without the field."""
        begins, ends = self.spans.get(name, (0, 0))
        return len(self.text[begins:ends].encode("utf-8", "surrogatepass"))

    def element(self, name: str, number: int) -> Span:
        """Return where an element of the list in a field stands."""
        place = next_token(self.text, self.spans[name][0] + 1)
        for _ in range(number):
            _, end = _DECODER.raw_decode(self.text, place)
            place = next_token(self.text, next_token(self.text, end) + 1)
        return place, _DECODER.raw_decode(self.text, place)[1]

    def with_fields(self, fields: Mapping[str, Any]) -> list[Change]:
        """Return the changes that set fields, each in its place, new ones first."""
        changes = [(self.spans[name], json.dumps(value)) for name, value in fields.items() if name in self.spans]
        if added := {name: value for name, value in fields.items() if name not in self.spans}:
            start = self.text.index("{") + 1
            comma = "," if self.fields else ""
            changes.append(((start, start), json.dumps(added)[1:-1] + comma))
        return changes

    def written(self, changes: Sequence[Change]) -> bytes:
        """Return the body without the mark, with changes made in it; none overlap."""
        text = self.text
        marked: list[Change] = [(self.mark, "")] if self.mark else []
        for (start, end), new in sorted([*changes, *marked], reverse=True):
            text = text[:start] + new + text[end:]
        # A half of a character that the client encoded alone passes as it came.
        return text.encode(errors="surrogatepass")


def read_body(text: str, check_name: Callable[[str, Mapping[str, Any]], None]) -> JsonBody:
    """Read a body.

    Args:
        text: The JSON.
        check_name: Called with each field's name and the fields before it.

    Raises:
        InvalidRequest: It is no object, names no model, `check_name` refuses a field, or the mark is no mark.
        ValueError: It is not JSON.
        RecursionError: It is nested too deeply.
    """
    fields: dict[str, Any] = {}
    spans: dict[str, Span] = {}
    start = next_token(text, 0)
    if not text.startswith("{", start):
        _DECODER.decode(text)
        raise InvalidRequest("The body must be a JSON object.")
    mark: Span | None = None
    for (name, value, begins), at, ends in elements(text, start + 1, "}", lambda place: _member(text, place)):
        check_name(name, fields)
        fields[name], spans[name] = value, (begins, ends)
        if name == OFF_THE_RECORD:
            mark = _with_comma(text, at, ends)
    if not isinstance(fields.get("model"), str) or not fields["model"]:
        raise InvalidRequest("The field `model` is missing: name a model.")
    if not isinstance(fields.get(OFF_THE_RECORD), bool | None):
        raise InvalidRequest(f"The field `{OFF_THE_RECORD}` must be true or false.")
    return JsonBody(text, fields, spans, mark)


def _with_comma(text: str, at: int, ends: int) -> Span:
    """Return where a member stands with the comma behind it or, of the last one, the comma before it."""
    behind = next_token(text, ends)
    if text.startswith(",", behind):
        return at, behind + 1
    before = len(text[:at].rstrip())
    return (before - 1 if text.endswith(",", 0, before) else at), ends


def messages_of(body: JsonBody, error: str) -> list[dict[str, Any]]:
    """Return a body's messages.

    Raises:
        InvalidRequest: They are no list of objects, or it is empty; the text is `error`.
    """
    messages = body.fields.get("messages")
    if not isinstance(messages, list) or not messages or not all(isinstance(each, dict) for each in messages):
        raise InvalidRequest(error)
    return messages


def prompt_bytes(body: JsonBody, media: Sequence[Mapping[str, Any]]) -> int:
    """Return the size of a body in UTF-8 without the data of pictures.

    Args:
        body: The body.
        media: Its parts that are no text.
    """
    pictures = sum(len(string) for part in media for string in _strings(part) if string.startswith(_PICTURE))
    return len(body.text.encode("utf-8", "surrogatepass")) - pictures


def _strings(part: Any) -> Iterator[str]:
    waiting = [part]
    while waiting:
        match waiting.pop():
            case str(string):
                yield string
            case dict() as inner:
                waiting.extend(inner.values())
            case list() as inner:
                waiting.extend(inner)


def _member(text: str, place: int) -> tuple[tuple[str, Any, int], int]:
    """Read a member of an object at a place; returns its name, its value and where that begins, and where it ends."""
    name, end = _DECODER.raw_decode(text, place)
    if not isinstance(name, str):
        raise json.JSONDecodeError("Expecting property name enclosed in double quotes", text, place)
    end = next_token(text, end)
    if not text.startswith(":", end):
        raise json.JSONDecodeError("Expecting ':' delimiter", text, end)
    start = next_token(text, end + 1)
    value, end = _DECODER.raw_decode(text, start)
    return (name, value, start), end
