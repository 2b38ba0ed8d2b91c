"""What the Shadow Judge reads and marks: messages that nobody has judged, and what was found in them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from schemas.rows import Message
from store.keys import REFUSAL_HOLDS
from store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class Gathered:
    """How much of a session waits to be judged; `quiet_for` is how long ago the newest of it came in."""

    session_id: UUID
    waiting: int
    quiet_for: timedelta
    ended: bool


def gathered(tx: Transaction, being_id: UUID, session_ids: Sequence[UUID]) -> list[Gathered]:
    """How much waits in each of these sessions; those where nothing does are left out, and those that wait for a key.

    The key that came with the request which this transaction serves ends that waiting.
    """
    with tx.cursor(row_factory=class_row(Gathered)) as cursor:
        return cursor.execute(
            "select session_id, count(*)::integer as waiting, memory.now() - max(received_at) as quiet_for,"
            " bool_or(s.ended_at is not null) as ended"
            " from memory.messages join memory.sessions as s using (being_id, session_id)"
            " where being_id = %s and session_id = any(%s) and not judged and role = 'user'"
            " and (not s.waits_for_key or memory.payer() is not null)"
            " group by session_id",
            [being_id, list(session_ids)],
        ).fetchall()


def sessions_of(tx: Transaction, being_id: UUID, message_ids: Sequence[UUID]) -> list[UUID]:
    """The sessions that these messages are in."""
    rows = tx.execute(
        "select distinct session_id from memory.messages where being_id = %s and message_id = any(%s)",
        [being_id, list(message_ids)],
    )
    return [row["session_id"] for row in rows]


def unjudged(tx: Transaction, being_id: UUID, session_id: UUID, *, until: datetime, limit: int) -> list[Message]:
    """The session's messages that may testify and that nobody has judged, of those that are in by then, in order."""
    with tx.cursor(row_factory=class_row(Message)) as cursor:
        return cursor.execute(
            "select * from memory.messages where being_id = %(being)s and session_id = %(session)s and not judged"
            " and role in ('user', 'other') and received_at <= %(until)s"
            " order by created_at, message_id limit %(limit)s",
            {"being": being_id, "session": session_id, "until": until, "limit": limit},
        ).fetchall()


def before(tx: Transaction, being_id: UUID, messages: Sequence[Message], *, count: int) -> list[Message]:
    """What was said in the same session shortly before any of these messages, without them, in order."""
    with tx.cursor(row_factory=class_row(Message)) as cursor:
        return cursor.execute(
            "select distinct earlier.* from memory.messages as m, lateral (select e.* from memory.messages as e"
            " where e.being_id = m.being_id and e.session_id = m.session_id"
            " and (e.created_at, e.message_id) < (m.created_at, m.message_id)"
            " order by e.created_at desc, e.message_id desc limit %(count)s) as earlier"
            " where m.being_id = %(being)s and m.message_id = any(%(ids)s)"
            " and earlier.message_id <> all(%(ids)s) order by earlier.created_at, earlier.message_id",
            {"being": being_id, "ids": [message.message_id for message in messages], "count": count},
        ).fetchall()


def mark_judged(tx: Transaction, being_id: UUID, message_ids: Sequence[UUID]) -> None:
    """Mark messages as judged."""
    tx.execute(
        "update memory.messages set judged = true where being_id = %s and message_id = any(%s) and not judged",
        [being_id, list(message_ids)],
    )


def mark_unjudgeable(tx: Transaction, being_id: UUID, reasons: Mapping[UUID, str]) -> None:
    """Say why no judge could read these messages, which are judged all the same."""
    tx.execute(
        "update memory.messages as m set unjudgeable = because.reason"
        " from unnest(%s::uuid[], %s::text[]) as because (message_id, reason)"
        " where m.being_id = %s and m.message_id = because.message_id",
        [list(reasons), list(reasons.values()), being_id],
    )


def mark_in_confidence(tx: Transaction, being_id: UUID, message_ids: Sequence[UUID]) -> None:
    """Keep these messages from whatever is shared among the user's Beings."""
    tx.execute(
        "update memory.messages set in_confidence = true where being_id = %s and message_id = any(%s)",
        [being_id, list(message_ids)],
    )


def wait_for_key(tx: Transaction, being_id: UUID, session_ids: Sequence[UUID], *, waits: bool) -> None:
    """Note that sessions' messages wait until somebody can think for the user, or that they do no longer."""
    tx.execute(
        "update memory.sessions set waits_for_key = %(waits)s where being_id = %(being)s"
        " and session_id = any(%(sessions)s) and waits_for_key <> %(waits)s",
        {"waits": waits, "being": being_id, "sessions": list(session_ids)},
    )


def sessions_waiting(tx: Transaction, *, platform: bool, limit: int) -> list[tuple[UUID, UUID]]:
    """Sessions (being, session) that wait for somebody to think, and for whose user somebody may.

    In no order: where it turns out that nobody can think for some, they keep no others waiting.
    """
    rows = tx.execute(
        "select s.being_id, s.session_id from memory.sessions as s join memory.beings as b using (being_id)"
        " where s.waits_for_key and memory.may_think(b.user_id, %s, %s) order by random() limit %s",
        [platform, REFUSAL_HOLDS, limit],
    )
    # Whatever is taken, all take it in one order.
    return sorted((row["being_id"], row["session_id"]) for row in rows)


def note(
    tx: Transaction,
    being_id: UUID,
    session_id: UUID,
    *,
    messages: int,
    facts: int,
    todos: int,
    dropped: Mapping[str, int],
) -> None:
    """Write down what came of judging, in numbers."""
    tx.execute(
        "insert into memory.judgements (being_id, session_id, messages, facts, todos, dropped)"
        " values (%s, %s, %s, %s, %s, %s)",
        [being_id, session_id, messages, facts, todos, Jsonb(dict(dropped))],
    )
