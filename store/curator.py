"""What the curator looks at and writes."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from psycopg.rows import class_row

from schemas.facts import Fact
from store.transaction import Transaction, value


@dataclass(frozen=True, slots=True)
class Pair:
    """Two facts that are much alike; the first was learnt since the curator last looked."""

    one: UUID
    other: UUID


def added_since_run(tx: Transaction, user_id: UUID) -> int:
    """How many more facts are active than when the curator last ran."""
    return int(
        value(
            tx,
            "select count(*) - coalesce((select last_memory_count_at_run from memory.fact_keeping"
            " where user_id = %(user)s), 0) from memory.facts where user_id = %(user)s and status = 'ACTIVE'",
            {"user": user_id},
        )
    )


def alike(tx: Transaction, user_id: UUID, *, similarity: float, limit: int) -> list[Pair]:
    """Pairs of unpinned active facts of one scope and kind, about the same person if about one, at least so similar."""
    with tx.cursor(row_factory=class_row(Pair)) as cursor:
        return cursor.execute(
            "with kept as (select * from memory.fact_keeping where user_id = %(user)s), loose as materialized ("
            "select f.fact_id, f.being_id, f.type, f.subtype, f.created_at, v.vector,"
            " case f.subtype ->> 'entityType' when 'person' then f.entity_refs[1] end as person"
            " from memory.facts as f join kept using (user_id) join memory.fact_vectors as v"
            " on v.user_id = f.user_id and v.fact_id = f.fact_id and v.embedding_model = kept.embedding_model"
            " where f.user_id = %(user)s and f.status = 'ACTIVE' and not f.pinned)"
            " select fresh.fact_id as one, old.fact_id as other from (select loose.* from loose, kept"
            " where kept.last_run_at is null or loose.created_at > kept.last_run_at"
            " order by loose.created_at limit %(limit)s) as fresh join loose as old"
            " on old.fact_id <> fresh.fact_id and old.type = fresh.type and old.subtype = fresh.subtype"
            " and old.being_id is not distinct from fresh.being_id and old.person is not distinct from fresh.person"
            " where 1 - (old.vector <=> fresh.vector) >= %(similarity)s order by one, other",
            {"user": user_id, "similarity": similarity, "limit": limit},
        ).fetchall()


def read(tx: Transaction, user_id: UUID, fact_ids: Sequence[UUID]) -> dict[UUID, Fact]:
    """Facts by id."""
    with tx.cursor(row_factory=class_row(Fact)) as cursor:
        found = cursor.execute(
            "select * from memory.facts where user_id = %s and fact_id = any(%s)", [user_id, list(fact_ids)]
        )
        return {fact.fact_id: fact for fact in found}


def fold(tx: Transaction, user_id: UUID, fact_ids: Sequence[UUID]) -> UUID | None:
    """Fold facts into one, in the words of the first; None where too few of them are left as they were."""
    folded: UUID | None = value(tx, "select memory.fold_facts(%s, %s)", [user_id, list(fact_ids)])
    return folded


def ran(tx: Transaction, user_id: UUID) -> None:
    """Note that the curator has run, and how many facts it left."""
    tx.execute(
        "update memory.fact_keeping set last_run_at = memory.now(), last_memory_count_at_run ="
        " (select count(*) from memory.facts where user_id = %(user)s and status = 'ACTIVE') where user_id = %(user)s",
        {"user": user_id},
    )
