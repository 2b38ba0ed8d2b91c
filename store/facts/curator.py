"""Statements of the curator: pairs of similar facts, folds, and the state of its last run."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from schemas.facts.fact_rows import Fact
from store.transaction import Transaction, once


@dataclass(frozen=True, slots=True)
class FactPair:
    """Two similar facts; the first was not compared before."""

    one: UUID
    other: UUID


def count_uncurated(tx: Transaction, user_id: UUID) -> int:
    """How many unpinned active facts were not compared with the others since their content changed last."""
    return tx.value(
        """
        select count(*)
        from memory.facts
        where user_id = %s and status = 'ACTIVE' and not curated and not pinned and not never_fold
        """,
        [user_id],
    )


def uncurated(tx: Transaction, user_id: UUID, limit: int) -> list[UUID]:
    """Unpinned active facts that were not compared yet, and whose present content has a vector; oldest first."""
    return tx.column(
        """
        select f.fact_id
        from memory.facts as f
        join memory.fact_states as state using (user_id)
        join memory.fact_vectors as v
            on v.user_id = f.user_id and v.fact_id = f.fact_id and v.embedding_model = state.embedding_model
        where f.user_id = %s and f.status = 'ACTIVE' and not f.curated and not f.pinned and not f.never_fold
            and v.text_hash = sha256(convert_to(f.content, 'UTF8'))
        order by f.fact_id
        limit %s
        """,
        [user_id, limit],
    )


def similar_pairs(tx: Transaction, user_id: UUID, fact_ids: Sequence[UUID], *, similarity: float) -> list[FactPair]:
    """Pairs of one of these facts with another unpinned active one, with at least this cosine similarity.

    Both are of one scope, type and subtype, and both or neither muted; facts about a person are paired only with facts
    about the same person.
    """
    return tx.rows(
        FactPair,
        """
        with loose as materialized (
            select f.fact_id, f.being_id, f.type, f.subtype, v.vector,
                memory.is_muted(coalesce(f.being_id, f.user_id), 'fact', f.fact_id) as muted,
                case f.subtype ->> 'entityType' when 'person' then f.entity_refs[1] end as person
            from memory.facts as f
            join memory.fact_states as state using (user_id)
            join memory.fact_vectors as v
                on v.user_id = f.user_id and v.fact_id = f.fact_id and v.embedding_model = state.embedding_model
            where f.user_id = %(user)s and f.status = 'ACTIVE' and not f.pinned and not f.never_fold
                and v.text_hash = sha256(convert_to(f.content, 'UTF8'))
        )
        select fresh.fact_id as one, old.fact_id as other
        from loose as fresh
        join loose as old
            on old.fact_id <> fresh.fact_id and old.type = fresh.type and old.subtype = fresh.subtype
            and old.being_id is not distinct from fresh.being_id and old.muted = fresh.muted
            and old.person is not distinct from fresh.person
        where fresh.fact_id = any(%(fresh)s) and (old.fact_id > fresh.fact_id or old.fact_id <> all(%(fresh)s))
            and 1 - (old.vector <=> fresh.vector) >= %(similarity)s
        order by one, other
        """,
        {"user": user_id, "fresh": list(fact_ids), "similarity": similarity},
    )


def read(tx: Transaction, user_id: UUID, fact_ids: Sequence[UUID]) -> dict[UUID, Fact]:
    """Facts by id."""
    found = tx.rows(
        Fact, "select * from memory.facts where user_id = %s and fact_id = any(%s)", [user_id, list(fact_ids)]
    )
    return {fact.fact_id: fact for fact in found}


def fold(tx: Transaction, user_id: UUID, fact_ids: Sequence[UUID]) -> UUID | None:
    """Fold facts into one with the content of the first; None if fewer than two are still active and unpinned."""
    return tx.value("select memory.fold_facts(%s, %s)", [user_id, list(fact_ids)])


def unfold(tx: Transaction, user_id: UUID, fact_id: UUID) -> list[UUID]:
    """Undo a fold; returns the ids of the facts that are active again, none if all of them were erased.

    Raises:
        Refused: Another active fact has the memory key of one of them.
    """
    with once(tx, "Another fact has the memory key of a folded one. Archive or erase that fact first."):
        folded: list[UUID] | None = tx.value("select memory.unfold_facts(%s, %s)", [user_id, fact_id])
    return folded or []


def record_run(tx: Transaction, user_id: UUID, curated: Sequence[UUID]) -> None:
    """Mark facts as compared, and record the time of a run and the number of active facts after it."""
    tx.execute(
        "update memory.facts set curated = true where user_id = %s and fact_id = any(%s)", [user_id, list(curated)]
    )
    tx.execute(
        """
        update memory.fact_states
        set last_run_at = memory.now(),
            last_memory_count_at_run = (
                select count(*) from memory.facts where user_id = %(user)s and status = 'ACTIVE'
            )
        where user_id = %(user)s
        """,
        {"user": user_id},
    )
