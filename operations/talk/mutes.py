"""Mutes of things that are not to be brought up."""

from http import HTTPStatus
from typing import Annotated
from uuid import UUID

from pydantic import Field

from memory.talk import muting
from memory.text.pages import cut_page, parse_cursor
from operations.declaration import Command, Existing, operation
from operations.parameters import Cursor, Limit
from schemas.accounts.accounts import Being
from schemas.limits import PAGE_NODES
from schemas.talk.mutes import Mute, MutePage, MuteRequest
from store.talk import mutes
from store.transaction import Transaction
from workers.runtime.resources import Resources


@operation("GET /v1/beings/{being}/mutes", scope="manage", commands=[Command("muted")])
def list_mutes(tx: Transaction, being: Being, *, cursor: Cursor = None, limit: Limit = PAGE_NODES) -> MutePage:
    """List mutes, newest first: of things of this Being, and of facts and entities that all of your Beings know."""
    before = parse_cursor(cursor, UUID)
    found = mutes.page(tx, being.user_id, being.being_id, before=before, limit=limit + 1)
    shown, end = cut_page(found, limit, lambda one: one.mute_id)
    return MutePage(mutes=shown, cursor=end)


@operation(
    "POST /v1/beings/{being}/mutes",
    scope="manage",
    status=HTTPStatus.CREATED,
    conflicts=True,
    repeated="harmless",
    commands=[Command("mute", done="Muted")],
)
def mute(on: Resources, being: Being, wanted: MuteRequest) -> Mute | Existing[Mute]:
    """Mute a fact, memory, topic, person or thing, conversation or message: it is kept, and not brought up.

    A search with the scope `manage` finds it; no context, recall, answer, tool or notice shows it, nor the words
    that it rests on. Summaries, diary and impressions are derived again without it. Later messages and notes about a
    muted entity, in a muted topic or in a muted conversation are muted as well.
    """
    made, is_new = muting.mute(on.store, on.settings, being, wanted)
    return made if is_new else Existing(made)


@operation(
    "DELETE /v1/beings/{being}/mutes/{mute_id}",
    scope="manage",
    status=HTTPStatus.NO_CONTENT,
    commands=[Command("unmute", done="It may be brought up again")],
)
def unmute(
    on: Resources, being: Being, mute_id: Annotated[UUID, Field(description="The mute's id from the list.")]
) -> None:
    """Lift a mute: the things that it hid may be shown again, and are in data that is derived again."""
    muting.lift(on.store, on.settings, being, mute_id)
