"""Arguments as models write them: empty text for nothing, a word for a list, numbers in quotes, bare dates."""

import re
from datetime import date, datetime, time, timedelta
from typing import Annotated, Any
from zoneinfo import ZoneInfo

from pydantic import BeforeValidator

from schemas.intake.inputs import Emotion

_NOTHING = frozenset({"", "null", "none", "undefined"})
_DATE = re.compile(r"\s*(\d{4}-\d{2}-\d{2})\s*")
_DAY = timedelta(days=1)


def _is_nothing(value: Any) -> bool:
    return isinstance(value, str) and value.strip().lower() in _NOTHING


def or_default(default: Any) -> BeforeValidator:
    """Return what reads null and empty text as the default of a number, a choice or a switch."""
    return BeforeValidator(lambda value: default if value is None or _is_nothing(value) else value)


def _blank_is_none(value: Any) -> Any:
    return None if isinstance(value, str) and not value.strip() else value


def _list(value: Any) -> Any:
    if _is_nothing(value):
        return None
    return [value] if isinstance(value, str) else value


def _moment(value: Any) -> Any:
    if _is_nothing(value):
        return None
    if isinstance(value, str) and (bare := _DATE.fullmatch(value)):
        return date.fromisoformat(bare[1])
    return value


def _numbers(value: Any) -> Any:
    if _is_nothing(value):
        return None
    if not isinstance(value, dict):
        return value
    return {name: _number(part) for name, part in value.items()}


def _number(value: Any) -> Any:
    try:
        return float(value) if isinstance(value, str) else value
    except ValueError:
        return value


OptionalText = Annotated[str | None, BeforeValidator(_blank_is_none)]
"""Text; empty text counts as absent."""

OptionalWord = Annotated[str | None, BeforeValidator(lambda value: None if _is_nothing(value) else value)]
"""A name or an id; empty text and `null` count as absent."""

Texts = Annotated[list[str], BeforeValidator(lambda value: _list(value) or [])]
"""A list of texts, or one text."""

OptionalTexts = Annotated[list[str] | None, BeforeValidator(_list)]
"""A list of texts, or one text; empty text counts as absent."""

AsList = BeforeValidator(_list)
"""Reads one word as a list of it, and empty text as absent."""

OptionalMoment = Annotated[datetime | date | None, BeforeValidator(_moment)]
"""A time, or a date alone; `moment_of` tells which time that is."""

OptionalEmotion = Annotated[Emotion | None, BeforeValidator(_numbers)]
"""The six numbers, which may be written as text."""


def moment_of(told: datetime | date | None, zone: ZoneInfo, *, end: bool = False) -> datetime | None:
    """Return the time that is meant.

    Args:
        told: A time; without an offset it is the user's. Or a date: its beginning.
        zone: The user's time zone.
        end: Whether a date means its end.
    """
    if told is None:
        return None
    if isinstance(told, datetime):
        return told if told.tzinfo else told.replace(tzinfo=zone)
    return datetime.combine(told + _DAY if end else told, time.min, zone)
