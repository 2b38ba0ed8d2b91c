"""The Shadow Judge's messages: those that are unjudged, and the results of judging them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import LiteralString
from uuid import UUID

from psycopg.types.json import Jsonb

from schemas.ledger.kinds import WorkKind
from schemas.ledger.work import Claim
from schemas.talk.messages import Message
from store.llm import keys
from store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class UnjudgedCount:
    """How many messages of a session wait to be judged; `quiet_for` is the time since the newest of them came in."""

    session_id: UUID
    waiting: int
    quiet_for: timedelta
    ended: bool


def count_unjudged(tx: Transaction, being_id: UUID, session_ids: Sequence[UUID]) -> list[UnjudgedCount]:
    """Count the user's unjudged messages in each of these sessions; sessions without any are left out.

    In a session that has ended the Being's count too, since no further message of the user's brings them along. In a
    session that waits for a key, only messages that came with a live key of their own count.
    """
    return tx.rows(UnjudgedCount, "select * from memory.count_unjudged(%s, %s)", [being_id, list(session_ids)])


def waiting(tx: Transaction, being_id: UUID, at_most: int) -> int:
    """Count the user's messages to a Being that are not judged, up to `at_most`."""
    return tx.value(
        """
        select count(*)
        from (
            select from memory.messages where being_id = %s and not judged and role = 'user' limit %s
        ) as m
        """,
        [being_id, at_most],
    )


def unjudged(tx: Transaction, being_id: UUID, session_id: UUID, *, until: datetime, limit: int) -> list[Message]:
    """The session's unjudged messages, received by `until`, oldest first.

    In a session that waits for a key, only messages that came with a live key of their own: the others could not be
    paid for, and must not fill the limit.
    """
    return tx.rows(
        Message,
        """
        select m.*
        from memory.messages as m
        join memory.sessions as s using (being_id, session_id)
        where being_id = %(being)s and session_id = %(session)s and not m.judged
            and m.received_at <= %(until)s
            and (not s.waits_for_key or memory.key_lives(being_id, m.request_key_id))
        order by m.created_at, m.message_id
        limit %(limit)s
        """,
        {"being": being_id, "session": session_id, "until": until, "limit": limit},
    )


def all_wait(tx: Transaction, being_id: UUID, session_id: UUID, messages: Sequence[Message]) -> bool:
    """Whether each of these messages is in this session still, and waits to be judged."""
    waiting: int = tx.value(
        """
        select count(*) from memory.messages
        where being_id = %s and session_id = %s and message_id = any(%s) and not judged
        """,
        [being_id, session_id, [message.message_id for message in messages]],
    )
    return waiting == len(messages)


def preceding(tx: Transaction, being_id: UUID, messages: Sequence[Message], *, count: int) -> list[Message]:
    """Up to `count` messages before each of these messages, without them, oldest first.

    They are of the same session, or of the conversation's session before it if that began within the last seven days:
    a later message may refer to one of then.
    """
    return tx.rows(
        Message,
        """
        select distinct earlier.*
        from memory.messages as m
        join memory.sessions as s on s.being_id = m.being_id and s.session_id = m.session_id
        left join lateral (
            select p.session_id
            from memory.sessions as p
            where p.being_id = s.being_id and p.conversation is not distinct from s.conversation
                and p.started_at < s.started_at and p.started_at > s.started_at - interval '7 days'
            order by p.started_at desc, p.session_id desc
            limit 1
        ) as before on true,
        lateral (
            select near.*
            from (values (m.session_id), (before.session_id)) as one (session_id),
            lateral (
                select e.*
                from memory.messages as e
                where e.being_id = m.being_id and e.session_id = one.session_id
                    and (e.created_at, e.message_id) < (m.created_at, m.message_id)
                    and not memory.marked_unsure(e.metadata)
                order by e.created_at desc, e.message_id desc
                limit %(count)s
            ) as near
            order by near.created_at desc, near.message_id desc
            limit %(count)s
        ) as earlier
        where m.being_id = %(being)s and m.message_id = any(%(ids)s) and earlier.message_id <> all(%(ids)s)
        order by earlier.created_at, earlier.message_id
        """,
        {"being": being_id, "ids": [message.message_id for message in messages], "count": count},
    )


def mark_judged(tx: Transaction, being_id: UUID, message_ids: Sequence[UUID]) -> None:
    """Mark messages as judged."""
    tx.execute(
        "update memory.messages set judged = true where being_id = %s and message_id = any(%s) and not judged",
        [being_id, list(message_ids)],
    )


def more_is_judged(tx: Transaction, user_id: UUID, kind: WorkKind, apart_from: Claim) -> bool:
    """Whether work of judging is running or due for any of a user's Beings, apart from one unit."""
    return tx.exists(
        """
        select
        from memory.work as w
        join memory.beings as b on b.being_id = w.owner_id
        where b.user_id = %(user)s and w.kind = %(kind)s
            and (w.owner_id, w.key) <> (%(owner)s, %(key)s)
            and (w.state = 'running' or w.state = 'ready' and w.next_at <= clock_timestamp())
        """,
        {
            "user": user_id,
            "kind": kind.name,
            "owner": apart_from.owner_id,
            "key": apart_from.key,
        },
    )


def mark_unjudgeable(tx: Transaction, being_id: UUID, reasons: Mapping[UUID, str]) -> None:
    """Record why the model could not read these messages, which count as judged; reasons hold no content."""
    if not reasons:
        return
    tx.execute(
        """
        update memory.messages as m
        set judging_error = because.reason
        from unnest(%s::uuid[], %s::text[]) as because (message_id, reason)
        where m.being_id = %s and m.message_id = because.message_id
        """,
        [list(reasons), list(reasons.values()), being_id],
    )


def wait_for_key(tx: Transaction, being_id: UUID, session_ids: Sequence[UUID], *, waits: bool) -> bool:
    """Set whether these sessions' messages wait for a usable key of the user's; returns whether any session changed."""
    return tx.changes(
        """
        update memory.sessions
        set waits_for_key = %(waits)s
        where being_id = %(being)s and session_id = any(%(sessions)s) and waits_for_key <> %(waits)s
        """,
        {"waits": waits, "being": being_id, "sessions": list(session_ids)},
    )


def sessions_waiting(tx: Transaction, *, platform: bool, limit: int) -> list[tuple[UUID, UUID]]:
    """Sessions (being, session) that wait for a key, and whose user may use one now."""
    waiting: LiteralString = """
        select array[being_id, session_id], user_id
        from memory.sessions
        join memory.beings using (being_id)
        where waits_for_key
    """
    return [tuple(session) for session in keys.waiting(tx, waiting, platform=platform, limit=limit)]


def record_judgement(
    tx: Transaction,
    being_id: UUID,
    session_id: UUID,
    *,
    judged: Sequence[UUID],
    shown: Sequence[UUID],
    facts: int,
    todos: int,
    dropped: Mapping[str, int],
) -> None:
    """Record one judging: its messages, all messages that it showed, and how much it found or dropped, by reason."""
    tx.execute(
        """
        insert into memory.judgements (being_id, session_id, messages, facts, todos, dropped, judged_ids, shown_ids)
        values (%s, %s, %s, %s, %s, %s, %s, %s)
        """,
        [being_id, session_id, len(judged), facts, todos, Jsonb(dict(dropped)), list(judged), list(shown)],
    )
