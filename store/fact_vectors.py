"""Vectors of facts, by model, and the search over those of the model that serves."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from psycopg.rows import class_row

from schemas.facts import Fact
from store.embeddings import Vector, literal
from store.transaction import Transaction, value


@dataclass(frozen=True, slots=True)
class Unembedded:
    """A fact whose words have no vector of a model yet."""

    fact_id: UUID
    content: str
    text_hash: bytes


def serving(tx: Transaction, user_id: UUID) -> str | None:
    """The model whose vectors serve a user's facts; None until there are any."""
    model: str | None = value(tx, "select embedding_model from memory.fact_keeping where user_id = %s", [user_id])
    return model


def missing(tx: Transaction, user_id: UUID, model: str, limit: int) -> list[Unembedded]:
    """Active facts whose words, as they are now, have no vector of this model."""
    with tx.cursor(row_factory=class_row(Unembedded)) as cursor:
        return cursor.execute(
            "select f.fact_id, f.content, sha256(convert_to(f.content, 'UTF8')) as text_hash from memory.facts as f"
            " where f.user_id = %(user)s and f.status = 'ACTIVE' and not exists (select from memory.fact_vectors as v"
            " where v.user_id = f.user_id and v.fact_id = f.fact_id and v.embedding_model = %(model)s"
            " and v.text_hash = sha256(convert_to(f.content, 'UTF8'))) order by f.fact_id limit %(limit)s",
            {"user": user_id, "model": model, "limit": limit},
        ).fetchall()


def keep(tx: Transaction, user_id: UUID, model: str, vectors: Mapping[UUID, tuple[bytes, Vector]]) -> None:
    """Keep a vector, and the hash of its text, for each fact that is still there; a later one takes its place."""
    tx.execute(
        "insert into memory.fact_vectors (user_id, fact_id, embedding_model, text_hash, vector)"
        " select %(user)s, new.fact_id, %(model)s, new.text_hash, new.vector::halfvec"
        " from unnest(%(ids)s::uuid[], %(hashes)s::bytea[], %(vectors)s::text[]) as new (fact_id, text_hash, vector)"
        " join memory.facts as f on f.user_id = %(user)s and f.fact_id = new.fact_id"
        " on conflict (user_id, fact_id, embedding_model)"
        " do update set text_hash = excluded.text_hash, vector = excluded.vector",
        {
            "user": user_id,
            "model": model,
            "ids": list(vectors),
            "hashes": [text_hash for text_hash, _ in vectors.values()],
            "vectors": [literal(vector) for _, vector in vectors.values()],
        },
    )


def serve(tx: Transaction, user_id: UUID, model: str) -> None:
    """Let the vectors of a model serve from now on, and let go of all others."""
    tx.execute("update memory.fact_keeping set embedding_model = %s where user_id = %s", [model, user_id])
    tx.execute("delete from memory.fact_vectors where user_id = %s and embedding_model <> %s", [user_id, model])


def users_of_other_models(tx: Transaction, model: str, limit: int) -> list[UUID]:
    """Users whose facts are served by vectors of another model than this one."""
    rows = tx.execute(
        "select user_id from memory.fact_keeping where embedding_model <> %s order by user_id limit %s", [model, limit]
    )
    return [row["user_id"] for row in rows]


def nearest(
    tx: Transaction, user_id: UUID, being_id: UUID, model: str, query: Vector, limit: int
) -> list[tuple[Fact, float]]:
    """The active facts that a Being knows nearest to a query vector of this model, with their cosine similarities."""
    rows = tx.execute(
        # Offset 0 keeps the vectors themselves out of the sort.
        "select f.*, near.similarity from (select scored.fact_id, 1 - scored.distance as similarity from ("
        "select v.fact_id, v.vector <=> %(query)s::halfvec as distance from memory.fact_vectors as v"
        " where v.user_id = %(user)s and v.embedding_model = %(model)s offset 0) as scored"
        " join memory.facts as known on known.user_id = %(user)s and known.fact_id = scored.fact_id"
        " where known.status = 'ACTIVE' and (known.being_id = %(being)s or known.being_id is null)"
        " order by scored.distance, scored.fact_id limit %(limit)s) as near"
        " join memory.facts as f on f.user_id = %(user)s and f.fact_id = near.fact_id"
        # A vector without direction is like nothing: its similarity is NaN.
        " where near.similarity between -1 and 1 order by near.similarity desc, f.fact_id",
        {"user": user_id, "being": being_id, "model": model, "query": literal(query), "limit": limit},
    )
    return [(Fact.model_validate(row), row["similarity"]) for row in rows]


def worded(
    tx: Transaction, user_id: UUID, being_id: UUID, terms: Sequence[str], limit: int
) -> list[tuple[Fact, float]]:
    """The active facts that a Being knows which hold most of these words, with the share of them that each holds."""
    rows = tx.execute(
        "select f.*, met.share from memory.facts as f, lateral ("
        "select count(*)::double precision / %(count)s as share from unnest(%(terms)s::text[]) as term"
        " where strpos(lower(f.content || ' ' || f.entity_label), lower(term)) > 0) as met"
        " where f.user_id = %(user)s and f.status = 'ACTIVE' and (f.being_id = %(being)s or f.being_id is null)"
        " and met.share > 0 order by met.share desc, f.last_told_at desc, f.fact_id limit %(limit)s",
        {
            "user": user_id,
            "being": being_id,
            "terms": list(terms),
            "count": max(1, len(terms)),
            "limit": limit,
        },
    )
    return [(Fact.model_validate(row), row["share"]) for row in rows]
