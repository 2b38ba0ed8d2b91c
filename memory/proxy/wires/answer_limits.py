"""The fields of a chat completion that bound its answer and its price, so strictly that no server reads them otherwise.

Servers differ in what they make of `"64"`, `64.0`, two fields for one limit, a field twice, or a name in capitals. Such
a body is refused, or counts at the most that any server makes of it.
"""

from collections.abc import Mapping
from typing import Any

from memory.text.errors import InvalidRequest

LIMITS = ("max_completion_tokens", "max_tokens")
# Other servers' names, which bound nothing where a server does not know them.
OTHER_LIMITS = ("max_output_tokens", "max_new_tokens", "n_predict", "num_predict", "min_tokens")
CHOICES = ("n", "best_of")
STREAM, STREAM_OPTIONS = "stream", "stream_options"
TIER = "service_tier"
# Tiers that cost what the operator's price of the model says, or less.
_PLAIN_TIERS = ("auto", "default", "standard", "standard_only", "flex")
# By these a server answers with other models or from other providers than the one that is named, searches or runs
# something at a price of its own, or answers in tokens that cost more than those of text.
_SURCHARGED = (
    *("models", "fallbacks", "route", "preset", "provider"),
    *("web_search_options", "web_search", "search_parameters", "search_options", "search_settings", "enable_search"),
    *("plugins", "compound_custom", "speed", "audio"),
)
MOST_TOKENS = 10_000_000
MOST_CHOICES = 128

_READ = frozenset(
    {
        *("model", "messages", "prediction", "modalities", "tools", STREAM, STREAM_OPTIONS, TIER),
        *(*LIMITS, *OTHER_LIMITS, *CHOICES, *_SURCHARGED),
    }
)


def check_name(name: str, before: Mapping[str, Any]) -> None:
    """Check a field's name; some servers read names in any case.

    Args:
        name: The name.
        before: The fields before it.

    Raises:
        InvalidRequest: It stands twice, or differs from a name that is read by case alone.
    """
    if name in before:
        raise InvalidRequest(
            f"The body has the field `{name}` twice." if name in _READ else "The body has a field twice."
        )
    folded = name.casefold()
    if folded != name and folded in _READ:
        raise InvalidRequest(f"The body has the field `{folded}` in another case: write it in small letters.")


def check(fields: Mapping[str, Any]) -> None:
    """Check the fields that bound an answer.

    Raises:
        InvalidRequest: A field has a value that servers read differently; the text says which, and what to send.
    """
    for names, least, most in ((LIMITS + OTHER_LIMITS, -1, MOST_TOKENS), (CHOICES, 1, MOST_CHOICES)):
        for name in names:
            value = fields.get(name)
            if value is not None and (type(value) is not int or not least <= value <= most):
                raise InvalidRequest(f"The field `{name}` must be a whole number from {least} to {most}.")
    if not isinstance(fields.get(STREAM), bool | None):
        raise InvalidRequest("The field `stream` must be true or false.")
    if not isinstance(fields.get(STREAM_OPTIONS), dict | None):
        raise InvalidRequest("The field `stream_options` must be an object.")


def surcharge(fields: Mapping[str, Any]) -> str | None:
    """Return the name of a field by which a request may cost more than its model's price says; None: it has none."""
    if fields.get(TIER) not in (None, *_PLAIN_TIERS):
        return TIER
    if fields.get("modalities") not in (None, [], ["text"]):
        return "modalities"
    tools = fields.get("tools")
    if tools and not (isinstance(tools, list) and all(_is_client_s(tool) for tool in tools)):
        return "tools"
    return next((name for name in _SURCHARGED if fields.get(name) not in (None, [], "", False)), None)


def _is_client_s(tool: Any) -> bool:
    """Whether the client runs a tool itself: tools of servers, such as a search, have a price of their own."""
    return isinstance(tool, dict) and tool.get("type", "function") in ("function", "custom")


def choices(fields: Mapping[str, Any]) -> int:
    """Return how many answers a request has made at the most."""
    return max(fields.get(name) or 1 for name in CHOICES)


def limit(fields: Mapping[str, Any]) -> int | None:
    """Return the most tokens of one answer, whichever field a server reads; None if it may read none."""
    given = [value for name in LIMITS if (value := fields.get(name)) is not None]
    if not given or min(given) < 1:
        return None
    highest: int = max(*given, *(fields.get(name) or 0 for name in OTHER_LIMITS))
    return highest


def limited(fields: Mapping[str, Any], name: str, tokens: int) -> dict[str, int]:
    """Return the fields to set so that an answer without a limit has one.

    Args:
        fields: The body's.
        name: The field in which the server reads a limit.
        tokens: The limit.
    """
    given = [each for each in LIMITS if fields.get(each) is not None] or [name]
    # One that means no limit, or a server's own.
    return {each: tokens for each in given if (fields.get(each) or 0) < 1} | {
        each: tokens for each in OTHER_LIMITS if (fields.get(each) or 0) > tokens
    }
