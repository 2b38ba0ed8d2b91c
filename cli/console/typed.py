"""Validates command arguments by the models that all doors share."""

from typing import TypeVar

from pydantic import TypeAdapter, ValidationError
from typer import BadParameter

from schemas.text.validation_messages import validation_messages

T = TypeVar("T")


def read(form: type[T] | object, typed: object) -> T:
    """Validate a value from the command line as `form`.

    Raises:
        BadParameter: It is invalid; the message names the field.
    """
    try:
        value: T = TypeAdapter(form).validate_python(typed)  # type: ignore[arg-type]  # annotated types are no classes
    except ValidationError as error:
        raise BadParameter("; ".join(validation_messages(error))) from None
    return value
