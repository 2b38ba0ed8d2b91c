"""The fields of a request that bound its answer and its price, so strictly that no server reads them otherwise.

Servers differ in their reading of `"64"`, `64.0`, two fields for one limit, a field twice, or a name in capitals. Such
a body is refused, or counts at the highest reading of any server.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from memory.proxy.wires.json_body import OFF_THE_RECORD
from memory.text.errors import InvalidRequest

# Names of limits in any wire or server, which bound nothing where a server does not know them.
_LIMITS = (
    *("max_completion_tokens", "max_tokens", "max_output_tokens", "max_tokens_to_sample"),
    *("max_new_tokens", "n_predict", "num_predict", "min_tokens"),
)
CHOICES = ("n", "best_of")
STREAM, STREAM_OPTIONS = "stream", "stream_options"
TIER = "service_tier"
_COMMON = ("model", "tools", STREAM, STREAM_OPTIONS, TIER)
# Tiers that cost at most the operator's price of the model.
_PLAIN_TIERS = ("auto", "default", "standard", "standard_only", "flex")
MOST_TOKENS = 10_000_000
MOST_CHOICES = 128


@dataclass(frozen=True)
class AnswerLimits:
    """The fields of one wire.

    Attributes:
        limits: The names in which its servers read the most tokens of an answer.
        surcharged: By these a server answers with other models or from other providers than the one that is named,
            reads content that the request does not hold, searches or runs something at its own price, or answers in
            tokens that cost more than those of text.
        client_tools: The types of tools that the client runs itself; others, such as a search, have a price.
        read: Further names that a server reads, and that a body has once.
    """

    limits: tuple[str, ...]
    surcharged: tuple[str, ...]
    client_tools: frozenset[str | None]
    read: tuple[str, ...]

    def check_name(self, name: str, before: Mapping[str, Any]) -> None:
        """Check a field's name; some servers read names in any case.

        Args:
            name: The name.
            before: The fields before it.

        Raises:
            InvalidRequest: It stands twice, or differs from a name that is read by case alone.
        """
        if name in before:
            raise InvalidRequest(
                f"The body has the field `{name}` twice." if name in self._all else "The body has a field twice."
            )
        folded = name.casefold()
        if folded != name and folded in self._all:
            raise InvalidRequest(f"The body has the field `{folded}` in another case: write it in small letters.")

    def check(self, fields: Mapping[str, Any]) -> None:
        """Check the fields that bound an answer.

        Raises:
            InvalidRequest: A field has a value that servers read differently; the text names it and the valid values.
        """
        for names, least, most in ((_LIMITS, -1, MOST_TOKENS), (CHOICES, 1, MOST_CHOICES)):
            for name in names:
                value = fields.get(name)
                if value is not None and (type(value) is not int or not least <= value <= most):
                    raise InvalidRequest(f"The field `{name}` must be a whole number from {least} to {most}.")
        if not isinstance(fields.get(STREAM), bool | None):
            raise InvalidRequest("The field `stream` must be true or false.")
        if not isinstance(fields.get(STREAM_OPTIONS), dict | None):
            raise InvalidRequest("The field `stream_options` must be an object.")

    def surcharge(self, fields: Mapping[str, Any]) -> str | None:
        """Return the name of a field by which a request may cost more than its model's price says; None without one."""
        if fields.get(TIER) not in (None, *_PLAIN_TIERS):
            return TIER
        if fields.get("modalities") not in (None, [], ["text"]):
            return "modalities"
        tools = fields.get("tools")
        if tools and not (isinstance(tools, list) and all(self._is_client_s(tool) for tool in tools)):
            return "tools"
        return next((name for name in self.surcharged if fields.get(name) not in (None, [], "", False)), None)

    def choices(self, fields: Mapping[str, Any]) -> int:
        """Return how many answers a request has made at the most."""
        return max(fields.get(name) or 1 for name in CHOICES)

    def limit(self, fields: Mapping[str, Any]) -> int | None:
        """Return the most tokens of one answer by any field that a server may read; None if it may read none."""
        given = [value for name in self.limits if (value := fields.get(name)) is not None]
        if not given or min(given) < 1:
            return None
        highest: int = max(*given, *(fields.get(name) or 0 for name in _LIMITS))
        return highest

    def limited(self, fields: Mapping[str, Any], name: str, tokens: int) -> dict[str, int]:
        """Return the fields to set so that an answer without a limit has one.

        Args:
            fields: The body's.
            name: The field in which the server reads a limit.
            tokens: The limit.
        """
        given = [each for each in self.limits if fields.get(each) is not None] or [name]
        # One that means no limit, or a server's own.
        return {each: tokens for each in given if (fields.get(each) or 0) < 1} | {
            each: tokens for each in _LIMITS if each not in self.limits and (fields.get(each) or 0) > tokens
        }

    @cached_property
    def _all(self) -> frozenset[str]:
        return frozenset({OFF_THE_RECORD, *_COMMON, *_LIMITS, *CHOICES, *self.surcharged, *self.read})

    def _is_client_s(self, tool: Any) -> bool:
        return isinstance(tool, dict) and tool.get("type") in self.client_tools
