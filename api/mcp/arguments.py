"""Arguments as models write them: empty text for nothing, a word for a list, numbers in quotes, bare dates, "Facts".

They are read by the JSON schema of the parameter; the operation's own type is checked afterwards.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from pydantic import TypeAdapter

from operations.declaration import Part
from providers.answers.answer_scalars import choice

Zone = Callable[[], ZoneInfo]

_NOTHING = frozenset({"", "null", "none", "undefined"})
_SWITCH = TypeAdapter(bool)
_DAY = timedelta(days=1)
_DATE = re.compile(r"\s*\d{4}-\d{2}-\d{2}\s*")
# A bare date stands for its beginning, and here for its end.
_ENDS = frozenset({"until"})


def read_arguments(given: Mapping[str, Any], parts: list[Part], zone: Zone) -> dict[str, Any]:
    """Return a model's arguments for some parameters, as JSON values of their types; empty ones are left out.

    Args:
        given: The arguments of the call.
        parts: The parameters that it may give.
        zone: Returns the user's time zone, in which a time without an offset is meant.

    Raises:
        ValidationError: A switch is neither on nor off.
    """
    read = {}
    for part in parts:
        value = given.get(part.name)
        if value is not None and (part.is_required or not is_nothing(value)):
            read[part.name] = _read(value, part.form, zone, end=part.name in _ENDS)
    return read


def is_nothing(value: Any) -> bool:
    """Return whether a model means no value by a value."""
    return value is None or (isinstance(value, str) and value.strip().lower() in _NOTHING)


def _read(value: Any, form: Mapping[str, Any], zone: Zone, *, end: bool = False) -> Any:
    kind = form.get("type", "string")
    if kind == "string":
        if form.get("format") == "date-time":
            return _moment(value, zone, end=end)
        return _text(value, form.get("enum", ()))
    if kind == "boolean":
        return _SWITCH.validate_python(value)
    found = _unquoted(value)
    if kind == "array":
        of = form.get("items", {})
        items = [] if is_nothing(value) else _items(found if isinstance(found, list) else value, of)
        return [_read(item, of, zone) for item in items]
    if kind == "object" and isinstance(found, dict):
        parts: Mapping[str, Any] = form.get("properties", {})
        return {name: _read(part, parts.get(name, {}), zone) for name, part in found.items()}
    is_whole = kind == "integer" and isinstance(found, float) and found.is_integer()
    return int(found) if is_whole else found


def _items(found: Any, form: Mapping[str, Any]) -> list[Any]:
    """Return the items of a list, or of a text in its place: a text may list words of an enumeration."""
    if isinstance(found, list):
        return found
    return re.split(r"[,;\s]+(?:(?:and|or)\s+)?", str(found).strip()) if "enum" in form else [found]


def _text(value: Any, words: Sequence[str]) -> Any:
    """Return a text, also of a number; of an enumeration's words the one that is meant."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return choice(words, value, must=False) if isinstance(value, str) and words else value


def _unquoted(value: Any) -> Any:
    """Return the JSON value in a text that holds a number, a list or an object; else return the value unchanged."""
    try:
        return json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        return value


def _moment(value: Any, zone: Zone, *, end: bool) -> Any:
    """Return the time that is meant by a text: without an offset it is the user's, and a bare date is its beginning.

    Args:
        value: A time or a date.
        zone: Returns the user's time zone.
        end: Whether a date means its end.
    """
    if not isinstance(value, str):
        return value
    try:
        if _DATE.fullmatch(value):
            day = date.fromisoformat(value.strip())
            return datetime.combine(day + _DAY if end else day, time.min, zone()).isoformat()
        moment = datetime.fromisoformat(value)
        return value if moment.tzinfo else moment.replace(tzinfo=zone()).isoformat()
    except (ValueError, OverflowError):
        return value
