"""Session summaries: written when a session has closed, and rewritten when a late message extends it (state seed).

The same call draws scenes, and returns impressions of the user and of the companion (`impressions`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from uuid import UUID

from memory.llm.model_work import Asking, ModelWork, OpenSession
from memory.llm.payer import LlmUnavailable
from memory.llm.prompting import extended, prompt
from memory.llm.session import LlmSession
from memory.talk import context_provenance, scene_drawing
from memory.talk.impressions import Impressions
from memory.talk.impressions import refs as refs_of_own
from memory.talk.scene_drawing import SceneDrawing
from memory.talk.summarising import AskPortion, check_lines, grounded, material, update_summary, with_rest
from memory.text.prompt_escaping import tagged
from providers.errors import BadAnswer
from schemas.accounts.accounts import Being
from schemas.ledger import kinds
from schemas.limits import (
    SHORT_SESSION_CHARACTERS,
    SHORT_SESSION_MESSAGES,
    SHORT_SESSIONS_AT_ONCE,
    SUMMARY_ITEMS,
    SUMMARY_LINE_CHARACTERS,
)
from schemas.settings import Settings
from schemas.talk.impressions import ClosedSession, RestingImpression
from schemas.talk.messages import Message
from schemas.talk.scenes import DrawnScene, SessionWithScenes
from schemas.talk.summaries import SessionSummary
from store.accounts import beings
from store.context import impressions
from store.ledger import work
from store.ledger.work import AT_ONCE
from store.talk import messages, rolling, session_summaries
from store.transaction import Transaction

CLOSE = prompt("close", ClosedSession, size="small", most_tokens=3_000)
CLOSE_AND_DRAW = extended(CLOSE, "scenes", DrawnScene, SessionWithScenes, most_tokens=5_000)
# The work that finishes one of them requests more.
REQUESTED_AT_ONCE = 100
LISTS = ("what_mattered", "open_loops", "commitments", "people")


def request_due(tx: Transaction, being_id: UUID) -> None:
    """Request summaries of sessions that have closed, or were extended after that; up to 100."""
    due = session_summaries.take_due(tx, being_id, REQUESTED_AT_ONCE)
    work.ask_each(tx, being_id, kinds.SESSION_SUMMARY, {str(session_id): AT_ONCE for session_id in due})


def check(answer: SessionSummary) -> None:
    """Check that a summary has a one-liner, and lines within their limits.

    Raises:
        BadAnswer: `one_liner` is empty, or a part is too long.
    """
    if not answer.one_liner.strip():
        raise BadAnswer("`one_liner` is empty.")
    for name in ("one_liner", "tone"):
        if len(getattr(answer, name)) > SUMMARY_LINE_CHARACTERS:
            raise BadAnswer(f"`{name}` is longer than {SUMMARY_LINE_CHARACTERS} characters.")
    for name in LISTS:
        check_lines(name, getattr(answer, name), SUMMARY_ITEMS)


@dataclass(frozen=True)
class SummarisedSession:
    """A session's summary and impressions, and the id of the request's key that paid for them, if one did."""

    summary: SessionSummary
    impressions: Sequence[RestingImpression]
    request_key: UUID | None = None

    def keep(self, tx: Transaction, being_id: UUID, session_id: UUID, spoken: Sequence[Message]) -> None:
        """Store them as those of a session in which this was spoken."""
        turns = sum(message.role != "other" for message in spoken)
        session_summaries.keep(tx, being_id, session_id, self.summary, turns)
        impressions.replace(tx, being_id, session_id, self.impressions)


class _Closing(ModelWork[SummarisedSession]):
    """Summarises a closed session, and draws scenes from its new messages; after a fault the session stays due."""

    spoken: Sequence[Message]
    drawing: SceneDrawing
    intake: scene_drawing.SceneIntake
    joins_others: bool

    def read(self, tx: Transaction, open_session: OpenSession) -> Asking[SummarisedSession]:
        being_id, session_id = self.claim.owner_id, UUID(self.claim.key)
        session = session_summaries.begin(tx, being_id, session_id)
        self.spoken = messages.of_session(tx, being_id, session_id, until=self.claim.as_of, sure=True)
        own_texts = context_provenance.own_texts(tx, being_id, self.spoken)
        being = beings.get_being(tx, being_id)
        spoken = {session_id: self.spoken}
        drawings = scene_drawing.prepare(tx, self.settings, being, spoken, own_texts, self.claim.as_of)
        self.drawing = drawings[session_id]
        self.intake = scene_drawing.SceneIntake(self.settings, being_id)
        is_due = session and session.ended_at and any(text.strip() for text in own_texts.values())
        brought = [message.request_key_id for message in self.spoken]
        # A request's key pays for the messages of that request, and not for other sessions.
        joins = self.settings.join_short_sessions and not (session and session.summarise_alone) and not any(brought)
        self.joins_others = bool(is_due) and joins and is_short(self.spoken, own_texts)
        if not is_due or self.joins_others:
            return None
        llm = open_session(brought)
        return llm if isinstance(llm, LlmUnavailable) else partial(self._summarise, llm, being)

    def _summarise(self, llm: LlmSession, being: Being) -> SummarisedSession:
        found = Impressions(self.drawing.own_texts, self.drawing.setting)
        ask = _asking(llm, tagged("companion", being.name), self.drawing, found)
        result = update_summary(ask, None, self.spoken, self.drawing.own_texts)
        if result.summary is None:
            raise result.faults[-1]
        llm.count_dropped("summaries", found.dropped)
        return SummarisedSession(result.summary, found.kept, llm.request_key)

    @property
    def _message_ids(self) -> list[UUID]:
        return [message.message_id for message in self.spoken]

    def lock_intake(self, tx: Transaction) -> None:
        self.intake.lock(tx)

    def lock(self, tx: Transaction) -> None:
        rolling.lock(tx, self.claim.owner_id)
        messages.keep_from_erasure(tx, self.claim.owner_id, self._message_ids)

    def keep(self, tx: Transaction, answer: SummarisedSession | None) -> None:
        being_id, session_id = self.claim.owner_id, UUID(self.claim.key)
        if self.joins_others:
            queue_short(tx, self.settings, being_id, session_id)
            return
        if answer and messages.keep_from_erasure(tx, being_id, self._message_ids):
            answer.keep(tx, being_id, session_id, self.spoken)
            scene_drawing.keep(tx, self.intake, [self.drawing], answer.request_key)
        request_due(tx, being_id)

    def wait(self, tx: Transaction, _: LlmUnavailable) -> None:
        """Make the session due again; the Being's summaries are requested once its user has a usable key."""
        rolling.wait_for_key(tx, self.claim.owner_id, waits=True)
        session_summaries.make_due(tx, self.claim.owner_id, UUID(self.claim.key))


