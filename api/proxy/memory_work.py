"""The memory's work for one request of a chat: takes the transcript in, recalls, takes the answer in, accounts."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal, TypeVar

import structlog

from memory.accounts.rooms import RoomReference, enter
from memory.context.rag_context import EarlyVector, embed_early
from memory.intake.accepting import IntakeFull
from memory.proxy import admission
from memory.proxy.admission import Admission
from memory.proxy.insertion import context_to_insert
from memory.proxy.reading.background import maker_of
from memory.proxy.reading.speakers import WireNames
from memory.proxy.reading.transcript import Transcript
from memory.proxy.reading.turns import last_words
from memory.proxy.taking import answer_traces
from memory.proxy.taking.answer_intake import take_answer
from memory.proxy.taking.exchange import TakenTranscript, take_transcript
from memory.proxy.taking.storing import NO_ROOMMATES, Roommates
from memory.proxy.wires.settlement import used
from memory.proxy.wires.wire import Memory
from providers.chat.chat_answer import ChatAnswer
from providers.completion import Usage
from schemas.accounts.accounts import Being
from schemas.errors import StoreError, Unavailable
from schemas.llm.calls import Outcome
from workers.runtime.faults import described
from workers.runtime.resources import Resources

if TYPE_CHECKING:
    from concurrent.futures import Future

log = structlog.get_logger()

T = TypeVar("T")

Recalled = Literal["included", "late", "failed", "none"]
Stored = Literal["yes", "shortened", "unsure", "pending", "off-the-record", "no", "none"]

Later = Callable[[Admission, Outcome, Usage | None], None]

# A turn that a busy database refuses this many times is reported as not stored.
TRIES = 3


@dataclass(frozen=True, slots=True)
class MemoryOptions:
    """The options of one request that concern the memory.

    Attributes:
        transcript: The transcript of the request.
        conversation: Its id of the conversation, if it names one.
        background: Whether the client marks the request as its own, and no user's turn.
        off_the_record: Whether the client marks the request and its answer as off the record.
        choices: How many answers it wants.
        user_names: Names by which it means the user.
        continues: The id of the answer that it goes on from without showing it.
        room: The room whose conversation it is, if it names one.
    """

    transcript: Transcript
    conversation: str | None
    background: bool
    off_the_record: bool
    choices: int
    user_names: tuple[str, ...] = ()
    continues: str | None = None
    room: RoomReference | None = None


@dataclass(slots=True)
class Progress:
    """How far the memory is with a request; another thread fills it while a coroutine waits.

    Attributes:
        taken: The decision about the transcript; None until it is committed.
        context: The context; None until it is assembled.
        failed: Whether the memory gave up.
        room: The others in the room.
        off_the_record: Whether it is known from the beginning that no word is to be kept.
        on_recalled: Called when the context is assembled, or there will be none.
    """

    taken: TakenTranscript | None = None
    context: Memory | None = None
    failed: bool = False
    room: Roommates = NO_ROOMMATES
    off_the_record: bool = False
    on_recalled: Callable[[], object] = lambda: None

    def tell(self, context: Memory) -> None:
        """Hand the context over."""
        self.context = context
        self.on_recalled()

    @property
    def stored(self) -> Stored:
        """Whether the turn is stored, as the answer's header says."""
        if self.taken is None:
            return "no" if self.failed else "off-the-record" if self.off_the_record else "pending"
        if self.taken.decision == "off the record":
            return "off-the-record"
        if self.taken.refused:
            return "no"
        # Messages that were erased before are not stored again.
        if self.taken.last is None or self.taken.last.message_id is None:
            return "none"
        if self.taken.last.unsure:
            return "unsure"
        return "shortened" if self.taken.shortened else "yes"

    @property
    def recalled(self) -> Recalled:
        """Whether memories are in the prompt, as the answer's header says."""
        if self.context is not None:
            return "included" if self.context else "none"
        return "failed" if self.failed else "late"


def embed_last_words(on: Resources, being: Being, wanted: MemoryOptions) -> EarlyVector | None:
    """Embed the last words of a transcript while it is taken in; None if there are none, or embedding fails."""
    if wanted.background or maker_of(wanted.transcript, on.settings.proxy_task_prompts) == "frontend":
        return None
    words = last_words(wanted.transcript, WireNames(wanted.user_names, [being.name, being.slug]))
    try:
        return embed_early(on.embedders, being, words) if words else None
    except Exception as fault:  # noqa: BLE001  # the context is assembled without
        _tell("proxy.not_embedded", fault)
        return None


