"""Events of facts, which triggers insert: births, archiving, pins, changed importance."""

from datetime import timedelta
from uuid import UUID

from psycopg.rows import class_row

from schemas.facts.rows import FactEvent
from store.transaction import Transaction


def events(tx: Transaction, user_id: UUID, fact_id: UUID) -> list[FactEvent]:
    """The events of a fact's history, oldest first."""
    with tx.cursor(row_factory=class_row(FactEvent)) as cursor:
        return cursor.execute(
            """
            select *
            from memory.fact_history
            where user_id = %s and fact_id = %s
            order by event_id
            """,
            [user_id, fact_id],
        ).fetchall()


def clear(tx: Transaction, older_than: timedelta, limit: int) -> int:
    """Delete events older than `older_than`, except each fact's birth and its newest of each kind; returns how many."""
    return tx.execute(
        """
        delete from memory.fact_history
        where (user_id, fact_id, event_id) in (
            select user_id, fact_id, event_id
            from memory.fact_history as h
            where happened_at < memory.now() - %s and event <> 'born'
                and exists (
                    select
                    from memory.fact_history as later
                    where later.user_id = h.user_id and later.fact_id = h.fact_id and later.event = h.event
                        and later.event_id > h.event_id
                )
            limit %s
            for update skip locked
        )
        """,
        [older_than, limit],
    ).rowcount
