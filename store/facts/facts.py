"""Facts: read, corrected, pinned, archived, erased. Writers call `lock` first."""

from collections.abc import Sequence
from uuid import UUID

from pydantic import TypeAdapter

from schemas.errors import existing
from schemas.facts.fact_rows import Evidence, Fact, FactEvent, Statement
from store.transaction import Transaction, once

_EVIDENCE = TypeAdapter(list[Evidence])


def lock(tx: Transaction, user_id: UUID) -> None:
    """Serialize the writers of this user's facts until this transaction ends."""
    tx.execute("select memory.lock_facts(%s)", [user_id])


def count(tx: Transaction, user_id: UUID) -> int:
    """How many facts a user has, in all scopes."""
    return tx.value("select count(*) from memory.facts where user_id = %s", [user_id])


def get(tx: Transaction, user_id: UUID, being_id: UUID, fact_id: UUID, *, muted: bool = True) -> Fact:
    """A fact that this Being knows, active or archived; a muted one with `muted`.

    Raises:
        NotFound: This Being knows no such fact.
    """
    found = among(tx, user_id, being_id, [fact_id], muted=muted)
    return existing(found[0] if found else None, f"This Being knows no fact {fact_id}.")


def among(
    tx: Transaction, user_id: UUID, being_id: UUID, fact_ids: Sequence[UUID], *, muted: bool = True
) -> list[Fact]:
    """Those of the ids that are facts which this Being knows, active or archived; muted ones with `muted`."""
    return tx.rows(
        Fact,
        """
        select *
        from memory.facts
        where user_id = %s and fact_id = any(%s) and content <> '' and (being_id = %s or being_id is null)
            and (%s or not memory.is_muted(coalesce(being_id, user_id), 'fact', fact_id))
        """,
        [user_id, list(fact_ids), being_id, muted],
    )


def page(
    tx: Transaction,
    user_id: UUID,
    being_id: UUID,
    *,
    type: str | None = None,  # noqa: A002  # the column's name
    status: str | None = "ACTIVE",
    entity_ref: str | None = None,
    muted: bool = True,
    before: UUID | None = None,
    limit: int,
) -> list[Fact]:
    """A page of the facts that a Being knows, newest first, starting after `before`; muted ones with `muted`."""
    return tx.rows(
        Fact,
        """
        select *
        from memory.facts
        where user_id = %(user)s and content <> '' and (being_id = %(being)s or being_id is null)
            and (%(type)s::text is null or type = %(type)s)
            and (%(status)s::text is null or status = %(status)s)
            and (%(entity)s::text is null or entity_refs @> array[%(entity)s])
            and (%(muted)s or not memory.is_muted(coalesce(being_id, user_id), 'fact', fact_id))
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
            "muted": muted,
            "before": before,
            "limit": limit,
        },
    )


def own_names(tx: Transaction, user_id: UUID, being_id: UUID) -> list[str]:
    """The labels of the people that the facts about the user's own name mention, as this Being knows them."""
    return tx.column(
        """
        select distinct l.label
        from memory.facts as f, unnest(f.entity_refs) as name (ref)
        join memory.entity_aliases as a on a.user_id = %(user)s and a.entity_ref = name.ref
        join memory.entity_labels as l on l.user_id = a.user_id and l.alias_ref = a.alias_ref
        where f.user_id = %(user)s and f.status = 'ACTIVE' and f.entity_refs[1] = 'thing:name'
            and (f.being_id = %(being)s or f.being_id is null) and name.ref like 'person:%%'
            and (l.being_id = %(being)s or l.being_id is null)
        """,
        {"user": user_id, "being": being_id},
    )


def statements(tx: Transaction, user_id: UUID, being_id: UUID, fact_id: UUID, *, muted: bool = True) -> list[Statement]:
    """All statements of a fact, oldest first, each with its evidence.

    Evidence from other Beings' talk is left out, and so is that of muted messages without `muted`.
    """
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
                        and (%(muted)s or not memory.is_muted(e.being_id, 'message', e.message_id))
                ),
                '[]'
            ) as evidence
        from memory.fact_statements as s
        where s.user_id = %(user)s and s.fact_id = %(fact)s
        order by s.statement_id
        """,
        {"user": user_id, "being": being_id, "fact": fact_id, "muted": muted},
    )
    return [Statement.model_validate({**row, "evidence": _EVIDENCE.validate_python(row["evidence"])}) for row in rows]


def history(tx: Transaction, user_id: UUID, fact_id: UUID) -> list[FactEvent]:
    """The events of a fact, which triggers insert: birth, archiving, pins, changed importance; oldest first."""
    return tx.rows(
        FactEvent,
        "select * from memory.fact_history where user_id = %s and fact_id = %s order by event_id",
        [user_id, fact_id],
    )


def correct(tx: Transaction, user_id: UUID, fact_id: UUID, content: str) -> None:
    """Replace all content of a fact by this content, which needs no evidence; later statements may replace it."""
    tx.execute("select memory.correct_fact(%s, %s, %s)", [user_id, fact_id, content])


def set_importance(tx: Transaction, user_id: UUID, fact_id: UUID, importance: int) -> None:
    """Set the importance of a fact's current statements, 0 to 3, for good; while the fact is pinned it counts as 3."""
    tx.execute(
        """
        update memory.fact_statements
        set importance = %s, weighed = true
        where user_id = %s and fact_id = %s and replaced_by is null
        """,
        [importance, user_id, fact_id],
    )


def pin(tx: Transaction, user_id: UUID, fact_id: UUID, *, pinned: bool) -> None:
    """Pin a fact independently of its statements, or unpin it and its statements."""
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
    with once(tx, "A newer fact has the same memory key. Archive or erase that fact first."):
        tx.execute(
            "update memory.facts set status = %s, folded_into = null where user_id = %s and fact_id = %s",
            [status, user_id, fact_id],
        )


def remove_outdated(tx: Transaction, being_id: UUID, message_ids: Sequence[UUID]) -> bool:
    """Remove the evidence of messages that judging them again has not found again; returns whether there was any."""
    return tx.changes(
        "delete from memory.fact_evidence where being_id = %s and message_id = any(%s) and outdated",
        [being_id, list(message_ids)],
    )


def erase(tx: Transaction, user_id: UUID, fact_id: UUID) -> None:
    """Remove a fact with its statements and their evidence."""
    tx.execute("delete from memory.facts where user_id = %s and fact_id = %s", [user_id, fact_id])
