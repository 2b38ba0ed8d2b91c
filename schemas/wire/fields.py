"""Field types of external inputs, and the strict base of their models."""

from datetime import UTC, datetime
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field

from schemas.limits import DEFAULT_IMPORTANCE, EARLIEST_YEAR, LATEST_YEAR, PRODUCER_ID_CHARACTERS
from schemas.text.validation_messages import NOT_BLANK

T = TypeVar("T")

Role = Literal["user", "assistant", "other"]
"""The one who says a message."""


def _in_utc(moment: datetime) -> datetime:
    try:
        in_utc = moment.astimezone(UTC)
    except OverflowError:
        in_utc = None
    if in_utc is None or not EARLIEST_YEAR <= in_utc.year <= LATEST_YEAR:
        raise ValueError(f"must be within the years {EARLIEST_YEAR} to {LATEST_YEAR}")
    return in_utc


Moment = Annotated[AwareDatetime, Field(strict=False), AfterValidator(_in_utc)]
"""A point in time with its offset from UTC; stored in UTC."""


class Wire(BaseModel):
    """Base of external inputs: strict types, no unknown fields, no infinite numbers."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False, hide_input_in_errors=True)


Words = Annotated[str, Field(min_length=1, pattern=NOT_BLANK)]
Degree = Annotated[float, Field(ge=-1, le=1)]
_Id = Annotated[str, Field(min_length=1, max_length=PRODUCER_ID_CHARACTERS)]
ProducerId = Annotated[
    _Id,
    BeforeValidator(
        lambda value: str(value) if isinstance(value, int) and not isinstance(value, bool) else value,
        json_schema_input_type=_Id,
    ),
]
"""An id that a producer gives; one that is a number is read as its digits."""
Conversation = ProducerId
"""A producer's id of a chat or tab."""


def _is_blank(value: Any) -> bool:
    return isinstance(value, str) and not value.strip()


def without_blanks(values: list[T]) -> list[T]:
    """Return the values that are not blank text."""
    return [value for value in values if not _is_blank(value)]


# Producers are often models, which write null or "" for fields they leave out (the seed's `scene.importance ?? 0.5`).
OptionalWords = Annotated[str | None, AfterValidator(lambda value: None if _is_blank(value) else value)]
WordList = Annotated[list[str], AfterValidator(without_blanks)]
OptionalWordList = Annotated[
    WordList, BeforeValidator(lambda value: [] if value is None else value, json_schema_input_type=WordList | None)
]
Importance = Annotated[
    float,
    BeforeValidator(lambda value: DEFAULT_IMPORTANCE if value is None else value, json_schema_input_type=float | None),
    AfterValidator(lambda value: min(1.0, max(0.0, value))),
]

MARK = "off_the_record"
"""Marks a note or a message that is never stored."""
_NO = frozenset({"", "0", "0.0", "false", "f", "no", "n", "n/a", "-", "off", "never", "none", "null", "undefined"})


def says_no(value: Any) -> bool:
    """Whether the value of a mark, as programs and templates write it, means no, or is empty."""
    return value in ([], {}) or (isinstance(value, str | int | float | None) and str(value).strip().casefold() in _NO)


def is_marked(sent: Any) -> bool:
    """Return whether something that was sent, of any shape, or a part of it is marked as off the record."""
    parts = [sent]
    while parts:
        part = parts.pop()
        if isinstance(part, dict):
            if not says_no(part.get(MARK)):
                return True
            parts += part.values()
        elif isinstance(part, list | tuple):
            parts += part
    return False
