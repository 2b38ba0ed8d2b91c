"""Answers why something was in a prompt: the contexts that were assembled, what each showed, and by which scores."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from memory.nodes.scenes import scene_to_text
from memory.text.pages import cut_page, parse_cursor
from schemas.accounts.accounts import Being
from schemas.context.shown import (
    AssembledContext,
    AssembledPage,
    ContextRow,
    ShownContext,
    ShownFact,
    ShownMemory,
    ShownPassage,
)
from schemas.errors import existing
from store.context import provenance
from store.database import Store
from store.facts import facts
from store.nodes import nodes
from store.transaction import Transaction

SCORES = ("similarity", "recency", "frequency", "score")


def context_page(
    store: Store, being_id: UUID, *, shows: UUID | None, conversation: str | None, cursor: str | None, limit: int
) -> AssembledPage:
    """List contexts, newest first; with `shows` those that showed this memory or fact.

    With `conversation` only those of that conversation; empty is the one without an id.

    Raises:
        InvalidRequest: The cursor was not made by this API.
    """
    before = parse_cursor(cursor, UUID)
    found = store.run(provenance.page, being_id, shows=shows, conversation=conversation, before=before, limit=limit + 1)
    shown, end = cut_page(found, limit, lambda context: context.context_id)
    return AssembledPage(contexts=[AssembledContext(**_in_short(one)) for one in shown], cursor=end)


def shown_context(store: Store, being: Being, context_id: UUID, *, muted: bool = True) -> ShownContext:
    """Return what a context showed and why, with the texts as they stand today; what is muted since with `muted`.

    Raises:
        NotFound: This Being has no such context, or retention has removed it.
    """
    with store.transaction() as tx:
        context = existing(
            provenance.get(tx, being.being_id, context_id),
            f"This Being has no context {context_id}, or it is no longer kept.",
        )
        return ShownContext(
            **_in_short(context),
            memories=_memories(tx, being.being_id, context, muted=muted),
            facts=_facts(tx, being, context, muted=muted),
            passages=_passages(tx, being.being_id, context.shown_reasons, muted=muted),
        )


def _in_short(context: ContextRow) -> dict[str, Any]:
    short = context.model_dump(include={"context_id", "process", "conversation", "created_at"})
    return {**short, "items": len(context.shown_ids)}


def _memories(tx: Transaction, being_id: UUID, context: ContextRow, *, muted: bool) -> list[ShownMemory]:
    similarities = {one["node_id"]: one["similarity"] for one in context.shown_reasons.get("memories", ())}
    regions: Mapping[str, list[str]] = context.shown_reasons.get("regions", {})
    found = (nodes.get(tx, being_id, id_, muted=muted) for id_ in context.shown_ids)
    return [
        ShownMemory(
            node_id=node.node_id,
            text=scene_to_text(node.scene, node.feeling),
            regions=[region for region, ids in regions.items() if str(node.node_id) in ids],
            similarity=similarities.get(str(node.node_id)),
        )
        for node in found
        if node is not None
    ]


def _facts(tx: Transaction, being: Being, context: ContextRow, *, muted: bool) -> list[ShownFact]:
    scores = {one["fact_id"]: one for one in context.shown_reasons.get("facts", ())}
    found = facts.among(tx, being.user_id, being.being_id, context.shown_ids, muted=muted)
    return [
        ShownFact(
            fact_id=fact.fact_id,
            content=fact.content,
            scores={name: scores[str(fact.fact_id)][name] for name in SCORES} if str(fact.fact_id) in scores else None,
        )
        for fact in found
    ]


def _passages(tx: Transaction, being_id: UUID, reasons: Mapping[str, Any], *, muted: bool) -> list[ShownPassage]:
    passages = [([UUID(id_) for id_ in one["message_ids"]], one["score"]) for one in reasons.get("passages", ())]
    spoken = provenance.spoken(tx, being_id, [id_ for ids, _ in passages for id_ in ids], muted=muted)
    return [
        ShownPassage(
            message_ids=standing,
            session_id=spoken[standing[0]][0],
            text="\n".join(spoken[id_][1] for id_ in standing),
            score=score,
        )
        for ids, score in passages
        if (standing := [id_ for id_ in ids if id_ in spoken])
    ]
