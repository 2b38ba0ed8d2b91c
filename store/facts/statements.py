"""Statements are added to facts, and compared with those that are known. Writers call `facts.lock` first."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class NewStatement:
    """A statement to add, with the quotation that supports it and its relation to other statements of its fact.

    `mentioned_refs` are the entity refs as named, first the one that it is about. `subject_ref` is the person whose
    fact it is, if that is neither the user nor the first ref. `about_from` and `about_until` bound the time that it
    names, if any.
    """

    statement_id: UUID
    scope: UUID | None
    type: str
    entity_label: str
    fact_type: str
    mentioned_refs: list[str]
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
    subject_ref: str | None = None
    same_as: UUID | None = None
    contradicts: tuple[UUID, ...] = ()
    about_from: datetime | None = None
    about_until: datetime | None = None


@dataclass(frozen=True, slots=True)
class KnownStatement:
    """A statement of a known fact, current or replaced, with the date of its last mention and the words then."""

    statement_id: UUID
    content: str
    said_at: datetime
    span: str = ""


def add_statements(tx: Transaction, user_id: UUID, statements: Sequence[NewStatement]) -> list[tuple[UUID, str]]:
    """Add statements in order; returns each one's fact id and outcome: `new`, `added`, `mentioned` or `replaced`."""
    rows = tx.execute(
        "select fact_id, outcome from memory.add_statements(%s, %s) order by place",
        [user_id, Jsonb([_as_json(statement) for statement in statements])],
    )
    return [(row["fact_id"], row["outcome"]) for row in rows]


def find_by_keys(
    tx: Transaction, user_id: UUID, keys: Sequence[tuple[UUID | None, str]]
) -> dict[tuple[UUID | None, str], UUID]:
    """The active fact of each (scope, memory key), which may be the one that its fact was folded into."""
    rows = tx.execute(
        """
        select wanted.scope, wanted.memory_key,
            memory.fact_under(%(user)s, wanted.scope, wanted.memory_key) as fact_id
        from unnest(%(scopes)s::uuid[], %(keys)s::text[]) as wanted (scope, memory_key)
        """,
        {"user": user_id, "scopes": [scope for scope, _ in keys], "keys": [key for _, key in keys]},
    )
    return {(row["scope"], row["memory_key"]): row["fact_id"] for row in rows if row["fact_id"] is not None}


def known_statements(
    tx: Transaction, user_id: UUID, fact_ids: Sequence[UUID], limit: int
) -> dict[UUID, list[KnownStatement]]:
    """By fact, up to `limit` statements in the order of their dates; of more, the current ones before the replaced.

    Statements whose evidence is all outdated are left out: their messages are judged again.
    """
    rows = tx.execute(
        """
        select fact_id, statement_id, content, said_at, span
        from (
            select s.*,
                coalesce((
                    select e.span
                    from memory.fact_evidence as e
                    where e.user_id = s.user_id and e.statement_id = s.statement_id and e.message_id is not null
                    order by e.told_at desc, e.evidence_id
                    limit 1
                ), '') as span,
                row_number() over (
                    partition by fact_id order by replaced_by is null desc, said_at desc, statement_id desc
                ) as place
            from memory.fact_statements as s
            where user_id = %s and fact_id = any(%s)
                and (source = 'corrected' or exists (
                    select from memory.fact_evidence as e
                    where e.user_id = s.user_id and e.statement_id = s.statement_id and not e.outdated
                ))
        ) as ranked
        where place <= %s
        order by said_at, statement_id
        """,
        [user_id, list(fact_ids), limit],
    )
    found: dict[UUID, list[KnownStatement]] = {}
    for row in rows:
        known = KnownStatement(row["statement_id"], row["content"], row["said_at"], row["span"])
        found.setdefault(row["fact_id"], []).append(known)
    return found


@dataclass(frozen=True, slots=True)
class FiledFact:
    """An active fact with the parts of its memory key."""

    scope: UUID | None
    type: str
    fact_type: str
    mentioned_refs: list[str]
    subject_ref: str | None
    content: str


