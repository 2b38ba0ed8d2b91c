"""Rows that a context is made from: session, notes, diary, nodes and summaries."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from psycopg.types.json import Jsonb

from schemas.context.context import Snapshot
from schemas.errors import NotFound
from schemas.nodes.nodes import Node
from schemas.patrol.runs import DiaryEntry
from store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class OpenSession:
    """The session that a context is for.

    Attributes:
        conversation: The conversation that it belongs to; None: the one without an id.
        answered: True if it holds a message of the Being.
        shown_user_model_hash: The hash of the user model that it was shown last.
    """

    session_id: UUID
    conversation: str | None
    answered: bool
    shown_user_model_hash: bytes | None


@dataclass(frozen=True, slots=True)
class ContextNote:
    """A todo, reminder or knowledge note; `due` is in the user's time zone."""

    note_id: UUID
    type: str
    title: str | None
    content: str
    due: str | None


@dataclass(frozen=True, slots=True)
class Summaries:
    """The newest rolling summary, summary of another session with its end in the user's time zone, and spines."""

    rolling: str | None
    last_session: dict[str, Any] | None
    last_session_until: str | None
    spine: dict[str, Any] | None
    own_spine: dict[str, Any] | None


def session(
    tx: Transaction,
    being_id: UUID,
    conversation: str | None,
    *,
    session_id: UUID | None = None,
    message_id: UUID | None = None,
) -> OpenSession | None:
    """The session of that id, else the message's, else the conversation's that is not idle; None if there is none.

    Args:
        conversation: The conversation; None is the one without an id, or whichever the session is of.
        session_id: The session, if it is known.
        message_id: A message, if one is known.

    Raises:
        NotFound: The Being has no session of that id, or it is of another conversation than the one that is named.
    """
    found = tx.row(
        OpenSession,
        """
        select s.session_id, s.conversation, s.shown_user_model_hash,
            exists (
                select from memory.messages as m
                where m.being_id = s.being_id and m.session_id = s.session_id and m.role = 'assistant'
            ) as answered
        from memory.sessions as s
        where s.being_id = %(being)s
            and case
                when %(session)s::uuid is not null then s.session_id = %(session)s
                    and (%(conversation)s::text is null or s.conversation = %(conversation)s)
                when %(message)s::uuid is not null then s.session_id = (
                    select session_id from memory.messages
                    where being_id = %(being)s and message_id = %(message)s
                )
                else coalesce(s.conversation, '') = coalesce(%(conversation)s, '')
                    and s.last_activity_at >= memory.now() - memory.session_idle()
            end
        order by s.last_activity_at desc
        limit 1
        """,
        {"being": being_id, "conversation": conversation, "session": session_id, "message": message_id},
    )
    if found is None and session_id is not None:
        where = "" if conversation is None else " in this conversation"
        raise NotFound(f"This Being has no session {session_id}{where}.")
    return found


def local_time(tx: Transaction, user_id: UUID) -> tuple[datetime, str]:
    """The domain time in the user's time zone, and that zone's name."""
    (row,) = tx.execute("select memory.now() as now, time_zone from memory.users where user_id = %s", [user_id])
    return row["now"].astimezone(ZoneInfo(row["time_zone"])), row["time_zone"]


def mark_user_model_shown(tx: Transaction, being_id: UUID, session_id: UUID, hashed: bytes) -> None:
    """Store the hash of the user model that a session was shown."""
    tx.execute(
        """
        update memory.sessions set shown_user_model_hash = %s
        where being_id = %s and session_id = %s
        """,
        [hashed, being_id, session_id],
    )


