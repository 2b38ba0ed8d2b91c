"""Floating-point numbers as JSON answers show them: without the noise of binary arithmetic.

0.12 + 0.05 is 0.16999999999999998 in binary. Answers show nine significant digits, 0.17; stored values, exports and
the values of producers keep all digits.
"""

from typing import Annotated, Any

from pydantic import PlainSerializer

DIGITS = 9


def rounded(value: Any) -> Any:
    """The value with every float in it, however deep in lists and dictionaries, rounded to nine significant digits."""
    match value:
        case float():
            return float(f"{value:.{DIGITS}g}")
        case dict():
            return {name: rounded(part) for name, part in value.items()}
        case list():
            return [rounded(part) for part in value]
        case _:
            return value


Number = Annotated[float, PlainSerializer(rounded, return_type=float, when_used="json")]
"""A number of an answer."""

Report = Annotated[dict[str, Any], PlainSerializer(rounded, when_used="json")]
"""A dictionary that this system wrote, which may hold numbers."""

Reports = Annotated[dict[str, dict[str, Any]], PlainSerializer(rounded, when_used="json")]
"""Such dictionaries by name."""
