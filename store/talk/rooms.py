"""Rooms, their members, and copies of their utterances (sql/functions/90_talk/70_rooms.sql)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from schemas.accounts.accounts import Being
from schemas.errors import NotFound
from schemas.talk.rooms import Room, RoomMessage
from store.transaction import Transaction, once


@dataclass(frozen=True, slots=True)
class Place:
    """A room by its owner and its id, as an entry of a stream names it."""

    user_id: UUID
    room_id: UUID


def add(tx: Transaction, user_id: UUID, slug: str, name: str, people: Sequence[str]) -> UUID:
    """Create a room without Beings; returns its id.

    Raises:
        Refused: The user has a room of that slug.
    """
    with once(tx, f"You have a room with the slug {slug} already."):
        room_id: UUID = tx.value(
            "insert into memory.rooms (user_id, slug, name, people) values (%s, %s, %s, %s) returning room_id",
            [user_id, slug, name, list(people)],
        )
    return room_id


def change(tx: Transaction, room: Place, name: str | None, people: Sequence[str] | None) -> None:
    """Set the name and the people of a room; None leaves them."""
    tx.execute(
        """
        update memory.rooms
        set name = coalesce(%s, name), people = coalesce(%s, people)
        where user_id = %s and room_id = %s
        """,
        [name, None if people is None else list(people), room.user_id, room.room_id],
    )


def remove(tx: Transaction, room: Place) -> None:
    """Remove a room: its names and members; messages that Beings heard stay, and are found by its id."""
    set_beings(tx, room, [])
    tx.execute(
        """
        update memory.rooms
        set removed_at = memory.now(), slug = room_id::text, name = room_id::text, people = default
        where user_id = %s and room_id = %s
        """,
        [room.user_id, room.room_id],
    )


def set_beings(tx: Transaction, room: Place, being_ids: Sequence[UUID]) -> None:
    """Set which Beings take part in a room from now on."""
    tx.execute(
        "delete from memory.room_beings where user_id = %s and room_id = %s and being_id <> all(%s)",
        [room.user_id, room.room_id, list(being_ids)],
    )
    tx.execute(
        """
        insert into memory.room_beings (user_id, room_id, being_id)
        select %s, %s, being_id from unnest(%s::uuid[]) as being_id
        on conflict do nothing
        """,
        [room.user_id, room.room_id, list(being_ids)],
    )


def rooms_of(tx: Transaction, user_id: UUID, being_id: UUID | None = None) -> list[Room]:
    """The user's rooms, oldest first; with a Being those that it takes part in, or has messages of."""
    return tx.rows(
        Room,
        """
        select r.room_id, r.slug, r.name, r.people, r.created_at,
            array(
                select b.slug
                from memory.room_beings as m
                join memory.beings as b on b.being_id = m.being_id
                where m.user_id = r.user_id and m.room_id = r.room_id
                order by b.being_id
            ) as beings
        from memory.rooms as r
        where r.user_id = %(user)s and r.removed_at is null and (
            %(being)s::uuid is null
            or exists (
                select from memory.room_beings as m
                where m.user_id = r.user_id and m.room_id = r.room_id and m.being_id = %(being)s
            )
            or exists (
                select from memory.sessions as s
                where s.being_id = %(being)s and s.conversation = r.room_id::text
            )
        )
        order by r.room_id
        """,
        {"user": user_id, "being": being_id},
    )


def ids_of_beings_user(tx: Transaction, being_id: UUID) -> list[UUID]:
    """The rooms of a Being's user, removed ones too."""
    return tx.column(
        "select r.room_id from memory.beings as b join memory.rooms as r using (user_id) where b.being_id = %s",
        [being_id],
    )


def find(tx: Transaction, room_id: UUID) -> Place | None:
    """The room of an id, of any user."""
    return tx.row(
        Place, "select user_id, room_id from memory.rooms where room_id = %s and removed_at is null", [room_id]
    )


def lock(tx: Transaction, room: Place) -> None:
    """Serialize intake to a room; the first lock of a transaction.

    Raises:
        NotFound: It no longer exists.
    """
    tx.execute("select memory.hold_intake(%s, true)", [room.room_id])
    if find(tx, room.room_id) is None:
        raise NotFound("You have no room of that id or slug.")


def beings_in(tx: Transaction, room: Place) -> list[Being]:
    """The Beings that take part in a room, by their ids."""
    return tx.rows(
        Being,
        """
        select b.*
        from memory.room_beings as m
        join memory.beings as b using (being_id)
        where m.user_id = %s and m.room_id = %s
        order by b.being_id
        """,
        [room.user_id, room.room_id],
    )


def hearers(tx: Transaction, room: Place) -> list[Being]:
    """The Beings that may have messages of a room, by their ids: those that take part in it, or did."""
    return tx.rows(
        Being,
        """
        select b.*
        from memory.beings as b
        where b.user_id = %(user)s and (
            exists (
                select from memory.room_beings as m
                where m.user_id = b.user_id and m.room_id = %(room)s and m.being_id = b.being_id
            )
            or exists (
                select from memory.message_versions as m
                where m.being_id = b.being_id and m.conversation = %(room)s::text
            )
        )
        order by b.being_id
        """,
        {"user": room.user_id, "room": room.room_id},
    )


def messages(
    tx: Transaction,
    room: Place,
    *,
    being_id: UUID | None,
    muted: bool,
    before: tuple[datetime, UUID] | None,
    limit: int,
) -> list[RoomMessage]:
    """A page of a room's standing utterances, newest first, behind a place; with a Being those that it has.

    Muted ones are among them with `muted`.
    """
    moment, message_id = before or (None, None)
    return tx.rows(
        RoomMessage,
        """
        with shown as (
            select distinct m.created_at, m.message_id
            from memory.beings as b
            join memory.messages as m on m.being_id = b.being_id and m.conversation = %(room)s
            where b.user_id = %(user)s and (%(being)s::uuid is null or b.being_id = %(being)s)
                and (%(muted)s or not memory.is_muted(m.being_id, 'message', m.message_id))
                and (
                    %(moment)s::timestamptz is null
                    or (m.created_at, m.message_id) < (%(moment)s, %(message)s::uuid)
                )
            order by m.created_at desc, m.message_id desc
            limit %(limit)s
        )
        select s.message_id, s.created_at, copies.*
        from shown as s,
        lateral (
            select min(m.producer_id) as producer_id, min(m.content) as content,
                case when bool_or(m.role = 'assistant') then 'assistant' else min(m.role) end as role,
                coalesce(min(b.name) filter (where m.role = 'assistant'), min(m.speaker)) as speaker,
                min(b.slug) filter (where m.role = 'assistant') as speaker_being,
                array_agg(b.slug order by b.being_id) as present
            from memory.beings as b
            join memory.messages as m on m.being_id = b.being_id and m.message_id = s.message_id
            where b.user_id = %(user)s
        ) as copies
        order by s.created_at desc, s.message_id desc
        """,
        {
            "room": str(room.room_id),
            "user": room.user_id,
            "being": being_id,
            "muted": muted,
            "moment": moment,
            "message": message_id,
            "limit": limit,
        },
    )
