"""Counts of items that were dropped from models' answers."""

from datetime import datetime

from pydantic import Field

from schemas.rows import Row
from schemas.wire.answers import Answer


class DroppedItems(Row):
    """Items of models' answers that were dropped for one reason."""

    purpose: str = Field(description="The purpose of the model call, as in the cost.")
    reason: str = Field(description="The rule that they broke, or why they could not be read.")
    items: int
    last_at: datetime = Field(description="When the last one was dropped.")


class JudgedBeing(Row):
    """The findings of a Being's judgings."""

    judgements: int
    messages: int = Field(description="The messages that they read.")
    facts: int
    todos: int


class Judgements(Answer):
    """Counts of findings in conversations, and of items dropped from models' answers, while the counts are kept."""

    judged: JudgedBeing
    dropped: list[DroppedItems] = Field(description="The most frequent first; includes work across the user's Beings.")
