"""Retraction and restoration of a room's messages, as an item among utterances."""

from typing import Any

from memory.intake import retraction
from providers.embedders import Embedders
from schemas.settings import Settings
from schemas.talk.retraction import Change, MessageSelection
from schemas.talk.rooms import RoomSelection
from store.database import Store
from store.talk import rooms
from store.talk.rooms import Place


def selected(room: Place, selection: RoomSelection) -> MessageSelection:
    """Return the messages in the memory of a Being that a selection of utterances names."""
    return MessageSelection(conversation=str(room.room_id), **selection.model_dump())


def apply(store: Store, settings: Settings, embedders: Embedders, room: Place, item: Any, derived_id: str) -> None:
    """Apply a retraction or a restoration to all Beings' messages; the same id again changes nothing.

    Raises:
        ChangeRefused: It is malformed, or some of its utterances can't be restored.
        NotFound, SecretMissing, ProviderError, Refused: As `retraction.retract` and `retraction.restore`.
    """
    change = retraction.read_change(Change[RoomSelection], item)
    request_id = change.id or derived_id
    beings = store.run(rooms.hearers, room)
    if change.retract is not None:
        retraction.retract(
            store, settings, embedders, beings, selected(room, change.retract), request_id=request_id, awaits=True
        )
    elif change.restore is not None:
        done = retraction.restore(store, settings, beings, selected(room, change.restore), request_id=request_id)
        retraction.require_all(done)
