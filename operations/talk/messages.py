"""Messages, after they were handed in: retracted and restored, in confidence, erased."""

from typing import Annotated
from uuid import UUID

from pydantic import Field

from memory.accounts import erasure
from memory.intake import retraction
from memory.talk import confidences
from operations.declaration import Command, operation
from operations.parameters import ItemKey, request_id
from schemas.accounts.accounts import Being
from schemas.facts.fact_answers import Erased
from schemas.talk.messages import Message, MessageChanges
from schemas.talk.retraction import MessageSelection, Restored, Retracted
from workers.runtime.resources import Resources

MessageId = Annotated[UUID, Field(description="The message's id, from its receipt or its session.")]


@operation(
    "POST /v1/beings/{being}/messages/retract",
    scope="ingest",
    commands=[Command("retract", takes=("ids", "conversation", "after"), arguments=["ids"])],
)
def retract_messages(
    on: Resources,
    being: Being,
    selection: MessageSelection,
    *,
    idempotency_key: ItemKey = None,
) -> Retracted:
    """Retract messages: by `ids`, or those of a `conversation` behind the message `after`.

    A retracted message counts as never said. It is in no search, context or prompt, and workers derive again, without
    it, what was derived from it. A retraction that comes before its message waits for it. The same id with other
    content is then a new version of the message.
    """
    return retraction.retract(
        on.store, on.settings, on.embedders, being.being_id, selection, request_id=request_id(idempotency_key)
    )


@operation(
    "POST /v1/beings/{being}/messages/restore",
    scope="ingest",
    gone=True,
    commands=[Command("restore", takes=("ids", "conversation", "after"), arguments=["ids"])],
)
def restore_messages(
    on: Resources,
    being: Being,
    selection: MessageSelection,
    *,
    idempotency_key: ItemKey = None,
) -> Restored:
    """Let retracted messages stand again, under their own ids and times.

    They are processed as new messages are. What was erased does not come back: 410, and nothing is restored.
    """
    return retraction.restore(on.store, on.settings, being.being_id, selection, request_id=request_id(idempotency_key))


@operation("PATCH /v1/beings/{being}/messages/{message_id}", scope="manage")
def change_message(on: Resources, being: Being, message_id: MessageId, changes: MessageChanges) -> Message:
    """Set or lift the confidence of a message.

    A message in confidence stays, with all that rests on it, with the Being that it was said to. The decision precedes
    the mark of the message's producer and what a model finds, and facts and the spine follow it.
    """
    (message,) = confidences.decide_on_messages(on.store, being, [str(message_id)], in_confidence=changes.in_confidence)
    return message


@operation("GET /v1/beings/{being}/messages/{message_id}/erasure", scope="manage")
def preview_erasure(on: Resources, being: Being, message_id: MessageId) -> Erased:
    """Show what erasing a message would remove and change; nothing is erased."""
    return erasure.preview_messages(on.store, on.settings, on.embedders, being, [message_id])


@operation("DELETE /v1/beings/{being}/messages/{message_id}", scope="manage", commands=[Command("erase")])
def erase_message(on: Resources, being: Being, message_id: MessageId) -> Erased:
    """Erase a message, with the facts and todos that no other message supports; the answer names them.

    Scenes that were drawn from it go with their memories. Its other effects are undone: a statement that it replaced is
    current again, a todo that it closed is open.
    """
    return erasure.erase_messages(on.store, on.settings, on.embedders, being, [message_id])