def remember_and_recall(
    on: Resources, being: Being, wanted: MemoryOptions, embedded: "Future[EarlyVector | None]", progress: Progress
) -> None:
    """Take a transcript in, and assemble the context for the reply; failures are logged without content."""
    conversation = wanted.conversation
    try:
        if wanted.room is not None:
            conversation, progress.room = enter(on.store, being, wanted.room)
        take = partial(
            take_transcript,
            on.store,
            on.settings,
            on.embedders,
            being,
            wanted.transcript,
            conversation=conversation,
            background=wanted.background,
            off_the_record=wanted.off_the_record,
            choices=wanted.choices,
            user_names=wanted.user_names,
            continues=wanted.continues,
            room=progress.room,
        )
        progress.taken = taken = _unless_down(on, take)
        context_to_insert(
            on.store,
            on.embedders,
            on.settings,
            being,
            taken,
            embedded=embedded.result,
            report=progress.tell,
        )
    except Exception as fault:  # noqa: BLE001  # no fault of the memory ends the chat
        progress.failed = True
        _tell("proxy.memory_failed", fault)
    finally:
        progress.on_recalled()


def conclude(
    on: Resources,
    admitted: Admission,
    progress: Progress,
    answer: ChatAnswer | None,
    outcome: Outcome,
    later: Later,
    *,
    key_refused: bool = False,
) -> None:
    """Take the answer in, and record the call's cost; failures are logged without content.

    Args:
        admitted: The call.
        progress: The progress of its transcript.
        answer: The part of the answer that was read; None if none came.
        outcome: How the call ended.
        later: Called if the cost can't be recorded now.
        key_refused: Whether the upstream does not know the key that pays.
    """
    place = progress.taken.place if progress.taken else None
    message_id = place.message_id if place else None
    if place and answer and answer.readable and answer.choices <= 1 and answer.text.strip():
        try:
            take = partial(take_answer, on.store, on.settings, admitted.being, place, answer.text, room=progress.room)
            message_id = _unless_down(on, take) or message_id
        except Exception as fault:  # noqa: BLE001  # the next transcript brings the answer again
            _tell("proxy.answer_not_stored", fault)
    if answer is not None:
        try:
            conversation = place.conversation if place else None
            answer_traces.add(on.store, admitted.being.being_id, answer, conversation, message_id)
        except Exception as fault:  # noqa: BLE001  # a request that names it is aligned by its words
            _tell("proxy.trace_not_stored", fault)
    if key_refused:
        try:
            admission.mark_refused(on.store, admitted)
        except Exception as fault:  # noqa: BLE001  # the next refusal is recorded
            _tell("proxy.refusal_not_recorded", fault)
    record(on, admitted, outcome, usage_of(admitted, answer, outcome), later)


def record(on: Resources, admitted: Admission, outcome: Outcome, usage: Usage | None, later: Later) -> None:
    """Record a call's cost.

    Args:
        admitted: The call.
        outcome: How it ended.
        usage: Its tokens, if they are known.
        later: Called if it can't be recorded now.
    """
    try:
        admission.settle(on.store, on.settings, admitted, outcome, usage)
    except Unavailable as fault:
        _tell("proxy.cost_not_recorded", fault)
        later(admitted, outcome, usage)
    except Exception as fault:  # noqa: BLE001  # the reservation stays as the cost
        _tell("proxy.cost_not_recorded", fault)


def usage_of(admitted: Admission, answer: ChatAnswer | None, outcome: Outcome) -> Usage | None:
    """Return a call's usage; None if it is not known, and the reservation stays as its cost."""
    if answer is None:
        return Usage() if outcome == "failed" else None
    return used(admitted.reserved, answer)


def _unless_down(on: Resources, take: Callable[[], T]) -> T:
    """Take in data that must not be lost: repeat a statement or a connection that a busy database did not grant."""
    for _ in range(TRIES - 1):
        try:
            return take()
        except Unavailable as fault:
            if not on.store.reachable():
                raise
            _tell("proxy.tried_again", fault)
    return take()


def _tell(event: str, fault: Exception) -> None:
    if isinstance(fault, StoreError | IntakeFull):
        log.warning(event, fault=type(fault).__name__)
    else:
        log.error(event, fault=described(fault))
