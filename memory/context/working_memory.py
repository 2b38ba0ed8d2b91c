"""Working memory: regions that callers write, beside those that the memory integrator fills."""

from collections.abc import Sequence
from uuid import UUID

from memory.context.regions import DEFAULT
from memory.text.errors import InvalidRequest
from schemas.context.context import FILLED_REGIONS, NewEntry, WorkingMemoryEntry
from store.context import working_memory
from store.database import Store


def put(
    store: Store, being_id: UUID, conversation: str | None, region: str, new: Sequence[NewEntry], *, add: bool
) -> list[WorkingMemoryEntry]:
    """Replace the entries of a conversation's region, or append to them; returns the region's entries.

    Raises:
        InvalidRequest: The region is filled by the memory integrator.
        Refused: The conversation has the most regions that are allowed.
    """
    if region in FILLED_REGIONS and region != DEFAULT:
        raise InvalidRequest(f"The region {region} is filled from memory: choose another name.")
    with store.transaction() as tx:
        (working_memory.add if add else working_memory.replace)(tx, being_id, conversation, region, new)
        return [entry for entry in working_memory.entries(tx, being_id, conversation) if entry.region == region]
