"""Entities: the names in statements, the entity that each stands for, and merges of entities."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from schemas.errors import existing
from schemas.facts.fact_rows import Entity, EntityMerge
from store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class Mention:
    """A name in a statement: its scope (None: all of the user's Beings), its ref, and its label as written there."""

    scope: UUID | None
    ref: str
    label: str


def resolve(tx: Transaction, user_id: UUID, refs: Sequence[str]) -> dict[str, str]:
    """The entity that each of these names stands for; new names are left out."""
    return tx.pairs(
        "select alias_ref, entity_ref from memory.entity_aliases where user_id = %s and alias_ref = any(%s)",
        [user_id, list(refs)],
    )


def shared_aliases(tx: Transaction, user_id: UUID, entity_types: Collection[str]) -> dict[str, str]:
    """Names of these types in facts that all of the user's Beings know, each with the entity that it stands for."""
    return tx.pairs(
        """
        select distinct a.alias_ref, a.entity_ref
        from memory.facts as f
        join memory.fact_statements as s using (user_id, fact_id),
        unnest(s.mentioned_refs) as name (ref)
        join memory.entity_aliases as a on a.user_id = %(user)s and a.alias_ref = name.ref
        where f.user_id = %(user)s and f.being_id is null and split_part(name.ref, ':', 1) = any(%(types)s)
        """,
        {"user": user_id, "types": list(entity_types)},
    )


def add(tx: Transaction, user_id: UUID, mentions: Sequence[Mention]) -> None:
    """Insert new names, each standing for itself; each scope keeps the first label of a name."""
    parameters = {
        "user": user_id,
        "scopes": [mention.scope for mention in mentions],
        "refs": [mention.ref for mention in mentions],
        "labels": [mention.label for mention in mentions],
    }
    tx.execute(
        """
        insert into memory.entity_aliases (user_id, alias_ref, entity_ref)
        select distinct %(user)s::uuid, ref, ref from unnest(%(refs)s::text[]) as new (ref)
        on conflict do nothing
        """,
        parameters,
    )
    tx.execute(
        """
        insert into memory.entity_labels (user_id, being_id, alias_ref, label)
        select %(user)s, scope, ref, label
        from unnest(%(scopes)s::uuid[], %(refs)s::text[], %(labels)s::text[]) as new (scope, ref, label)
        on conflict do nothing
        """,
        parameters,
    )


def listed(
    tx: Transaction,
    user_id: UUID,
    being_id: UUID,
    *,
    after: tuple[int, str] | None,
    limit: int,
    muted: bool = True,
) -> list[Entity]:
    """Entities in facts that this Being knows, those with the most facts first, with the names that it may know.

    Of muted facts only with `muted`; each fact that names a muted entity is muted.

    `after` is the count of facts and the ref of the last entity of the page before.

    The label is the one of the entity's own name before that of an alias, and the one from the Being's own scope before
    the shared one.
    """
    return tx.rows(
        Entity,
        """
        with about as (
            select entity_ref, count(*)::integer as facts
            from memory.facts as f, unnest(f.entity_refs) as entity_ref
            where f.user_id = %(user)s and f.status = 'ACTIVE' and (f.being_id = %(being)s or f.being_id is null)
                and (%(muted)s or not memory.is_muted(coalesce(f.being_id, f.user_id), 'fact', f.fact_id))
            group by entity_ref
        ),
        called as (
            select a.entity_ref, a.alias_ref, l.label, l.being_id
            from memory.entity_labels as l
            join memory.entity_aliases as a using (user_id, alias_ref)
            where l.user_id = %(user)s and (l.being_id = %(being)s or l.being_id is null)
        )
        select about.entity_ref, about.facts,
            (
                array_agg(
                    called.label
                    order by called.alias_ref = about.entity_ref desc, called.being_id, called.alias_ref
                )
            )[1] as label,
            coalesce(
                array_agg(distinct called.alias_ref) filter (where called.alias_ref <> about.entity_ref), '{}'
            ) as aliases
        from about join called using (entity_ref)
        where %(facts)s::bigint is null or (-about.facts, about.entity_ref) > (-%(facts)s::bigint, %(ref)s)
        group by about.entity_ref, about.facts
        order by about.facts desc, about.entity_ref
        limit %(limit)s
        """,
        {
            "user": user_id,
            "being": being_id,
            "muted": muted,
            "facts": after and after[0],
            "ref": after and after[1],
            "limit": limit,
        },
    )


def neighbours(tx: Transaction, user_id: UUID, refs: Sequence[str]) -> dict[str, set[str]]:
    """By entity, the other entities that occur with it in a fact that all of the user's Beings know."""
    rows = tx.execute(
        """
        select one.ref, array_agg(distinct other.ref) as others
        from memory.facts as f, unnest(f.entity_refs) as one (ref), unnest(f.entity_refs) as other (ref)
        where f.user_id = %(user)s and f.being_id is null and f.status = 'ACTIVE'
            and f.entity_refs && %(refs)s and one.ref = any(%(refs)s) and one.ref <> other.ref
        group by one.ref
        """,
        {"user": user_id, "refs": list(refs)},
    )
    return {row["ref"]: set(row["others"]) for row in rows}


def propose(tx: Transaction, user_id: UUID, kept_ref: str, merged_ref: str, similarity: float) -> UUID | None:
    """Propose a merge of two entities; None if that pair was proposed before, however it was decided."""
    row = tx.execute(
        """
        insert into memory.entity_merges (user_id, kept_ref, merged_ref, state, similarity)
        select %(user)s, %(kept)s, %(merged)s, 'proposed', %(similarity)s
        where not exists (
            select
            from memory.entity_merges
            where user_id = %(user)s and kept_ref = %(merged)s and merged_ref = %(kept)s
        )
        on conflict (user_id, kept_ref, merged_ref) do nothing
        returning merge_id
        """,
        {"user": user_id, "kept": kept_ref, "merged": merged_ref, "similarity": similarity},
    ).fetchone()
    return row["merge_id"] if row else None


def find_merge(tx: Transaction, user_id: UUID, one_ref: str, other_ref: str) -> EntityMerge | None:
    """The merge of two entities, whichever of them it keeps."""
    return tx.row(
        EntityMerge,
        """
        select *
        from memory.entity_merges
        where user_id = %(user)s
            and (kept_ref = %(one)s and merged_ref = %(other)s or kept_ref = %(other)s and merged_ref = %(one)s)
        """,
        {"user": user_id, "one": one_ref, "other": other_ref},
    )


def is_known(tx: Transaction, user_id: UUID, being_id: UUID, ref: str) -> bool:
    """Whether a statement of a fact that this Being knows names this ref."""
    return tx.exists(
        """
        select
        from memory.fact_statements as s
        join memory.facts as f using (user_id, fact_id)
        where s.user_id = %(user)s and %(ref)s = any(s.mentioned_refs)
            and (f.being_id = %(being)s or f.being_id is null)
        """,
        {"user": user_id, "being": being_id, "ref": ref},
    )


def merge(tx: Transaction, user_id: UUID, proposal: EntityMerge) -> None:
    """Accept a merge: all names of `merged_ref` stand for `kept_ref` from now on."""
    aliases = _names_of(tx, user_id, proposal.merged_ref)
    tx.execute("select memory.rename_entities(%s, %s, %s)", [user_id, aliases, proposal.kept_ref])
    tx.execute(
        """
        update memory.entity_merges
        set state = 'merged', aliases = %s, decided_at = memory.now()
        where user_id = %s and merge_id = %s
        """,
        [aliases, user_id, proposal.merge_id],
    )


def undo_merge(tx: Transaction, user_id: UUID, proposal: EntityMerge) -> None:
    """Undo a merge: the names that it moved stand for `merged_ref` again."""
    rows = tx.execute(
        "select aliases from memory.entity_merges where user_id = %s and merge_id = %s", [user_id, proposal.merge_id]
    ).fetchall()
    for row in rows:
        tx.execute("select memory.rename_entities(%s, %s, %s)", [user_id, row["aliases"], proposal.merged_ref])
    set_merge_state(tx, user_id, proposal.merge_id, "undone")


def set_merge_state(tx: Transaction, user_id: UUID, merge_id: UUID, state: str) -> None:
    """Set the state of a merge, and the time of the decision."""
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
    muted: bool = True,
    before: UUID | None = None,
    limit: int,
) -> list[EntityMerge]:
    """Merges of entities of which this Being knows both, newest first; optionally of one state, or one by id.

    It knows an entity by a fact; by a muted one with `muted`.
    """
    return tx.rows(
        EntityMerge,
        """
        select *
        from memory.entity_merges as e
        where e.user_id = %(user)s
            and (%(state)s::text is null or e.state = %(state)s)
            and (%(merge)s::uuid is null or e.merge_id = %(merge)s)
            and (%(before)s::uuid is null or e.merge_id < %(before)s)
            and not exists (
                select
                from unnest(array[e.kept_ref, e.merged_ref]) as name (ref)
                where not exists (
                    select
                    from memory.fact_statements as s
                    join memory.facts as f using (user_id, fact_id)
                    where s.user_id = %(user)s and name.ref = any(s.mentioned_refs)
                        and (f.being_id = %(being)s or f.being_id is null)
                        and (%(muted)s or not memory.is_muted(coalesce(f.being_id, f.user_id), 'fact', f.fact_id))
                )
            )
        order by e.merge_id desc
        limit %(limit)s
        """,
        {
            "user": user_id,
            "being": being_id,
            "state": state,
            "merge": merge_id,
            "muted": muted,
            "before": before,
            "limit": limit,
        },
    )


def get_merge(tx: Transaction, user_id: UUID, merge_id: UUID) -> EntityMerge:
    """One merge of the user's.

    Raises:
        NotFound: This user has no such merge.
    """
    query = "select * from memory.entity_merges where user_id = %s and merge_id = %s"
    return existing(tx.row(EntityMerge, query, [user_id, merge_id]), f"There is no merge {merge_id} of two entities.")


def _names_of(tx: Transaction, user_id: UUID, entity_ref: str) -> list[str]:
    """All names that stand for an entity, including its own."""
    return tx.column(
        "select alias_ref from memory.entity_aliases where user_id = %s and entity_ref = %s", [user_id, entity_ref]
    )
