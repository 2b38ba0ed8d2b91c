"""Scenes drawn from messages: the messages that they rest on, and the reasons that keep a session from being drawn."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID

from schemas.talk.messages import Message
from store.transaction import Transaction


def count(tx: Transaction, being_id: UUID, session_ids: Sequence[UUID]) -> dict[UUID, int]:
    """How many scene notes rest on messages of each of these sessions; sessions without any are left out."""
    return tx.pairs(
        """
        select m.session_id, count(distinct s.note_id)::integer as scenes
        from memory.messages as m
        join memory.scene_messages as s using (being_id, message_id)
        where m.being_id = %s and m.session_id = any(%s)
        group by m.session_id
        """,
        [being_id, list(session_ids)],
    )


def overlapping(tx: Transaction, being_id: UUID, session_ids: Sequence[UUID], *, until: datetime) -> set[UUID]:
    """Which of these sessions a producer has covered with scene notes of its own.

    These are notes that were received during the session or within 30 minutes of it, and notes whose first date is one
    of the session's days in the user's time zone.

    Args:
        until: Only notes that were received by then.
    """
    return tx.distinct(
        """
        select s.session_id
        from memory.sessions as s
        join memory.beings as b using (being_id)
        join memory.users as u using (user_id)
        where s.being_id = %(being)s and s.session_id = any(%(sessions)s) and (
            exists (
                select from memory.notes as n
                where n.being_id = s.being_id and n.type = 'scene' and n.origin = 'producer'
                    and n.received_at <= %(until)s
                    and n.received_at between s.started_at - memory.session_idle()
                        and s.last_activity_at + memory.session_idle()
            )
            or exists (
                select from memory.scenes_of_days(
                    s.being_id, to_char(s.started_at at time zone u.time_zone, 'YYYY-MM-DD'),
                    to_char(s.last_activity_at at time zone u.time_zone, 'YYYY-MM-DD')
                ) as found (note_id)
                join memory.notes as n on n.being_id = s.being_id and n.note_id = found.note_id
                where n.received_at <= %(until)s
            )
        )
        """,
        {"being": being_id, "sessions": list(session_ids), "until": until},
    )


def keep(tx: Transaction, being_id: UUID, rests_on: Mapping[UUID, Sequence[UUID]]) -> None:
    """Store which messages each of these notes rests on."""
    tx.execute(
        """
        insert into memory.scene_messages (being_id, note_id, message_id)
        select %s, note_id, message_id from unnest(%s::uuid[], %s::uuid[]) as resting (note_id, message_id)
        """,
        [
            being_id,
            [note_id for note_id, messages in rests_on.items() for _ in messages],
            [message_id for messages in rests_on.values() for message_id in messages],
        ],
    )


def mark_drawn(tx: Transaction, being_id: UUID, message_ids: Sequence[UUID]) -> None:
    """Mark messages from which scenes were drawn. The caller has locked them."""
    tx.execute(
        "update memory.messages set drawn = true where being_id = %s and message_id = any(%s) and not drawn",
        [being_id, list(message_ids)],
    )


def evidence(tx: Transaction, being_id: UUID, node_ids: Sequence[UUID]) -> dict[UUID, set[UUID]]:
    """The messages that nodes rest on, with those that they absorbed, by node; nodes that rest on none are left out."""
    rows = tx.execute(
        """
        with recursive told (node_id, part_id) as (
            select node_id, node_id from unnest(%(nodes)s::uuid[]) as node_id
            union
            select told.node_id, n.node_id
            from told
            join memory.memory_nodes as n on n.being_id = %(being)s and n.absorbed_into = told.part_id
        )
        select told.node_id, array_agg(distinct s.message_id) as messages
        from told
        join memory.memory_nodes as n on n.being_id = %(being)s and n.node_id = told.part_id
        join memory.scene_messages as s on s.being_id = n.being_id and s.note_id = n.note_id
        group by told.node_id
        """,
        {"being": being_id, "nodes": list(node_ids)},
    )
    return {row["node_id"]: set(row["messages"]) for row in rows}


def resting_on(tx: Transaction, being_id: UUID, message_ids: Sequence[UUID]) -> list[UUID]:
    """The scene notes that rest on any of these messages."""
    return tx.column(
        "select distinct note_id from memory.scene_messages where being_id = %s and message_id = any(%s)",
        [being_id, list(message_ids)],
    )


def detach(tx: Transaction, being_id: UUID, message_ids: Sequence[UUID]) -> list[UUID]:
    """Detach the scene notes that rest on any of these messages, and unmark all of their messages; returns the notes.

    The caller has locked the session state and the Being, and erases the notes in the same transaction.
    """
    return tx.column("select note_id from memory.detach_scenes(%s, %s)", [being_id, list(message_ids)])


def source_messages(tx: Transaction, being_id: UUID, node_ids: Sequence[UUID], *, limit: int) -> list[Message]:
    """Up to `limit` messages that these nodes' notes were drawn from, ordered by time."""
    return tx.rows(
        Message,
        """
        select *
        from memory.messages
        where being_id = %(being)s and message_id in (
            select s.message_id
            from memory.memory_nodes as n
            join memory.scene_messages as s using (being_id, note_id)
            where n.being_id = %(being)s and n.node_id = any(%(nodes)s)
        )
        order by created_at, message_id
        limit %(limit)s
        """,
        {"being": being_id, "nodes": list(node_ids), "limit": limit},
    )
