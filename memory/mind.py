"""What callers put into a Being's working memory: regions of their own, beside those that are filled for them."""

from collections.abc import Sequence
from uuid import UUID

from memory.questions import BadQuestion
from memory.regions import DEFAULT
from schemas.context import FILLED_REGIONS, MindEntry, NewEntry
from store import working_memory
from store.database import Store


def listed(store: Store, being_id: UUID) -> list[MindEntry]:
    """All that is in the Being's mind, by region."""
    with store.transaction() as tx:
        return working_memory.entries(tx, being_id)


def put(store: Store, being_id: UUID, region: str, new: Sequence[NewEntry], *, add: bool) -> list[MindEntry]:
    """Let a region hold these entries, in place of what it held or after it; returns what it holds now.

    Raises:
        BadQuestion: The region is one that is filled for callers.
        Refused: The Being has as many regions as it may have.
    """
    if region in FILLED_REGIONS and region != DEFAULT:
        raise BadQuestion(f"The region {region} is filled from memory: choose a name of your own.")
    with store.transaction() as tx:
        (working_memory.add if add else working_memory.replace)(tx, being_id, region, new)
        return [entry for entry in working_memory.entries(tx, being_id) if entry.region == region]
