"""Session summaries: written when a session has closed, and rewritten when a late message extends it (state seed)."""

from collections.abc import Sequence
from functools import partial
from uuid import UUID

import structlog

from memory.llm.prompting import extended, prompt
from memory.llm.session import LlmSession, LlmUnavailable, llm_session
from memory.talk import context_provenance, scene_drawing, short_sessions
from memory.talk.scene_drawing import SceneDrawing
from memory.talk.summarising import AskPortion, asking, check_lines, grounded, material, update_summary
from memory.text.prompt_escaping import tagged
from providers.errors import BadAnswer
from providers.thinkers import Thinkers
from schemas.ledger import kinds
from schemas.ledger.work import Claim
from schemas.limits import SUMMARY_ITEMS, SUMMARY_LINE_CHARACTERS
from schemas.settings import Settings
from schemas.talk.messages import Message
from schemas.talk.scenes import DrawnScene, SessionWithScenes
from schemas.talk.summaries import SessionSummary
from store.accounts import beings
from store.database import Store
from store.ledger import work
from store.ledger.work import AT_ONCE
from store.talk import messages, rolling, session_summaries
from store.transaction import Transaction

log = structlog.get_logger()

CLOSE = prompt("close", SessionSummary, size="small", most_tokens=2_000)
CLOSE_AND_DRAW = extended(CLOSE, "scenes", DrawnScene, SessionWithScenes, most_tokens=4_000)
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


def summarise(store: Store, thinkers: Thinkers, settings: Settings, claim: Claim) -> None:
    """Summarise a closed session, and draw scenes from its new messages.

    Raises:
        BadAnswer, InputRefused: No message of it could be summarised.
        Transient, Misconfigured, BudgetSpent, LeaseLost: As `LlmSession.ask`; the session stays due.
    """
    being_id, session_id = claim.owner_id, UUID(claim.key)
    llm: LlmSession | LlmUnavailable | None = None
    with store.transaction() as tx:
        session = session_summaries.begin(tx, being_id, session_id)
        spoken = messages.of_session(tx, being_id, session_id, until=claim.as_of, sure=True)
        own_texts = context_provenance.own_texts(tx, being_id, spoken)
        being = beings.get_being(tx, being_id)
        drawing = scene_drawing.prepare(tx, settings, being, {session_id: spoken}, own_texts, claim.as_of)[session_id]
        is_due = session and session.ended_at and any(text.strip() for text in own_texts.values())
        brought = [message.request_key_id for message in spoken]
        # A request's key pays for the messages of that request, and not for other sessions.
        joins = settings.join_short_sessions and not (session and session.summarise_alone) and not any(brought)
        joins = joins and short_sessions.is_short(spoken, own_texts)
        if is_due and not joins:
            llm = llm_session(tx, store, thinkers, settings, claim, brought)
    if not is_due:
        with store.finishing(claim) as tx:
            request_due(tx, being_id)
        return
    if llm is None:
        short_sessions.enqueue(store, settings, claim, session_id)
        return
    if isinstance(llm, LlmUnavailable):
        _wait_for_key(store, claim, llm, session_id)
        return
    result = update_summary(_asking(llm, tagged("companion", being.name), drawing), None, spoken, own_texts)
    if result.summary is None:
        raise result.faults[-1]
    turns = sum(message.role != "other" for message in spoken)
    said_ids = [message.message_id for message in spoken]
    intake = scene_drawing.Intake(settings, being_id)
    complete = False

    def lock(tx: Transaction) -> None:
        nonlocal complete
        complete = messages.keep_from_erasure(tx, being_id, said_ids)

    # An erasure locks the intake and the messages before it requests this work.
    with store.finishing(claim, intake=intake.lock, first=lock) as tx:
        if complete:
            session_summaries.keep(tx, being_id, session_id, result.summary, turns)
            scene_drawing.keep(tx, intake, [drawing], llm.request_key)
        request_due(tx, being_id)


def _asking(llm: LlmSession, about: str, drawing: SceneDrawing) -> AskPortion[SessionSummary]:
    """Ask for a summary, and for scenes where the portion has messages to draw from."""
    only_summary = asking(llm, CLOSE, about, drawing.own_texts, check, drawing.setting)

    def ask(so_far: SessionSummary | None, portion: Sequence[Message]) -> SessionSummary:
        wanted = drawing.wanted(portion)
        if not wanted:
            return only_summary(so_far, portion)
        shown = {f"m{place}": message for place, message in enumerate(drawing.of(portion), start=1)}
        refs = {message.message_id: ref for ref, message in shown.items()}
        wanted_and_material = f"{scenes_wanted(wanted)}\n{material(so_far, portion, drawing.own_texts, refs)}"
        answer = llm.ask(CLOSE_AND_DRAW.question(about, wanted_and_material), check).answer
        drawing.take(answer.scenes, shown, wanted)
        return grounded(llm, answer.alone(), so_far, portion, drawing.own_texts, drawing.setting)

    return ask


def scenes_wanted(most: int) -> str:
    """Render how many scenes an answer may have."""
    return tagged("scenes-wanted", str(most))


def _wait_for_key(store: Store, claim: Claim, unavailable: LlmUnavailable, session_id: UUID) -> None:
    """Make the session due again; the Being's summaries are requested once its user has a usable key."""
    # Intake locks the session state first as well, before it requests this work.
    with store.finishing(claim, first=partial(rolling.wait_for_key, being_id=claim.owner_id, waits=True)) as tx:
        session_summaries.make_due(tx, claim.owner_id, session_id)
    log.info("summaries.wait_for_key", reason=unavailable.logged, being_id=str(claim.owner_id))
