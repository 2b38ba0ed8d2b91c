"""Loop immunity: what a Being was shown of its own memory is recognised when it comes back inside a message.

Each assembled context leaves a receipt with marks of the pieces of memory in it (not of the conversation: a user who
says a thing again does say it again). A producer that pastes such pieces into a message would otherwise feed memory to
itself: what was remembered once would be told, counted and summarised again, each time a little surer.
"""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple
from uuid import UUID

from memory.echoes import Mark, Span, blanked, joined, marks, within_fences
from schemas.rows import Message
from store import receipts
from store.transaction import Transaction

# The fences that contexts and recall put around memory: whoever sends them back, whole, sends what was shown.
FENCES = frozenset(
    {"recalled_memory", "core", "instructions", "snapshot", "skills", "user-model", "summary", "context"}
    | {"recent-nodes", "rag-context"}
)

CONTEXT_ID = "context_id"


class Said(NamedTuple):
    """A message's text, and the context that it says it stems from."""

    text: str
    context_id: UUID | None


def shown_parts(tx: Transaction, being_id: UUID, said: Sequence[Said]) -> list[list[Span]]:
    """For each text the parts that stem from contexts of this Being, in order.

    They are found by the fences around them, and by runs of words that a context showed. A line that is shorter than a
    run counts where the text names its context, or where a run was found in it as well.
    """
    marked = [list(marks(being_id, text)) for text, _ in said]
    known = receipts.shown(tx, being_id, list({mark.hash for of_one in marked for mark in of_one}))
    named = receipts.given_out(tx, being_id, [each.context_id for each in said if each.context_id is not None])
    return [
        _spans(text, [mark for mark in of_one if mark.hash in known], lines=context_id in named)
        for (text, context_id), of_one in zip(said, marked, strict=True)
    ]


def heard(tx: Transaction, being_id: UUID, messages: Sequence[Message]) -> dict[UUID, str]:
    """What each message says beside what this Being was shown, with spaces in place of that: positions stay."""
    said = [Said(message.content, context_of(message.metadata)) for message in messages]
    spans = shown_parts(tx, being_id, said)
    return {message.message_id: blanked(message.content, parts) for message, parts in zip(messages, spans, strict=True)}


def context_of(metadata: Mapping[str, Any]) -> UUID | None:
    """The context that a message says it stems from, by its metadata's `context_id`."""
    try:
        return UUID(str(metadata.get(CONTEXT_ID)))
    except ValueError:
        return None


def keep(tx: Transaction, being_id: UUID, process: str, pieces: Sequence[str]) -> UUID:
    """Leave a receipt of the pieces of memory that a context shows; returns the context's id."""
    by_hash = {sha256(piece.encode()).digest(): piece for piece in pieces}
    fresh = sorted(set(by_hash) - receipts.shown_lately(tx, being_id, list(by_hash)))
    receipts.keep_shown(
        tx, being_id, {hashed: [mark.hash for mark in marks(being_id, by_hash[hashed])] for hashed in fresh}
    )
    return receipts.keep(tx, being_id, process, sorted(by_hash))


def _spans(text: str, found: Sequence[Mark], *, lines: bool) -> list[Span]:
    fenced = within_fences(text, FENCES)
    runs = [mark.span for mark in found if not mark.line]
    if lines or runs or fenced:
        runs += [mark.span for mark in found if mark.line]
    return joined([*fenced, *runs])
