"""Counts of items that were dropped from models' answers, by purpose and reason."""

from collections.abc import Mapping
from uuid import UUID

from schemas.llm.drops import DroppedItems, JudgedBeing, Judgements
from store.transaction import Transaction


def count(tx: Transaction, owner_id: UUID, purpose: str, reasons: Mapping[str, int]) -> None:
    """Add to the counts of an owner (a Being, or a user for work across Beings)."""
    some = {reason: items for reason, items in reasons.items() if items > 0}
    if some:
        tx.execute(
            """
            insert into memory.dropped_items (user_id, being_id, purpose, reason, items)
            select o.user_id, o.being_id, %s, d.reason, d.items
            from memory.owner_of(%s) as o, unnest(%s::text[], %s::integer[]) as d (reason, items)
            """,
            [purpose, owner_id, list(some), list(some.values())],
        )


def of_being(tx: Transaction, being_id: UUID) -> Judgements:
    """Count a Being's judgings, the messages that they read, and the facts and todos that they found.

    With the items dropped from its answers, and from those across its user's Beings, the most frequent first.
    """
    judged = tx.one(
        JudgedBeing,
        """
        select count(*) as judgements, coalesce(sum(messages), 0) as messages, coalesce(sum(facts), 0) as facts,
            coalesce(sum(todos), 0) as todos
        from memory.judgements
        where being_id = %s
        """,
        [being_id],
    )
    dropped = tx.rows(
        DroppedItems,
        """
        select d.purpose, d.reason, sum(d.items) as items, max(d.dropped_at) as last_at
        from memory.dropped_items as d
        join memory.beings as b on b.being_id = %s and b.user_id = d.user_id
        where d.being_id = b.being_id or d.being_id is null
        group by d.purpose, d.reason
        order by items desc, d.purpose, d.reason
        """,
        [being_id],
    )
    return Judgements(judged=judged, dropped=dropped)