def kept_notes(tx: Transaction, being_id: UUID, limit: int) -> list[ContextNote]:
    """The newest unread todos and reminders, and the newest of the snapshot's knowledge, `limit` each, oldest first."""
    return tx.rows(
        ContextNote,
        """
        with kept as (
            (
                select * from memory.tellable_notes
                where being_id = %(being)s and type in ('todo', 'reminder') and read_at is null
                order by note_id desc
                limit %(limit)s
            )
            union all
            (
                select * from memory.tellable_notes
                where being_id = %(being)s and type = 'knowledge' and in_snapshot
                order by note_id desc
                limit %(limit)s
            )
        )
        select note_id, type, title, content #>> '{}' as content,
            to_char(due_at at time zone u.time_zone, 'YYYY-MM-DD HH24:MI') as due
        from kept
        join memory.beings using (being_id)
        join memory.users as u using (user_id)
        order by note_id
        """,
        {"being": being_id, "limit": limit},
    )


def recent_diary(tx: Transaction, being_id: UUID, days: int) -> list[DiaryEntry]:
    """The diary of the last `days` days up to today, in the user's time zone, oldest first."""
    return tx.rows(
        DiaryEntry,
        """
        select d.* from memory.tellable_diary as d
        join memory.beings using (being_id)
        join memory.users as u using (user_id)
        where d.being_id = %s and d.day > (memory.now() at time zone u.time_zone)::date - %s
        order by d.day
        """,
        [being_id, days],
    )


def recent_nodes(tx: Transaction, being_id: UUID, limit: int) -> list[Node]:
    """The active and dying nodes that were activated last, latest first."""
    return tx.rows(
        Node,
        """
        select * from memory.tellable_nodes
        where being_id = %s and last_activated is not null and status <> 'dead'
        order by last_activated desc, node_id desc
        limit %s
        """,
        [being_id, limit],
    )


def summaries(tx: Transaction, being_id: UUID, user_id: UUID, session_id: UUID | None) -> Summaries:
    """The newest summaries; that of another session is looked for among the 20 newest sessions."""
    return tx.one(
        Summaries,
        """
        select
            (select rolling_summary from memory.session_states where being_id = %(being)s) as rolling,
            before.content as last_session,
            to_char(before.last_activity_at at time zone u.time_zone, 'YYYY-MM-DD HH24:MI') as last_session_until,
            (
                select content from memory.summary_spines
                where user_id = %(user)s and conversation_id = 'default'
                order by version desc
                limit 1
            ) as spine,
            (
                select content from memory.summary_spines
                where user_id = %(user)s and conversation_id = %(being)s::text
                order by version desc
                limit 1
            ) as own_spine
        from memory.users as u
        left join lateral (
            select s.content, recent.last_activity_at
            from (
                select session_id, last_activity_at from memory.sessions
                where being_id = %(being)s and session_id is distinct from %(session)s
                order by last_activity_at desc, session_id
                limit 20
            ) as recent
            join memory.session_summaries as s on s.being_id = %(being)s and s.session_id = recent.session_id
            order by recent.last_activity_at desc, s.session_id, s.version desc
            limit 1
        ) as before on true
        where u.user_id = %(user)s
        """,
        {"being": being_id, "user": user_id, "session": session_id},
    )


def snapshot(tx: Transaction, being_id: UUID) -> Snapshot | None:
    """Block 1-B as it was last assembled."""
    return tx.row(Snapshot, "select * from memory.session_snapshot where being_id = %s", [being_id])


def keep_snapshot(tx: Transaction, being_id: UUID, content: str, made_from: dict[str, Any]) -> None:
    """Store Block 1-B with the ids it was made from; an unchanged one is not written."""
    tx.execute(
        # Only a changed block is upserted: an upsert locks the row, and contexts of one Being would wait in turn.
        """
        insert into memory.session_snapshot (being_id, content, made_from)
        select %(being)s, %(content)s, %(made_from)s
        where not exists (
            select from memory.session_snapshot
            where being_id = %(being)s and content = %(content)s and made_from = %(made_from)s
        )
        on conflict (being_id) do update
            set content = excluded.content, made_from = excluded.made_from, made_at = excluded.made_at
        """,
        {"being": being_id, "content": content, "made_from": Jsonb(made_from)},
    )
