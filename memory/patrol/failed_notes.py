"""Scene notes that a patrol marked `[PARSE_FAILED]` or `[EMBED_FAILED]`: tried again on request."""

from collections.abc import Sequence
from uuid import UUID

from memory.patrol.demand import request_patrol
from schemas.errors import NotFound
from schemas.settings import Settings
from store.accounts import beings
from store.database import Store
from store.intake import notes
from store.llm import responses
from store.transaction import Transaction


def retry(store: Store, settings: Settings, being_id: UUID, note_ids: Sequence[UUID] | None) -> int:
    """Make failed notes pending again, as if they had just arrived, and request a patrol; returns how many.

    Args:
        settings: When pending notes start a patrol.
        note_ids: The notes; None: all of the Being that have failed.

    Raises:
        NotFound: One of the notes is not a failed note of this Being; none is retried.
    """
    with store.transaction() as tx:
        retried = _retried(tx, being_id, note_ids)
        if retried:
            responses.remove_unanswered(tx, being_id)
            request_patrol(tx, settings, being_id)
        return retried


def _retried(tx: Transaction, being_id: UUID, note_ids: Sequence[UUID] | None) -> int:
    beings.get_being(tx, being_id)
    found = notes.retry(tx, being_id, note_ids)
    if missing := set(note_ids or ()) - found:
        raise NotFound(f"This Being has no failed note {min(missing)}. See `patrol notes failed`.")
    return len(found)
