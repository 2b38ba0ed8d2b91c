"""Turns pydantic's errors into messages for the sender: field and rule, never the value; bounded in size."""

from collections.abc import Iterable
from itertools import islice
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

NOT_BLANK = r"\S"
"""The pattern of texts that say something."""

MOST_MESSAGES = 20
MOST_MESSAGE_CHARACTERS = 300
MOST_PLACE_CHARACTERS = 120

# Union tags that pydantic adds to an error's location, and that are not in the sender's document.
_TAGS = {"scene", "todo", "reminder", "knowledge", "WhenEntry", "str"}
# The one tag that is also the name of a field; the field before it distinguishes the two.
_TEXT_OF_A_SCENE = ("content", "text")
_MOMENT = "2026-03-02T06:10:00+01:00"
_OBJECT = "Input should be a valid dictionary (a JSON object)"
_RULES = {
    "timezone_aware": f"Needs an offset from UTC, as in {_MOMENT}",
    **dict.fromkeys(("model_type", "model_attributes_type", "dict_type"), _OBJECT),
}
_STRINGS = ("function-", "constrained-str")


def validation_messages(error: ValidationError) -> list[str]:
    """Return one line for each error, such as `content.action: Field required`; after 20 lines, how many more."""
    faults = error.errors(include_url=False, include_input=False)
    return bounded(dict.fromkeys(map(_message, faults[:MOST_MESSAGES])), len(faults) - MOST_MESSAGES)


def bounded(lines: Iterable[str], unseen: int = 0) -> list[str]:
    """Return the first 20 messages, each of at most 300 characters, and a line with the number of the others.

    Args:
        lines: The messages; they are counted to the end.
        unseen: How many further messages there are beside `lines`; a number below 1 counts as none.
    """
    rest = iter(lines)
    shown = [shortened(line) for line in islice(rest, MOST_MESSAGES)]
    more = sum(1 for _ in rest) + max(unseen, 0)
    return [*shown, f"and {more} more"] if more else shown


def shortened(line: str, most: int = MOST_MESSAGE_CHARACTERS) -> str:
    """Return a line of at most `most` characters, ending in an ellipsis if it was cut."""
    return line if len(line) <= most else line[: most - 1] + "…"


def place_of(path: tuple[int | str, ...]) -> str:
    """Return an error's location as in `content.when[2]`, cut after 120 characters."""
    place = ""
    for before, part in zip(("", *path), path, strict=False):
        if isinstance(part, int):
            place += f"[{part}]"
        elif part not in _TAGS and (before, part) != _TEXT_OF_A_SCENE and not part.startswith(_STRINGS):
            place += f".{part}" if place else part
    return shortened(place, MOST_PLACE_CHARACTERS)


def _message(fault: ErrorDetails) -> str:
    place = place_of(fault["loc"])
    return f"{place}: {rule_of(fault)}" if place else rule_of(fault)


def rule_of(fault: ErrorDetails | dict[str, Any]) -> str:
    """Return pydantic's text of the rule, or one that names the remedy, repeats no value, and names no class."""
    context, text = fault.get("ctx", {}), str(_RULES.get(fault["type"], fault["msg"]))
    match fault["type"]:
        case "union_tag_invalid":
            text = f"{str(context['discriminator']).strip(chr(39))} must be one of {context['expected_tags']}"
        case "union_tag_not_found":
            text = f"{str(context['discriminator']).strip(chr(39))}: Field required"
        case "string_pattern_mismatch" if context["pattern"] == NOT_BLANK:
            text = "Must not be blank"
        case "datetime_parsing" | "datetime_from_date_parsing" | "datetime_type":
            text += f"; write it as {_MOMENT}"
    return text
