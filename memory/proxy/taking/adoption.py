"""Adoption: a transcript may show messages that came in by other doors than the proxy, and so have no place yet.

Before turns are stored as new, messages with their words are looked for among those without a place. They are adopted,
which gives them places as if they had come in this transcript, if it is certain that they are the same:

- If the transcript continues a known conversation: messages that came in under the same id as its matches (or, like
  these, under none), from the last match on.
- If it continues none, or was recognised by a few words alone: the conversation of a producer, or the talk without an
  id, that has the most of the transcript's words, by the rules of recognition, and more than the known one; or the one
  that the frontend names.

Of a conversation with an id all messages from the first match on are adopted. Of talk without an id only those that the
transcript shows, for messages that reach the Being by other ways may stand between. If nothing is adopted, nothing
changes.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from memory.proxy.matching.alignment import known_conversation
from memory.proxy.matching.reads import RepeatableReads
from memory.proxy.matching.recognition import CANDIDATES, Recognized, aligned, begun, belongs_to, fit
from memory.proxy.reading.turns import Turn
from memory.proxy.taking.changes import EVIDENCE, TranscriptChanges, changes_of
from memory.text.same_words import LONG, comparable, digest, words_key
from schemas.text.reasoning import spoken
from store.talk import transcripts, unplaced_messages
from store.talk.transcripts import NewPlace, PlacedMessage
from store.talk.unplaced_messages import UnplacedMessage, WordsFound

# The most sessions, and messages of them, that a transcript is compared with; those count that have most of its words.
SESSIONS = 50
MESSAGES = 2000


class Adoption(NamedTuple):
    """A conversation with the messages that a transcript adopts, the changes then, and the adopted ones' places."""

    found: Recognized
    changes: TranscriptChanges
    places: Sequence[NewPlace] = ()


def changes_with_adoption(
    reads: RepeatableReads, being_id: UUID, turns: Sequence[Turn], found: Recognized, now: datetime, *, certain: bool
) -> Adoption:
    """Find the messages without a place that a transcript shows, and return its changes with these adopted.

    Args:
        reads: Reads messages.
        being_id: The Being.
        turns: The transcript.
        found: The conversation that the transcript continues or, without messages, begins.
        now: The domain's time.
        certain: Whether the frontend named the conversation.
    """
    changes = changes_of(turns, found.matches, found.known, certain=certain)
    if not found.aligned:
        return Adoption(found, changes)
    is_known = bool(found.known.messages)
    # A few words end many conversations, so that another one may be meant.
    doubtful = is_known and not certain and fit(turns, found).evidence < LONG
    searched = turns if doubtful else [turns[new.turn] for new in changes.new]
    keys = {words_key(turn.comparable): turn for turn in searched}
    words = reads.ask(unplaced_messages.with_words, being_id, keys.keys()) if keys else []
    if not words:
        return Adoption(found, changes)
    adopted = _continued(reads, being_id, turns, words, found) if is_known else None
    if doubtful or not is_known:
        other = _recognized(reads, being_id, turns, words, keys, begun() if doubtful else found, now, certain=certain)
        if other and fit(turns, other[0]) > fit(turns, adopted[0] if adopted else found):
            adopted = other
    if adopted is None:
        return Adoption(found, changes)
    found, messages = adopted
    places = [NewPlace(one.message_id, one.parent_id, one.digest) for one in messages]
    return Adoption(found, changes_of(turns, found.matches, found.known, certain=certain), places)


Adopted = tuple[Recognized, Sequence[PlacedMessage]]


def _continued(
    reads: RepeatableReads, being_id: UUID, turns: Sequence[Turn], words: Sequence[WordsFound], found: Recognized
) -> Adopted | None:
    """The messages that a known conversation got through another door since the transcript's last match."""
    known = found.known.messages.values()
    last = found.matches[-1].message if found.matches else max(known, key=lambda one: (one.stands, one.message_id))
    same = reads.ask(
        unplaced_messages.conversations_of, being_id, [match.message.message_id for match in found.matches]
    )
    ours = [one for one in words if one.conversation in {found.conversation, *same}]
    return _joined(
        turns, found, _messages(reads, being_id, ours, since=last.created_at), reads, being_id, last.message_id
    )


