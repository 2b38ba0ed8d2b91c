"""Utterances in rooms: which copies follow, and findings in one for all (sql/functions/90_talk/70_rooms.sql)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class UtteranceCopy:
    """A copy of an utterance that follows the judged one of another Being."""

    being_id: UUID
    message_id: UUID
    leads_id: UUID


@dataclass(frozen=True, slots=True)
class FoundStatement:
    """Evidence in the copy that leads: the statement's words, and the message that they were found in."""

    evidence_id: UUID
    message_id: UUID
    content: str


@dataclass(frozen=True, slots=True)
class FoundTodo:
    """Evidence of a todo in the copy that leads, with the todo that it belongs to."""

    todo_id: UUID
    message_id: UUID
    kind: str
    confidence: float
    words: str
    span: str
    closes: bool
    content: str | None
    due: str | None
    due_at: datetime | None
    due_until: datetime | None


def settle(
    tx: Transaction,
    user_id: UUID,
    message_ids: Sequence[UUID],
    *,
    newcomer: UUID | None = None,
) -> None:
    """Let one copy of each utterance lead, and the others follow; copies of `newcomer` lead if there is no other.

    The transaction has locked the talk of the Beings whose copies are new.
    """
    if message_ids:
        tx.execute("select memory.settle_utterances(%s, %s, %s)", [user_id, list(message_ids), newcomer])


def roommates(tx: Transaction, being_id: UUID) -> list[UUID]:
    """The Beings among which utterances of a Being may have copies, itself included, by their ids."""
    return list(tx.value("select memory.roommates(%s)", [being_id]))


def following(tx: Transaction, user_id: UUID, message_ids: Sequence[UUID]) -> list[UtteranceCopy]:
    """The copies of these utterances that follow a judged one, by Being."""
    return tx.rows(
        UtteranceCopy,
        """
        select m.being_id, m.message_id, leads.being_id as leads_id
        from memory.beings as b
        join memory.messages as m on m.being_id = b.being_id and m.message_id = any(%(ids)s) and m.follows
        join memory.beings as other on other.user_id = b.user_id
        join memory.messages as leads on leads.being_id = other.being_id and leads.message_id = m.message_id
            and not leads.follows and leads.judged
        where b.user_id = %(user)s
        order by m.being_id, leads.being_id, m.message_id
        """,
        {"user": user_id, "ids": list(message_ids)},
    )


def shown_with(tx: Transaction, being_id: UUID, message_ids: Sequence[UUID]) -> dict[UUID, str]:
    """The messages that the calls showed by which these messages to a Being were judged, with their texts."""
    return tx.pairs(
        """
        select m.message_id, m.content
        from memory.messages as m
        where m.being_id = %(being)s and m.message_id = any(%(ids)s::uuid[] || array(
            select unnest(j.shown_ids) from memory.judgements as j
            where j.being_id = %(being)s and j.judged_ids && %(ids)s::uuid[]
                and j.judgement_id = any(array(select memory.judgements_that_showed(%(being)s, %(ids)s::uuid[])))
        ))
        """,
        {"being": being_id, "ids": list(message_ids)},
    )


def with_copy(tx: Transaction, being_id: UUID, message_ids: Sequence[UUID]) -> set[UUID]:
    """Those of these utterances that a Being has a copy of."""
    return tx.distinct(
        "select message_id from memory.messages where being_id = %s and message_id = any(%s)",
        [being_id, list(message_ids)],
    )


def statements(tx: Transaction, being_id: UUID, message_ids: Sequence[UUID]) -> list[FoundStatement]:
    """The statements about the user that were found in these messages to a Being."""
    return tx.rows(
        FoundStatement,
        """
        select e.evidence_id, e.message_id, coalesce(e.content, s.content) as content
        from memory.fact_evidence as e
        join memory.fact_statements as s using (user_id, statement_id)
        where e.being_id = %s and e.message_id = any(%s) and not e.outdated
        order by e.evidence_id
        """,
        [being_id, list(message_ids)],
    )


def todos(tx: Transaction, being_id: UUID, message_ids: Sequence[UUID]) -> list[FoundTodo]:
    """The user's todos that were found, or closed, in these messages to a Being."""
    return tx.rows(
        FoundTodo,
        """
        select t.todo_id, e.message_id, t.kind, t.confidence, t.content as words, e.span, e.closes, e.content,
            e.due, e.due_at, e.due_until
        from memory.todo_evidence as e
        join memory.todos as t using (being_id, todo_id)
        join memory.messages as m using (being_id, message_id)
        where e.being_id = %s and e.message_id = any(%s) and not e.outdated and m.role <> 'assistant'
        order by e.closes, e.todo_id
        """,
        [being_id, list(message_ids)],
    )


def counterpart(tx: Transaction, being_id: UUID, leads_id: UUID, todo_id: UUID) -> UUID | None:
    """The todo of a Being that was found in the same utterances as one of another Being; None if there is none."""
    return tx.value(
        """
        select (
            select own.todo_id
            from memory.todos as t
            join memory.todo_evidence as e using (being_id, todo_id)
            join memory.todo_evidence as same on same.being_id = %(being)s and same.message_id = e.message_id
            join memory.todos as own on own.being_id = same.being_id and own.todo_id = same.todo_id
            where t.being_id = %(leads)s and t.todo_id = %(todo)s and own.kind = t.kind
            order by own.content = t.content desc, own.todo_id
            limit 1
        )
        """,
        {"being": being_id, "leads": leads_id, "todo": todo_id},
    )


def share_evidence(
    tx: Transaction, user_id: UUID, message_ids: Sequence[UUID], pairs: Sequence[tuple[UUID, UUID]]
) -> None:
    """Give following copies the leading copy's evidence, as pairs of it and Beings; their other evidence goes."""
    tx.execute(
        "select memory.share_evidence(%s, %s, %s, %s)",
        [user_id, list(message_ids), [evidence for evidence, _ in pairs], [being for _, being in pairs]],
    )


def share_confidences(tx: Transaction, user_id: UUID, message_ids: Sequence[UUID]) -> bool:
    """Keep copies that follow in confidence as those are that lead; returns whether statements were moved."""
    return tx.value("select memory.share_confidences(%s, %s)", [user_id, list(message_ids)])
