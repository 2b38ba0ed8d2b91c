"""Finds erased items among the entries of the Redis streams."""

from collections.abc import Sequence
from uuid import UUID

from memory.erased import known_erased
from memory.erased.known_erased import Recognition
from memory.intake.messages import read_messages
from memory.intake.notes import content_of, read_notes
from schemas.intake.items import StreamItem
from schemas.settings import Settings
from store.accounts import beings
from store.database import Store

ROLES = ("user", "assistant", "other")


def erased_among(store: Store, settings: Settings, being_id: UUID, items: Sequence[StreamItem]) -> set[int]:
    """Return the positions of erased items; all positions if their Being was erased.

    Raises:
        SecretMissing: No secret decrypts the key of the digests.
    """
    with store.transaction() as tx:
        if beings.user_of(tx, being_id) is None:
            return set(range(len(items)))
        known = known_erased.for_intake(tx, settings, being_id)
        if known is None:
            return set()
        return known.among(tx, {place: _digests(known, one) for place, one in enumerate(items)})


def _digests(known: Recognition, item: StreamItem) -> list[bytes]:
    """Return an item's digests; those of an invalid item are computed from the fields that it has."""
    if item.kind == "notes":
        for note in read_notes([item.item], lambda _: item.derived_id).items:
            return known.of_note(note.producer_id, content_of(note.value))
    else:
        for message in read_messages([item.item], lambda _: item.derived_id).items:
            return known.of_message(
                message.producer_id, message.value.role, message.value.content, message.value.conversation
            )
    raw = item.item if isinstance(item.item, dict) else {}
    id_ = str(raw.get("id") or item.derived_id)
    content = raw.get("content")
    if item.kind == "notes":
        return known.of_note(id_, content)
    words = content if isinstance(content, str) else ""
    conversation = raw.get("conversation")
    where = conversation if isinstance(conversation, str) else None
    return [digest for role in ROLES for digest in known.of_message(id_, role, words, where)]
