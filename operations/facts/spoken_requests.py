"""Requests of users, in talk, to their memory, and their undoing."""

from typing import Annotated
from uuid import UUID

from pydantic import Field

from memory.facts import vectors
from memory.talk.judging import request_judging
from memory.talk.muting import derive_again
from memory.text.pages import cut_page, parse_cursor
from operations.declaration import Command, FindsMuted, operation
from operations.parameters import Cursor, Limit
from schemas.accounts.accounts import Being
from schemas.facts.fact_answers import SpokenRequestPage
from schemas.facts.fact_rows import SpokenRequest
from schemas.limits import PAGE_NODES
from store.accounts import users
from store.facts import facts, spoken_requests
from store.talk import rolling
from store.transaction import Transaction
from workers.runtime.resources import Resources


@operation("GET /v1/beings/{being}/spoken_requests", scope="read", commands=[Command("list")])
def list_spoken_requests(
    tx: Transaction, being: Being, muted: FindsMuted, *, cursor: Cursor = None, limit: Limit = PAGE_NODES
) -> SpokenRequestPage:
    """List the changes that you requested in talk to this Being (forgotten, corrected, left out), newest first.

    A model reads such requests in your own messages: without a key no request is carried out. The scope `manage`
    also lists those of muted messages, and each that muted something is one.
    """
    before = parse_cursor(cursor, UUID)
    found = spoken_requests.page(tx, being.being_id, muted=muted, before=before, limit=limit + 1)
    shown, end = cut_page(found, limit, lambda one: one.request_id)
    return SpokenRequestPage(requests=shown, cursor=end)


@operation(
    "POST /v1/beings/{being}/spoken_requests/{request_id}/undo",
    scope="manage",
    commands=[Command("undo", done="Undone")],
)
def undo_spoken_request(
    on: Resources,
    being: Being,
    request_id: Annotated[UUID, Field(description="The request's id from the list.")],
) -> SpokenRequest:
    """Undo one of them: the fact or todo is there again, with its earlier words, or the message is judged again."""
    with on.store.transaction() as tx:
        # Each of the user's Beings may show the muted items again.
        users.hold_alone(tx, being.user_id)
        rolling.lock(tx, being.being_id)
        facts.lock(tx, being.user_id)
        undone, sessions = spoken_requests.undo(tx, being.being_id, request_id)
        request_judging(tx, on.settings, being.being_id, sessions)
        if undone.effect == "muted":
            derive_again(tx, on.settings, being.user_id)
        vectors.request_embedding(tx, being.user_id)
        return undone