def _recognized(
    reads: RepeatableReads,
    being_id: UUID,
    turns: Sequence[Turn],
    words: Sequence[WordsFound],
    keys: Mapping[UUID, Turn],
    found: Recognized,
    now: datetime,
    *,
    certain: bool,
) -> Adopted | None:
    """The conversation that a transcript continues which matches none that is known, or only in a few words."""
    by_conversation: dict[str | None, list[WordsFound]] = defaultdict(list)
    for one in words:
        by_conversation[one.conversation].append(one)
    if certain and found.conversation in by_conversation:
        named = _messages(reads, being_id, by_conversation[found.conversation])
        return _joined(turns, found, named, reads, being_id, None)
    groups = [group for group in by_conversation.values() if _is_evidence({one.key for one in group}, keys)]
    groups.sort(key=lambda group: (len({one.key for one in group}), max(one.message_id for one in group)), reverse=True)
    best: Adopted | None = None
    for group in groups[:CANDIDATES]:
        joined = _joined(turns, found, _messages(reads, being_id, group), reads, being_id, None)
        if joined and (best is None or fit(turns, joined[0]) > fit(turns, best[0])):
            best = joined
    return best if best and belongs_to(turns, best[0].matches, best[0].known, now) else None


def _is_evidence(matched: set[UUID], keys: Mapping[UUID, Turn]) -> bool:
    """Whether matched words identify a conversation: several turns, or one that is not said twice by chance."""
    return len(matched) >= EVIDENCE or any(len(keys[key].comparable) >= LONG for key in matched)


def _messages(
    reads: RepeatableReads, being_id: UUID, words: Sequence[WordsFound], since: datetime | None = None
) -> list[UnplacedMessage]:
    """The messages of the sessions that have most of the words, and the retracted ones with any of them."""
    in_session: dict[UUID, set[UUID]] = defaultdict(set)
    for one in words:
        if one.session_id is not None:
            in_session[one.session_id].add(one.key)
    sessions = sorted(in_session, key=lambda id_: (len(in_session[id_]), id_), reverse=True)[:SESSIONS]
    retracted = [one.message_id for one in words if one.session_id is None]
    return reads.ask(unplaced_messages.of_sessions, being_id, sessions, retracted, since=since, limit=MESSAGES)


def _joined(
    turns: Sequence[Turn],
    found: Recognized,
    messages: Sequence[UnplacedMessage],
    reads: RepeatableReads,
    being_id: UUID,
    after: UUID | None,
) -> Adopted | None:
    """Align a transcript with a conversation and messages behind it; None if it shows none of these."""
    contents = {one.message_id: one.content for one in messages}

    def read(ids: set[UUID]) -> dict[UUID, str]:
        return contents | reads.ask(transcripts.contents, being_id, ids - contents.keys())

    matches = aligned(turns, known_conversation([*found.known.messages.values(), *_placed(messages, after)]), read)
    shown = {match.message.message_id for match in matches or ()} & contents.keys()
    if not shown:
        return None
    first = next(number for number, one in enumerate(messages) if one.message_id in shown)
    placed = _placed(
        [one for one in messages[first:] if one.conversation is not None or one.message_id in shown], after
    )
    known = known_conversation([*found.known.messages.values(), *placed])
    matches = aligned(turns, known, read)
    return None if matches is None else (replace(found, known=known, matches=matches), placed)


def _placed(messages: Sequence[UnplacedMessage], after: UUID | None) -> list[PlacedMessage]:
    """Place messages one after the other, none after a retracted one: its successors are not known."""
    placed: list[PlacedMessage] = []
    for one in messages:
        words = comparable(spoken(one.content) if one.role == "assistant" else one.content)
        digested = digest(one.role, words)
        placed.append(PlacedMessage(one.message_id, after, digested, one.role, one.speaker, one.created_at, one.stands))
        after = one.message_id if one.stands else after
    return placed
