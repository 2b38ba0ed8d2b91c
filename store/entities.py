"""Entities: names that were heard, and what they stand for."""

from collections.abc import Collection, Mapping, Sequence
from uuid import UUID

from psycopg.rows import class_row

from schemas.facts import Entity, EntityMerge
from store.errors import NotFound
from store.transaction import Transaction


def known(tx: Transaction, user_id: UUID, refs: Sequence[str]) -> dict[str, str]:
    """What each of these names stands for, where it was heard before."""
    rows = tx.execute(
        "select alias_ref, entity_ref from memory.entity_aliases where user_id = %s and alias_ref = any(%s)",
        [user_id, list(refs)],
    )
    return {row["alias_ref"]: row["entity_ref"] for row in rows}


def heard_openly(tx: Transaction, user_id: UUID, entity_types: Collection[str]) -> dict[str, str]:
    """Names of these types that all of the user's Beings may know, and what they stand for."""
    rows = tx.execute(
        "select distinct a.alias_ref, a.entity_ref from memory.facts as f"
        " join memory.fact_statements as s using (user_id, fact_id), unnest(s.told_as) as name (ref)"
        " join memory.entity_aliases as a on a.user_id = %(user)s and a.alias_ref = name.ref"
        " where f.user_id = %(user)s and f.being_id is null and split_part(name.ref, ':', 1) = any(%(types)s)",
        {"user": user_id, "types": list(entity_types)},
    )
    return {row["alias_ref"]: row["entity_ref"] for row in rows}


def add(tx: Transaction, user_id: UUID, labels: Mapping[str, str]) -> None:
    """Note names that are new, each standing for itself."""
    tx.execute(
        "insert into memory.entity_aliases (user_id, alias_ref, entity_ref, label)"
        " select %s, new.ref, new.ref, new.label from unnest(%s::text[], %s::text[]) as new (ref, label)"
        " on conflict do nothing",
        [user_id, list(labels), list(labels.values())],
    )


def listed(tx: Transaction, user_id: UUID, being_id: UUID, limit: int) -> list[Entity]:
    """Entities that facts this Being knows are about, those of most facts first, by the names that it has heard."""
    with tx.cursor(row_factory=class_row(Entity)) as cursor:
        return cursor.execute(
            "select a.entity_ref, a.label, count(*)::integer as facts, array(select alias_ref from"
            " memory.entity_aliases as other where other.user_id = a.user_id and other.entity_ref = a.entity_ref"
            " and other.alias_ref <> a.entity_ref and exists (select from memory.fact_statements as s"
            " join memory.facts as told using (user_id, fact_id) where s.user_id = a.user_id"
            " and other.alias_ref = any(s.told_as) and (told.being_id = %(being)s or told.being_id is null))"
            " order by alias_ref) as aliases from memory.facts as f,"
            " unnest(f.entity_refs) as ref join memory.entity_aliases as a on a.user_id = %(user)s"
            " and a.alias_ref = ref where f.user_id = %(user)s and f.status = 'ACTIVE'"
            " and (f.being_id = %(being)s or f.being_id is null) group by a.user_id, a.entity_ref, a.label"
            " order by facts desc, a.entity_ref limit %(limit)s",
            {"user": user_id, "being": being_id, "limit": limit},
        ).fetchall()


def neighbours(tx: Transaction, user_id: UUID, refs: Sequence[str]) -> dict[str, set[str]]:
    """The entities that stand beside each of these in some fact that all of the user's Beings know."""
    rows = tx.execute(
        "select one.ref, array_agg(distinct other.ref) as others from memory.facts as f,"
        " unnest(f.entity_refs) as one (ref), unnest(f.entity_refs) as other (ref)"
        " where f.user_id = %(user)s and f.being_id is null and f.status = 'ACTIVE'"
        " and f.entity_refs && %(refs)s and one.ref = any(%(refs)s) and one.ref <> other.ref group by one.ref",
        {"user": user_id, "refs": list(refs)},
    )
    return {row["ref"]: set(row["others"]) for row in rows}


