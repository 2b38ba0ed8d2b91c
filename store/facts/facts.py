"""Facts and their statements: added, read, corrected, pinned, archived, erased. Writers call `lock` first."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from psycopg.errors import UniqueViolation
from psycopg.rows import class_row
from psycopg.types.json import Jsonb
from pydantic import TypeAdapter

from schemas.facts.rows import Evidence, Fact, Statement
from store.errors import NotFound, Refused
from store.transaction import Transaction, value

_EVIDENCE = TypeAdapter(list[Evidence])


@dataclass(frozen=True, slots=True)
class NewStatement:
    """A statement to add, with the quotation that supports it and its relation to other statements of its fact.

    `mentioned_refs` are the entity refs as named, first the one that it is about. `subject_ref` is the person whose
    fact it is, if that is neither the user nor the first ref.
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


@dataclass(frozen=True, slots=True)
class KnownStatement:
    """A statement of a known fact, current or replaced, with the date of its last mention."""

    statement_id: UUID
    content: str
    said_at: datetime


def lock(tx: Transaction, user_id: UUID) -> None:
    """Serialize the writers of this user's facts until this transaction ends."""
    tx.execute("select memory.lock_facts(%s)", [user_id])


def count(tx: Transaction, user_id: UUID) -> int:
    """How many facts a user has, in all scopes."""
    return int(value(tx, "select count(*) from memory.facts where user_id = %s", [user_id]))


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
        select fact_id, statement_id, content, said_at
        from (
            select s.*,
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
        known = KnownStatement(row["statement_id"], row["content"], row["said_at"])
        found.setdefault(row["fact_id"], []).append(known)
    return found


def get(tx: Transaction, user_id: UUID, being_id: UUID, fact_id: UUID) -> Fact:
    """A fact that this Being knows, active or archived.

    Raises:
        NotFound: This Being knows no such fact.
    """
    with tx.cursor(row_factory=class_row(Fact)) as cursor:
        fact = cursor.execute(
            """
            select *
            from memory.facts
            where user_id = %s and fact_id = %s and content <> '' and (being_id = %s or being_id is null)
            """,
            [user_id, fact_id, being_id],
        ).fetchone()
    if fact is None:
        raise NotFound(f"This Being knows no fact {fact_id}.")
    return fact


def named(tx: Transaction, user_id: UUID, being_id: UUID, name: str) -> list[UUID]:
    """Up to two facts that this Being knows whose id ends with `name`; two mean that it is ambiguous."""
    rows = tx.execute(
        """
        select fact_id
        from memory.facts
        where user_id = %(user)s and (being_id = %(being)s or being_id is null)
            and content <> '' and right(fact_id::text, length(%(name)s)) = lower(%(name)s)
        order by fact_id
        limit 2
        """,
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
    """A page of the facts that a Being knows, newest first, starting after `before`."""
    with tx.cursor(row_factory=class_row(Fact)) as cursor:
        return cursor.execute(
            """
            select *
            from memory.facts
            where user_id = %(user)s and content <> '' and (being_id = %(being)s or being_id is null)
                and (%(type)s::text is null or type = %(type)s)
                and (%(status)s::text is null or status = %(status)s)
                and (%(entity)s::text is null or entity_refs @> array[%(entity)s])
                and (%(before)s::uuid is null or fact_id < %(before)s)
            order by fact_id desc
            limit %(limit)s
            """,
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
    """All statements of a fact, oldest first, each with its evidence; evidence from other Beings' talk is left out."""
    rows = tx.execute(
        """
        select s.*,
            coalesce(
                (
                    select jsonb_agg(
                        jsonb_build_object(
                            'being_id', e.being_id, 'message_id', e.message_id, 'seed_id', e.seed_id,
                            'span', e.span, 'told_at', e.told_at
                        )
                        order by e.evidence_id
                    )
                    from memory.fact_evidence as e
                    where e.user_id = s.user_id and e.statement_id = s.statement_id
                        and (e.being_id = %(being)s or e.being_id is null)
                ),
                '[]'
            ) as evidence
        from memory.fact_statements as s
        where s.user_id = %(user)s and s.fact_id = %(fact)s
        order by s.statement_id
        """,
        {"user": user_id, "being": being_id, "fact": fact_id},
    )
    return [Statement.model_validate({**row, "evidence": _EVIDENCE.validate_python(row["evidence"])}) for row in rows]


def correct(tx: Transaction, user_id: UUID, fact_id: UUID, content: str) -> None:
    """Replace everything that a fact says by this content, which needs no evidence; later statements may replace it."""
    tx.execute("select memory.correct_fact(%s, %s, %s)", [user_id, fact_id, content])


def set_importance(tx: Transaction, user_id: UUID, fact_id: UUID, importance: int) -> None:
    """Set the importance of a fact's current statements, 0 to 3; while the fact is pinned it counts as 3."""
    tx.execute(
        """
        update memory.fact_statements
        set importance = %s
        where user_id = %s and fact_id = %s and replaced_by is null
        """,
        [importance, user_id, fact_id],
    )


def pin(tx: Transaction, user_id: UUID, fact_id: UUID, *, pinned: bool) -> None:
    """Pin a fact whatever its statements say, or unpin it and its statements."""
    tx.execute(
        """
        update memory.facts
        set user_pinned = %(pinned)s, pinned = %(pinned)s
        where user_id = %(user)s and fact_id = %(fact)s
        """,
        {"pinned": pinned, "user": user_id, "fact": fact_id},
    )
    if not pinned:
        tx.execute(
            "update memory.fact_statements set pinned = false where user_id = %s and fact_id = %s and pinned",
            [user_id, fact_id],
        )


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
        raise Refused("A newer fact has the same memory key. Archive or erase that fact first.") from taken


def drop_outdated(tx: Transaction, being_id: UUID, message_ids: Sequence[UUID]) -> bool:
    """Remove the evidence of messages that judging them again has not found again; returns whether there was any."""
    done = tx.execute(
        "delete from memory.fact_evidence where being_id = %s and message_id = any(%s) and outdated",
        [being_id, list(message_ids)],
    )
    return done.rowcount > 0


def erase(tx: Transaction, user_id: UUID, fact_id: UUID) -> None:
    """Remove a fact with its statements and their evidence."""
    tx.execute("delete from memory.facts where user_id = %s and fact_id = %s", [user_id, fact_id])


def add_seed(tx: Transaction, user_id: UUID, scope: UUID | None, content: Any) -> UUID | None:
    """Insert a seed; returns its id, or None if this scope has a seed of equal content.

    Args:
        tx: The transaction.
        user_id: The user.
        scope: The Being that alone may know it; None: all of the user's Beings.
        content: The seed as the producer sent it, as JSON.
    """
    seed_id: UUID | None = value(
        tx,
        """
        insert into memory.user_seeds (user_id, being_id, content, content_hash)
        select %(user)s, %(scope)s, seed.content, sha256(convert_to(seed.content::text, 'UTF8'))
        from (select %(content)s::jsonb) as seed (content)
        on conflict (user_id, being_id, content_hash) do nothing
        returning seed_id
        """,
        {"user": user_id, "scope": scope, "content": Jsonb(content)},
    )
    return seed_id


def link_todo(tx: Transaction, user_id: UUID, seed_id: UUID, todo_id: UUID) -> None:
    """Link a seed to the todo that it became; the seed is deleted with the todo."""
    tx.execute(
        "update memory.user_seeds set todo_id = %s where user_id = %s and seed_id = %s", [todo_id, user_id, seed_id]
    )


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
