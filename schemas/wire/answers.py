"""Responses of the doors."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Cursor = Annotated[str | None, Field(description="Pass it to get the next page; null on the last page.")]


class Answer(BaseModel):
    """Base of responses; immutable."""

    model_config = ConfigDict(frozen=True)


AnsweredOff = Annotated[
    bool, Field(description="Whether it was asked off the record: nothing was activated, and no word of it is kept.")
]
"""The mark of an answer."""
