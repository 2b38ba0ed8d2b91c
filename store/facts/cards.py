"""Foundation facts (pinned ones), and the facts of entity cards."""

from collections.abc import Sequence
from uuid import UUID

from schemas.facts.fact_rows import Fact
from store.transaction import Transaction


def foundation(tx: Transaction, user_id: UUID, being_id: UUID, limit: int) -> list[Fact]:
    """The pinned facts that a Being knows, oldest first, so that the start of a prompt stays the same."""
    return tx.rows(
        Fact,
        """
        select *
        from memory.tellable_facts
        where user_id = %s and pinned and status = 'ACTIVE' and (being_id = %s or being_id is null)
        order by fact_id
        limit %s
        """,
        [user_id, being_id, limit],
    )


def essential(tx: Transaction, user_id: UUID, being_id: UUID, limit: int) -> list[Fact]:
    """The facts that a Being knows which are pinned, or about the user and of importance >= 2; pinned ones first."""
    return tx.rows(
        Fact,
        # The importance is a literal, so that the planner uses the partial index facts_important.
        """
        select *
        from memory.tellable_facts
        where user_id = %(user)s and status = 'ACTIVE' and (importance >= 2 or pinned)
            and (pinned or type = 'PROFILE')
            and (being_id = %(being)s or being_id is null)
        order by pinned desc, importance desc, fact_id
        limit %(limit)s
        """,
        {"user": user_id, "being": being_id, "limit": limit},
    )


def named(tx: Transaction, user_id: UUID, being_id: UUID, names: Sequence[str], limit: int) -> dict[str, str]:
    """Entities in facts that a Being knows which are called one of these names, in lower case, each with its label.

    Names from messages in confidence to another Being do not count. Entities with the most facts come first.
    """
    return tx.pairs(
        """
        select a.entity_ref, min(l.label) as label, max(known.facts) as facts
        from memory.entity_labels as l
        join memory.entity_aliases as a using (user_id, alias_ref),
        lateral (
            select count(*) as facts
            from memory.tellable_facts as f
            where f.user_id = %(user)s and f.status = 'ACTIVE' and f.entity_refs @> array[a.entity_ref]
                and (f.being_id = %(being)s or f.being_id is null)
        ) as known
        where l.user_id = %(user)s and (l.being_id = %(being)s or l.being_id is null)
            and lower(l.label) = any(%(names)s) and known.facts > 0
        group by a.entity_ref
        order by facts desc, a.entity_ref
        limit %(limit)s
        """,
        {"user": user_id, "being": being_id, "names": list(names), "limit": limit},
    )


def important(
    tx: Transaction, user_id: UUID, being_id: UUID, refs: Sequence[str], *, apart_from: Sequence[UUID], limit: int
) -> dict[str, list[Fact]]:
    """By entity, up to `limit` facts that a Being knows of importance >= 2 or pinned; entities with none are left out.

    Pinned facts come first, then by importance, then the newest.
    """
    rows = tx.execute(
        # The importance is a literal, so that the planner uses the partial index facts_weighty.
        """
        select *
        from (
            select wanted.ref, f.*,
                row_number() over (
                    partition by wanted.ref
                    order by f.pinned desc, f.importance desc, f.created_at desc, f.fact_id desc
                ) as place
            from memory.tellable_facts as f
            join unnest(%(refs)s::text[]) as wanted (ref) on wanted.ref = any(f.entity_refs)
            where f.user_id = %(user)s and f.status = 'ACTIVE' and (f.importance >= 2 or f.pinned)
                and (f.being_id = %(being)s or f.being_id is null) and f.fact_id <> all(%(apart)s)
        ) as known
        where place <= %(limit)s
        order by ref, place
        """,
        {"refs": list(refs), "user": user_id, "being": being_id, "apart": list(apart_from), "limit": limit},
    )
    found: dict[str, list[Fact]] = {}
    for row in rows:
        found.setdefault(row["ref"], []).append(Fact.model_validate(row))
    return found
