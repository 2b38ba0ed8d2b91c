"""Reading what was typed as the models that the doors share."""

from typing import TypeVar

from pydantic import TypeAdapter, ValidationError
from typer import BadParameter

from schemas.complaints import complaints

T = TypeVar("T")


def read(form: type[T] | object, typed: object) -> T:
    """Read what was typed as what it must be.

    Raises:
        BadParameter: It is none; the text names the place.
    """
    try:
        value: T = TypeAdapter(form).validate_python(typed)  # type: ignore[arg-type]  # annotated types are no classes
    except ValidationError as error:
        raise BadParameter("; ".join(complaints(error))) from None
    return value
