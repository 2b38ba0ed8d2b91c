"""Evidence of facts and todos without a time, to be dated by its words. Writers call `facts.lock` first."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from store.transaction import Transaction

Place = tuple[UUID, UUID]
"""The statement or todo that evidence supports, and its message."""


@dataclass(frozen=True, slots=True)
class UndatedEvidence:
    """Evidence without a time: its words, and its message."""

    supported_id: UUID
    message_id: UUID
    words: str
    text: str
    said_at: datetime

    @property
    def place(self) -> Place:
        """The evidence's statement or todo, and its message."""
        return self.supported_id, self.message_id


@dataclass(frozen=True, slots=True)
class EvidenceTime:
    """The time that the words of evidence name, half open."""

    place: Place
    starts_at: datetime
    ends_at: datetime


def of_facts(tx: Transaction, being_id: UUID, *, after: Place | None, limit: int) -> list[UndatedEvidence]:
    """A Being's evidence of facts without a time, by its place."""
    return tx.rows(
        UndatedEvidence,
        """
        select e.statement_id as supported_id, e.message_id, e.span as words, m.content as text,
            m.created_at as said_at
        from memory.fact_evidence as e
        join memory.messages as m on m.being_id = e.being_id and m.message_id = e.message_id
        where e.being_id = %(being)s and e.about_from is null
            and (%(supported)s::uuid is null or (e.statement_id, e.message_id) > (%(supported)s, %(message)s::uuid))
        order by e.statement_id, e.message_id
        limit %(limit)s
        """,
        _page(being_id, after, limit),
    )


def of_todos(tx: Transaction, being_id: UUID, *, after: Place | None, limit: int) -> list[UndatedEvidence]:
    """A Being's evidence of todos that has the words of a time alone, by its place."""
    return tx.rows(
        UndatedEvidence,
        """
        select e.todo_id as supported_id, e.message_id, e.due as words, m.content as text, m.created_at as said_at
        from memory.todo_evidence as e
        join memory.messages as m on m.being_id = e.being_id and m.message_id = e.message_id
        where e.being_id = %(being)s and e.due is not null and e.due_at is null
            and (%(supported)s::uuid is null or (e.todo_id, e.message_id) > (%(supported)s, %(message)s::uuid))
        order by e.todo_id, e.message_id
        limit %(limit)s
        """,
        _page(being_id, after, limit),
    )


def date_facts(tx: Transaction, being_id: UUID, dated: Sequence[EvidenceTime], *, user_id: UUID) -> None:
    """Give evidence the time that it names, and its facts with it."""
    tx.execute(
        """
        update memory.fact_evidence as e
        set about_from = d.starts_at, about_until = d.ends_at
        from unnest(%(supported)s::uuid[], %(messages)s::uuid[], %(starts)s::timestamptz[], %(ends)s::timestamptz[])
            as d (statement_id, message_id, starts_at, ends_at)
        where e.user_id = %(user)s and e.being_id = %(being)s and e.statement_id = d.statement_id
            and e.message_id = d.message_id and e.about_from is null
        """,
        _columns(dated) | {"user": user_id, "being": being_id},
    )
    tx.execute(
        """
        select memory.settle_facts(%(user)s, array(
            select distinct fact_id from memory.fact_statements
            where user_id = %(user)s and statement_id = any(%(supported)s)
        ))
        """,
        {"user": user_id, "supported": [one.place[0] for one in dated]},
    )


def date_todos(tx: Transaction, being_id: UUID, dated: Sequence[EvidenceTime]) -> None:
    """Give evidence the time that its words name, and its todos with it."""
    tx.execute(
        """
        update memory.todo_evidence as e
        set due_at = d.starts_at, due_until = d.ends_at
        from unnest(%(supported)s::uuid[], %(messages)s::uuid[], %(starts)s::timestamptz[], %(ends)s::timestamptz[])
            as d (todo_id, message_id, starts_at, ends_at)
        where e.being_id = %(being)s and e.todo_id = d.todo_id and e.message_id = d.message_id and e.due_at is null
        """,
        _columns(dated) | {"being": being_id},
    )
    tx.execute("select memory.word_todos(%s, %s)", [being_id, list({one.place[0] for one in dated})])


def _page(being_id: UUID, after: Place | None, limit: int) -> dict[str, object]:
    supported, message = after or (None, None)
    return {"being": being_id, "supported": supported, "message": message, "limit": limit}


def _columns(dated: Sequence[EvidenceTime]) -> dict[str, object]:
    return {
        "supported": [one.place[0] for one in dated],
        "messages": [one.place[1] for one in dated],
        "starts": [one.starts_at for one in dated],
        "ends": [one.ends_at for one in dated],
    }
