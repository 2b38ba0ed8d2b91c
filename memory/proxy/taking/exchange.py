"""Intake of a frontend's transcript before the model is asked; `answer_intake` stores the answer.

A transcript is aligned without a lock. Its changes are committed under the lock of the Being's talk if the same is
read there, else it is aligned anew: of two equal requests at once, the second finds the messages that the first stored.
Nothing is kept between a transcript and its answer except where it belongs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal
from uuid import UUID

from memory.erased.known_erased import Recognition
from memory.intake.retraction import restore_unless_erased, retract_within
from memory.nodes.node_erasure import TRIES
from memory.proxy.matching import unrecorded_turns
from memory.proxy.matching.group_turns import witnessed
from memory.proxy.matching.reads import RepeatableReads
from memory.proxy.matching.recognition import begun
from memory.proxy.reading.background import maker_of
from memory.proxy.reading.speakers import WireNames, with_names_in_transcript
from memory.proxy.reading.transcript import Transcript
from memory.proxy.reading.turns import Turn, ends_without_words, turns_of
from memory.proxy.taking import answer_traces
from memory.proxy.taking.answer_place import AnswerPlace
from memory.proxy.taking.changes import TranscriptChanges
from memory.proxy.taking.deciding import DecidedTranscript, TranscriptRequest, decide
from memory.proxy.taking.storing import NO_ROOMMATES, Roommates, messages_at, store_turns
from memory.talk import sharing, withdrawal
from memory.talk.withdrawal import Withdrawal
from providers.embedders import Embedders
from schemas.accounts.accounts import Being
from schemas.errors import Refused
from schemas.settings import Settings
from schemas.wire.fields import Role
from store import clock
from store.accounts import beings, users
from store.database import Store
from store.talk import transcripts, utterances
from store.transaction import Transaction

Decision = Literal["began", "continued", "repeated", "background", "off the record", "nothing"]

# A longer transcript is read from its end.
MOST_TURNS = 2000


@dataclass(frozen=True, slots=True)
class LastTurn:
    """The last turn of a transcript; a context is assembled for the reply to it.

    Attributes:
        role: The speaker's role.
        speaker: The name of a third speaker.
        content: Its text, which is never blank.
        message_id: The message that it is stored as; None if it is not stored (erased before, not storable, or off the
            record).
        unsure: Whether a frontend may have written it for itself, so that nothing is concluded from it.
    """

    role: Role
    speaker: str | None
    content: str
    message_id: UUID | None
    unsure: bool = False


@dataclass(frozen=True, slots=True)
class TakenTranscript:
    """The committed decision about a transcript.

    Attributes:
        decision: `began` a conversation; `continued` one; `repeated` a request that was taken in before; `background`:
            the frontend made the request for itself, and nothing is stored; `off the record`: only digests are stored,
            by which later transcripts are recognised; `nothing` was said in it.
        conversation: The conversation; None for `background` and `nothing`.
        last: The last turn; None for `background` and `nothing`, and off the record if nothing was said.
        place: For `take_answer`; None if the answer is not to be stored.
        shown: The messages that the transcript shows.
        taken_in: How many messages were stored.
        shortened: Of how many of them only the beginning was stored, because they are too long.
        refused: How many can't be stored.
        retracted: How many were retracted, because the talk went on past another version of them.
        restored: How many that had been retracted are said again.
        aligned: Whether it was aligned within the budget of steps. If not, it began another conversation or, in one
            that its frontend names, nothing but the newest words was read.
    """

    decision: Decision
    conversation: str | None = None
    last: LastTurn | None = None
    place: AnswerPlace | None = None
    shown: frozenset[UUID] = frozenset()
    taken_in: int = 0
    shortened: int = 0
    refused: int = 0
    retracted: int = 0
    restored: int = 0
    aligned: bool = True


@dataclass
class _MustRetract(Exception):
    """Messages have to be retracted for which nothing, or something else, was planned."""

    message_ids: list[UUID] = field(default_factory=list)


def take_transcript(
    store: Store,
    settings: Settings,
    embedders: Embedders,
    being: Being,
    transcript: Transcript,
    *,
    conversation: str | None = None,
    background: bool = False,
    off_the_record: bool = False,
    choices: int = 1,
    user_names: Sequence[str] = (),
    continues: str | None = None,
    room: Roommates = NO_ROOMMATES,
) -> TakenTranscript:
    """Align a transcript with the known conversation, and commit its changes.

    Args:
        store: The ledger.
        settings: Thresholds of judging.
        embedders: The embedders of this process; retracting a message with a merged scene may need one.
        being: The Being that the transcript is addressed to.
        transcript: The transcript.
        conversation: The frontend's id of the conversation (1 to 200 characters); without one it is recognised.
        background: Whether the request says that the frontend makes it for itself; otherwise known ones are recognised.
        off_the_record: Whether the request says that it is. So is one of a conversation or Being that is, and one with
            newest words that were said off the record before.
        choices: How many answers are asked for (`n`). Of several none is stored until a later transcript shows which.
        user_names: Names by which the frontend means the user, beside the user's own.
        continues: The id of the answer that the transcript goes on from without showing it.
        room: The other Beings of the conversation's room.

    Returns:
        The decision.

    Raises:
        IntakeFull: Too many messages of the Being wait to be judged; nothing was stored.
        SecretMissing: No secret decrypts the key of the user's digests; nothing was stored.
        ProviderError: A memory returns to its own text, and the embedder is unavailable; nothing was stored.
        Refused: Patrols keep changing memories of messages that are retracted; nothing was stored.
        Unavailable: The database is unavailable; nothing was stored.
    """
    if background or maker_of(transcript, settings.proxy_task_prompts) == "frontend":
        return TakenTranscript("background")
    transcript, known = answer_traces.shown_whole(store, being.being_id, transcript, continues)
    request = TranscriptRequest(being, transcript, conversation or known, user_names, choices, off_the_record, room)
    take = partial(_take, store, settings, request)
    try:
        return take([Withdrawal(being, ())])
    except _MustRetract as found:
        message_ids = found.message_ids
    for _ in range(TRIES):
        try:
            return withdrawal.planned(store, embedders, partial(_with_copies, store, request, message_ids), take)
        except _MustRetract as changed:
            message_ids = changed.message_ids
    raise Refused("Messages of this conversation keep changing: try again.")


def _with_copies(
    store: Store, request: TranscriptRequest, message_ids: Sequence[UUID]
) -> list[tuple[Being, Sequence[UUID]]]:
    """Messages, with the copies of them that the other Beings of a room have, and no other conversation of theirs."""
    every: list[tuple[Being, Sequence[UUID]]] = [(request.being, message_ids)]
    with store.transaction() as tx:
        for other in request.room.every:
            heard = utterances.with_copy(tx, other.being_id, message_ids)
            gone = heard - transcripts.held_elsewhere(tx, other.being_id, request.conversation or "", heard)
            every += [(other, sorted(gone))] if gone else []
    return every


def _take(
    store: Store, settings: Settings, request: TranscriptRequest, withdrawals: Sequence[Withdrawal]
) -> TakenTranscript:
    """Take a transcript in, unless other messages have to be retracted than was planned."""
    with store.transaction() as tx:
        # The caller's row may be some minutes old.
        request = replace(request, being=beings.get_being(tx, request.being.being_id))
        names = _names(tx, request)
        request = replace(request, wordless=ends_without_words(request.transcript, names))
        turns: Sequence[Turn] = turns_of(request.transcript, names, settings.proxy_task_prompts)[-MOST_TURNS:]
        shown, others = turns, [other.being_id for other in request.room.every]
        turns = witnessed(tx, request.being.being_id, others, request.conversation, turns)
        if not turns:
            return _without_words(request) if shown or request.wordless else TakenTranscript("nothing")
        if answer_traces.are_handed_on(tx, request.being.being_id, turns):
            return TakenTranscript("background")
        if answer_traces.repeats_answer(tx, request.being.being_id, turns):
            last = max(number for number, turn in enumerate(turns) if turn.role == "user")
            turns = [replace(turn, unsure=turn.unsure or number >= last) for number, turn in enumerate(turns)]
        now = clock.now(tx)
        reads = RepeatableReads(tx)
        decided = partial(decide, settings=settings, request=request, turns=turns, now=now)
        seen = decided(reads)
    if not seen.off_the_record:
        with store.transaction() as tx:
            retracts = any(each.message_ids for each in withdrawals)
            lock = withdrawal.lock if retracts else sharing.lock
            erased = sharing.begin_intake(tx, settings, [request.being, *request.room.every], lock)
            if not reads.hold(tx):
                seen = decided(RepeatableReads(tx))
            if not seen.off_the_record:
                return _carry_out(tx, settings, request, seen, withdrawals, erased)
    return _unrecorded(store, settings, request, seen)


def _without_words(request: TranscriptRequest) -> TakenTranscript:
    """Decide on a transcript that has only pictures: the answer alone is stored, after the last known message."""
    conversation = request.conversation or begun().conversation
    off = request.off_the_record or request.being.is_off_the_record(conversation)
    place = AnswerPlace(conversation, None, opened=request.transcript.opened, off_the_record=off)
    decision: Decision = "off the record" if off else "nothing"
    return TakenTranscript(decision, conversation, place=place if request.choices == 1 else None)


def _unrecorded(
    store: Store, settings: Settings, request: TranscriptRequest, seen: DecidedTranscript
) -> TakenTranscript:
    """Decide on a transcript off the record: store digests of the turns that are no messages."""
    (found, changes, _), last = seen.decided, seen.turns[-1]
    shown = {match.turn for match in found.matches}
    # Requests for the others in the room may show it on the record.
    with store.transaction() as tx:
        for being in [request.being, *(request.room.every if request.off_the_record else ())]:
            unrecorded_turns.remember(tx, settings, being, found.conversation, seen.turns, shown)
    names = with_names_in_transcript(request.transcript, WireNames([], [])).being
    opened = request.transcript.opened
    place = AnswerPlace(found.conversation, None, seen.begun, opened=opened, names=names, off_the_record=True)
    return TakenTranscript(
        decision="off the record",
        conversation=found.conversation,
        last=LastTurn(last.role, last.speaker, last.text, None, last.unsure),
        place=place if request.choices == 1 else None,
        shown=frozenset(changes.shown),
        aligned=found.aligned,
    )


def _names(tx: Transaction, request: TranscriptRequest) -> WireNames:
    user = users.get_user(tx, request.being.user_id)
    others = [other.name for other in request.room.every]
    return WireNames([user.name, *request.user_names], [request.being.name, request.being.slug], others)


def _abandoned(tx: Transaction, being_id: UUID, conversation: str, changes: TranscriptChanges) -> list[UUID]:
    """The messages past which the conversation has gone on."""
    rest = (
        transcripts.standing_descendants(tx, being_id, conversation, changes.retract_with_rest, changes.shown)
        if changes.retract_with_rest
        else []
    )
    return list(dict.fromkeys([*changes.retract, *rest]))


def _carry_out(
    tx: Transaction,
    settings: Settings,
    request: TranscriptRequest,
    seen: DecidedTranscript,
    withdrawals: Sequence[Withdrawal],
    erased: Mapping[UUID, Recognition | None],
) -> TakenTranscript:
    """Make the changes, unless other messages are to be retracted than was planned."""
    being, turns, (found, changes, places) = request.being, seen.turns, seen.decided
    for added in (found.shared, places):
        if added:
            transcripts.add(tx, being.being_id, found.conversation, added)
    abandoned = _abandoned(tx, being.being_id, found.conversation, changes)
    held = transcripts.held_elsewhere(tx, being.being_id, found.conversation, abandoned)
    gone = [id_ for id_ in abandoned if id_ not in held]
    if set(gone) != set(withdrawals[0].message_ids):
        raise _MustRetract(gone)
    retracted = [retract_within(tx, settings, each).retracted for each in withdrawals]
    restored = 0
    for one in [being, *request.room.every]:
        transcripts.set_abandoned(tx, one.being_id, found.conversation, abandoned, abandoned=True)
        transcripts.set_abandoned(tx, one.being_id, found.conversation, changes.restore, abandoned=False)
    for one in [being, *request.room.every] if changes.restore else ():
        back = restore_unless_erased(tx, settings, one, erased[one.being_id], changes.restore)
        restored = max(restored, back.restored)
    heard_by = request.room.present
    kept = store_turns(tx, settings, being, found.conversation, turns, changes.new, found.known, heard_by)
    stored = kept.messages
    at = messages_at(stored, changes.new)
    moves = {id_: at[place] if isinstance(place, int) else place for id_, place in changes.moves.items()}
    transcripts.move(
        tx, being.being_id, found.conversation, {id_: place for id_, place in moves.items() if place is not None}
    )
    last, last_id = turns[-1], changes.last if isinstance(changes.last, UUID) else stored.get(len(turns) - 1)
    behind = changes.new[-1].after if changes.new and changes.new[-1].turn == len(turns) - 1 else None
    after = at[behind] if isinstance(behind, int) else behind
    known_before = bool(found.known.messages)
    return TakenTranscript(
        decision="began" if not known_before else "continued" if isinstance(changes.last, int) else "repeated",
        conversation=found.conversation,
        last=LastTurn(last.role, last.speaker, last.text, last_id, last.unsure),
        place=_answer_place(request, seen, last_id, after),
        shown=frozenset({*changes.shown, *stored.values()}),
        taken_in=len(stored),
        shortened=kept.shortened,
        refused=kept.refused,
        retracted=retracted[0],
        restored=restored,
        aligned=found.aligned,
    )


def _answer_place(
    request: TranscriptRequest, seen: DecidedTranscript, last_id: UUID | None, after: UUID | None
) -> AnswerPlace | None:
    """Return the place of the answer; None if a later transcript has to show which answer was kept.

    `after` is the message behind which the last turn is stored, if that is new.
    """
    if last_id is None or not seen.is_awaited:
        return None
    found, last = seen.decided.found, seen.turns[-1]
    names = with_names_in_transcript(request.transcript, WireNames([], [])).being
    place = AnswerPlace(
        found.conversation, last_id, seen.begun, opened=request.transcript.opened, unsure=last.unsure, names=names
    )
    if seen.begun or last.role != "assistant" or request.wordless:
        return place
    line = request.transcript.last_line
    if line is not None and line.role == "user" and last.perhaps_of:
        return place
    # It goes on from an answer that is stored.
    known = found.known.messages.get(last_id)
    parent_id = known.parent_id if known else after
    if parent_id is None or not seen.goes_on:
        return None
    return replace(place, message_id=parent_id, begun=seen.goes_on)
