"""What is always known of the user, and what is known of an entity."""

from collections.abc import Sequence
from uuid import UUID

from psycopg.rows import class_row

from schemas.facts import Fact
from store.transaction import Transaction


def foundation(tx: Transaction, user_id: UUID, being_id: UUID, limit: int) -> list[Fact]:
    """The pinned facts that a Being knows, first learnt first: what a prompt begins with stays the same."""
    with tx.cursor(row_factory=class_row(Fact)) as cursor:
        return cursor.execute(
            "select * from memory.facts where user_id = %s and pinned and status = 'ACTIVE'"
            " and (being_id = %s or being_id is null) order by fact_id limit %s",
            [user_id, being_id, limit],
        ).fetchall()


def important(
    tx: Transaction, user_id: UUID, being_id: UUID, refs: Sequence[str], *, apart_from: Sequence[UUID], limit: int
) -> dict[str, list[Fact]]:
    """For each of these entities that has any, the significant or pinned facts that a Being knows, the first few.

    They come pinned first, then by importance, then the newest.
    """
    rows = tx.execute(
        # The weight stands here as a number for the index of weighty facts to be found: see the seed, "importance".
        "select * from (select asked.ref, f.*, row_number() over (partition by asked.ref"
        " order by f.pinned desc, f.importance desc, f.created_at desc, f.fact_id desc) as place"
        " from memory.facts as f join unnest(%(refs)s::text[]) as asked (ref) on asked.ref = any(f.entity_refs)"
        " where f.user_id = %(user)s and f.status = 'ACTIVE' and (f.importance >= 2 or f.pinned)"
        " and (f.being_id = %(being)s or f.being_id is null) and f.fact_id <> all(%(apart)s)) as known"
        " where place <= %(limit)s order by ref, place",
        {"refs": list(refs), "user": user_id, "being": being_id, "apart": list(apart_from), "limit": limit},
    )
    found: dict[str, list[Fact]] = {}
    for row in rows:
        found.setdefault(row["ref"], []).append(Fact.model_validate(row))
    return found
