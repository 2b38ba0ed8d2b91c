"""Requests about confidences. Unknown fields are refused."""

from pydantic import ConfigDict, Field

from schemas.wire.requests import RequestModel


class MessageChanges(RequestModel):
    """A decision about a message."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"in_confidence": True}]})

    in_confidence: bool = Field(
        description="Whether it stays, with all that rests on it, with the Being that it was said to."
    )
