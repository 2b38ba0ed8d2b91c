"""Parameters that several operations take."""

from typing import Annotated
from uuid import UUID

from pydantic import Field

from memory.text.items import DeriveId
from operations.declaration import InHeader
from schemas.limits import LONGEST_PAGE, PRODUCER_ID_CHARACTERS

Cursor = Annotated[str | None, Field(description="The `cursor` of the previous page; omit it for the first page.")]
Limit = Annotated[int, Field(ge=1, le=LONGEST_PAGE, description="The most items of one page.")]
NoteId = Annotated[UUID, Field(description="The note's whole id.")]
ItemKey = Annotated[
    str | None,
    Field(
        min_length=1,
        max_length=PRODUCER_ID_CHARACTERS,
        description="Gives an item without an id one, from this key and its position, so that a retry changes nothing.",
    ),
    InHeader,
]
"""The Idempotency-Key of a request whose items it names."""


def ids_from(key: str | None) -> DeriveId:
    """Return the function that derives an item's id from the request's key, if it has one, and the item's position."""
    return lambda position: key and f"idempotency-key/{key}/{position}"


def request_id(key: str | None) -> str | None:
    """Return the id under which a request is applied once, if it has a key."""
    return key and f"idempotency-key/{key}"
