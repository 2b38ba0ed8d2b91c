"""Vectors of facts by model, and retrieval of facts by vector or by words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from schemas.facts.fact_rows import Fact
from store.nodes.embeddings import Vector, halfvec
from store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class UnembeddedFact:
    """A fact whose present content has no vector of a model; `text_hash` is the content's SHA-256."""

    fact_id: UUID
    content: str
    text_hash: bytes


def serving_model(tx: Transaction, user_id: UUID) -> str | None:
    """The model whose vectors retrieval uses for a user's facts; None until there are any."""
    return tx.value("select embedding_model from memory.fact_states where user_id = %s", [user_id])


def unembedded(tx: Transaction, user_id: UUID, model: str, limit: int) -> list[UnembeddedFact]:
    """Active facts whose present content has no vector of this model."""
    return tx.rows(
        UnembeddedFact,
        """
        select f.fact_id, f.content, sha256(convert_to(f.content, 'UTF8')) as text_hash
        from memory.facts as f
        where f.user_id = %(user)s and f.status = 'ACTIVE'
            and not exists (
                select
                from memory.fact_vectors as v
                where v.user_id = f.user_id and v.fact_id = f.fact_id and v.embedding_model = %(model)s
                    and v.text_hash = sha256(convert_to(f.content, 'UTF8'))
            )
        order by f.fact_id
        limit %(limit)s
        """,
        {"user": user_id, "model": model, "limit": limit},
    )


def upsert(tx: Transaction, user_id: UUID, model: str, vectors: Mapping[UUID, tuple[bytes, Vector]]) -> None:
    """Insert or replace (text hash, vector) by fact id; facts that were erased meanwhile are skipped."""
    tx.execute(
        """
        insert into memory.fact_vectors (user_id, fact_id, embedding_model, text_hash, vector)
        select %(user)s, new.fact_id, %(model)s, new.text_hash, new.vector
        from unnest(%(ids)s::uuid[], %(hashes)s::bytea[], %(vectors)b::halfvec[]) as new (fact_id, text_hash, vector)
        join memory.facts as f on f.user_id = %(user)s and f.fact_id = new.fact_id
        on conflict (user_id, fact_id, embedding_model)
            do update set text_hash = excluded.text_hash, vector = excluded.vector
        """,
        {
            "user": user_id,
            "model": model,
            "ids": list(vectors),
            "hashes": [text_hash for text_hash, _ in vectors.values()],
            "vectors": [halfvec(vector) for _, vector in vectors.values()],
        },
    )


def set_serving_model(tx: Transaction, user_id: UUID, model: str) -> None:
    """Use this model's vectors in retrieval from now on, and delete those of all others."""
    tx.execute("update memory.fact_states set embedding_model = %s where user_id = %s", [model, user_id])
    tx.execute("delete from memory.fact_vectors where user_id = %s and embedding_model <> %s", [user_id, model])


def users_of_other_models(tx: Transaction, model: str, limit: int) -> list[UUID]:
    """Up to `limit` users whose serving model is another than this one."""
    return tx.column(
        "select user_id from memory.fact_states where embedding_model <> %s order by user_id limit %s", [model, limit]
    )


def nearest(
    tx: Transaction, user_id: UUID, being_id: UUID, model: str, query: Vector, limit: int
) -> list[tuple[Fact, float]]:
    """The active facts that a Being knows nearest to a query vector of this model, with their cosine similarities.

    A long fact is as near as its own vector, or the nearest of its windows.
    """
    rows = tx.execute(
        # The similarity of a zero vector is NaN, and filtered.
        """
        select f.*, near.similarity
        from (
            select either.fact_id, 1 - min(either.distance) as similarity
            from (
                (
                    select v.fact_id, v.vector <=> %(query)s::halfvec as distance
                    from memory.fact_vectors as v
                    join memory.tellable_facts as known on known.user_id = %(user)s and known.fact_id = v.fact_id
                    where v.user_id = %(user)s and v.embedding_model = %(model)s
                        and known.status = 'ACTIVE' and (known.being_id = %(being)s or known.being_id is null)
                    order by distance, v.fact_id
                    limit %(limit)s
                )
                union all
                (
                    select d.item_id, w.distance
                    from unnest(array[%(user)s, %(being)s]::uuid[]) as owner (owner_id)
                    cross join memory.windows_of(owner.owner_id, %(model)s, 'fact', %(query)s::halfvec) as w
                    join memory.search_documents as d on d.owner_id = owner.owner_id and d.document_id = w.document_id
                    join memory.tellable_facts as known on known.user_id = %(user)s and known.fact_id = d.item_id
                    where known.status = 'ACTIVE' and (known.being_id = %(being)s or known.being_id is null)
                    order by w.distance, d.item_id
                    limit %(limit)s
                )
            ) as either
            where either.distance between 0 and 2
            group by either.fact_id
            order by similarity desc, either.fact_id
            limit %(limit)s
        ) as near
        join memory.facts as f on f.user_id = %(user)s and f.fact_id = near.fact_id
        where near.similarity between -1 and 1
        order by near.similarity desc, f.fact_id
        """,
        {"user": user_id, "being": being_id, "model": model, "query": halfvec(query), "limit": limit},
    )
    return [(Fact.model_validate(row), row["similarity"]) for row in rows]


def has_facts(tx: Transaction, user_id: UUID, being_id: UUID) -> bool:
    """Return whether the Being knows an active fact."""
    return tx.exists(
        """
        select from memory.tellable_facts
        where user_id = %s and status = 'ACTIVE' and (being_id = %s or being_id is null)
        """,
        [user_id, being_id],
    )


def matching_words(
    tx: Transaction,
    user_id: UUID,
    being_id: UUID,
    terms: Sequence[str],
    limit: int,
    *,
    without_vector_of: str | None = None,
) -> list[tuple[Fact, float]]:
    """The active facts that a Being knows which contain any of these words, with the share that each contains.

    With a model, only facts whose present content has no vector of it.
    """
    rows = tx.execute(
        """
        select f.*, found.share
        from memory.tellable_facts as f,
        lateral (
            select count(*)::double precision / %(count)s as share
            from unnest(%(terms)s::text[]) as term
            where strpos(lower(f.content || ' ' || f.entity_label), lower(term)) > 0
        ) as found
        where f.user_id = %(user)s and f.status = 'ACTIVE' and (f.being_id = %(being)s or f.being_id is null)
            and found.share > 0
            and (
                %(model)s::text is null
                or not exists (
                    select
                    from memory.fact_vectors as v
                    where v.user_id = f.user_id and v.fact_id = f.fact_id and v.embedding_model = %(model)s
                        and v.text_hash = sha256(convert_to(f.content, 'UTF8'))
                )
            )
        order by found.share desc, f.last_told_at desc, f.fact_id
        limit %(limit)s
        """,
        {
            "user": user_id,
            "being": being_id,
            "terms": list(terms),
            "count": max(1, len(terms)),
            "limit": limit,
            "model": without_vector_of,
        },
    )
    return [(Fact.model_validate(row), row["share"]) for row in rows]