summarise = _Closing.do


def _asking(llm: LlmSession, about: str, drawing: SceneDrawing, found: Impressions) -> AskPortion[SessionSummary]:
    """Ask for a summary and impressions, and for scenes where the portion has messages to draw from."""

    def ask(so_far: SessionSummary | None, portion: Sequence[Message]) -> SessionSummary:
        wanted = drawing.wanted(portion)
        own = refs_of_own(portion)
        if wanted:
            shown = {f"m{place}": message for place, message in enumerate(drawing.of(portion), start=1)}
            refs = {message.message_id: ref for ref, message in shown.items()}
            wanted_and_material = f"{scenes_wanted(wanted)}\n{material(so_far, portion, drawing.own_texts, refs, own)}"
            drawn = llm.ask(CLOSE_AND_DRAW.question(about, wanted_and_material), check)
            drawing.take(drawn.answer.scenes, shown, wanted)
            answer, cut = ClosedSession.model_validate(drawn.answer.model_dump()), False
        else:
            closed = llm.ask(CLOSE.question(about, material(so_far, portion, drawing.own_texts, own=own)), check)
            answer, cut = closed.answer, closed.cut
        summary = grounded(llm, answer.alone(), so_far, portion, drawing.own_texts, drawing.setting)
        found.take(answer, portion, own)
        return with_rest(so_far, summary) if cut else summary

    return ask


def scenes_wanted(most: int) -> str:
    """Render how many scenes an answer may have."""
    return tagged("scenes-wanted", str(most))


def is_short(messages: Sequence[Message], own_texts: Mapping[UUID, str]) -> bool:
    """Whether a session is too short for a call of its own.

    Args:
        messages: All messages of the session.
        own_texts: Their texts with the words of contexts blanked (`context_provenance.own_texts`).
    """
    characters = sum(len(text) for text in own_texts.values())
    return len(messages) <= SHORT_SESSION_MESSAGES and characters <= SHORT_SESSION_CHARACTERS


def queue_short(tx: Transaction, settings: Settings, being_id: UUID, session_id: UUID) -> None:
    """Queue a session for a joint call."""
    session_summaries.enqueue_short(tx, being_id, session_id)
    request_joint_if_due(tx, settings, being_id)


def request_joint_if_due(tx: Transaction, settings: Settings, being_id: UUID) -> None:
    """Request the joint call if sessions are queued: at once for 20, for fewer after `short_session_wait`."""
    queued = session_summaries.count_short(tx, being_id, limit=SHORT_SESSIONS_AT_ONCE)
    if queued:
        wait = AT_ONCE if queued == SHORT_SESSIONS_AT_ONCE else settings.short_session_wait
        work.ask(tx, being_id, kinds.SHORT_SESSIONS, after=wait)
