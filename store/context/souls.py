"""Souls of Beings, read by contexts and by the patrol, which writes `think_md`."""

from uuid import UUID

from schemas.context.persona import Soul
from store.transaction import Transaction


def get(tx: Transaction, being_id: UUID) -> Soul:
    """The Being's soul; an empty one if none is stored."""
    return tx.row(Soul, "select * from memory.souls where being_id = %s", [being_id]) or Soul()


def write_think_md(tx: Transaction, being_id: UUID, notes: str) -> None:
    """Replace the Being's notes for its next session."""
    tx.execute(
        """
        insert into memory.souls (being_id, think_md, thought_at)
        values (%s, %s, memory.now())
        on conflict (being_id) do update set think_md = excluded.think_md, thought_at = excluded.thought_at
        """,
        [being_id, notes],
    )
