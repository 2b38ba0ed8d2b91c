"""Facts: told, read, pinned, archived, erased. Whoever writes holds the user's facts first."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from psycopg.errors import UniqueViolation
from psycopg.rows import class_row
from psycopg.types.json import Jsonb
from pydantic import TypeAdapter

from schemas.facts import Evidence, Fact, FactEvent, Statement
from store.errors import NotFound, Refused
from store.transaction import Transaction, value

_EVIDENCE = TypeAdapter(list[Evidence])


@dataclass(frozen=True, slots=True)
class Told:
    """A statement on its way in, with the words that support it and how it stands to another statement.

    `told_as` are the entities as they were named, first what it is about; `relation` is `same`, `contradicts`, `adds`.
    """

    statement_id: UUID
    scope: UUID | None
    type: str
    entity_label: str
    fact_type: str
    told_as: list[str]
    content: str
    source: str
    confidence: float
    importance: int
    told_at: datetime
    span: str
    being_id: UUID | None = None
    message_id: UUID | None = None
    seed_id: UUID | None = None
    pinned: bool = False
    relation: str = "adds"
    other: UUID | None = None


def hold(tx: Transaction, user_id: UUID) -> None:
    """Wait for everybody who writes facts of this user, and keep others waiting until this transaction ends."""
    tx.execute("select memory.hold_facts(%s)", [user_id])


def count(tx: Transaction, user_id: UUID) -> int:
    """How many facts are known of a user, whoever knows them."""
    return int(value(tx, "select count(*) from memory.facts where user_id = %s", [user_id]))


def tell(tx: Transaction, user_id: UUID, told: Sequence[Told]) -> list[tuple[UUID, str]]:
    """Take in what was told, in order; returns each fact's id, and `new`, `added`, `mentioned` or `replaced`."""
    rows = tx.execute(
        "select fact_id, outcome from memory.tell_facts(%s, %s) order by place",
        [user_id, Jsonb([_as_json(one) for one in told])],
    )
    return [(row["fact_id"], row["outcome"]) for row in rows]


def under_keys(
    tx: Transaction, user_id: UUID, keys: Sequence[tuple[UUID | None, str]]
) -> dict[tuple[UUID | None, str], UUID]:
    """The fact that answers to each (scope, memory key) now; those without one are left out."""
    rows = tx.execute(
        "select asked.scope, asked.memory_key, memory.fact_under(%(user)s, asked.scope, asked.memory_key) as fact_id"
        " from unnest(%(scopes)s::uuid[], %(keys)s::text[]) as asked (scope, memory_key)",
        {"user": user_id, "scopes": [scope for scope, _ in keys], "keys": [key for _, key in keys]},
    )
    return {(row["scope"], row["memory_key"]): row["fact_id"] for row in rows if row["fact_id"] is not None}


def standing(tx: Transaction, user_id: UUID, fact_ids: Sequence[UUID]) -> dict[UUID, list[tuple[UUID, str]]]:
    """The standing statements of facts, each as its id and words, in the order in which they came."""
    rows = tx.execute(
        "select fact_id, statement_id, content from memory.fact_statements"
        " where user_id = %s and fact_id = any(%s) and replaced_by is null order by statement_id",
        [user_id, list(fact_ids)],
    )
    found: dict[UUID, list[tuple[UUID, str]]] = {}
    for row in rows:
        found.setdefault(row["fact_id"], []).append((row["statement_id"], row["content"]))
    return found


def get(tx: Transaction, user_id: UUID, being_id: UUID, fact_id: UUID) -> Fact:
    """A fact that this Being knows.

    Raises:
        NotFound: It knows none of that id.
    """
    with tx.cursor(row_factory=class_row(Fact)) as cursor:
        fact = cursor.execute(
            "select * from memory.facts where user_id = %s and fact_id = %s and content <> ''"
            " and (being_id = %s or being_id is null)",
            [user_id, fact_id, being_id],
        ).fetchone()
    if fact is None:
        raise NotFound(f"This Being knows no fact {fact_id}.")
    return fact


def named(tx: Transaction, user_id: UUID, being_id: UUID, name: str) -> list[UUID]:
    """Up to two facts that this Being knows whose id ends so."""
    rows = tx.execute(
        "select fact_id from memory.facts where user_id = %(user)s and (being_id = %(being)s or being_id is null)"
        " and content <> '' and right(fact_id::text, length(%(name)s)) = lower(%(name)s) order by fact_id limit 2",
        {"user": user_id, "being": being_id, "name": name},
    )
    return [row["fact_id"] for row in rows]


