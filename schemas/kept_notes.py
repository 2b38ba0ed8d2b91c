"""What is changed about notes that are kept as they are: todos, reminders, things to know."""

from pydantic import ConfigDict, Field

from schemas.requests import Changes
from schemas.wire import Moment, Words


class NoteChanges(Changes):
    """What is to change about a kept note. Fields that are left away stay."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"read": True}]})

    read: bool | None = Field(None, description="Whether it was read; what is read leaves the snapshot.")
    content: Words | None = Field(None, description="What it says.")
    title: Words | None = Field(None, description="Its title, for something to know.")
    due_at: Moment | None = Field(None, description="When a reminder is due, with its offset from UTC.")
