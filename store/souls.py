"""Souls: who a Being is, and what it has noted for the next conversation."""

from uuid import UUID

from psycopg.rows import class_row

from schemas.rows import Soul
from store.transaction import Transaction


def get(tx: Transaction, being_id: UUID) -> Soul:
    """The Being's soul; an empty one where nobody has written any."""
    with tx.cursor(row_factory=class_row(Soul)) as cursor:
        return cursor.execute("select * from memory.souls where being_id = %s", [being_id]).fetchone() or Soul()


def think(tx: Transaction, being_id: UUID, notes: str) -> None:
    """Write down what the Being wants to remember next time, in place of what it noted before."""
    tx.execute(
        "insert into memory.souls (being_id, think_md, thought_at) values (%s, %s, memory.now())"
        " on conflict (being_id) do update set think_md = excluded.think_md, thought_at = excluded.thought_at",
        [being_id, notes],
    )
