"""What is wrong with an input, said to whoever sent it: the place and the rule, never the value."""

from pydantic import ValidationError

# Union tags that pydantic puts into a place's name, and that the sender never wrote.
_TAGS = {"scene", "text", "todo", "reminder", "knowledge", "WhenEntry"}
_STRINGS = ("function-", "constrained-str")


def complaints(error: ValidationError) -> list[str]:
    """One line for each fault: `content.action: Field required`."""
    seen = dict.fromkeys(
        f"{place}: {fault['msg']}" if (place := place_of(fault["loc"])) else fault["msg"]
        for fault in error.errors(include_url=False, include_input=False, include_context=False)
    )
    return list(seen)


def place_of(path: tuple[int | str, ...]) -> str:
    """A place as its sender would write it: `content.when[2]`."""
    place = ""
    for part in path:
        if isinstance(part, int):
            place += f"[{part}]"
        elif part not in _TAGS and not part.startswith(_STRINGS):
            place += f".{part}" if place else part
    return place
