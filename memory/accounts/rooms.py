"""A user's rooms: made, found, changed, removed, and read."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from memory.accounts.access import Caller
from memory.intake.room_messages import accept_utterances
from memory.proxy.reading.comparison import beings_named
from memory.proxy.taking.storing import NO_ROOMMATES, Roommates
from memory.text.errors import InvalidRequest
from memory.text.items import DeriveId
from schemas.accounts.accounts import Being
from schemas.accounts.slugs import slug_of
from schemas.errors import NotFound
from schemas.intake.notes import Receipt
from schemas.settings import Settings
from schemas.talk.rooms import NewRoom, Room, RoomChanges
from store.accounts import beings, users
from store.database import Store
from store.talk import rooms
from store.talk.rooms import Place
from store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class RoomReference:
    """A room by its id or slug, as a request names it.

    Attributes:
        name: The room.
        present: The ids, slugs or names of the Beings that receive the messages; None: all of the room.
        members: The names of the group's members according to the transcript; they are present, if `present` is None
            and the room knows each of them.
        alone: Whether the token is bound to one Being, so that no other receives anything.
    """

    name: str
    present: tuple[str, ...] | None = None
    members: tuple[str, ...] = ()
    alone: bool = False


def make(store: Store, user_id: UUID, new: NewRoom) -> Room:
    """Create a room.

    Raises:
        InvalidRequest: The user has no Being of one of these names.
        Refused: The user has a room of that slug.
    """
    with store.transaction() as tx:
        members = _members(tx, user_id, new.beings)
        slug = new.slug or slug_of(new.name)
        if new.slug is None and any(room.slug == slug for room in rooms.rooms_of(tx, user_id)):
            slug = slug_of(new.name, told_apart=True)
        room_id = rooms.add(tx, user_id, slug, new.name, new.people)
        rooms.set_beings(tx, Place(user_id, room_id), members)
        return _shown(tx, user_id, room_id)


def opened_by(store: Store, caller: Caller) -> list[Room]:
    """The rooms that a caller has access to, oldest first: all, or those that the token's Being is or was in."""
    return store.run(rooms.rooms_of, caller.user_id, caller.being_id)


def find(store: Store, caller: Caller, name: str) -> Room:
    """The room with that id or slug, if the caller has access to it.

    Raises:
        NotFound: The caller has no such room, whether or not another user has.
    """
    found = [room for room in opened_by(store, caller) if name in {room.slug, str(room.room_id)}]
    if not found:
        raise NotFound("You have no room of that id or slug.")
    return found[0]


def place_of(store: Store, caller: Caller, name: str) -> Place:
    """Return the place of a room's messages, by the room's id or slug.

    Raises:
        NotFound: The caller has no such room.
    """
    return Place(caller.user_id, find(store, caller, name).room_id)


def change(store: Store, caller: Caller, name: str, changes: RoomChanges) -> Room:
    """Change a room; returns the changed room.

    Raises:
        NotFound: The caller has no such room.
        InvalidRequest: The user has no Being of one of these names.
    """
    room = find(store, caller, name)
    place = Place(caller.user_id, room.room_id)
    with store.transaction() as tx:
        rooms.lock(tx, place)
        users.hold(tx, caller.user_id)
        rooms.change(tx, place, changes.name, changes.people)
        if changes.beings is not None:
            rooms.set_beings(tx, place, _members(tx, caller.user_id, changes.beings))
        return _shown(tx, caller.user_id, room.room_id)


def hand_in(
    store: Store,
    settings: Settings,
    caller: Caller,
    name: str,
    items: Sequence[Any],
    derive_id: DeriveId,
    *,
    paid_by: UUID | None,
) -> Receipt:
    """Accept utterances in a room, as `accept_utterances`; a token for one Being hands in to that one only.

    Raises:
        NotFound: The caller has no such room.
    """
    place = place_of(store, caller, name)
    return accept_utterances(store, settings, place, items, derive_id, bound_to=caller.being_id, paid_by=paid_by)


def enter(store: Store, being: Being, wanted: RoomReference) -> tuple[str, Roommates]:
    """Find the conversation of the room in which a Being is to answer, and the others in it.

    Raises:
        NotFound: The Being takes part in no such room, or one that is to be present takes no part in it.
    """
    with store.transaction() as tx:
        found = [room for room in rooms.rooms_of(tx, being.user_id) if wanted.name in {room.slug, str(room.room_id)}]
        place = Place(being.user_id, found[0].room_id) if found else None
        members = rooms.beings_in(tx, place) if place else []
        hearers = rooms.hearers(tx, place) if place else []
    if place is None or being.being_id not in {member.being_id for member in members}:
        raise NotFound("This Being takes part in no room of that id or slug.")
    if wanted.alone:
        return str(place.room_id), NO_ROOMMATES
    present = None if wanted.present is None else _members_named(wanted.present, members)
    if present is None and wanted.present is not None:
        raise NotFound("A Being that is to be present takes no part in this room.")
    if present is None:
        present = (_members_named(wanted.members, members) if wanted.members else None) or members
    others = [[other for other in some if other.being_id != being.being_id] for some in (present, hearers)]
    return str(place.room_id), Roommates(*others)


def hearers(store: Store, caller: Caller, room: Room) -> list[Being]:
    """The Beings that may have messages of a room, by their ids: those that take part in it, or did."""
    with store.transaction() as tx:
        return [
            being for being in rooms.hearers(tx, Place(caller.user_id, room.room_id)) if caller.opens(being.being_id)
        ]


def _members_named(names: Sequence[str], members: Sequence[Being]) -> list[Being] | None:
    """Return the members with these ids or names; None if a name matches none of them, or several."""
    by_id = {str(member.being_id): member for member in members}
    found = [[by_id[name]] if name in by_id else beings_named(name, members) for name in names]
    named = {one.being_id for each in found for one in each}
    return [one for one in members if one.being_id in named] if all(len(each) == 1 for each in found) else None


def _members(tx: Transaction, user_id: UUID, names: Sequence[str]) -> list[UUID]:
    found = [beings.find_being(tx, user_id, name) for name in names]
    if None in found:
        raise InvalidRequest(f"beings: you have no Being of the id or slug at place {found.index(None)}.")
    return list({being.being_id: None for being in found if being is not None})


def _shown(tx: Transaction, user_id: UUID, room_id: UUID) -> Room:
    return next(room for room in rooms.rooms_of(tx, user_id) if room.room_id == room_id)
