"""Models of the rows that `store` returns."""

from typing import Annotated
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

RequestKeyId = Annotated[UUID | None, Field(exclude=True)]
"""The id of the key that came with the input's request and pays for work on it; never serialised."""


class Row(BaseModel):
    """Base of rows; immutable."""

    model_config = ConfigDict(frozen=True)
