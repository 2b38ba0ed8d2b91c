"""Loop immunity: memory that a context showed is not learned again when a producer sends it back inside a message.

Each assembled context is recorded with the shingles of the pieces of memory that it showed. The conversation itself is
not recorded, since a user who repeats a statement does say it again. Without this, one remembered statement would be
extracted, counted and summarised anew each time that a producer pastes its context into a message.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Any, NamedTuple
from uuid import UUID

from memory.text.shingles import Shingle, Span, blank_spans, merge_spans, shingles, spans_in_tags
from memory.text.words import read_words
from schemas.talk.messages import Message
from store.context import provenance
from store.transaction import Transaction

# The tags that contexts and recall put around memory: a whole fence inside a message stems from a context. People use
# the common names for their own words; these count only in a message that has another part of a context.
OWN_FENCES = frozenset({"recalled_memory", "user-model", "recent-nodes", "rag-context"})
FENCES = OWN_FENCES | {"core", "instructions", "snapshot", "skills", "summary", "context", "vault"}

CONTEXT_ID = "context_id"
# The number of a run's longest words by which it is sought among the user's messages.
WORDS_SOUGHT = 4


class Utterance(NamedTuple):
    """A message's text, the id of the context that it names as its origin, if it names one, and when it came in.

    `by_user` says that the user said it: users may repeat their own words from before a context showed them.
    """

    text: str
    context_id: UUID | None
    received_at: datetime
    by_user: bool = False


def shown_parts(tx: Transaction, being_id: UUID, utterances: Sequence[Utterance]) -> list[list[Span]]:
    """For each text the spans that stem from contexts of this Being, in order.

    A span stems from a context if it stands inside one of the context's fences, or if it is a run of words that a
    context showed before the text came in: a message that a context shows as a passage is no echo of itself. A line
    shorter than such a run counts only where the text names its context, or contains a run. Fences with names that
    people use too count only where the text names its context, has another fence, or has words of a context in one.

    Words that the user had said before a context showed them are a repetition, and no echo, where they stand outside a
    fence in a text that has no other words of a context, and names none.
    """
    latest = max((utterance.received_at for utterance in utterances), default=None)
    # Without a context before the texts, as in a history that is imported, no run of theirs can stem from one.
    compared = latest is not None and provenance.any_shown(tx, being_id, until=latest)
    marked = [list(shingles(being_id, utterance.text)) if compared else [] for utterance in utterances]
    known = provenance.shown(tx, being_id, list({mark.hash for of_one in marked for mark in of_one}))
    named = provenance.given_out(tx, being_id, [each.context_id for each in utterances if each.context_id is not None])
    parts: list[list[Span]] = []
    for (text, context_id, received_at, by_user), of_one in zip(utterances, marked, strict=True):
        found = [mark for mark in of_one if mark.hash in known and known[mark.hash] <= received_at]
        spans = _spans(text, found, lines=context_id in named)
        may_repeat = by_user and spans and context_id not in named and not spans_in_tags(text, FENCES)
        again = may_repeat and _said_before(tx, being_id, text, found, known)
        parts.append([] if again else spans)
    return parts


def _said_before(
    tx: Transaction, being_id: UUID, text: str, found: Sequence[Shingle], known: Mapping[int, datetime]
) -> bool:
    """Whether the user had said all of these words of a text before contexts showed them."""
    first_shown = min(known[mark.hash] for mark in found)
    longest = max(found, key=lambda mark: mark.span.end - mark.span.start).span
    words = sorted((word.text for word in read_words(text, longest.start, longest.end)), key=len, reverse=True)
    earlier = provenance.user_texts(tx, being_id, words[:WORDS_SOUGHT], before=first_shown)
    earlier_hashes = {mark.hash for content in earlier for mark in shingles(being_id, content)}
    return all(mark.hash in earlier_hashes for mark in found)


def own_texts(tx: Transaction, being_id: UUID, messages: Sequence[Message]) -> dict[UUID, str]:
    """Return each message's text by id, with spaces in place of the words of contexts, so that positions stay."""
    utterances = [
        Utterance(message.content, context_of(message.metadata), message.received_at, by_user=message.role == "user")
        for message in messages
    ]
    spans = shown_parts(tx, being_id, utterances)
    return {
        message.message_id: blank_spans(message.content, parts) for message, parts in zip(messages, spans, strict=True)
    }


def context_of(metadata: Mapping[str, Any]) -> UUID | None:
    """The context that a message names as its origin in its metadata's `context_id`; None if that is no UUID."""
    try:
        return UUID(str(metadata.get(CONTEXT_ID)))
    except ValueError:
        return None


def record_context(
    tx: Transaction,
    being_id: UUID,
    process: str,
    pieces: Sequence[str],
    *,
    conversation: str | None = None,
    items: Mapping[str, Sequence[UUID]] | None = None,
    reasons: Mapping[str, Any] | None = None,
) -> UUID:
    """Record the pieces of memory that a context shows to a mental process; returns the context's id.

    Args:
        process: The mental process.
        pieces: The texts, to be recognised when they come back inside a message.
        conversation: The conversation that it is for; None is the one without an id.
        items: The memories and facts that it shows, by region.
        reasons: The scores by which they were chosen, as JSON.
    """
    by_hash = {sha256(piece.encode()).digest(): piece for piece in pieces}
    fresh = sorted(set(by_hash) - provenance.shown_lately(tx, being_id, list(by_hash)))
    provenance.keep_shown(
        tx, being_id, {hashed: [mark.hash for mark in shingles(being_id, by_hash[hashed])] for hashed in fresh}
    )
    items = items or {}
    by_region = {region: [str(id_) for id_ in ids] for region, ids in items.items()}
    return provenance.keep(
        tx,
        being_id,
        process,
        sorted(by_hash),
        conversation=conversation,
        shown_ids=list(dict.fromkeys(id_ for ids in items.values() for id_ in ids)),
        reasons={**(reasons or {}), "regions": by_region},
    )


def marks_of(tx: Transaction, being_id: UUID, message_ids: Sequence[UUID]) -> dict[int, datetime]:
    """The marks of messages that are about to be erased or retracted, each with when the first of them was received."""
    marks: dict[int, datetime] = {}
    for text, received_at in provenance.received(tx, being_id, message_ids):
        for mark in shingles(being_id, text):
            marks[mark.hash] = min(received_at, marks.get(mark.hash, received_at))
    return marks


def _spans(text: str, found: Sequence[Shingle], *, lines: bool) -> list[Span]:
    fenced = spans_in_tags(text, FENCES)
    if not lines and not spans_in_tags(text, OWN_FENCES) and not _contain_shingle(fenced, found):
        fenced = []
    runs = [mark.span for mark in found if not mark.line]
    if lines or runs or fenced:
        runs += [mark.span for mark in found if mark.line]
    return merge_spans([*fenced, *runs])


def _contain_shingle(fences: Sequence[Span], found: Sequence[Shingle]) -> bool:
    """Whether something that a context showed begins inside a fence; both are in the order of the text."""
    marks = iter(sorted(mark.span.start for mark in found))
    start = next(marks, None)
    for fence in fences:
        while start is not None and start < fence.start:
            start = next(marks, None)
        if start is not None and start < fence.end:
            return True
    return False