def users_own(tx: Transaction, user_id: UUID, scopes: Sequence[UUID | None], limit: int) -> list[FiledFact]:
    """The active facts in some scopes that are the user's own or about people, the latest first."""
    rows = tx.execute(
        """
        select f.being_id, f.type, f.subtype ->> 'factType' as fact_type, s.mentioned_refs, s.subject_ref, f.content
        from memory.facts as f,
        lateral (
            select mentioned_refs, subject_ref
            from memory.fact_statements
            where user_id = f.user_id and fact_id = f.fact_id and replaced_by is null
            order by said_at desc
            limit 1
        ) as s
        where f.user_id = %(user)s and f.status = 'ACTIVE' and f.type in ('PROFILE', 'PEOPLE')
            and (f.being_id = any(%(scopes)s) or %(shared)s and f.being_id is null)
        order by f.last_told_at desc, f.fact_id
        limit %(limit)s
        """,
        {
            "user": user_id,
            "scopes": [scope for scope in scopes if scope is not None],
            "shared": None in scopes,
            "limit": limit,
        },
    )
    return [
        FiledFact(
            row["being_id"], row["type"], row["fact_type"], row["mentioned_refs"], row["subject_ref"], row["content"]
        )
        for row in rows
    ]


def _as_json(statement: NewStatement) -> dict[str, Any]:
    return {
        name: _json_value(part) for name in NewStatement.__slots__ if (part := getattr(statement, name)) is not None
    }


def _json_value(part: Any) -> Any:
    if isinstance(part, UUID):
        return str(part)
    if isinstance(part, datetime):
        return part.isoformat()
    if isinstance(part, tuple):
        return [_json_value(each) for each in part]
    return part


@dataclass(frozen=True, slots=True)
class DatedStatement:
    """A statement of a fact that a Being knows, with the time for which it stood.

    Attributes:
        since: The time of its first message.
        until: The time of the first message for the statement that replaced it; None: it stands.
        spans: The words of messages that support it, as message id and words.
    """

    fact_id: UUID
    statement_id: UUID
    content: str
    since: datetime
    until: datetime | None
    spans: list[tuple[str, str]]


def as_known(
    tx: Transaction, user_id: UUID, being_id: UUID, fact_ids: Sequence[UUID], as_of: datetime | None
) -> list[DatedStatement]:
    """The statements of facts that a Being knows, current and replaced, in the order of their dates.

    Statements whose evidence is all outdated are left out: their messages are judged again.

    Args:
        as_of: The moment whose state is read; None: the present.
    """
    return tx.rows(
        DatedStatement,
        """
        with known as (
            select s.fact_id, s.statement_id, s.content, s.replaced_by,
                coalesce(min(e.told_at), s.said_at) as since,
                least(min(e.told_at), s.created_at) as arrived_at,
                coalesce(
                    jsonb_agg(jsonb_build_array(e.message_id, e.span)) filter (where e.being_id = %(being)s), '[]'
                ) as spans
            from memory.tellable_facts as f
            join memory.fact_statements as s using (user_id, fact_id)
            left join memory.fact_evidence as e
                on e.user_id = s.user_id and e.statement_id = s.statement_id and not e.outdated
            where f.user_id = %(user)s and f.fact_id = any(%(facts)s) and f.status = 'ACTIVE'
                and (f.being_id = %(being)s or f.being_id is null)
            group by s.user_id, s.statement_id
            having s.source = 'corrected' or count(e.evidence_id) > 0
        )
        select k.fact_id, k.statement_id, k.content, k.since, later.since as until, k.spans
        from known as k
        left join known as later
            on later.statement_id = k.replaced_by
            and (%(as_of)s::timestamptz is null or later.arrived_at <= %(as_of)s)
        where %(as_of)s::timestamptz is null or k.arrived_at <= %(as_of)s
        order by k.since, k.statement_id
        """,
        {"user": user_id, "being": being_id, "facts": list(fact_ids), "as_of": as_of},
    )
