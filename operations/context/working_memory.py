"""Working memory: the messages of a conversation, and the entries that callers wrote for it."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from memory.accounts.access import Caller, Forbidden
from memory.context.regions import DEFAULT
from memory.intake.off_the_record import must_be_kept
from memory.text.errors import InvalidRequest
from operations.declaration import Command, operation
from schemas.accounts.accounts import Being
from schemas.context.context import FILLED_REGIONS, NewEntry, RegionName, WorkingMemoryPage
from schemas.limits import REGION_ENTRIES
from schemas.wire.fields import Conversation
from store.context import working_memory as stored_entries
from store.transaction import Transaction

Entries = Annotated[list[NewEntry], Field(max_length=REGION_ENTRIES)]
OfConversation = Annotated[
    Conversation | None,
    Field(description="The conversation, as in its messages; omitted: the conversation without an id."),
]


@operation("GET /v1/beings/{being}/working-memory", scope="read", commands=[Command("list")])
def show_working_memory(tx: Transaction, being: Being, *, conversation: OfConversation = None) -> WorkingMemoryPage:
    """Show a conversation's working memory by region: its messages, and the entries that callers wrote."""
    return WorkingMemoryPage(entries=stored_entries.entries(tx, being.being_id, conversation))


@operation("PUT /v1/beings/{being}/working-memory/{region}", scope="ingest", conflicts=True, body="document")
def replace_region(
    tx: Transaction,
    being: Being,
    caller: Caller,
    region: RegionName,
    entries: Entries,
    *,
    conversation: OfConversation = None,
) -> WorkingMemoryPage:
    """Replace the entries of a region of your own in a conversation; an empty list removes it.

    Entries of the role `system`, which is the default, need `manage` as well.
    """
    _must_be_writable(being, caller, conversation, region, entries)
    stored_entries.replace(tx, being.being_id, conversation, region, entries)
    return _shown(tx, being, conversation, region)


@operation("POST /v1/beings/{being}/working-memory/{region}", scope="ingest", conflicts=True, body="document")
def add_to_region(
    tx: Transaction,
    being: Being,
    caller: Caller,
    region: RegionName,
    entries: Entries,
    *,
    conversation: OfConversation = None,
) -> WorkingMemoryPage:
    """Append entries to a region of your own in a conversation. A region with more than 40 is cut to the newest 20.

    Entries of the role `system`, which is the default, need `manage` as well.
    """
    _must_be_writable(being, caller, conversation, region, entries)
    stored_entries.add(tx, being.being_id, conversation, region, entries)
    return _shown(tx, being, conversation, region)


def _must_be_writable(
    being: Being, caller: Caller, conversation: str | None, region: str, new: Sequence[NewEntry]
) -> None:
    """Check that a caller may write entries; those of the role `system`, which models obey, need the scope of profiles.

    Raises:
        Forbidden: An entry has that role, and the token lacks `manage`.
        Refused: The conversation is off the record.
        InvalidRequest: The region is filled by the memory integrator.
    """
    if "manage" not in caller.scopes and any(entry.role == "system" for entry in new):
        raise Forbidden(
            "Entries of the role `system` need the scope `manage`, which this token lacks: use the role `user` or"
            " `assistant`."
        )
    if new:
        must_be_kept(being, conversation)
    if region in FILLED_REGIONS and region != DEFAULT:
        raise InvalidRequest(f"The region {region} is filled from memory: choose another name.")


def _shown(tx: Transaction, being: Being, conversation: str | None, region: str) -> WorkingMemoryPage:
    entries = stored_entries.entries(tx, being.being_id, conversation)
    return WorkingMemoryPage(entries=[entry for entry in entries if entry.region == region])