def page(
    tx: Transaction,
    user_id: UUID,
    being_id: UUID,
    *,
    type: str | None = None,  # noqa: A002  # the column's name
    status: str | None = "ACTIVE",
    entity_ref: str | None = None,
    before: UUID | None = None,
    limit: int,
) -> list[Fact]:
    """Facts that a Being knows, newest first, from `before` on."""
    with tx.cursor(row_factory=class_row(Fact)) as cursor:
        return cursor.execute(
            "select * from memory.facts where user_id = %(user)s and content <> ''"
            " and (being_id = %(being)s or being_id is null)"
            " and (%(type)s::text is null or type = %(type)s) and (%(status)s::text is null or status = %(status)s)"
            " and (%(entity)s::text is null or entity_refs @> array[%(entity)s])"
            " and (%(before)s::uuid is null or fact_id < %(before)s) order by fact_id desc limit %(limit)s",
            {
                "user": user_id,
                "being": being_id,
                "type": type,
                "status": status,
                "entity": entity_ref,
                "before": before,
                "limit": limit,
            },
        ).fetchall()


def statements(tx: Transaction, user_id: UUID, being_id: UUID, fact_id: UUID) -> list[Statement]:
    """What a fact says and said, oldest first, with the words that each rests on; those told to others without them."""
    rows = tx.execute(
        "select s.*, coalesce((select jsonb_agg(jsonb_build_object('being_id', e.being_id, 'message_id', e.message_id,"
        " 'seed_id', e.seed_id, 'span', e.span, 'told_at', e.told_at) order by e.evidence_id)"
        " from memory.fact_evidence as e where e.user_id = s.user_id and e.statement_id = s.statement_id"
        " and (e.being_id = %(being)s or e.being_id is null)), '[]') as evidence from memory.fact_statements as s"
        " where s.user_id = %(user)s and s.fact_id = %(fact)s order by s.statement_id",
        {"user": user_id, "being": being_id, "fact": fact_id},
    )
    return [Statement.model_validate({**row, "evidence": _EVIDENCE.validate_python(row["evidence"])}) for row in rows]


def history(tx: Transaction, user_id: UUID, fact_id: UUID) -> list[FactEvent]:
    """What happened to a fact, oldest first."""
    with tx.cursor(row_factory=class_row(FactEvent)) as cursor:
        return cursor.execute(
            "select * from memory.fact_history where user_id = %s and fact_id = %s order by event_id",
            [user_id, fact_id],
        ).fetchall()


def reword(tx: Transaction, user_id: UUID, fact_id: UUID, content: str) -> None:
    """Let the user's own words take the place of everything that a fact says; what it said stays in its history."""
    tx.execute(
        "with standing as (select * from memory.fact_statements where user_id = %(user)s and fact_id = %(fact)s"
        " and replaced_by is null), worded as (insert into memory.fact_statements"
        " (user_id, fact_id, content, told_as, source, confidence)"
        " select user_id, fact_id, %(content)s, told_as, 'corrected', 1 from standing order by statement_id limit 1"
        " returning user_id, statement_id) update memory.fact_statements as s set replaced_by = worded.statement_id"
        " from standing, worded where s.user_id = standing.user_id and s.statement_id = standing.statement_id",
        {"user": user_id, "fact": fact_id, "content": content},
    )


def weigh(tx: Transaction, user_id: UUID, fact_id: UUID, importance: int) -> None:
    """Say how important a fact is, from 0 to 3; while it is pinned that stays 3."""
    tx.execute(
        "update memory.facts set importance_given = %s where user_id = %s and fact_id = %s",
        [importance, user_id, fact_id],
    )


def pin(tx: Transaction, user_id: UUID, fact_id: UUID, *, pinned: bool) -> None:
    """Pin a fact, or unpin it."""
    tx.execute("update memory.facts set pinned = %s where user_id = %s and fact_id = %s", [pinned, user_id, fact_id])


def set_status(tx: Transaction, user_id: UUID, fact_id: UUID, status: str) -> None:
    """Archive a fact, or restore it.

    Raises:
        Refused: A newer fact has the key of the one that is to be restored.
    """
    try:
        with tx.transaction():
            tx.execute(
                "update memory.facts set status = %s, folded_into = null where user_id = %s and fact_id = %s",
                [status, user_id, fact_id],
            )
    except UniqueViolation as taken:
        raise Refused("A newer fact has taken its place: archive or erase that one first.") from taken


def erase(tx: Transaction, user_id: UUID, fact_id: UUID) -> None:
    """Remove a fact with everything that it said and rests on."""
    tx.execute("delete from memory.facts where user_id = %s and fact_id = %s", [user_id, fact_id])


def add_seed(tx: Transaction, user_id: UUID, content: Any, content_hash: bytes) -> UUID | None:
    """Keep what a user is introduced with; None if the very same was kept before."""
    seed_id: UUID | None = value(
        tx,
        "insert into memory.user_seeds (user_id, content, content_hash) values (%s, %s, %s)"
        " on conflict (user_id, content_hash) do nothing returning seed_id",
        [user_id, Jsonb(content), content_hash],
    )
    return seed_id


def _as_json(told: Told) -> dict[str, Any]:
    return {
        name: str(part) if isinstance(part, UUID) else part.isoformat() if isinstance(part, datetime) else part
        for name in Told.__slots__
        if (part := getattr(told, name)) is not None
    }
