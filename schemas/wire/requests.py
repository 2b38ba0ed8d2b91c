"""Request bodies of the doors, other than notes and messages. Unknown fields are refused."""

from typing import Annotated, Any, ClassVar, Self
from uuid import UUID

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from schemas.limits import QUERY_CHARACTERS
from schemas.text.storable import storable, unstorable
from schemas.text.validation_messages import bounded
from schemas.wire.fields import Wire, Words

Name = Annotated[Words, Field(max_length=200)]
Query = Annotated[str, Field(max_length=QUERY_CHARACTERS)]
Id = Annotated[UUID, Field(strict=False)]
OffTheRecord = Annotated[
    bool,
    Field(
        description="Whether this request is off the record: memory is read, nothing is activated, and no word of the"
        " request or its answer is kept."
    ),
]
"""The mark of a request."""


class RequestModel(Wire):
    """Base of requests. Text that Postgres can't store is mended, and other values that it can't store are refused."""

    @model_validator(mode="before")
    @classmethod
    def _storable(cls, value: Any) -> Any:
        faults = bounded(unstorable(value))
        if faults:
            raise PydanticCustomError("unstorable", "{faults}", {"faults": "; ".join(faults)})
        return storable(value)


class Changes(RequestModel):
    """Base of partial updates. Fields that are omitted or null keep their values.

    Attributes:
        null_changes: The fields to which null is a value; it is refused for the others then.
    """

    null_changes: ClassVar[frozenset[str]] = frozenset()

    @model_validator(mode="after")
    def _something(self) -> Self:
        given = self.model_fields_set
        changed = {name for name in given if name in self.null_changes or getattr(self, name) is not None}
        if not changed or (self.null_changes and changed != given):
            fields = ", ".join(f"`{name}`" for name in type(self).model_fields)
            raise PydanticCustomError("nothing", "No change is given: name one of {fields}", {"fields": fields})
        return self
