"""What is wrong with an input, said to whoever sent it: the place and the rule, never the value."""

from pydantic import ValidationError
from pydantic_core import ErrorDetails

# Union tags that pydantic puts into a place's name, and that the sender never wrote.
_TAGS = {"scene", "todo", "reminder", "knowledge", "WhenEntry"}
# One that is a field's name elsewhere.
_TEXT_OF_A_SCENE = ("content", "text")
_STRINGS = ("function-", "constrained-str")


def complaints(error: ValidationError) -> list[str]:
    """One line for each fault: `content.action: Field required`."""
    seen = dict.fromkeys(
        f"{place}: {_rule(fault)}" if (place := place_of(fault["loc"])) else _rule(fault)
        for fault in error.errors(include_url=False, include_input=False)
    )
    return list(seen)


def _rule(fault: ErrorDetails) -> str:
    """The rule that was broken; pydantic's own words for an unknown tag would repeat the value."""
    if fault["type"] == "union_tag_invalid":
        context = fault["ctx"]
        return f"{str(context['discriminator']).strip(chr(39))} must be one of {context['expected_tags']}"
    return fault["msg"]


def place_of(path: tuple[int | str, ...]) -> str:
    """A place as its sender would write it: `content.when[2]`."""
    place = ""
    for before, part in zip(("", *path), path, strict=False):
        if isinstance(part, int):
            place += f"[{part}]"
        elif part not in _TAGS and (before, part) != _TEXT_OF_A_SCENE and not part.startswith(_STRINGS):
            place += f".{part}" if place else part
    return place