def propose(tx: Transaction, user_id: UUID, kept_ref: str, merged_ref: str, similarity: float) -> UUID | None:
    """Note that two names may be one; None where that was noted before, whatever was decided."""
    row = tx.execute(
        "insert into memory.entity_merges (user_id, kept_ref, merged_ref, state, similarity)"
        " select %(user)s, %(kept)s, %(merged)s, 'proposed', %(similarity)s where not exists (select from"
        " memory.entity_merges where user_id = %(user)s and kept_ref = %(merged)s and merged_ref = %(kept)s)"
        " on conflict (user_id, kept_ref, merged_ref) do nothing returning merge_id",
        {"user": user_id, "kept": kept_ref, "merged": merged_ref, "similarity": similarity},
    ).fetchone()
    return row["merge_id"] if row else None


def merge(tx: Transaction, user_id: UUID, proposal: EntityMerge) -> None:
    """Let one entity and all its names stand for the other."""
    aliases = _names_of(tx, user_id, proposal.merged_ref)
    tx.execute("select memory.rename_entities(%s, %s, %s)", [user_id, aliases, proposal.kept_ref])
    tx.execute(
        "update memory.entity_merges set state = 'merged', aliases = %s, decided_at = memory.now()"
        " where user_id = %s and merge_id = %s",
        [aliases, user_id, proposal.merge_id],
    )


def part(tx: Transaction, user_id: UUID, proposal: EntityMerge) -> None:
    """Undo a merge: the names that came with it stand for what they stood for before."""
    rows = tx.execute(
        "select aliases from memory.entity_merges where user_id = %s and merge_id = %s", [user_id, proposal.merge_id]
    ).fetchall()
    for row in rows:
        tx.execute("select memory.rename_entities(%s, %s, %s)", [user_id, row["aliases"], proposal.merged_ref])
    decide(tx, user_id, proposal.merge_id, "undone")


def decide(tx: Transaction, user_id: UUID, merge_id: UUID, state: str) -> None:
    """Write down what was decided about two names."""
    tx.execute(
        "update memory.entity_merges set state = %s, decided_at = memory.now() where user_id = %s and merge_id = %s",
        [state, user_id, merge_id],
    )


def merges(
    tx: Transaction,
    user_id: UUID,
    being_id: UUID,
    *,
    state: str | None = None,
    merge_id: UUID | None = None,
    limit: int,
) -> list[EntityMerge]:
    """What was proposed and decided about names that a Being has heard or may know from others, newest first."""
    with tx.cursor(row_factory=class_row(EntityMerge)) as cursor:
        return cursor.execute(
            "select * from memory.entity_merges as e where e.user_id = %(user)s and (%(state)s::text is null"
            " or e.state = %(state)s) and (%(merge)s::uuid is null or e.merge_id = %(merge)s)"
            " and not exists (select from unnest(array[e.kept_ref, e.merged_ref]) as name (ref)"
            " where not exists (select from memory.fact_statements as s join memory.facts as f using (user_id, fact_id)"
            " where s.user_id = %(user)s and name.ref = any(s.told_as)"
            " and (f.being_id = %(being)s or f.being_id is null))) order by e.merge_id desc limit %(limit)s",
            {"user": user_id, "being": being_id, "state": state, "merge": merge_id, "limit": limit},
        ).fetchall()


def get_merge(tx: Transaction, user_id: UUID, merge_id: UUID) -> EntityMerge:
    """One of them.

    Raises:
        NotFound: This user has no such proposal.
    """
    with tx.cursor(row_factory=class_row(EntityMerge)) as cursor:
        found = cursor.execute(
            "select * from memory.entity_merges where user_id = %s and merge_id = %s", [user_id, merge_id]
        ).fetchone()
    if found is None:
        raise NotFound(f"There is no proposal {merge_id} to merge two entities.")
    return found


def _names_of(tx: Transaction, user_id: UUID, entity_ref: str) -> list[str]:
    """All names that stand for an entity, its own among them."""
    rows = tx.execute(
        "select alias_ref from memory.entity_aliases where user_id = %s and entity_ref = %s", [user_id, entity_ref]
    )
    return [row["alias_ref"] for row in rows]
