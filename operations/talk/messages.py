"""Messages, after they were handed in: retracted and restored, in confidence, erased."""

from typing import Annotated
from uuid import UUID

from pydantic import Field

from memory.accounts import erasure
from memory.intake import retraction
from memory.talk import confidences
from operations.declaration import Command, FindsMuted, Flag, answered, operation
from operations.parameters import Cursor, ItemKey, Limit, request_id
from operations.talk import sessions
from schemas.accounts.accounts import Being
from schemas.facts.fact_answers import ErasureCounts
from schemas.limits import PAGE_NODES
from schemas.talk.messages import Message, MessageChanges, MessagePage, RetractedPage
from schemas.talk.retraction import MessageSelection, RestorationOutcome, RetractionOutcome
from store.talk import messages
from store.transaction import Transaction
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
) -> RetractionOutcome:
    """Retract messages: by `ids`, or those of a `conversation` behind the message `after`.

    A retracted message is in no search, context or prompt, and workers derive again, without it, the data that was
    derived from it. A retraction that comes before its message waits for it. The same id with other
    content is then a new version of the message.
    """
    return retraction.retract(
        on.store, on.settings, on.embedders, [being], selection, request_id=request_id(idempotency_key)
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
) -> RestorationOutcome:
    """Let retracted messages stand again, under their own ids and times.

    They are processed as new messages are. An erased message does not come back: 410, and nothing is restored.
    """
    return retraction.restore(on.store, on.settings, [being], selection, request_id=request_id(idempotency_key))


@operation("PATCH /v1/beings/{being}/messages/{message_id}", scope="manage")
def change_message(on: Resources, being: Being, message_id: MessageId, changes: MessageChanges) -> Message:
    """Set or lift the confidence of a message.

    A message in confidence stays, with all that rests on it, with the Being that received it. The decision precedes
    the mark of the message's producer and the findings of a model, and facts and the spine follow it.
    """
    (message,) = confidences.decide_on_messages(on.store, being, [str(message_id)], in_confidence=changes.in_confidence)
    return message


@operation(
    None,
    scope="manage",
    commands=[
        Command(
            "confide",
            "Set messages in confidence: they and all derived data stay with the Being that got them.",
            fixed={"in_confidence": True},
        ),
        Command(
            "share",
            "Lift the confidence of messages: all of the user's Beings may know their facts.",
            fixed={"in_confidence": False},
        ),
    ],
)
def change_confidence(
    on: Resources,
    being: Being,
    *,
    ids: Annotated[
        list[str], Field(min_length=1, description="The producer's ids of messages, or those of their receipts.")
    ],
    in_confidence: bool,
) -> MessagePage:
    """Set or lift the confidence of messages."""
    decided = confidences.decide_on_messages(on.store, being, ids, in_confidence=in_confidence)
    return MessagePage(messages=decided, cursor=None)


@operation("GET /v1/beings/{being}/messages/{message_id}/erasure", scope="manage")
def preview_erasure(on: Resources, being: Being, message_id: MessageId) -> ErasureCounts:
    """Show what erasing a message would remove and change; nothing is erased."""
    return erasure.preview_messages(on.store, on.settings, on.embedders, being, [message_id])


@operation("DELETE /v1/beings/{being}/messages/{message_id}", scope="manage", commands=[Command("erase")])
def erase_message(on: Resources, being: Being, message_id: MessageId) -> ErasureCounts:
    """Erase a message, with the facts and todos that no other message supports; the answer names them.

    Scenes that were drawn from it go with their memories. Its other effects are undone: a statement that it replaced is
    current again, a todo that it closed is open.
    """
    return erasure.erase_messages(on.store, on.settings, on.embedders, [being], [message_id])


@operation(
    None,
    scope="read",
    commands=[
        Command(
            "list",
            takes=("session", "limit", "cursor"),
            flags={"retracted": Flag("List retracted messages, of all sessions, newest first.", {"retracted": True})},
        )
    ],
)
def list_talk(
    tx: Transaction,
    being: Being,
    *,
    session: Annotated[
        UUID | None, Field(description="The session: its id, or the end of it; without, the last.")
    ] = None,
    limit: Limit = PAGE_NODES,
    cursor: Cursor = None,
    retracted: bool = False,
) -> MessagePage | RetractedPage:
    """List the messages of a session, oldest first. `patrol sessions list` lists the sessions."""
    if retracted:
        return answered(sessions.list_retracted_messages.call(tx, being, cursor=cursor, limit=limit))
    if session is None:
        last = messages.sessions(tx, being.being_id, before=None, limit=1)
        if not last:
            return MessagePage(messages=[], cursor=None)
        session = last[0].session_id
    return answered(sessions.list_messages.call(tx, being, FindsMuted(True), session, cursor=cursor, limit=limit))
