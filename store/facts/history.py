"""Events of facts, which triggers insert: births, archiving, pins, changed importance."""

from uuid import UUID

from schemas.facts.fact_rows import FactEvent
from store.transaction import Transaction


def events(tx: Transaction, user_id: UUID, fact_id: UUID) -> list[FactEvent]:
    """The events of a fact's history, oldest first."""
    return tx.rows(
        FactEvent,
        """
        select *
        from memory.fact_history
        where user_id = %s and fact_id = %s
        order by event_id
        """,
        [user_id, fact_id],
    )
