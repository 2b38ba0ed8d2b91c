"""Rooms: conversations of several Beings of one user; each knows the utterances at which it was present."""

from http import HTTPStatus
from typing import Annotated
from uuid import UUID

from pydantic import Field

from memory.accounts import erasure, rooms
from memory.accounts.access import Caller
from memory.intake import retraction
from memory.intake.room_changes import selected
from memory.text.pages import cut_page, parse_cursor, time_and_id
from operations.declaration import Command, operation
from operations.parameters import Cursor, ItemKey, Limit, request_id
from schemas.errors import NotFound
from schemas.facts.fact_answers import ErasureCounts
from schemas.limits import PAGE_NODES
from schemas.talk.retraction import RestorationOutcome, RetractionOutcome
from schemas.talk.rooms import NewRoom, Room, RoomChanges, RoomMessagePage, RoomPage, RoomSelection
from store.talk import rooms as stored
from store.talk.retraction import versions as versions_of
from store.talk.rooms import Place
from workers.runtime.resources import Resources

RoomName = Annotated[str, Field(max_length=200, description="The room's id or slug.")]
MessageId = Annotated[UUID, Field(description="The utterance's id, from its receipt or the room's messages.")]


@operation(
    "POST /v1/rooms",
    scope="manage",
    for_all_beings=True,
    status=HTTPStatus.CREATED,
    conflicts=True,
    commands=[Command("add")],
)
def create_room(on: Resources, caller: Caller, new: NewRoom) -> Room:
    """Create a room, in which several of your Beings take part."""
    return rooms.make(on.store, caller.user_id, new)


@operation("GET /v1/rooms", scope="read", commands=[Command("list")])
def list_rooms(on: Resources, caller: Caller) -> RoomPage:
    """List your rooms, oldest first; with a token for one Being those that it is or was in."""
    return RoomPage(rooms=rooms.opened_by(on.store, caller))


@operation("GET /v1/rooms/{room}", scope="read")
def show_room(on: Resources, caller: Caller, room: RoomName) -> Room:
    """Show a room."""
    return rooms.find(on.store, caller, room)


@operation("PATCH /v1/rooms/{room}", scope="manage", for_all_beings=True)
def change_room(on: Resources, caller: Caller, room: RoomName, changes: RoomChanges) -> Room:
    """Change a room's display name or members; its slug stays.

    A Being that joins knows no earlier utterance, and one that leaves keeps those that it heard.
    """
    return rooms.change(on.store, caller, room, changes)


@operation(
    "DELETE /v1/rooms/{room}",
    scope="manage",
    for_all_beings=True,
    status=HTTPStatus.NO_CONTENT,
    commands=[Command("remove", done="Removed")],
)
def remove_room(on: Resources, caller: Caller, room: RoomName) -> None:
    """Remove a room. The messages that each Being heard there stay, in the conversation of the room's id.

    The room's routes find it no more, and nothing more is taken in for it; its slug can be used again. To erase its
    messages as well, erase them first: afterwards each Being's copy is erased by itself.
    """
    place = rooms.place_of(on.store, caller, room)
    with on.store.transaction() as tx:
        stored.lock(tx, place)
        stored.remove(tx, place)


@operation("GET /v1/rooms/{room}/messages", scope="read")
def list_room_messages(
    on: Resources, caller: Caller, room: RoomName, *, cursor: Cursor = None, limit: Limit = PAGE_NODES
) -> RoomMessagePage:
    """List a room's utterances, newest first, each with the Beings that have it.

    With a token for one Being: the utterances that this Being has.
    """
    place = rooms.place_of(on.store, caller, room)
    before = parse_cursor(cursor, time_and_id)
    muted = "manage" in caller.scopes
    found = on.store.run(stored.messages, place, being_id=caller.being_id, muted=muted, before=before, limit=limit + 1)
    shown, end = cut_page(found, limit, lambda one: (one.created_at, one.message_id))
    return RoomMessagePage(messages=shown, cursor=end)


@operation("POST /v1/rooms/{room}/messages/retract", scope="ingest")
def retract_room_messages(
    on: Resources, caller: Caller, room: RoomName, selection: RoomSelection, *, idempotency_key: ItemKey = None
) -> RetractionOutcome:
    """Retract utterances of a room, for all Beings at once: by `ids`, or all behind the utterance `after`.

    A token for one Being retracts that Being's copies.
    """
    found = rooms.find(on.store, caller, room)
    return retraction.retract(
        on.store,
        on.settings,
        on.embedders,
        rooms.hearers(on.store, caller, found),
        selected(Place(caller.user_id, found.room_id), selection),
        request_id=request_id(idempotency_key),
        awaits=True,
    )


@operation("POST /v1/rooms/{room}/messages/restore", scope="ingest", gone=True)
def restore_room_messages(
    on: Resources, caller: Caller, room: RoomName, selection: RoomSelection, *, idempotency_key: ItemKey = None
) -> RestorationOutcome:
    """Restore retracted utterances of a room, for each Being that had heard them.

    A token for one Being restores that Being's copies. An erased utterance does not come back: 410.
    """
    found = rooms.find(on.store, caller, room)
    return retraction.restore(
        on.store,
        on.settings,
        rooms.hearers(on.store, caller, found),
        selected(Place(caller.user_id, found.room_id), selection),
        request_id=request_id(idempotency_key),
    )


@operation("DELETE /v1/rooms/{room}/messages/{message_id}", scope="manage")
def erase_room_message(on: Resources, caller: Caller, room: RoomName, message_id: MessageId) -> ErasureCounts:
    """Erase an utterance of a room for good, from the memory of all Beings at once, as a message is erased.

    A token for one Being erases that Being's copy.
    """
    found = rooms.find(on.store, caller, room)
    beings = rooms.hearers(on.store, caller, found)
    with on.store.transaction() as tx:
        versions = [one for being in beings for one in versions_of(tx, being.being_id, [], [message_id])]
    if str(found.room_id) not in {version.conversation for version in versions}:
        raise NotFound("This room has no such message.")
    return erasure.erase_messages(on.store, on.settings, on.embedders, beings, [message_id])
