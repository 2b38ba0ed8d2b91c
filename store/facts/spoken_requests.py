"""Requests of users, in talk, to their memory: their subjects, their effects, and how an effect is undone.

Writers have locked the Being's talk and the user's facts.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from schemas.errors import existing
from schemas.facts.fact_rows import Fact, SpokenEffect, SpokenRequest
from store.transaction import Transaction

# The newest contexts of a Being among which those that one conversation was shown lately are looked for.
CONTEXTS_LOOKED_AT = 20


@dataclass(frozen=True, slots=True)
class RequestEffect:
    """One effect of a message, on one fact, todo, message or entity."""

    message_id: UUID
    span: str
    effect: SpokenEffect
    fact_id: UUID | None = None
    todo_id: UUID | None = None
    meant_message_id: UUID | None = None
    name: str | None = None

    @property
    def target(self) -> tuple[UUID, str, UUID | str | None]:
        """The key that distinguishes it from other effects: its message, its kind, and the thing that it changed."""
        return self.message_id, self.effect, self.fact_id or self.todo_id or self.meant_message_id or self.name


def candidate_facts(
    tx: Transaction,
    user_id: UUID,
    being_id: UUID,
    *,
    shown: Sequence[UUID],
    new: Collection[UUID],
    session_id: UUID,
    limit: int,
) -> list[Fact]:
    """The facts that messages of a session may mean: supported by the shown ones, or shown lately in its conversation.

    Of archived facts only those that one of the `new` messages has requested to forget. The latest facts come first.
    """
    return tx.rows(
        Fact,
        """
        with lately as (
            select r.shown_ids, r.conversation
            from memory.receipts as r
            where r.being_id = %(being)s
            order by r.context_id desc
            limit %(contexts)s
        ),
        candidates as (
            select s.fact_id
            from memory.fact_evidence as e
            join memory.fact_statements as s using (user_id, statement_id)
            where e.user_id = %(user)s and e.being_id = %(being)s and e.message_id = any(%(shown)s)
            union
            select id
            from lately, unnest(lately.shown_ids) as id
            where lately.conversation is not distinct from (
                select conversation from memory.sessions where being_id = %(being)s and session_id = %(session)s
            )
        )
        select f.*
        from memory.facts as f
        join candidates using (fact_id)
        where f.user_id = %(user)s and f.content <> '' and (f.being_id = %(being)s or f.being_id is null)
            and (f.status = 'ACTIVE' or exists (
                select from memory.spoken_requests as q
                where q.being_id = %(being)s and q.message_id = any(%(new)s) and q.fact_id = f.fact_id
                    and q.effect = 'forgotten' and q.undone_at is null
            ))
        order by f.last_told_at desc, f.fact_id
        limit %(limit)s
        """,
        {
            "user": user_id,
            "being": being_id,
            "shown": list(shown),
            "new": list(new),
            "session": session_id,
            "contexts": CONTEXTS_LOOKED_AT,
            "limit": limit,
        },
    )


def ignored(tx: Transaction, being_id: UUID, message_ids: Sequence[UUID]) -> dict[UUID, UUID]:
    """Those of the messages that are not to be remembered, each with the message that requested it."""
    return tx.pairs(
        """
        select meant_message_id, message_id
        from memory.spoken_requests
        where being_id = %s and meant_message_id = any(%s) and effect = 'ignored' and undone_at is null
        """,
        [being_id, list(message_ids)],
    )


def resting_on(tx: Transaction, user_id: UUID, being_id: UUID, message_ids: Sequence[UUID]) -> list[Fact]:
    """The active facts of which every statement that stands rests on these messages alone."""
    return tx.rows(
        Fact,
        """
        select f.*
        from memory.facts as f
        where f.user_id = %(user)s and f.status = 'ACTIVE' and f.fact_id in (
            select s.fact_id
            from memory.fact_evidence as e
            join memory.fact_statements as s using (user_id, statement_id)
            where e.user_id = %(user)s and e.being_id = %(being)s and e.message_id = any(%(messages)s)
        )
        and not exists (
            select
            from memory.fact_statements as s
            left join memory.fact_evidence as e using (user_id, statement_id)
            where s.user_id = f.user_id and s.fact_id = f.fact_id and s.replaced_by is null
                and not coalesce(e.being_id = %(being)s and e.message_id = any(%(messages)s), false)
        )
        order by f.fact_id
        """,
        {"user": user_id, "being": being_id, "messages": list(message_ids)},
    )


@dataclass(frozen=True, slots=True)
class FactFiling:
    """The statements of a fact, and the refs under which its latest one is filed."""

    mentioned_refs: list[str]
    subject_ref: str | None
    statement_ids: list[UUID]


def statements_of(tx: Transaction, user_id: UUID, fact_id: UUID) -> FactFiling:
    """All statements of a fact, and the refs under which the latest one that stands is filed."""
    return tx.one(
        FactFiling,
        """
        select s.mentioned_refs, s.subject_ref, every.statement_ids
        from memory.fact_statements as s,
        lateral (
            select array_agg(statement_id) as statement_ids
            from memory.fact_statements
            where user_id = s.user_id and fact_id = s.fact_id
        ) as every
        where s.user_id = %s and s.fact_id = %s and s.replaced_by is null
        order by s.said_at desc, s.statement_id desc
        limit 1
        """,
        [user_id, fact_id],
    )


def todos_resting_on(tx: Transaction, being_id: UUID, message_ids: Sequence[UUID]) -> list[UUID]:
    """The open todos that rest on these messages alone, without pinned ones."""
    return tx.column(
        """
        select t.todo_id
        from memory.todos as t
        where t.being_id = %(being)s and t.status = 'OPEN' and not t.pinned and t.todo_id in (
            select e.todo_id from memory.todo_evidence as e
            where e.being_id = %(being)s and e.message_id = any(%(messages)s)
        )
        and not exists (
            select from memory.todo_evidence as e
            where e.being_id = t.being_id and e.todo_id = t.todo_id and e.message_id <> all(%(messages)s)
        )
        order by t.todo_id
        """,
        {"being": being_id, "messages": list(message_ids)},
    )


def keep_evidence(tx: Transaction, being_id: UUID, message_ids: Sequence[UUID]) -> None:
    """Mark the evidence of messages to be ignored as current, so that undoing the request restores their facts."""
    parameters = [being_id, list(message_ids)]
    tx.execute(
        "update memory.fact_evidence set outdated = false where being_id = %s and message_id = any(%s) and outdated",
        parameters,
    )
    tx.execute(
        "update memory.todo_evidence set outdated = false where being_id = %s and message_id = any(%s) and outdated",
        parameters,
    )


def requests_in(tx: Transaction, being_id: UUID, message_ids: Sequence[UUID]) -> list[SpokenRequest]:
    """The requests in these messages that were done, undone ones included."""
    return tx.rows(
        SpokenRequest,
        "select * from memory.spoken_requests where being_id = %s and message_id = any(%s)",
        [being_id, list(message_ids)],
    )


def add(tx: Transaction, user_id: UUID, being_id: UUID, done: RequestEffect) -> None:
    """Record an effect and the message that requested it."""
    tx.execute(
        """
        insert into memory.spoken_requests
            (being_id, message_id, span, effect, user_id, fact_id, todo_id, meant_message_id, name)
        select %(being)s, %(message)s, %(span)s, %(effect)s,
            case when %(fact)s::uuid is not null then %(user)s::uuid end, %(fact)s, %(todo)s, %(meant)s, %(name)s
        on conflict do nothing
        """,
        {
            "being": being_id,
            "message": done.message_id,
            "span": done.span,
            "effect": done.effect,
            "user": user_id,
            "fact": done.fact_id,
            "todo": done.todo_id,
            "meant": done.meant_message_id,
            "name": done.name,
        },
    )


def remove(tx: Transaction, being_id: UUID, request_ids: Sequence[UUID]) -> list[UUID]:
    """Undo and remove effects that a second judging did not find again; returns the sessions with messages to judge."""
    sessions = _restore(tx, being_id, request_ids)
    tx.execute(
        "delete from memory.spoken_requests where being_id = %s and request_id = any(%s)",
        [being_id, list(request_ids)],
    )
    return sessions


def undo(tx: Transaction, being_id: UUID, request_id: UUID) -> tuple[SpokenRequest, list[UUID]]:
    """Undo one for good; returns it, and the sessions with messages to judge.

    Raises:
        NotFound: Nothing of that id was done.
    """
    sessions = _restore(tx, being_id, [request_id])
    tx.execute(
        """
        update memory.spoken_requests set undone_at = memory.now()
        where being_id = %s and request_id = %s and undone_at is null
        """,
        [being_id, request_id],
    )
    return get(tx, being_id, request_id), sessions


def get(tx: Transaction, being_id: UUID, request_id: UUID) -> SpokenRequest:
    """One request.

    Raises:
        NotFound: There is none of that id.
    """
    found = tx.row(
        SpokenRequest,
        "select * from memory.spoken_requests where being_id = %s and request_id = %s",
        [being_id, request_id],
    )
    return existing(found, f"This Being was asked for nothing under the id {request_id}.")


def page(tx: Transaction, being_id: UUID, *, muted: bool, before: UUID | None, limit: int) -> list[SpokenRequest]:
    """A page of effects, newest first, starting after `before`; with `muted` also of requests in muted messages."""
    return tx.rows(
        SpokenRequest,
        """
        select *
        from memory.spoken_requests
        where being_id = %(being)s and (%(before)s::uuid is null or request_id < %(before)s)
            and (%(muted)s or not memory.is_muted(being_id, 'message', message_id))
        order by request_id desc
        limit %(limit)s
        """,
        {"being": being_id, "muted": muted, "before": before, "limit": limit},
    )


@dataclass(frozen=True, slots=True)
class UnreportedEffect:
    """An effect that no context has reported yet.

    Attributes:
        content: The fact's present content, if it was corrected.
    """

    request_id: UUID
    effect: SpokenEffect
    content: str | None


def unreported(tx: Transaction, being_id: UUID, conversation: str | None, limit: int) -> list[UnreportedEffect]:
    """The effects of requests in a conversation that no context has reported, oldest first."""
    return tx.rows(
        UnreportedEffect,
        """
        select r.request_id, r.effect, case when r.effect = 'corrected' then f.content end as content
        from memory.spoken_requests as r
        join memory.messages as m on m.being_id = r.being_id and m.message_id = r.message_id
        join memory.sessions as s on s.being_id = m.being_id and s.session_id = m.session_id
        left join memory.tellable_facts as f
            on f.user_id = r.user_id and f.fact_id = r.fact_id and f.status = 'ACTIVE'
        where r.being_id = %s and r.told_at is null and r.undone_at is null
            and s.conversation is not distinct from %s
        order by r.request_id
        limit %s
        """,
        [being_id, conversation, limit],
    )


def mark_reported(tx: Transaction, being_id: UUID, request_ids: Sequence[UUID]) -> None:
    """Record that a context reported these effects."""
    tx.execute(
        """
        update memory.spoken_requests set told_at = memory.now()
        where being_id = %s and request_id = any(%s) and told_at is null
        """,
        [being_id, list(request_ids)],
    )


def _restore(tx: Transaction, being_id: UUID, request_ids: Sequence[UUID]) -> list[UUID]:
    return tx.value("select array(select memory.restore_asked(%s, %s))", [being_id, list(request_ids)])
