"""What people do to facts: list, look closer, correct, pin, archive, restore, erase."""

from uuid import UUID

from memory import fact_vectors
from memory.pages import cut, read_id
from schemas.fact_answers import FactPage, FactStory
from schemas.fact_requests import FactChanges
from schemas.facts import Fact, FactStatus, FactType
from schemas.rows import Being
from schemas.work import Ring
from store import erasing, facts
from store.database import Store
from store.errors import Refused


def page(
    store: Store,
    being: Being,
    *,
    type: FactType | None,  # noqa: A002  # the field's name
    status: FactStatus | None,
    entity: str | None,
    cursor: str | None,
    limit: int,
) -> FactPage:
    """Facts that a Being knows, newest first.

    Raises:
        BadQuestion: The cursor is none that was given out.
    """
    before = read_id(cursor)
    with store.transaction() as tx:
        found = facts.page(
            tx,
            being.user_id,
            being.being_id,
            type=type,
            status=status,
            entity_ref=entity,
            before=before,
            limit=limit + 1,
        )
    shown, end = cut(found, limit, lambda fact: str(fact.fact_id))
    return FactPage(facts=shown, cursor=end)


def story(store: Store, being: Being, fact_id: UUID) -> FactStory:
    """What a fact says and said, and on whose words.

    Raises:
        NotFound: This Being knows no such fact.
    """
    with store.transaction() as tx:
        return FactStory(
            fact=facts.get(tx, being.user_id, being.being_id, fact_id),
            statements=facts.statements(tx, being.user_id, being.being_id, fact_id),
            history=facts.history(tx, being.user_id, fact_id),
        )


def change(store: Store, being: Being, fact_id: UUID, changes: FactChanges) -> tuple[Fact, list[Ring]]:
    """Correct, weigh, pin, archive or restore a fact; returns it as it is now, and what to ring for.

    Raises:
        NotFound: This Being knows no such fact.
        Refused: A pinned fact is to be archived, or a newer one has the place of the one that is to be restored.
    """
    user_id = being.user_id
    with store.transaction() as tx:
        facts.hold(tx, user_id)
        fact = facts.get(tx, user_id, being.being_id, fact_id)
        pinned = fact.pinned if changes.pinned is None else changes.pinned
        status = changes.status or fact.status
        if pinned and status == "ARCHIVED":
            raise Refused(
                "A pinned fact is not archived, and an archived one not pinned: take one of the two back first."
            )
        if changes.content is not None:
            facts.reword(tx, user_id, fact_id, changes.content)
        if changes.importance is not None:
            facts.weigh(tx, user_id, fact_id, changes.importance)
        if status != fact.status:
            facts.set_status(tx, user_id, fact_id, status)
        if pinned != fact.pinned:
            facts.pin(tx, user_id, fact_id, pinned=pinned)
        return facts.get(tx, user_id, being.being_id, fact_id), fact_vectors.ask(tx, user_id)


def erase(store: Store, being: Being, fact_id: UUID) -> None:
    """Remove a fact with everything it said; the messages that it rests on stay.

    Raises:
        NotFound: This Being knows no such fact.
    """
    with store.transaction() as tx:
        facts.hold(tx, being.user_id)
        facts.get(tx, being.user_id, being.being_id, fact_id)
        facts.erase(tx, being.user_id, fact_id)
        erasing.forget_names(tx, being.user_id)
