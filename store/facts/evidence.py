"""The messages that support facts."""

from collections.abc import Collection, Sequence
from uuid import UUID

from store.transaction import Transaction


def messages(tx: Transaction, user_id: UUID, being_id: UUID, fact_ids: Sequence[UUID]) -> set[UUID]:
    """The messages to this Being that the current statements of these facts rest on."""
    return tx.distinct(
        """
        select e.message_id
        from memory.fact_statements as s
        join memory.fact_evidence as e using (user_id, statement_id)
        where s.user_id = %s and s.fact_id = any(%s) and s.replaced_by is null and e.being_id = %s
            and e.message_id is not null
        """,
        [user_id, list(fact_ids), being_id],
    )


def resting_only_on(tx: Transaction, user_id: UUID, being_id: UUID, message_ids: Collection[UUID]) -> set[UUID]:
    """The facts whose current statements rest on these messages to this Being and on nothing else.

    A statement that a person has worded rests on more than messages.
    """
    return tx.distinct(
        """
        with resting as (
            select distinct s.fact_id
            from memory.fact_evidence as e
            join memory.fact_statements as s on s.user_id = e.user_id and s.statement_id = e.statement_id
            where e.being_id = %(being)s and e.message_id = any(%(messages)s)
                and s.user_id = %(user)s and s.replaced_by is null
        )
        select r.fact_id
        from resting as r
        where not exists (
            select
            from memory.fact_statements as s
            left join memory.fact_evidence as e on e.user_id = s.user_id and e.statement_id = s.statement_id
            where s.user_id = %(user)s and s.fact_id = r.fact_id and s.replaced_by is null
                and (
                    s.source = 'corrected'
                    or e.message_id is null
                    or e.message_id <> all(%(messages)s)
                )
        )
        """,
        {"user": user_id, "being": being_id, "messages": list(message_ids)},
    )
