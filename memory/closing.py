"""What a conversation came to: written when it is closed, and anew when a late message extends it (state seed)."""

from functools import partial
from uuid import UUID

import structlog

from memory import receipts
from memory.fences import fenced
from memory.prompting import prompt
from memory.summarising import check_lines, summed_up
from memory.thinking import NoMind, mind_for
from providers.errors import BadAnswer
from providers.thinkers import Thinkers
from schemas.limits import SUMMARY_ITEMS, SUMMARY_LINE_CHARACTERS
from schemas.settings import Settings
from schemas.summaries import SessionSummary
from schemas.work import Claim, Ring
from store import messages, rolling, session_summaries, users, work
from store.database import Store
from store.transaction import Transaction

log = structlog.get_logger()

KIND = "session_close.summarise"
QUEUE = "session-close"
CLOSE = prompt("close", SessionSummary, size="small", most_tokens=2_000)
# More follow as these are done.
ASKED_AT_ONCE = 100
LISTS = ("what_mattered", "open_loops", "commitments", "people")


def ask(tx: Transaction, being_id: UUID) -> list[Ring]:
    """Ask for summaries of the conversations that were closed, or extended after that."""
    return [
        ring
        for session_id in session_summaries.take_due(tx, being_id, ASKED_AT_ONCE)
        for ring in work.ask(tx, being_id, KIND, str(session_id), QUEUE)
    ]


def check(answer: SessionSummary) -> None:
    """Hold a summary against its measure.

    Raises:
        BadAnswer: It does not say what the conversation was, or a part is too long.
    """
    if not answer.one_liner.strip():
        raise BadAnswer("`one_liner` is empty.")
    for name in ("one_liner", "tone"):
        if len(getattr(answer, name)) > SUMMARY_LINE_CHARACTERS:
            raise BadAnswer(f"`{name}` is longer than {SUMMARY_LINE_CHARACTERS} characters.")
    for name in LISTS:
        check_lines(name, getattr(answer, name), SUMMARY_ITEMS)


def summarise(store: Store, thinkers: Thinkers, settings: Settings, claim: Claim) -> list[Ring]:
    """Sum up a closed conversation; returns what to ring for.

    Raises:
        BadAnswer, InputRefused: Nothing of it could be summed up.
        Transient, Misconfigured, BudgetSpent, LeaseLost: As `Mind.ask`; what was said is kept.
    """
    being_id, session_id = claim.owner_id, UUID(claim.key)
    with store.transaction() as tx:
        session = session_summaries.session(tx, being_id, session_id)
        said = messages.of_session(tx, being_id, session_id, until=claim.as_of)
        heard = receipts.heard(tx, being_id, said)
        being = users.get_being(tx, being_id)
    if session is None or session.ended_at is None or not any(text.strip() for text in heard.values()):
        with store.finishing(claim) as tx:
            return ask(tx, being_id)
    mind = mind_for(store, thinkers, settings, claim)
    if isinstance(mind, NoMind):
        return _without_a_mind(store, claim, mind, session_id)
    result = summed_up(mind, CLOSE, fenced("companion", being.name), None, said, heard, check)
    if result.summary is None:
        raise result.faults[-1]
    turns = sum(message.role != "other" for message in said)
    still_there = partial(
        messages.keep_from_erasure, being_id=being_id, message_ids=[message.message_id for message in said]
    )
    # Whoever erases messages has locked them when they ask for this work.
    with store.finishing(claim, first=still_there) as tx:
        if still_there(tx):
            session_summaries.keep(tx, being_id, session_id, result.summary, turns)
        return ask(tx, being_id)


def _without_a_mind(store: Store, claim: Claim, mind: NoMind, session_id: UUID) -> list[Ring]:
    """Leave the conversation as it is; the first key that comes wakes the Being's summaries."""
    # Messages on their way in have the Being's state when they ask for this work.
    with store.finishing(claim, first=partial(rolling.wait_for_key, being_id=claim.owner_id, waits=True)) as tx:
        session_summaries.put_back(tx, claim.owner_id, session_id)
    log.info("summaries.wait_for_key", reason=mind.logged, being_id=str(claim.owner_id))
    return []
