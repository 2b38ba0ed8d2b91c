"""Facts about the user."""

from http import HTTPStatus
from typing import Annotated
from uuid import UUID

from pydantic import Field

from memory.facts import retrieval, seeding, vectors
from memory.talk import confidences
from memory.text.pages import cut_page, parse_cursor
from operations.declaration import Command, FindsMuted, Flag, operation, sets
from operations.parameters import Cursor, Limit
from schemas.accounts.accounts import Being
from schemas.errors import Refused
from schemas.facts.fact_answers import FactDetail, FactPage, RetrievedFacts, SeedCounts
from schemas.facts.fact_requests import FactChanges, FactQuestion, Seed
from schemas.facts.fact_rows import Fact, FactStatus, FactType
from schemas.limits import BATCH_ITEMS, PAGE_NODES
from store.accounts import erasure
from store.facts import curator, facts
from store.transaction import Transaction
from workers.runtime.resources import Resources

EntityRef = Annotated[str, Field(pattern=r"^[a-z]+:[^\x00]+$")]


@operation(
    "POST /v1/beings/{being}/facts/retrieve",
    scope="read",
    repeated="done again",
    commands=[Command("retrieve", fixed={"explain": True})],
)
def retrieve_facts(on: Resources, being: Being, question: FactQuestion) -> RetrievedFacts:
    """Find the facts that are relevant to a query, with cards of the entities that they name, and the pinned facts.

    The 50 most similar facts are ranked by similarity, recency and frequency. Retrieval changes no fact.
    """
    query = retrieval.FactQuery(question.query, question.limit, question.explain)
    return retrieval.retrieve(on.store, on.embedders, on.settings, being, query)


@operation(
    "GET /v1/beings/{being}/facts",
    scope="read",
    commands=[Command("list", flags={"archived": Flag("List archived facts instead.", {"status": "ARCHIVED"})})],
)
def list_facts(
    tx: Transaction,
    being: Being,
    muted: FindsMuted,
    *,
    type: Annotated[FactType | None, Field(description="Only facts of this type.")] = None,  # noqa: A002  # the field's name
    status: Annotated[FactStatus, Field(description="Only facts of this status.")] = "ACTIVE",
    entity: Annotated[
        EntityRef | None, Field(description="Only facts that name this entity, as `person:john`.")
    ] = None,
    cursor: Cursor = None,
    limit: Limit = PAGE_NODES,
) -> FactPage:
    """List the facts that a Being knows, newest first: the user's, and those from its own confidences.

    The scope `manage` also lists muted ones.
    """
    found = facts.page(
        tx,
        being.user_id,
        being.being_id,
        type=type,
        status=status,
        entity_ref=entity,
        muted=muted,
        before=parse_cursor(cursor, UUID),
        limit=limit + 1,
    )
    shown, end = cut_page(found, limit, lambda fact: fact.fact_id)
    return FactPage(facts=shown, cursor=end)


@operation("POST /v1/beings/{being}/facts", scope="manage", status=HTTPStatus.CREATED, body="document")
def add_facts(
    on: Resources, being: Being, seeds: Annotated[list[Seed], Field(min_length=1, max_length=BATCH_ITEMS)]
) -> SeedCounts:
    """Add up to 1,000 facts about the user, known to all of the user's Beings unless `in_confidence`.

    An item that was added before changes nothing. An item with the memory key of a known fact is added to that fact.
    """
    return seeding.seed(on.store, on.settings, being, seeds)


@operation("GET /v1/beings/{being}/facts/{fact_id}", scope="read", commands=[Command("show")])
def show_fact(tx: Transaction, being: Being, muted: FindsMuted, fact_id: UUID) -> FactDetail:
    """Show a fact with all its statements, the quotations that support them, and its history.

    The scope `manage` also shows a muted one.
    """
    return FactDetail(
        fact=facts.get(tx, being.user_id, being.being_id, fact_id, muted=muted),
        statements=facts.statements(tx, being.user_id, being.being_id, fact_id, muted=muted),
        history=facts.history(tx, being.user_id, fact_id),
    )


@operation(
    "PATCH /v1/beings/{being}/facts/{fact_id}",
    scope="manage",
    conflicts=True,
    commands=[
        Command(
            "correct",
            "Correct a fact's content or importance; earlier statements stay in its history.",
            takes=("content", "importance"),
            done="Corrected",
        ),
        sets("pin", "Pin a fact: it is in every context, and the curator never archives it.", "Pinned", pinned=True),
        sets("unpin", "Unpin a fact.", "Unpinned", pinned=False),
        sets("archive", "Hide a fact; `patrol facts restore` brings it back.", "Archived", status="ARCHIVED"),
        sets("restore", "Bring an archived fact back.", "Restored", status="ACTIVE"),
        sets(
            "confide",
            "Set a fact and its source messages in confidence: only the Beings that got them know it.",
            "In confidence",
            in_confidence=True,
        ),
        sets(
            "share",
            "Lift the confidence of a fact: all of the user's Beings know it.",
            "Known to all Beings",
            in_confidence=False,
        ),
    ],
)
def change_fact(on: Resources, being: Being, fact_id: UUID, changes: FactChanges) -> Fact:
    """Correct a fact, set its importance, pin, archive or restore it, set or lift its confidence.

    A pinned fact has importance 3 and can't be archived. A confidence is set on all messages that the fact rests on:
    their statements stay with the Being that received them. If that Being has a fact of the same key, the answer is
    that one.
    """
    return confidences.change_fact(on.store, being, fact_id, changes)


@operation(
    "POST /v1/beings/{being}/facts/{fact_id}/unfold", scope="manage", conflicts=True, commands=[Command("unfold")]
)
def unfold_fact(tx: Transaction, being: Being, fact_id: UUID) -> FactPage:
    """Undo a fold of the curator. The folded facts are active again, and are never folded again."""
    user_id = being.user_id
    facts.lock(tx, user_id)
    fact = facts.get(tx, user_id, being.being_id, fact_id)
    if fact.source != "curated_fold" or fact.status != "ACTIVE":
        raise Refused("Only an active fact that the curator folded can be unfolded.")
    folded = curator.unfold(tx, user_id, fact_id)
    vectors.request_embedding(tx, user_id)
    return FactPage(facts=[facts.get(tx, user_id, being.being_id, each) for each in folded], cursor=None)


@operation(
    "DELETE /v1/beings/{being}/facts/{fact_id}",
    scope="manage",
    status=HTTPStatus.NO_CONTENT,
    removes_answers=True,
    commands=[Command("erase", done="Erased")],
)
def erase_fact(tx: Transaction, being: Being, fact_id: UUID) -> None:
    """Erase a fact with all its statements. The messages that support it stay; mentioned again, it is a new fact."""
    facts.lock(tx, being.user_id)
    facts.get(tx, being.user_id, being.being_id, fact_id)
    facts.erase(tx, being.user_id, fact_id)
    erasure.remove_unused_names(tx, being.user_id)
